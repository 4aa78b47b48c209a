"""Draws of sums of trees as arrays: `SumArrays`, which runs keep, average over and save."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.kernels import EnsembleKernel
from slp.problem.numbered_cuts import Cuts
from slp.problem.sided_trees import SidedTrees
from slp.problem.tree_arrays import TreeArrays, arrays_of_cuts
from slp.trees import Leaf, Tree
from slp.trees.sums import TreeSum
from slp.trees.tree import tree_of_preorder

#: Places of rows in trees that are held at once.
_MOST_PLACES = 1 << 23


class SumArrays:
    """T sums of M trees on the features of a table. It is a sequence of sums.

    Attributes
    ----------
    arrays : all trees, those of one sum after those of the other. The statistics of leaves are
        their values and the weights of the table's rows in them, shape (K, 2).
    variance : float64, shape (T,). Of the noise of each sum; 1 of classes.
    offset : what is added to the values.
    """

    def __init__(
        self, table: Table, arrays: TreeArrays, variance: NDArray[np.float64], offset: float
    ) -> None:
        self._table, self.arrays, self.variance, self.offset = table, arrays, variance, offset

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickles and copies."""
        return SumArrays, (self._table, self.arrays, self.variance, self.offset)

    def __len__(self) -> int:
        return len(self.variance)

    @property
    def n_trees(self) -> int:
        """M."""
        return len(self.arrays) // max(1, len(self))

    def __getitem__(self, t: int) -> Any:
        """The sum of number `t`, a `TreeSum`."""
        first = t * self.n_trees
        trees = tuple(self._tree(first + m) for m in range(self.n_trees))
        known = None if self._table.leaf.classes else float(self.variance[t])
        return TreeSum(trees, self.offset, known)

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def _tree(self, u: int) -> Tree:
        begin, end = self.arrays.starts[u : u + 2].tolist()
        values = iter(self.arrays.statistics[slice(*self.arrays.leaves_of(u)), 0].tolist())
        names, tests = self._table.feature_names, self.arrays.tests
        return tree_of_preorder(
            Leaf({"mean": next(values)}) if i < 0 else (names[tests[i][0]], tests[i][1])
            for i in self.arrays.nodes[begin:end].tolist()
        )

    def take(self, which: NDArray[np.int64]) -> SumArrays:
        """The sums of these numbers."""
        trees = (which[:, None] * self.n_trees + np.arange(self.n_trees)).ravel()
        return SumArrays(self._table, self.arrays.take(trees), self.variance[which], self.offset)

    def first_alike(self) -> NDArray[np.int64]:
        """For each sum its own number, shape (T,): values of leaves are real numbers, so none are
        equal."""
        return np.arange(len(self))

    def shapes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Of all trees of each sum the leaves, shape (T,), the longest path, (T,), and how many
        splits are on each feature, (T, d)."""
        n_leaves, depth, splits = self._ensemble.shapes()
        shape = len(self), self.n_trees
        return (
            n_leaves.reshape(shape).sum(axis=1),
            depth.reshape(shape).max(axis=1),
            splits.reshape(*shape, -1).sum(axis=1),
        )

    @cached_property
    def _ensemble(self) -> EnsembleKernel:
        return self.arrays.ensemble()

    @cached_property
    def _counted(self) -> TreeArrays:
        """The trees with the weights of rows as statistics of the leaf model."""
        own = self.arrays
        statistics = np.zeros((len(own.statistics), self._table.leaf.n_statistics))
        statistics[:, 0] = own.statistics[:, 1]
        return TreeArrays(self._table, own.tests, own.nodes, own.starts, statistics)

    def fits(self, numbers: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
        """What each sum says of rows (m, d) (`rows_as_numbers`), shape (T, m). A row that goes to
        both sides of a split has the mean of its leaves, by its shares."""
        out = np.full((len(self), len(numbers)), self.offset)
        step = max(1, _MOST_PLACES // max(1, len(self.arrays)))
        for a in range(0, len(numbers), step):
            piece = np.ascontiguousarray(numbers[a : a + step])
            out[:, a : a + step] += self._values(piece, threads)
        return out

    def _values(self, numbers: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
        where = np.full((len(self.arrays), len(numbers)), -1, np.int64)
        if all(feature.kind.compiled for feature in self._table.features):
            whole = np.flatnonzero(~np.isnan(numbers).any(axis=1))
            where[:, whole] = self._ensemble.leaves(np.ascontiguousarray(numbers[whole]), threads)
        told = where >= 0
        each = np.where(told, self.arrays.statistics[:, 0][where], 0.0)
        trees, rows = (np.flatnonzero(~told.all(axis=axis)) for axis in (1, 0))
        values = self.arrays.take(trees).statistics[:, 0]
        paths = SidedTrees(self._table, self._counted.take(trees)).paths(numbers[rows])
        for u, (at, leaves, shares) in zip(trees, paths, strict=True):
            own = np.zeros(len(rows))
            np.add.at(own, at, shares * values[leaves])
            each[u, rows] = np.where(told[u, rows], each[u, rows], own)
        return np.asarray(each.reshape(len(self), self.n_trees, -1).sum(axis=1))


def sums_of_cuts(
    table: Table,
    trees: list[Cuts],
    leaves: NDArray[np.float64],
    variance: NDArray[np.float64],
    offset: float,
) -> SumArrays:
    """Sums by the nodes of all their trees, as `arrays_of_cuts` takes them, and by values and rows
    of the leaves, shape (K, 2)."""
    arrays = arrays_of_cuts(table, trees, [leaves.ravel()], 2)
    return SumArrays(table, arrays, variance, offset)
