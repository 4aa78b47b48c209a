"""Inference: a tree grammar and a table to a distribution over trees.

Entry points: `infer` (runs an engine by name), `Posterior` (what it gives). Below, from the meaning
to the machinery: `boxes` and `measures` (geometry and shares of splits), `weights` (rules in a
box), `enumerate` (the specification, every derivation one by one; engine `enumerate`),
`distribution` (what an exact engine must offer), `exact` (the chart). For engines that draw: `run`
(the loop), `mh` (Metropolis-Hastings over proof trees), `sampling` (options), `samplers` (the run
as a whole), `drawn` and `diagnostics` (what draws come to, and how far they can be trusted).
"""

from slp.infer.compiled.passes import bounds_in_words
from slp.infer.engines import ENGINES, infer
from slp.infer.known import Known
from slp.infer.memory import check_room_for_file
from slp.infer.posterior import Draw, FeatureUse, MapTree, Posterior
from slp.infer.sampling import SAMPLERS, Sampling

__all__ = [
    "ENGINES",
    "SAMPLERS",
    "Draw",
    "FeatureUse",
    "Known",
    "MapTree",
    "Posterior",
    "Sampling",
    "bounds_in_words",
    "check_room_for_file",
    "infer",
]
