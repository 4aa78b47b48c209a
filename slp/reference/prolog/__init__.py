"""Engine `prolog`: Metropolis-Hastings over trees that SWI-Prolog proposes, by the program expanded
on a table.

`engine` is the engine. `process` has the alternatives at a box, proved by SWI-Prolog, and `chains`
the plain chains (`slp.reference.mh`) over them, with the proposals that are refused.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.reference.prolog.chains import PrologMetropolisHastings, find_refusals, sampler
    from slp.reference.prolog.process import PrologProcess

__all__ = ["PrologMetropolisHastings", "PrologProcess", "find_refusals", "sampler"]

# The options of the engine are also needed where it cannot run.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.reference.prolog.chains": "PrologMetropolisHastings find_refusals sampler",
        "slp.reference.prolog.process": "PrologProcess",
    },
)
