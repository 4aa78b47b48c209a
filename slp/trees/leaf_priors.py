"""Which prior each leaf of a finished tree has, by the thresholds on its path; see
`slp.ir.leaves`.

This is the definition itself, as `slp.trees.regions` has it. Engines know the same by the states of
a grammar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slp.ir.leaves import BoxLeaf
from slp.trees.regions import Region

if TYPE_CHECKING:
    from slp.leaves import LeafModel
    from slp.trees.tree import Tree


def applies(own: BoxLeaf, region: Region) -> bool:
    """Whether what is said of the leaves of a box is of a leaf with this region."""
    return region.contains(own.box) if own.contains else region.inside(own.box)


def prior_in(region: Region, leaf: LeafModel) -> int:
    """The number of the prior of a leaf with this region: of those that apply the first."""
    return next((number for own, number in leaf.in_boxes if applies(own, region)), 0)


def with_priors_of(tree: Tree, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.float64]:
    """The statistics of a tree's leaves, from left to right, given what their rows add up to, (K,
    k)."""
    if not leaf.in_boxes:
        return S
    regions = [place.region for place in tree.places() if not place.children()]
    return leaf.with_prior(S, [prior_in(region, leaf) for region in regions])
