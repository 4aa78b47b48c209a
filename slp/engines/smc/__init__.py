"""Engine `smc`: the top-down particle filter over decision trees.

`engine` and `options` define the engine for commands and Python. `sample` runs it, `compiled` makes
islands of particles in the core, and `result` computes the evidence. `slp.reference.smc` is the
specification.

Reference: Lakshminarayanan, Roy & Teh (2013), Top-down particle filtering for Bayesian decision
trees, ICML.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.smc.sample import filter_sampler, filter_schedule, run_filter

__all__ = ["filter_sampler", "filter_schedule", "run_filter"]

# Other engines need none of it.
__getattr__, __dir__ = late_names(__name__, {"slp.engines.smc.sample": " ".join(__all__)})
