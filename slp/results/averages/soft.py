"""Results over soft trees: averages in which a row reaches all leaves of each tree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import DataError, UsageError
from slp.leaves import LeafModel
from slp.messages.decisions import NO_PATHS_OF_SOFT
from slp.messages.new_rows import NEW_VALUE_MISSING_OF_SOFT
from slp.messages.soft_trees import NOTHING_IN_LEAVES
from slp.problem.new_rows import rows_as_numbers, table_as_numbers
from slp.problem.tree_on_table import PlacedNode, TreeOnTable, place_tree
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.functions import DrawnFunctions, normal_statistics
from slp.results.averages.left_out import HeldRows
from slp.results.averages.proximity import Proximity
from slp.results.averages.quantiles import LeafMixture
from slp.results.averages.reached import Path, Reached
from slp.trees import Tree
from slp.trees.soft import SoftLeaf, SoftTree


class SoftTrees(DrawnFunctions):
    """Averages over draws of soft trees. A split on all features counts for that with the largest
    weight."""

    def _shapes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """See `DrawnTrees`."""
        self.soft = [cast(SoftTree, scored.tree) for scored in self.trees]
        n_leaves = np.array([tree.n_leaves for tree in self.soft], np.int64)
        depth = np.array([tree.depth for tree in self.soft], np.int64)
        names, uses = self.table.feature_names, [tree.uses() for tree in self.soft]
        rows = [[own[name] for name in names] for own in uses]
        return n_leaves, depth, np.array(rows, np.int64).reshape(len(rows), len(names))

    @property
    def _roots(self) -> NDArray[np.float64]:
        """1 at each tree and the feature that its root splits on, else 0; shape (U, d)."""
        names = self.table.feature_names
        firsts = [tree.splits[0].feature if tree.splits else None for tree in self.soft]
        return np.array([[first == name for name in names] for first in firsts], np.float64)

    def _values(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each tree predicts of rows: class probabilities, shape (U, m, C), or means, shape
        (U, m)."""
        columns = self._columns(numbers)
        return np.array([t.reach(columns) @ self._of_leaves(t) for t in self.soft], np.float64)

    def _of_leaves(self, tree: SoftTree) -> NDArray[np.float64]:
        """What leaves predict: class probabilities, shape (K, C), or means, shape (K,)."""
        leaves = tree.leaves()
        of_classes = bool(self.table.leaf.classes)
        return np.array([x.probabilities if of_classes else x.mean for x in leaves], np.float64)

    def _some(self, rows: NDArray[np.object_]) -> Iterator[NDArray[np.float64]]:
        """New rows as numbers, some at a time.

        Raises
        ------
        DataError
            E442: a row misses a value.
        """
        numbers, step = rows_as_numbers(self.table, rows), self.rows_at_a_time
        missing = np.isnan(numbers).any(axis=0)
        if missing.any():
            name = self.table.feature_names[int(missing.argmax())]
            raise DataError(NEW_VALUE_MISSING_OF_SOFT(name=name))
        for a in range(0, max(1, len(rows)), step):
            yield numbers[a : a + step]

    def reached(self, rows: NDArray[np.object_]) -> Reached:
        """See `DrawnTrees`. Of classes a row ends in all leaves of a tree; of numbers each row has
        a leaf of its own, with the moments of its normal distribution."""
        if not self.table.leaf.classes:
            return super().reached(rows)
        pieces = list(self._some(rows))
        paths: list[Path] = []
        first, m = 0, len(rows)
        for tree in self.soft:
            shares = np.concatenate([tree.reach(self._columns(numbers)) for numbers in pieces])
            own: NDArray[np.intp] = np.tile(np.arange(first, first + tree.n_leaves), m)
            at: NDArray[np.intp] = np.repeat(np.arange(m), tree.n_leaves)
            paths.append((at, own, np.asarray(shares.ravel(), np.float64)))
            first += tree.n_leaves
        return Reached(self._leaf_counts(), None, paths, m)

    def _columns(self, numbers: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        return dict(zip(self.table.feature_names, numbers.T, strict=True))

    def _statistics_of_rows(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `DrawnFunctions`: only of numbers."""
        means = self._values(numbers) - self.table.leaf.ref
        return normal_statistics(means, self._variance)

    @property
    def _variance(self) -> NDArray[np.float64]:
        return np.array([tree.variance for tree in self.soft], np.float64)

    def log_given_others(self, held: HeldRows) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """See `DrawnTrees`; only of numbers. Given its tree with the means and the variance, which
        were drawn, a row depends on no other."""
        return self._log_normal_given_others(held, self._variance)

    def leaf_mixtures(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """See `TreeAverages`. Of classes the leaves of all trees, by the probabilities that the row
        reaches them; of numbers the normal distribution of each tree, by its moments."""
        if not self.table.leaf.classes:
            yield from super().leaf_mixtures(rows)
            return
        statistics = self._leaf_counts()
        for numbers in self._some(rows):
            columns = self._columns(numbers)
            reached = [t.reach(columns) for t in self.soft]
            for i in range(len(numbers)):
                shares = [s * own[i] for s, own in zip(self.frequency, reached, strict=True)]
                yield LeafMixture(np.concatenate(shares), statistics)

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """See `TreeAverages`: a row goes down all branches."""
        raise UsageError(NO_PATHS_OF_SOFT())

    def proximity(self, rows: NDArray[np.object_]) -> Proximity:
        """See `TreeAverages`: a row goes down all branches."""
        raise UsageError(NO_PATHS_OF_SOFT())

    def _leaf_counts(self) -> NDArray[np.float64]:
        """Soft counts of all leaves of all trees."""
        leaves = [leaf for tree in self.soft for leaf in tree.leaves()]
        return np.array([[n for _, n in leaf.counts or ()] for leaf in leaves], np.float64)


def log_likelihood_of_soft_tree(table: Table, tree: SoftTree) -> float:
    """The log likelihood of soft counts, or of numbers given the means and the variance of the tree
    (equations 10 and 12 of Cochrane, Wills & Johnson); -inf if the table has not its features.

    Raises
    ------
    UsageError
        E546: a leaf has no mean, or the tree no variance.
    """
    leaves, of_classes = tree.leaves(), bool(table.leaf.classes)
    if not of_classes and not all(_tells(leaf.mean, tree.variance) for leaf in leaves):
        raise UsageError(NOTHING_IN_LEAVES())
    names = {name for split in tree.splits for name, _ in split.weights}
    if not names <= set(table.feature_names):
        return -math.inf
    columns = dict(zip(table.feature_names, table_as_numbers(table).T, strict=True))
    reached = tree.reach(columns)
    if of_classes:
        return float(table.leaf.log_marginal(reached.T @ table.statistics).sum())
    means = reached @ np.array([leaf.mean for leaf in leaves], np.float64)
    return _log_normal(table, means, tree.variance or 0.0)


def log_likelihood_by_means(table: Table, tree: Tree) -> float:
    """Of a hard tree of numbers, given the mean and the variance that each leaf has."""
    told = [(leaf.summary.get("mean"), leaf.summary.get("variance")) for leaf in tree.leaves()]
    if not all(_tells(*own) for own in told):
        raise UsageError(NOTHING_IN_LEAVES())
    placed = place_tree(table, tree)
    if placed is None:
        return -math.inf
    by_row = np.empty((len(placed.rows), 2))
    for node, own in zip(_leaves_in_preorder(placed), told, strict=True):
        by_row[placed.rows_of(node)] = own
    return _log_normal(table, *by_row.T)


def _tells(mean: float | None, variance: float | None) -> bool:
    """Whether a leaf has both, and they are those of a normal distribution."""
    if mean is None or variance is None:
        return False
    return math.isfinite(mean) and math.isfinite(variance) and variance > 0


def _leaves_in_preorder(placed: TreeOnTable) -> Iterator[PlacedNode]:
    waiting = [0]
    while waiting:
        node = placed.nodes[waiting.pop()]
        if node.feature < 0:
            yield node
        else:
            waiting += [node.right, node.left]


def _log_normal(
    table: Table, means: NDArray[np.float64], variance: NDArray[np.float64] | float
) -> float:
    """The log density of the responses, with a mean for each distinct row, shape (n,)."""
    rows, sums, squares = table.statistics.T
    own = sums / rows
    apart = means - table.leaf.ref
    squares = np.maximum(squares - sums * own, 0.0) + rows * (own - apart) ** 2
    return float(-0.5 * (rows * np.log(2 * np.pi * variance) + squares / variance).sum())


def soft_leaves(told: NDArray[np.float64], leaf: LeafModel) -> list[SoftLeaf]:
    """The leaves of a tree by their soft counts, shape (K, C), or by their means, shape (K, 1)."""
    if not leaf.classes:
        return [SoftLeaf(mean=mean) for (mean,) in told.tolist()]
    shares = leaf.predict_proba(told).tolist()
    pairs = zip(told.tolist(), shares, strict=True)
    return [SoftLeaf(tuple(zip(leaf.classes, own, strict=True)), tuple(p)) for own, p in pairs]
