"""Engines: from a tree grammar on a table to a distribution over trees.

Entry point: `infer` (in `run`), which runs an engine by name, or that which `choose` takes.
`enumeration` lists every derivation, `chart` is exact inference in plain Python, `exact` the same
in the C++ core, `mcmc` Metropolis-Hastings.
"""

from typing import TYPE_CHECKING

from slp.engines.exact.passes import bounds_in_words
from slp.engines.run import ENGINES, infer
from slp.engines.sampling import SAMPLERS, Sampling
from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.mcmc.proofs import (
        LogLikelihood,
        ProofSampling,
        imported_function,
        sample_proofs,
    )

__all__ = [
    "ENGINES",
    "SAMPLERS",
    "LogLikelihood",
    "ProofSampling",
    "Sampling",
    "bounds_in_words",
    "imported_function",
    "infer",
    "sample_proofs",
]

# Trees need no proofs of goals.
__getattr__, __dir__ = late_names(
    __name__,
    {
        name: "slp.engines.mcmc.proofs"
        for name in ("LogLikelihood", "ProofSampling", "imported_function", "sample_proofs")
    },
)
