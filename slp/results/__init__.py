"""What inference gives: `posterior` (what users hold), by sums over all trees (`exact_posterior`)
or
by draws (`sampled_posterior`, `edit_posterior`).

`averages` says what an engine must give; `drawn` averages draws. `convergence` and `diagnostics`
say how far draws can be trusted; `rule_use`, `quantiles` and `evidence` are parts of summaries,
`known` is what there is where a limit was reached, `arviz_data` the draws as ArviZ has them.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.results.arviz_data import posterior_to_arviz
    from slp.results.choice import Choice
    from slp.results.convergence import bulk_ess, monte_carlo_errors, r_hat, tail_ess
    from slp.results.diagnostics import Diagnostics
    from slp.results.known import Known
    from slp.results.posterior import Draw, FeatureUse, MapTree, Posterior
    from slp.results.rule_use import RuleUse
    from slp.results.sampled_proofs import DrawnProof, SampledAnswer, SampledProofs

__all__ = [
    "Choice",
    "Diagnostics",
    "Draw",
    "DrawnProof",
    "FeatureUse",
    "Known",
    "MapTree",
    "Posterior",
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
        "Choice": "slp.results.choice",
        "Diagnostics": "slp.results.diagnostics",
        "Draw": "slp.results.posterior",
        "DrawnProof": "slp.results.sampled_proofs",
        "FeatureUse": "slp.results.posterior",
        "Known": "slp.results.known",
        "MapTree": "slp.results.posterior",
        "posterior_to_arviz": "slp.results.arviz_data",
        "Posterior": "slp.results.posterior",
        "RuleUse": "slp.results.rule_use",
        "SampledAnswer": "slp.results.sampled_proofs",
        "SampledProofs": "slp.results.sampled_proofs",
    },
)
