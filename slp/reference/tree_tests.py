"""Global constraints, which are decided at the finished tree (docs/language.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from slp.constraints.form import of_kind
from slp.constraints.prefer import Prefer
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import TreeGrammar
from slp.reference.boxes import Geometry
from slp.reference.cut_trees import Renderer
from slp.trees.leaf_priors import prior_in
from slp.trees.predicates import AskedPredicate, tree_predicates
from slp.trees.regions import Levels, Region

#: Predictions that differ by less, relative to the larger, count as equal, because their sums were
#: taken in different orders.
_SAME = 1e-12


class GrownTree(Protocol):
    """A finished tree on a table for a test: a node and its subtree."""

    @property
    def box(self) -> int:
        """The rows of the node."""
        ...

    @property
    def cut(self) -> int | None:
        """The number of the cut that splits it, None where none does."""
        ...

    @property
    def parts(self) -> Sequence[GrownTree]:
        """The left and the right side; none at a leaf; one part if a rule called another state."""
        ...

    @property
    def n_leaves(self) -> int:
        """Leaves of the node and all below it."""
        ...


def preorder(tree: GrownTree) -> Iterator[tuple[int, int | None]]:
    """Its nodes as `slp.reference.cut_trees.Renderer.tree` takes them."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if node.cut is not None or not node.parts:
            yield node.box, node.cut
        stack += reversed(node.parts)


class TreeTest(Protocol):
    """A condition on a finished tree."""

    def holds(self, tree: GrownTree, /) -> bool:
        """Whether the tree satisfies it."""
        ...


def tree_tests(
    grammar: TreeGrammar, constraints: Iterable[Constraint], geometry: Geometry
) -> list[TreeTest]:
    """The tests for `max_leaves` of a grammar and for the global constraints among those given,
    which name features of the table."""
    tests: list[TreeTest] = []
    if grammar.max_leaves is not None:
        tests.append(AtMostLeaves(grammar.max_leaves))
    names = geometry.table.feature_names
    for constraint in constraints:
        if constraint.most_features is not None:
            tests.append(AtMostFeatures(constraint.most_features, geometry))
        if constraint.rising is not None:
            feature, up = constraint.rising
            tests.append(MonotonePredictions(names.index(feature), up, geometry))
    return tests


def tree_costs(
    constraints: Iterable[Constraint], grammar: TreeGrammar, geometry: Geometry
) -> TreeCosts:
    """What preferences about finished trees cost, which name features of the table."""
    costs: list[tuple[TreeTest, float]] = []
    free = replace(grammar, max_leaves=None)
    for c in of_kind(constraints, Prefer):
        if c.at_finished_tree and c.cost > 0:
            own = [c.constraint]
            tests = [*tree_tests(free, own, geometry), *predicate_tests(own, geometry)]
            if c.constraint.most_leaves is not None:
                tests.append(AtMostLeaves(c.constraint.most_leaves))
            costs += [(test, c.cost) for test in tests]
    return TreeCosts(tuple(costs))


@dataclass(frozen=True, eq=False)
class TreeCosts:
    """The tests of preferences, each with the cost of a tree that does not pass it."""

    tests: Sequence[tuple[TreeTest, float]] = ()

    def of(self, tree: GrownTree) -> float:
        """What a tree costs. Raises SlpError as its tests."""
        return sum(cost for test, cost in self.tests if not test.holds(tree))


def predicate_tests(constraints: Iterable[Constraint], geometry: Geometry) -> list[TreeTest]:
    """The predicates on finished trees among constraints, as tests."""
    renderer = Renderer(geometry)
    return [PredicateHolds(asked, renderer) for asked in tree_predicates(constraints)]


@dataclass(frozen=True, eq=False)
class PredicateHolds:
    """`python(...)` or `prolog(...)` on a finished tree, which it sees as a `slp.Tree`."""

    predicate: AskedPredicate
    renderer: Renderer

    def holds(self, tree: GrownTree) -> bool:
        """See `TreeTest`.

        Raises
        ------
        SlpError
            E653, E654: the predicate did not answer.
        """
        return self.predicate(self.renderer.tree(preorder(tree)))


@dataclass(frozen=True, eq=False)
class AtMostLeaves:
    """`max_leaves(count)`."""

    count: int

    def holds(self, tree: GrownTree) -> bool:
        """See `TreeTest`."""
        return tree.n_leaves <= self.count


@dataclass(frozen=True, eq=False)
class AtMostFeatures:
    """The tree splits on at most `count` distinct features."""

    count: int
    geometry: Geometry

    def holds(self, tree: GrownTree) -> bool:
        """See `TreeTest`."""
        used = set()
        stack = [tree]
        while stack:
            node = stack.pop()
            stack += node.parts
            if node.cut is not None:
                used.add(self.geometry.cuts[node.cut].feature)
                if len(used) > self.count:
                    return False
        return True


class _Side(NamedTuple):
    """What is left of one feature in a region: `lo <= value < hi` of a numeric one; of a
    categorical one the bit set of its levels."""

    lo: float = -np.inf
    hi: float = np.inf
    levels: int = 0


@dataclass(frozen=True, eq=False)
class MonotonePredictions:
    """For all points a, b that differ only in the feature, which is larger at b, the prediction
    does not fall (`up`) or does not rise (not `up`) from a to b.

    The prediction of a leaf is its posterior mean or, for ordered classes, P(class <= c) for every
    c: up means that these do not rise. Such points exist in two leaves if their regions meet in
    every other feature. Of a categorical feature only the levels of the table count.
    """

    feature: int
    up: bool
    geometry: Geometry

    def holds(self, tree: GrownTree) -> bool:
        """See `TreeTest`."""
        return self.in_order(tree, self._rising_quantities)

    def in_order(
        self,
        tree: GrownTree,
        rising_of: Callable[[list[int], list[tuple[_Side, ...]]], NDArray[np.float64]],
    ) -> bool:
        """The same of what must not fall as the feature grows, which is given for the leaves, by
        their boxes and regions, shape (K, quantities)."""
        boxes, regions = self._leaves(tree)
        rising = rising_of(boxes, regions)
        low = np.array([r[self.feature].lo for r in regions])
        for i, region in enumerate(regions):
            for j in np.flatnonzero(low < low[i]).tolist():
                if self._meet(region, regions[j]):  # so j is below i: regions are disjoint
                    slack = _SAME * np.maximum(np.abs(rising[i]), np.abs(rising[j]))
                    # written so that equal infinities are in order
                    if bool((rising[j] > rising[i] + np.nan_to_num(slack)).any()):
                        return False
        return True

    def _rising_quantities(
        self, boxes: list[int], regions: list[tuple[_Side, ...]]
    ) -> NDArray[np.float64]:
        """For each leaf, what must not fall as the feature grows; shape (K, quantities)."""
        leaf = self.geometry.table.leaf
        priors = [prior_in(self._region(own), leaf) for own in regions] if leaf.in_boxes else 0
        statistics = leaf.with_prior(self.geometry.statistics(boxes), priors)
        if leaf.classes:
            rising = -np.cumsum(leaf.predict_proba(statistics), axis=1)[:, :-1]
        else:
            rising = leaf.mean(statistics)[:, None]
        return rising if self.up else -rising

    def _region(self, sides: tuple[_Side, ...]) -> Region:
        """A region as `slp.trees.regions` has it, but for which levels it has."""
        names = self.geometry.table.feature_names
        kinds = [f.kind for f in self.geometry.table.features]
        intervals, levels = {}, {}
        for name, kind, side in zip(names, kinds, sides, strict=True):
            if not side.levels:
                intervals[name] = side.lo, side.hi
            elif side.levels != (1 << kind.n_values) - 1:
                levels[name] = Levels()
        return Region(intervals, levels)

    def _meet(self, a: tuple[_Side, ...], b: tuple[_Side, ...]) -> bool:
        """Whether two regions have a point in common, the feature disregarded."""
        return all(
            (x.levels & y.levels) != 0 if x.levels else x.lo < y.hi and y.lo < x.hi
            for f, (x, y) in enumerate(zip(a, b, strict=True))
            if f != self.feature
        )

    def _leaves(self, tree: GrownTree) -> tuple[list[int], list[tuple[_Side, ...]]]:
        """Box and region of each leaf."""
        everywhere = tuple(
            _Side(levels=(1 << f.kind.n_values) - 1) if f.kind.categorical else _Side()
            for f in self.geometry.table.features
        )
        boxes, regions = [], []
        stack = [(tree, everywhere)]
        while stack:
            node, region = stack.pop()
            if node.cut is not None:
                stack += zip(node.parts, self._parts(region, node.cut), strict=True)
            elif node.parts:
                stack.append((node.parts[0], region))
            else:
                boxes.append(node.box)
                regions.append(region)
        return boxes, regions

    def _parts(
        self, region: tuple[_Side, ...], number: int
    ) -> tuple[tuple[_Side, ...], tuple[_Side, ...]]:
        """A region's two parts under a cut."""
        cut = self.geometry.cuts[number]
        f, side = cut.feature, region[cut.feature]
        if cut.test.number is not None:
            left = side._replace(hi=min(side.hi, cut.test.number))
            right = side._replace(lo=max(side.lo, cut.test.number))
        else:
            assert self.geometry.table.features[f].kind.categorical
            bit = 1 << cut.low
            left = side._replace(levels=side.levels & bit)
            right = side._replace(levels=side.levels & ~bit)
        return (
            (*region[:f], left, *region[f + 1 :]),
            (*region[:f], right, *region[f + 1 :]),
        )
