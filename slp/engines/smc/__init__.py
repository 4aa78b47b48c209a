"""Engine `smc`: the top-down particle filter over decision trees.

`engine` and `options` define the engine for commands and Python. `sample` runs it. `particles`
makes the steps in plain Python, `filter` makes islands of them. `proposals` draws the decision at
an open goal, `resampling` draws particles by their weights, and `result` computes the evidence.

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
