"""Inference: a tree grammar and a table to a distribution over trees.

Entry points: `infer` (runs an engine by name), `Posterior` (what it gives). Below, from the meaning
to the machinery: `boxes` and `measures` (geometry and shares of splits), `weights` (rules in a
box), `enumerate` (the specification, every derivation one by one; engine `enumerate`),
`distribution` (what an exact engine must offer), `exact` (the chart). Apart from these: `run` (the
loop for engines that go step by step) and `mh` (Metropolis-Hastings over proof trees).
"""

from slp.infer.engines import ENGINES, infer
from slp.infer.posterior import Draw, FeatureUse, MapTree, Posterior

__all__ = ["ENGINES", "Draw", "FeatureUse", "MapTree", "Posterior", "infer"]
