"""What inference gives: `result` (what an engine gives: sums over all trees, `summed`, or draws,
`drawn` and `edits`), and `posterior` (what users hold).

Averages: `averages` defines them over trees, `weighted_draws` makes them from draws, `soft` from
draws of soft trees, and `backtracking` under `:- failure(backtrack).`. `by_tree` and
`rows_in_leaves` tell what single trees and leaves predict. `quantiles` has those of mixtures.

Trust: `convergence`, `diagnostics` and, of tempered chains, `tempering` have the figures of draws.
`trust` makes every test and is the one judgement; `doubts` says it, with the run to make instead.
`partial_results` holds what is known at a limit.

Parts of `posterior`: `predictions`, `summaries`, `rule_use`, `evidence`, `rashomon` (all trees near
the best), `paths` (of rows down random trees), `arviz` (draws for ArviZ), `words` (numbers in
words). `choice` says which engine gave a result, `size` how large exact
sums would be, `record` what the run was asked, and `saved`
writes posteriors to files.

Beside it: `comparison` sets programs side by side, `tuning` values of their parameters, and
`proofs` summarises draws of a goal's proofs.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.results.arviz import posterior_to_arviz
    from slp.results.by_tree import (
        mean_by_tree,
        predictive_cdf,
        splits_of,
        trees_of,
        weighted_quantiles,
    )
    from slp.results.comparison import ComparedProgram, Comparison, HeldOut
    from slp.results.convergence import bulk_ess, monte_carlo_errors, r_hat, tail_ess
    from slp.results.diagnostics import Diagnostics
    from slp.results.doubts import doubt_of, longer_run
    from slp.results.evidence import bounds_in_words
    from slp.results.partial_results import Known
    from slp.results.paths import TreePath
    from slp.results.posterior import Posterior
    from slp.results.proofs import SampledProofs
    from slp.results.rashomon import RashomonSet
    from slp.results.result import Candidate, Draw, Estimate, Kind, Result
    from slp.results.rule_use import RuleUse
    from slp.results.summaries import FeatureUse
    from slp.results.tempering import ENOUGH_ROUND_TRIPS, TemperingFigures
    from slp.results.tuning import CrossValidation, Tuning
    from slp.results.words import (
        derivations_note,
        error_note,
        estimate_text,
        evidence_text,
        number_of_trees_text,
        partition_note,
    )

__all__ = [
    "Candidate",
    "ComparedProgram",
    "Comparison",
    "CrossValidation",
    "Diagnostics",
    "ENOUGH_ROUND_TRIPS",
    "Draw",
    "Estimate",
    "HeldOut",
    "FeatureUse",
    "Kind",
    "Known",
    "Posterior",
    "RashomonSet",
    "Result",
    "RuleUse",
    "TreePath",
    "bounds_in_words",
    "bulk_ess",
    "derivations_note",
    "doubt_of",
    "error_note",
    "estimate_text",
    "evidence_text",
    "longer_run",
    "mean_by_tree",
    "monte_carlo_errors",
    "number_of_trees_text",
    "partition_note",
    "predictive_cdf",
    "r_hat",
    "splits_of",
    "tail_ess",
    "trees_of",
    "weighted_quantiles",
    "posterior_to_arviz",
    "SampledProofs",
    "TemperingFigures",
    "Tuning",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.results.by_tree": "mean_by_tree predictive_cdf splits_of trees_of weighted_quantiles",
        "slp.results.convergence": "bulk_ess monte_carlo_errors r_hat tail_ess",
        "slp.results.result": "Candidate Draw Estimate Kind Result",
        "slp.results.comparison": "ComparedProgram Comparison HeldOut",
        "slp.results.diagnostics": "Diagnostics",
        "slp.results.doubts": "doubt_of longer_run",
        "slp.results.proofs": "SampledProofs",
        "slp.results.rashomon": "RashomonSet",
        "slp.results.posterior": "Posterior",
        "slp.results.summaries": "FeatureUse",
        "slp.results.partial_results": "Known",
        "slp.results.paths": "TreePath",
        "slp.results.evidence": "bounds_in_words",
        "slp.results.words": "derivations_note error_note estimate_text evidence_text "
        "number_of_trees_text partition_note",
        "slp.results.arviz": "posterior_to_arviz",
        "slp.results.rule_use": "RuleUse",
        "slp.results.tempering": "ENOUGH_ROUND_TRIPS TemperingFigures",
        "slp.results.tuning": "CrossValidation Tuning",
    },
)
