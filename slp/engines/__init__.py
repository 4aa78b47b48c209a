"""Engines: from a tree grammar on a table to a distribution over trees.

Entry point: `infer` (in `run`), which runs an engine by name, or the one that `choose` selects.
`contract` is what an engine must have, and `registry` names all engines. `prior_uses` tells the
prior's use of features, which stands beside that of every posterior, and `prior_mass` how much of
the prior fails. `first_answer` tells the modal tree before chains begin.

Engines: `exact` sums over all trees in the C++ core. `mcmc` is Metropolis-Hastings, `smc` a
particle filter, `rjhmc` reversible-jump Hamiltonian Monte Carlo over soft trees, `additive`
Bayesian backfitting of sums of trees. `modal` grows one tree greedily, and `search` finds the best
tree. `stacked` stands above them: it has the registry run chains, and weights these members by how
they predict rows set aside.

`shared` has what they share; none of them imports another. Their specifications, and the engines
`chart` and `enumerate`, are in `slp.reference`.
"""

from typing import TYPE_CHECKING

from slp.engines.choose import read_for
from slp.engines.contract import DrawingOptions, Engine
from slp.engines.mcmc.options import ProofChainOptions
from slp.engines.registry import ENGINES, all_options, engine_named
from slp.engines.run import infer
from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.mcmc.proofs import LogLikelihood, imported_function, sample_proofs

__all__ = [
    "ENGINES",
    "DrawingOptions",
    "Engine",
    "LogLikelihood",
    "ProofChainOptions",
    "all_options",
    "engine_named",
    "imported_function",
    "infer",
    "read_for",
    "sample_proofs",
]

# Sums over all trees need neither proofs of goals nor the statistics of chains.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.engines.mcmc.proofs": "LogLikelihood imported_function sample_proofs",
    },
)
