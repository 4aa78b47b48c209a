"""Engines: from a tree grammar on a table to a distribution over trees.

Entry point: `infer` (in `run`), which runs an engine by name, or that which `choose` takes.
`enumeration` lists every derivation, `chart` is exact inference in plain Python, `exact` the same
in the C++ core, `mcmc` Metropolis-Hastings.
"""

from slp.engines.run import ENGINES, infer
from slp.engines.sampling import SAMPLERS, Sampling

__all__ = ["ENGINES", "SAMPLERS", "Sampling", "infer"]
