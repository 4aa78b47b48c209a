"""Non-reversible parallel tempering, for chains that take a power of the likelihood.

`scans` says what a scan is; `compiled` makes scans in the C++ core, by the specification
`slp.reference.mh.scans`, and `over_parameters` those of chains that move parameters too. `powers`
spaces the rungs, `sums` are statistics of scans with the log evidence, and `ladders` is what the
loop drives: rounds of warm-up, after each of which powers and number of rungs are adapted.

Reference: Syed, Bouchard-Côté, Deligiannidis & Doucet (2022), Non-reversible parallel tempering: a
scalable highly parallel MCMC scheme, JRSS B 84; Pigeons.jl.
"""

from slp.engines.mcmc.tempering.compiled import CompiledScans
from slp.engines.mcmc.tempering.ladders import Tempering
from slp.engines.mcmc.tempering.over_parameters import ScansOverParameters

__all__ = ["CompiledScans", "ScansOverParameters", "Tempering"]
