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
    from slp.results.choice import Choice
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
    "SampledProofs",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "Choice": "slp.results.choice",
        "Diagnostics": "slp.results.diagnostics",
        "Draw": "slp.results.posterior",
        "DrawnProof": "slp.results.sampled_proofs",
        "FeatureUse": "slp.results.posterior",
        "Known": "slp.results.known",
        "MapTree": "slp.results.posterior",
        "Posterior": "slp.results.posterior",
        "RuleUse": "slp.results.rule_use",
        "SampledAnswer": "slp.results.sampled_proofs",
        "SampledProofs": "slp.results.sampled_proofs",
    },
)
