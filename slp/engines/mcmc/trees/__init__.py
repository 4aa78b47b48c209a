"""Metropolis-Hastings over proof trees, in Python: the specification.

`slp.problem.local_process` defines the choices at each goal, with their probabilities. In the order
of the work: `proof` (the choice points of derivations), `target` (the distribution), `proposals`
and `exact_subtrees` (where to cut; the acceptance ratios), `moves` (from tree to tree), `names`
(mixtures as text), `chains` (what the loop drives). `compiled` makes the same transitions in the
C++ core.

Reference: Angelopoulos & Cussens (2001), Markov chain Monte Carlo using tree-based priors on model
structure, UAI; (2005), Exploiting informative priors for Bayesian classification and regression
trees, IJCAI.
"""

from slp.engines.mcmc.trees.chains import MetropolisHastings
from slp.engines.mcmc.trees.compiled import (
    CompiledMetropolisHastings,
    core_moves,
    core_takes,
)
from slp.engines.mcmc.trees.exact_subtrees import MOST_BOXES

__all__ = [
    "MOST_BOXES",
    "CompiledMetropolisHastings",
    "MetropolisHastings",
    "core_moves",
    "core_takes",
]
