"""Metropolis-Hastings over trees that SWI-Prolog proposes, by the program expanded on a table.

Entry point: `sampler`, which `slp.engines` calls for the engine `prolog`.

Inside: `process` (what can be drawn at a box, proved by SWI-Prolog), `engine` (what the run loop
runs: chains, acceptance and proposals are those of `slp.engines.mcmc.trees`).
"""

from slp.swipl.trees.engine import PrologMetropolisHastings, sampler
from slp.swipl.trees.process import PrologProcess

__all__ = ["PrologMetropolisHastings", "PrologProcess", "sampler"]
