"""Metropolis-Hastings over trees that SWI-Prolog proposes, by the program expanded on a table.

`engine` is the engine `prolog`. Inside: `process` (the alternatives at a box, proved by SWI-Prolog)
and `chains` (the sampler for the run loop, with the acceptance and the proposals of
`slp.engines.mcmc.trees`; the proposals that are refused).
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.swipl.trees.chains import PrologMetropolisHastings, find_refusals, sampler
    from slp.swipl.trees.process import PrologProcess

__all__ = ["PrologMetropolisHastings", "PrologProcess", "find_refusals", "sampler"]

# The options of the engine are also needed where it cannot run.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.swipl.trees.chains": "PrologMetropolisHastings find_refusals sampler",
        "slp.swipl.trees.process": "PrologProcess",
    },
)
