"""What inference gives: `record` is what an engine fills, and `posterior` what users hold.

Rooms: `record` (the result of a run), `averages` (over trees: sums, or draws), `trust` (how far
numbers can be trusted), `saved` (runs in files) and `tree_goals` (goals of Prolog about trees).
`estimate` is a number and its error, which all of them give.

Parts of `posterior`: `tree_answers` (the best trees, draws, how probable one is), `predictions`,
`distributions` (of outcomes), `predictive` (draws, and quantities and `contrasts`, which
`differences` makes), `decisions` (of least expected loss), `asking` (what rows are asked, and its
cost), `querying` (goals about trees), `beside_prior` (the prior, for both), `leave_one_out` (how
rows are predicted from all others), `summaries`, `rashomon` (all trees near the best), `by_tree`
(what single trees predict), `weighted_trees` (a few trees that leave the tool together),
`representative` (one for all), `arviz` (draws for ArviZ), and `words` (numbers in words).

Beside it: `comparison` sets programs side by side, `paired` their predictions of the same rows,
`survival_scores` scores those of durations, `tuning` compares values of parameters, `elicited` are
those whose prior has given means, `prices` are
those of a program's statements, `sensitivity` says what answers owe to its numbers, and `proofs`
summarises draws of a goal's proofs.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.results.arviz import posterior_to_arviz
    from slp.results.averages.no_posterior import refuse_stacking
    from slp.results.averages.paths import TreePath
    from slp.results.averages.weighted_draws import weighted_quantiles
    from slp.results.by_tree import mean_by_tree, splits_of, survival_of_rows, trees_of
    from slp.results.comparison import ComparedProgram, Comparison, HeldOut
    from slp.results.contrasts import Contrast, RowQuantity
    from slp.results.elicited import Elicited
    from slp.results.estimate import Estimate, Kind
    from slp.results.leave_one_out import LeaveOneOut
    from slp.results.paired import PairedDifference
    from slp.results.posterior import Posterior
    from slp.results.prices import Price, Prices
    from slp.results.proofs import SampledProofs
    from slp.results.rashomon import RashomonSet
    from slp.results.record.evidence import bounds_in_words
    from slp.results.record.known import Known
    from slp.results.record.parts import Candidate, Draw
    from slp.results.record.result import Result
    from slp.results.record.rule_use import RuleUse
    from slp.results.record.stacked import Stacked
    from slp.results.representative import RepresentativeTree, representative_tree
    from slp.results.sensitivity import Sensitivity, Slope
    from slp.results.summaries import FeatureUse
    from slp.results.survival_scores import SurvivalScores, kaplan_meier
    from slp.results.tree_goals.answers import TreeAnswers
    from slp.results.trust.convergence import bulk_ess, monte_carlo_errors, r_hat, tail_ess
    from slp.results.trust.diagnostics import Diagnostics
    from slp.results.trust.doubts import (
        doubt_of,
        longer_run,
        seconds_of_stacking,
        stacking_is_offered,
    )
    from slp.results.trust.judgement import LARGEST_K, Trust
    from slp.results.trust.tempering import ENOUGH_ROUND_TRIPS, TemperingFigures
    from slp.results.tuning import CrossValidation, Tuning
    from slp.results.weighted_trees import AveragedTrees, average_of_best, average_of_draws
    from slp.results.words import (
        derivations_note,
        error_note,
        estimate_text,
        evidence_text,
        number_of_trees_text,
        partition_note,
    )

__all__ = [
    "AveragedTrees",
    "Candidate",
    "ComparedProgram",
    "Comparison",
    "Contrast",
    "CrossValidation",
    "Diagnostics",
    "PairedDifference",
    "ENOUGH_ROUND_TRIPS",
    "Draw",
    "Estimate",
    "HeldOut",
    "FeatureUse",
    "Kind",
    "LARGEST_K",
    "LeaveOneOut",
    "Known",
    "Posterior",
    "Price",
    "Prices",
    "RashomonSet",
    "RepresentativeTree",
    "Result",
    "RowQuantity",
    "RuleUse",
    "Stacked",
    "SurvivalScores",
    "TreePath",
    "average_of_best",
    "average_of_draws",
    "bounds_in_words",
    "bulk_ess",
    "derivations_note",
    "doubt_of",
    "error_note",
    "estimate_text",
    "evidence_text",
    "kaplan_meier",
    "longer_run",
    "mean_by_tree",
    "monte_carlo_errors",
    "number_of_trees_text",
    "partition_note",
    "r_hat",
    "refuse_stacking",
    "representative_tree",
    "seconds_of_stacking",
    "splits_of",
    "stacking_is_offered",
    "survival_of_rows",
    "tail_ess",
    "trees_of",
    "weighted_quantiles",
    "posterior_to_arviz",
    "SampledProofs",
    "Sensitivity",
    "Slope",
    "TemperingFigures",
    "TreeAnswers",
    "Trust",
    "Elicited",
    "Tuning",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.results.by_tree": "mean_by_tree splits_of survival_of_rows trees_of",
        "slp.results.averages.no_posterior": "refuse_stacking",
        "slp.results.averages.weighted_draws": "weighted_quantiles",
        "slp.results.contrasts": "Contrast RowQuantity",
        "slp.results.trust.convergence": "bulk_ess monte_carlo_errors r_hat tail_ess",
        "slp.results.estimate": "Estimate Kind",
        "slp.results.record.parts": "Candidate Draw",
        "slp.results.record.result": "Result",
        "slp.results.comparison": "ComparedProgram Comparison HeldOut",
        "slp.results.trust.diagnostics": "Diagnostics",
        "slp.results.trust.doubts": "doubt_of longer_run seconds_of_stacking stacking_is_offered",
        "slp.results.trust.judgement": "LARGEST_K Trust",
        "slp.results.leave_one_out": "LeaveOneOut",
        "slp.results.paired": "PairedDifference",
        "slp.results.prices": "Price Prices",
        "slp.results.proofs": "SampledProofs",
        "slp.results.rashomon": "RashomonSet",
        "slp.results.representative": "RepresentativeTree representative_tree",
        "slp.results.posterior": "Posterior",
        "slp.results.sensitivity": "Sensitivity Slope",
        "slp.results.summaries": "FeatureUse",
        "slp.results.survival_scores": "SurvivalScores kaplan_meier",
        "slp.results.record.known": "Known",
        "slp.results.weighted_trees": "AveragedTrees average_of_best average_of_draws",
        "slp.results.averages.paths": "TreePath",
        "slp.results.record.evidence": "bounds_in_words",
        "slp.results.words": "derivations_note error_note estimate_text evidence_text "
        "number_of_trees_text partition_note",
        "slp.results.arviz": "posterior_to_arviz",
        "slp.results.record.rule_use": "RuleUse",
        "slp.results.record.stacked": "Stacked",
        "slp.results.trust.tempering": "ENOUGH_ROUND_TRIPS TemperingFigures",
        "slp.results.tree_goals.answers": "TreeAnswers",
        "slp.results.elicited": "Elicited",
        "slp.results.tuning": "CrossValidation Tuning",
    },
)
