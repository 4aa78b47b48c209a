"""The local constraints by region arithmetic on whole trees, and random ones to try.

Nothing here comes from `slp.lower`: the tests compare its automata with this.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import strategies as st

from slp.constraints import (
    Before,
    Constant,
    Exclusive,
    First,
    Forbid,
    Interaction,
    Majority,
    MaxCost,
    Once,
)
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint
from slp.ir.decisions import FeatureCost

NUMERIC = ("a", "b", "c")
LEVELS = ("blue", "red")
FEATURES = (*NUMERIC, "colour")
BOUNDS = (-math.inf, 0.0, 1.0, 2.0, 3.0, math.inf)
# Bounds, points between them and points beyond them.
THRESHOLDS = (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)

Region: TypeAlias = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Node:
    """An inner node; None is a leaf. A categorical test has a level in `at`."""

    feature: str
    at: float | str
    left: Node | None
    right: Node | None


@dataclass(frozen=True)
class Place:
    """What the path to a node says: its region, the features split on above it."""

    node: Node | None
    region: Region
    above: tuple[str, ...]
    cut_by_level: bool


def random_tree(rng: random.Random, region: Region, depth: int) -> Node | None:
    """A tree whose numeric thresholds lie inside their regions, as those of real boxes do."""
    feature = rng.choice(FEATURES)
    if depth == 0 or rng.random() < 0.15:
        return None
    if feature not in region:
        return Node(
            feature,
            rng.choice(LEVELS),
            random_tree(rng, region, depth - 1),
            random_tree(rng, region, depth - 1),
        )
    lo, hi = region[feature]
    inside = [t for t in THRESHOLDS if lo < t < hi]
    if not inside:
        return None
    t = rng.choice(inside)
    return Node(
        feature,
        t,
        random_tree(rng, {**region, feature: (lo, t)}, depth - 1),
        random_tree(rng, {**region, feature: (t, hi)}, depth - 1),
    )


EVERYWHERE: Region = {f: (-math.inf, math.inf) for f in NUMERIC}


def places(
    node: Node | None,
    region: Region = EVERYWHERE,
    above: tuple[str, ...] = (),
    cut_by_level: bool = False,
) -> Iterator[Place]:
    yield Place(node, region, above, cut_by_level)
    if node is None:
        return
    below = (*above, node.feature)
    if isinstance(node.at, str):
        yield from places(node.left, region, below, True)
        yield from places(node.right, region, below, True)
        return
    lo, hi = region[node.feature]
    left, right = {**region, node.feature: (lo, node.at)}, {**region, node.feature: (node.at, hi)}
    yield from places(node.left, left, below, cut_by_level)
    yield from places(node.right, right, below, cut_by_level)


def bound(box: Box, feature: str) -> tuple[float, float]:
    return box.bounds.get(feature, (-math.inf, math.inf))


def contains(place: Place, box: Box) -> bool:
    return not place.cut_by_level and all(
        lo <= bound(box, f)[0] and hi >= bound(box, f)[1] for f, (lo, hi) in place.region.items()
    )


def inside(place: Place, box: Box) -> bool:
    return all(
        place.region[f][0] >= low and place.region[f][1] <= high
        for f, (low, high) in box.bounds.items()
    )


def meets(place: Place, box: Box) -> bool:
    return all(
        place.region[f][0] < high and place.region[f][1] > low
        for f, (low, high) in box.bounds.items()
    )


def cuts(node: Node, box: Box) -> bool:
    if isinstance(node.at, str):
        return True
    low, high = bound(box, node.feature)
    return low < node.at < high


def breaks(place: Place, constraint: Constraint) -> bool:
    """Whether the split at this place is one that the constraint forbids."""
    node = place.node
    assert node is not None
    path = {*place.above, node.feature}
    match constraint:
        case Constant(box=box):
            return contains(place, box) and cuts(node, box)
        case Forbid(feature=f, below=below, within=within):
            here = within is None or inside(place, within)
            return node.feature == f and here and len(place.above) >= (below or 0)
        case First(feature=f):
            return not place.above and node.feature != f
        case Before(feature=f, then=g):
            return node.feature == g and f not in place.above
        case Once(feature=f):
            return node.feature == f and f in place.above
        case Exclusive(features=features):
            return len(path & set(features)) > 1
        case Interaction(groups=groups):
            return not any(path <= set(group) for group in groups)
        case MaxCost(most=most, costs=costs):
            pays = any(c.feature == node.feature and c.amount for c in costs)
            new = pays and node.feature not in place.above
            return new and sum(c.amount for c in costs if c.feature in path) > most
        case _:
            return False


def class_demanded(place: Place, constraint: Constraint) -> str | None:
    if isinstance(constraint, Majority) and meets(place, constraint.box):
        return constraint.outcome
    return None


# --- strategies --------------------------------------------------------------------------------


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    bounds = {}
    for feature in draw(st.lists(st.sampled_from(NUMERIC), unique=True, max_size=3)):
        low = draw(st.integers(0, len(BOUNDS) - 2))
        high = draw(st.integers(low + 1, len(BOUNDS) - 1))
        bounds[feature] = (BOUNDS[low], BOUNDS[high])
    return Box("region", bounds)


@st.composite
def costs(draw: st.DrawFn) -> tuple[FeatureCost, ...]:
    """Whole costs, so that sums are exact."""
    amounts = st.dictionaries(st.sampled_from(FEATURES), st.integers(0, 5))
    return tuple(FeatureCost(f, amount) for f, amount in draw(amounts).items())


names = st.sampled_from(FEATURES)
groups = st.lists(st.lists(names, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3)
constraints: st.SearchStrategy[Constraint] = st.one_of(
    st.builds(Constant, boxes()),
    st.builds(Majority, boxes(), st.just("yes")),
    st.builds(Forbid, names),
    st.builds(Forbid, names, below=st.integers(0, 3)),
    st.builds(Forbid, names, within=boxes()),
    st.builds(First, names),
    st.builds(Before, names, names),
    st.builds(Once, names),
    st.builds(Exclusive, st.lists(names, min_size=2, max_size=4).map(tuple)),
    st.builds(Interaction, groups.map(tuple)),
    st.builds(MaxCost, st.integers(0, 9), costs()),
)


def paths(node: Node | None, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    if node is not None:
        yield from paths(node.left, (*path, 0))
        yield from paths(node.right, (*path, 1))
