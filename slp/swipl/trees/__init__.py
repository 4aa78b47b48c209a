"""Metropolis-Hastings over trees that SWI-Prolog proposes, by the program expanded on a table.

`engine` is the engine `prolog`. Inside: `process` (what can be drawn at a box, proved by
SWI-Prolog), `chains` (what the run loop runs: acceptance and proposals are those of
`slp.engines.mcmc.trees`).
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.swipl.trees.chains import PrologMetropolisHastings, sampler
    from slp.swipl.trees.process import PrologProcess

__all__ = ["PrologMetropolisHastings", "PrologProcess", "sampler"]

# The options of the engine are asked for where it does not run.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.swipl.trees.chains": "PrologMetropolisHastings sampler",
        "slp.swipl.trees.process": "PrologProcess",
    },
)
