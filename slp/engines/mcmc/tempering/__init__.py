"""Non-reversible parallel tempering, for chains that take a power of the likelihood.

`plain` is a scan in Python, the specification; `compiled` makes the same scans in the C++ core.
`powers` spaces the rungs, `sums` are statistics of scans with the log evidence, and `ladders` is
what the loop drives: rounds of warm-up, after each of which powers and number of rungs are adapted.

Reference: Syed, Bouchard-Côté, Deligiannidis & Doucet (2022), Non-reversible parallel tempering: a
scalable highly parallel MCMC scheme, JRSS B 84; Pigeons.jl.
"""

from slp.engines.mcmc.tempering.compiled import CompiledScans
from slp.engines.mcmc.tempering.ladders import Tempering
from slp.reference.mh.scans import PlainScans

__all__ = ["CompiledScans", "PlainScans", "Tempering"]
