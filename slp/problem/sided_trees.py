"""Rows down many trees, where the kernels cannot tell the side of a row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from slp.columns import LEFT, UNTOLD
from slp.data.table import Table
from slp.errors import DataError
from slp.problem.new_rows import share_of_untold
from slp.problem.tree_arrays import TreeArrays
from slp.trees import Leaf


class SidedTrees:
    """Trees for rows that miss values which take a side, for tests by subsets, and for rows with
    another level than the two that a test has; where the test does not say the side, such a row
    goes down one or both, as declared. Rows are as numbers, NaN where missing
    (`slp.problem.new_rows`)."""

    def __init__(
        self, table: Table, trees: TreeArrays, errors: NDArray[np.bool_] | None = None
    ) -> None:
        """`errors`, shape (m,), is set to True at each row whose side a split does not know where
        that is declared an error. Without it such a row raises the error (E442, E445)."""
        self._table, self._trees, self._errors = table, trees, errors

    def paths(
        self, rows: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]]:
        """For each tree the rows (m, d) that end in its leaves: the row, the number of the leaf
        among those of all trees, and the share of the row that ends there.

        Raises
        ------
        DataError
            E442, E445: the split does not say the side of a row, and that is declared an error.
        """
        for u in range(len(self._trees)):
            which: list[NDArray[np.intp]] = []
            leaves: list[NDArray[np.intp]] = []
            shares: list[NDArray[np.float64]] = []
            leaf, _ = self._trees.leaves_of(u)
            weights = _WeightsBelow(self._table, self._trees, u)
            waiting = [(np.arange(len(rows)), np.ones(len(rows)))]
            for i in range(*self._trees.starts[u : u + 2].tolist()):
                at, share = waiting.pop()
                if self._trees.nodes[i] < 0:
                    which.append(at)
                    leaves.append(np.full(len(at), leaf))
                    shares.append(share)
                    leaf += 1
                    continue
                left = self._share_left(i, rows, at, weights)
                waiting += (
                    (at[left < 1], (share * (1 - left))[left < 1]),
                    (at[left > 0], (share * left)[left > 0]),
                )
            yield np.concatenate(which), np.concatenate(leaves), np.concatenate(shares)

    def _share_left(
        self, i: int, rows: NDArray[np.float64], at: NDArray[np.intp], weights: _WeightsBelow
    ) -> NDArray[np.float64]:
        f, test = self._trees.tests[self._trees.nodes[i]]
        feature, values = self._table.features[f], rows[at, f]
        told = feature.kind.ways(test, values)
        out: NDArray[np.float64] = (told == LEFT).astype(np.float64)
        untold, missing = told == UNTOLD, np.isnan(values)
        for of_missing, rows_of in ((False, untold & ~missing), (True, untold & missing)):
            if rows_of.any():
                ours, others = weights.of_sides(i)
                try:
                    out[rows_of] = share_of_untold(feature, ours, others, missing=of_missing)
                except DataError:
                    if self._errors is None:
                        raise
                    self._errors[at[rows_of]] = True
        return out


class _WeightsBelow:
    """The weights of the table's rows below the nodes of a tree, which few rows need."""

    def __init__(self, table: Table, trees: TreeArrays, u: int) -> None:
        self._table, self._trees, self._u = table, trees, u
        self._known: dict[int, tuple[float, float]] = {}

    def of_sides(self, i: int) -> tuple[float, float]:
        """The weight on the left and on the right side of a split, by the number of its node."""
        if not self._known:
            self._known = dict(self._all())
        return self._known[i]

    def _all(self) -> Iterator[tuple[int, tuple[float, float]]]:
        leaf = self._trees.leaves_of(self._u)[1]
        begin, end = self._trees.starts[self._u : self._u + 2].tolist()
        done: list[float] = []
        for i in reversed(range(begin, end)):  # right sides before left ones
            if self._trees.nodes[i] < 0:
                leaf -= 1
                own = Leaf.of(self._table.leaf, self._trees.statistics[leaf])
                done.append(float(own.rows))
                continue
            sides = done.pop(), done.pop()
            yield i, sides
            done.append(sum(sides))
