"""Where rows end in draws of trees.

Trees are gone through by the kernels (`slp.kernels.lay_out_ensemble`), in as many threads as the
run had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.kernels.compiled import N_CORES
from slp.problem.new_rows import rows_as_numbers, table_in_pieces
from slp.problem.sided_trees import SidedTrees
from slp.problem.tree_arrays import TreeArrays
from slp.results.averages.over_trees import ScoredTrees
from slp.results.averages.reached import Reached
from slp.results.averages.weighted_draws import WeightedDraws

#: New rows that are routed through all trees at a time.
_ROWS_AT_A_TIME = 4096
#: Numbers (of all trees or draws, for some rows) that are held at a time: 256 MiB, less if the
#: budget has no room for them and their copies, but never fewer than `_FEWEST_HELD`.
_MOST_HELD, _FEWEST_HELD = 1 << 25, 1 << 16
_BYTES_HELD = 6 * 8


class RoutedTrees(WeightedDraws):
    """Draws of trees, and the leaves that rows end in; `room` bytes may be held at a time.

    Attributes
    ----------
    trees : the U distinct trees, with their weights. Their K leaves are numbered one tree after the
        other.
    n_leaves, depth : of each tree, int64, shape (U,).
    splits : how often each tree splits on each feature, int64, shape (U, d).
    """

    def __init__(
        self,
        table: Table,
        trees: ScoredTrees,
        chains: Sequence[NDArray[np.int64]],
        threads: int = N_CORES,
        room: int | None = None,
        log_weights: Sequence[NDArray[np.float64]] | None = None,
        out_of_time: bool = False,
    ) -> None:
        super().__init__(len(trees), chains, log_weights, out_of_time)
        self.table, self.trees = table, trees
        self._threads, self._room = threads, room
        self.n_leaves, self.depth, self.splits = self._shapes()

    def _shapes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """`n_leaves`, `depth` and `splits`."""
        self._ensemble = self.arrays.ensemble()
        return self._ensemble.shapes()

    @property
    def arrays(self) -> TreeArrays:
        """The distinct trees; only of hard ones."""
        arrays = self.trees.trees
        assert isinstance(arrays, TreeArrays)
        return arrays

    def weighed(
        self, chains: Sequence[NDArray[np.int64]], log_weights: Sequence[NDArray[np.float64]]
    ) -> Self:
        """The same trees by these chains and weights."""
        of = (self.table, self.trees, chains, self._threads, self._room)
        return type(self)(*of, log_weights)

    def leaf_shares(self, rows: NDArray[np.object_]) -> Iterator[NDArray[np.float64]]:
        """For each tree the share of new rows (`Table.new_rows`) in its leaves, (m, leaves)."""
        numbers = rows_as_numbers(self.table, rows)
        where = self._told_leaves(numbers)
        paths = None if where is not None else self._paths(numbers)
        for u in range(len(self.trees)):
            first, end = self.arrays.leaves_of(u)
            own = np.zeros((len(rows), end - first))
            if where is not None:
                own[np.arange(len(rows)), where[u] - first] = 1.0
            elif paths is not None:
                at, leaves, shares = next(paths)
                own[at, leaves - first] = shares
            yield own

    def mean_of_leaves(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each tree the mean over the rows of the table, by their weights, of values of leaves,
        shape (K, J) to (U, J)."""
        own, classes = self.arrays.statistics, len(self.table.leaf.classes)
        weights = own[:, : max(1, classes)].sum(axis=1)  # of numbers the first counts rows
        first = [self.arrays.leaves_of(u)[0] for u in range(len(self.trees))]
        sums = np.add.reduceat(weights[:, None] * values, first)
        return np.asarray(sums / np.add.reduceat(weights, first)[:, None])

    def leaf_values_by_tree(
        self, rows: NDArray[np.object_], values: NDArray[np.float64]
    ) -> Iterator[NDArray[np.float64]]:
        """The values (K, J) of the leaves that new rows (`Table.new_rows`) end in under each tree,
        some rows at a time, shape (U, m, J); of a row that goes to both sides the mean by its
        shares."""
        for numbers in self._pieces(rows, values.shape[1]):
            where = self._told_leaves(numbers)
            if where is not None:
                yield values[where]
                continue
            out = np.zeros((len(self.trees), len(numbers), values.shape[1]))
            for own, (at, leaves, shares) in zip(out, self._paths(numbers), strict=True):
                np.add.at(own, at, shares[:, None] * values[leaves])
            yield out

    @property
    def leaf_statistics(self) -> NDArray[np.float64]:
        """The statistics that leaves predict by, one tree after the other, shape (K, k)."""
        return self._statistics

    def reached(self, rows: NDArray[np.object_]) -> Reached:
        """The leaves of each tree that new rows (`Table.new_rows`) end in."""
        told: list[NDArray[np.int32]] = []
        for numbers in self._pieces(rows):
            where = self._told_leaves(numbers)
            if where is None:
                paths = list(self._paths(rows_as_numbers(self.table, rows)))
                return Reached(self._statistics, None, paths, len(rows))
            told.append(where.astype(np.int32))
        return Reached(self._statistics, np.hstack(told), (), len(rows))

    def leaves_of_table(self) -> NDArray[np.int64]:
        """The leaf of each distinct row of the table under each tree, shape (U, n); of a table with
        more than `rows_at_a_time`, of this number of rows, spread evenly."""
        pieces = table_in_pieces(self.table, self._some_of_table())
        return np.hstack([self._leaves_of(rows) for _, rows in pieces])

    def _leaves_of(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """The leaf of each row of the table (m, d) under each tree, shape (U, m)."""
        where = self._told_leaves(numbers)
        if where is not None:
            return where
        out = np.empty((len(self.trees), len(numbers)), np.int64)
        for own, (at, leaves, _) in zip(out, self._paths(numbers), strict=True):
            own[at] = leaves
        return out

    def log_densities_by_tree(
        self, numbers: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The log predictive density under each tree, shape (U, m), of the outcomes of new rows
        (`rows_as_numbers`, (m, d)) with these statistics (m, k); and which rows have one, shape
        (m,): a value that a split does not know may be an error (`new(error)`)."""
        S, leaf = self._statistics, self.table.leaf
        of_leaves = np.log(leaf.values(S)) if leaf.classes else leaf.log_marginal(S)

        def density(leaves: NDArray[np.int64], rows: Any) -> NDArray[np.float64]:
            if leaf.classes:  # of one row the statistics are 1 at its class
                found: NDArray[np.float64] = of_leaves[leaves, statistics[rows].argmax(axis=1)]
                return found
            return np.asarray(leaf.log_marginal(S[leaves] + statistics[rows]) - of_leaves[leaves])

        where = self._told_leaves(numbers)
        if where is not None:
            return density(where, slice(None)), np.ones(len(numbers), np.bool_)
        out = np.full((len(self.trees), len(numbers)), -np.inf)
        errors = np.zeros(len(numbers), np.bool_)
        paths = SidedTrees(self.table, self.arrays, errors).paths(numbers)
        for own, (at, leaves, shares) in zip(out, paths, strict=True):
            with np.errstate(divide="ignore"):
                np.logaddexp.at(own, at, np.log(shares) + density(leaves, at))
        return out, ~errors

    def _told_leaves(self, numbers: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """The leaf of each new row (m, d) under each tree, shape (U, m); None if some row has no
        single one, or the kernels cannot tell."""
        if self._untold(numbers).any():
            return None
        where = self._ensemble.leaves(numbers, self._threads)
        return None if (where < 0).any() else where

    def _untold(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which rows (m, d) the kernels cannot send down trees, shape (m,): those that miss values
        which take a side, and all where the compiled ensemble lacks tests of a column."""
        if not all(f.kind.compiled for f in self.table.features):
            return np.ones(len(numbers), np.bool_)
        return np.asarray(np.isnan(numbers).any(axis=1))

    def _paths(
        self, numbers: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]]:
        """See `SidedTrees`."""
        return SidedTrees(self.table, self.arrays).paths(numbers)

    def _some_of_table(self) -> NDArray[np.int64]:
        """The positions of at most `rows_at_a_time` distinct rows, spread evenly."""
        n = len(self.table.counts)
        if n <= self.rows_at_a_time:
            return np.arange(n)
        return np.linspace(0, n - 1, self.rows_at_a_time).astype(np.int64)

    @property
    def rows_at_a_time(self) -> int:
        """Number of rows for which the predictions of all draws can be held at a time."""
        return self._rows_held(len(self.table.leaf.classes or (0, *self.table.leaf.regressors)))

    def _rows_held(self, width: int) -> int:
        """Number of rows for which so many numbers of all draws can be held at a time."""
        each, held = sum(len(chain) for chain in self.chains) * width, _MOST_HELD
        if self._room is not None:
            held = min(held, max(self._room // _BYTES_HELD, _FEWEST_HELD))
        return max(1, min(_ROWS_AT_A_TIME, held // each))

    def _pieces(
        self, rows: NDArray[np.object_], width: int | None = None
    ) -> Iterator[NDArray[np.float64]]:
        """New rows (`Table.new_rows`) as numbers, some at a time: those of which `width` numbers of
        each tree can be held, or the predictions."""
        numbers = rows_as_numbers(self.table, rows)
        step = self.rows_at_a_time if width is None else self._rows_held(width)
        for a in range(0, max(1, len(rows)), step):
            yield numbers[a : a + step]

    @cached_property
    def _statistics(self) -> NDArray[np.float64]:
        """Statistics of each leaf, one tree after the other, shape (K, k)."""
        if self.table.leaf.classes and self.table.weighted != "real":
            return self.arrays.statistics  # whole numbers, whose sums do not depend on the order
        own = np.ascontiguousarray(self.table.statistics, np.float64)
        pieces = table_in_pieces(self.table, np.arange(len(own)))
        sums = reduce(np.add, (self._sums(own[at], rows) for at, rows in pieces))
        leaf = self.table.leaf
        return leaf.with_prior(sums, leaf.prior_of(self.arrays.statistics))

    def _sums(self, own: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of the statistics (m, k) of rows of the table that end in each leaf, (K, k)."""
        blank = self._untold(rows)
        if not blank.any():
            return self._ensemble.sums(own, rows, self._threads)
        of_whole = np.ascontiguousarray(own[~blank]), np.ascontiguousarray(rows[~blank])
        out = self._ensemble.sums(*of_whole, self._threads)
        for at, leaves, _ in self._paths(rows[blank]):
            np.add.at(out, leaves, own[blank][at])
        return out

    @cached_property
    def _distinct_leaves(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The statistics that leaves have, shape (J, k), and which of them each leaf has, (K,)."""
        found, which = np.unique(self._statistics, axis=0, return_inverse=True)
        return found, which.reshape(-1)
