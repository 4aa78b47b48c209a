"""Engine `rjhmc`: soft trees by reversible-jump Hamiltonian Monte Carlo.

`engine`, `options` and `refusals` define the engine for commands and Python. `run` runs it;
`chains` is what the shared loop drives, with `soft_data` and `core_sampler` for the C++ core;
`result` averages over soft trees. `slp.reference.rjhmc` is the specification of the density.

Reference: Cochrane, Wills & Johnson, RJHMC-Tree for Exploration of the Bayesian Decision Tree
Posterior.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.rjhmc.chains import SoftChains
    from slp.engines.rjhmc.run import run_soft_trees, schedule_of

__all__ = ["SoftChains", "run_soft_trees", "schedule_of"]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.engines.rjhmc.chains": "SoftChains",
        "slp.engines.rjhmc.run": "run_soft_trees schedule_of",
    },
)
