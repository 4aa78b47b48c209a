"""Local constraints (docs/language.md) at one node, looked up in its region and its path."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
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
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint
from slp.ir.leaves import LeafPrior
from slp.ir.program import CheckedProgram
from tests.spec.example import FREE, Node, Value


def parts(feature: str, made: Mapping[str, Sequence[str]]) -> set[str]:
    """A feature, and all that it is made of."""
    return {feature}.union(*(parts(name, made) for name in made.get(feature, ())))


def nearest(feature: str, names: Collection[Any], made: Mapping[str, Sequence[str]]) -> set[Any]:
    """Those of some names that a split is on: not a name of which another of them is made."""
    own = parts(feature, made) & {f for n in names for f in _named(n)}
    near = {f for f in own if all(f == m or f not in parts(m, made) for m in own)}
    return {n for n in names if near & set(_named(n))}


def of_any(feature: str, named: Any, made: Mapping[str, Sequence[str]]) -> bool:
    """Whether a split on a feature is one on what is named."""
    return bool(parts(feature, made) & set(_named(named)))


def cost_of_split(
    c: Constraint,
    feature: str,
    test: Value,
    node: Node,
    made: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> float:
    """What a split costs under `prefer`."""
    if not isinstance(c, Prefer):
        return 0.0
    own = c.constraint
    if isinstance(own, MaxCost):
        above = set[str]().union(*(parts(f, made) for f in node.path))
        more = parts(feature, made) - above
        if not any(price.amount for price in own.costs if price.feature in more):
            return 0.0
    return 0.0 if satisfies(own, feature, test, node, made) else c.cost


def cost_of_leaf(
    c: Constraint, responses: Sequence[Any], weights: Sequence[float], node: Node
) -> float:
    """What a leaf costs under `prefer`."""
    if not isinstance(c, Prefer) or leaf_satisfies(c.constraint, responses, weights, node):
        return 0.0
    return c.cost


def satisfies(
    c: Constraint,
    feature: str,
    test: Value,
    node: Node,
    made: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> bool:
    """Whether splitting `node` at `test` on `feature` is in accord with a constraint. `made` are
    the names in the formulas of defined features."""
    path = node.path
    above = set[str]().union(*(parts(f, made) for f in path))
    if isinstance(c, Constant):
        return not (_contains(c.box, node) and _cuts_box(c.box, feature, test))
    if isinstance(c, Forbid):
        if not of_any(feature, c.feature, made) or (c.below is not None and node.depth < c.below):
            return True
        return c.within is not None and not _inside(c.within, node)
    if isinstance(c, First):
        return node.depth > 0 or of_any(feature, c.feature, made)
    if isinstance(c, Before):
        waits = c.then in nearest(feature, (c.feature, c.then), made)
        return not waits or any(f in above for f in _named(c.feature))
    if isinstance(c, Once):
        again = any(f in above for f in _named(c.feature))
        return not of_any(feature, c.feature, made) or not again
    if isinstance(c, Exclusive):
        if not nearest(feature, c.features, made):
            return True
        return len(set().union(*(nearest(f, c.features, made) for f in (*path, feature)))) <= 1
    if isinstance(c, Interaction):
        return any({*path, feature} <= set(group) for group in c.groups)
    if isinstance(c, MaxCost):
        paid = above | parts(feature, made)
        return sum(price.amount for price in c.costs if price.feature in paid) <= c.most
    if isinstance(c, Predicate):
        return _asked(c, node, feature, test)
    return True


def _named(named: Any) -> list[str]:
    """The features that a name stands for."""
    return [named] if isinstance(named, str) else list(named.features)


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


def two_shares(constraints: Sequence[Constraint], node: Node) -> bool:
    """Whether a leaf contains boxes with different class probabilities."""
    told = [c for c in constraints if isinstance(c, Constant) and _contains(c.box, node)]
    return len({c.shares for c in told if c.shares is not None}) > 1


def prior_of_leaf(program: CheckedProgram, node: Node) -> LeafPrior | None:
    """What is said of the prior of a leaf: by constraints first, then by declarations in order."""
    for c in program.constraints:
        if isinstance(c, Constant) and c.shares is not None and _contains(c.box, node):
            return c.shares
    return next((own.prior for own in program.box_leaves if _inside(own.box, node)), None)


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
