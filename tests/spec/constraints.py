"""Local constraints (docs/language.md) at one node, looked up in its region and its path."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

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
    Predicate,
)
from slp.constraints.prefer import Prefer
from slp.ir.constraints import Box, Constraint
from tests.spec.example import FREE, Node, Value


def cost_of_split(c: Constraint, feature: str, test: Value, node: Node) -> float:
    """What a split costs under `prefer`."""
    if not isinstance(c, Prefer):
        return 0.0
    own = c.constraint
    if isinstance(own, Exclusive) and feature not in own.features:
        return 0.0
    if isinstance(own, MaxCost):
        paid = {price.feature for price in own.costs if price.amount and price.feature in node.path}
        if feature in paid or not any(p.amount for p in own.costs if p.feature == feature):
            return 0.0
    return 0.0 if satisfies(own, feature, test, node) else c.cost


def cost_of_leaf(
    c: Constraint, responses: Sequence[Any], weights: Sequence[float], node: Node
) -> float:
    """What a leaf costs under `prefer`."""
    if not isinstance(c, Prefer) or leaf_satisfies(c.constraint, responses, weights, node):
        return 0.0
    return c.cost


def satisfies(c: Constraint, feature: str, test: Value, node: Node) -> bool:
    """Whether splitting `node` at `test` on `feature` is in accord with a constraint."""
    path = node.path
    if isinstance(c, Constant):
        return not (_contains(c.box, node) and _cuts_box(c.box, feature, test))
    if isinstance(c, Forbid):
        if feature != c.feature or (c.below is not None and node.depth < c.below):
            return True
        return c.within is not None and not _inside(c.within, node)
    if isinstance(c, First):
        return node.depth > 0 or feature == c.feature
    if isinstance(c, Before):
        return feature != c.then or c.feature in path
    if isinstance(c, Once):
        return feature != c.feature or feature not in path
    if isinstance(c, Exclusive):
        return len({*path, feature} & set(c.features)) <= 1
    if isinstance(c, Interaction):
        return any({*path, feature} <= set(group) for group in c.groups)
    if isinstance(c, MaxCost):
        return sum(price.amount for price in c.costs if price.feature in {*path, feature}) <= c.most
    if isinstance(c, Predicate):
        return _asked(c, node, feature, test)
    return True


def leaf_satisfies(
    c: Constraint, responses: Sequence[Any], weights: Sequence[float], node: Node
) -> bool:
    """Whether ending at `node` with these responses is in accord with a constraint."""
    if isinstance(c, Predicate):
        return _asked(c, node, None, None)
    if not isinstance(c, Majority) or not _meets(c.box, node):
        return True
    total = dict.fromkeys([*map(str, responses), c.outcome], 0.0)
    for y, weight in zip(responses, weights, strict=True):
        total[str(y)] += weight
    return all(own <= total[c.outcome] * (1 + 1e-12) for own in total.values())


def _asked(c: Predicate, node: Node, feature: str | None, test: Value | None) -> bool:
    """What a local predicate, given as a function, says of a node and what is decided there."""
    if not c.local:
        return True
    level, threshold = (test, None) if isinstance(test, str) else (None, test)
    assert c.function is not None
    seen = SimpleNamespace(depth=node.depth, rows=len(node.rows), feature=feature)
    seen.threshold, seen.level = threshold, level
    return bool(c.function(seen))


def _contains(box: Box, node: Node) -> bool:
    """`lo <= Min` and `hi >= Max` in every feature, those that the box does not bound included."""
    if node.tested_levels:
        return False
    for feature in {*box.bounds, *node.region}:
        low, high = box.bounds.get(feature, FREE)
        lo, hi = node.bounds(feature)
        if lo > low or hi < high:
            return False
    return True


def _cuts_box(box: Box, feature: str, test: Value) -> bool:
    if isinstance(test, str) or feature not in box.bounds:
        return True
    low, high = box.bounds[feature]
    return low < test < high


def _inside(box: Box, node: Node) -> bool:
    bounds = [(*node.bounds(f), *box.bounds[f]) for f in box.bounds]
    return all(lo >= low and hi <= high for lo, hi, low, high in bounds)


def _meets(box: Box, node: Node) -> bool:
    bounds = [(*node.bounds(f), *box.bounds[f]) for f in box.bounds]
    return all(lo < high and hi > low for lo, hi, low, high in bounds)
