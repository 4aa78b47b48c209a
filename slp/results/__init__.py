"""What inference gives: `result` (what an engine gives: sums over all trees, `summed`, or draws,
`drawn` and `edits`), and `posterior` (what users hold).

`averages` defines averages over trees; `weighted_draws` averages draws. `convergence` and
`diagnostics` tell how far draws can be trusted. `rule_use`, `quantiles` and `evidence` are parts of
summaries. `known` holds partial results at a limit, `arviz` converts draws for ArviZ, and `proofs`
summarises draws of a goal's proofs.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.results.arviz import posterior_to_arviz
    from slp.results.choice import Choice
    from slp.results.convergence import bulk_ess, monte_carlo_errors, r_hat, tail_ess
    from slp.results.diagnostics import Diagnostics
    from slp.results.known import Known
    from slp.results.posterior import FeatureUse, Posterior
    from slp.results.proofs import DrawnProof, SampledAnswer, SampledProofs
    from slp.results.result import Candidate, Draw, Estimate, Result
    from slp.results.rule_use import RuleUse

__all__ = [
    "Candidate",
    "Choice",
    "Diagnostics",
    "Draw",
    "DrawnProof",
    "Estimate",
    "FeatureUse",
    "Known",
    "Posterior",
    "Result",
    "RuleUse",
    "SampledAnswer",
    "bulk_ess",
    "monte_carlo_errors",
    "r_hat",
    "tail_ess",
    "posterior_to_arviz",
    "SampledProofs",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bulk_ess": "slp.results.convergence",
        "monte_carlo_errors": "slp.results.convergence",
        "r_hat": "slp.results.convergence",
        "tail_ess": "slp.results.convergence",
        "Candidate": "slp.results.result",
        "Choice": "slp.results.choice",
        "Diagnostics": "slp.results.diagnostics",
        "Draw": "slp.results.result",
        "DrawnProof": "slp.results.proofs",
        "Estimate": "slp.results.result",
        "FeatureUse": "slp.results.posterior",
        "Known": "slp.results.known",
        "posterior_to_arviz": "slp.results.arviz",
        "Posterior": "slp.results.posterior",
        "Result": "slp.results.result",
        "RuleUse": "slp.results.rule_use",
        "SampledAnswer": "slp.results.proofs",
        "SampledProofs": "slp.results.proofs",
    },
)
