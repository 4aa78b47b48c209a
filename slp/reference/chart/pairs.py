"""Differences of what is predicted of two rows: their mean and the mean of their square, by one
pass from the leaves up.

Of an item (a box in a state), given that the tree has it, let m_1 be the mean of what its subtree
predicts of row 1, q_1 that of its square, and d, e those of the difference of rows 1 and 0.
Subtrees on both sides of a split are independent given the split, and in a leaf both rows have one
parameter. With a the share of row 1 that goes left (1 or 0 where the split says its side), b that
of row 0,

    m_1 = a m_1' + (1 - a) m_1''        ' the left side, '' the right one
    q_1 = a^2 q_1' + (1 - a)^2 q_1'' + 2 a (1 - a) m_1' m_1''
    d   = s(a, b)' + s(1 - a, 1 - b)''
    e   = t(a, b)' + t(1 - a, 1 - b)'' + 2 s(a, b)' s(1 - a, 1 - b)''

where s(a, b) is the mean of a f_1 - b f_0, a d if a = b, else a m_1 - b m_0, and t(a, b) that of
its square, a^2 e if a = b, else a^2 q_1 + b^2 q_0 - a b (q_1 + q_0 - e). An item's are the averages
over its edges by their probability.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from slp.columns import LEFT, UNTOLD
from slp.errors import DataError
from slp.problem.new_rows import rows_as_numbers, ways_at_cuts
from slp.reference.chart.forest import CALL, LEAF, Forest
from slp.results.averages.quantities import LeafMoments
from slp.results.averages.rows_in_leaves import design_of_rows

Numbers = NDArray[np.float64]


class PairSums:
    """Sums for pairs of rows over a forest.

    Parameters
    ----------
    probability : of each edge given its item, shape (E,).
    statistics : of each leaf that an item can be, shape (L, k).
    takes_both : which edges say no side of a row, by its ways at cuts and its numbers, shape (E,).
    """

    def __init__(
        self,
        forest: Forest,
        probability: Numbers,
        statistics: Numbers,
        takes_both: Callable[[NDArray[np.uint8], Numbers], NDArray[np.bool_]],
        moments: LeafMoments,
    ) -> None:
        self._forest, self._probability, self._takes_both = forest, probability, takes_both
        self._first, self._second = moments.of(statistics)

    def differences(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_]
    ) -> tuple[Numbers, Numbers]:
        """See `TreeDistribution.differences`; every row has a side wherever it comes to."""
        table = self._forest.geometry.table
        numbers = [rows_as_numbers(table, rows) for rows in (ones, zeros)]
        shares = [self._shares(own) for own in numbers]
        designs = [design_of_rows(table, own) for own in numbers]
        means, squares = [], []
        for i in range(len(ones)):
            pair = [None if d is None else d[i] for d in designs]
            mean, square = self._pair(shares[0][i], shares[1][i], pair[0], pair[1])
            means.append(mean)
            squares.append(square)
        width = 1 if table.leaf.regressors else self._first.shape[1]
        return np.reshape(means, (-1, width)), np.reshape(squares, (-1, width))

    def _shares(self, numbers: Numbers) -> list[Numbers]:
        """For each row the share that goes left at each edge, shape (E,); 1 at leaves and calls."""
        f, table = self._forest, self._forest.geometry.table
        out = []
        told = ways_at_cuts(table.features, f.geometry.cuts, numbers)
        for ways, own in zip(told, numbers, strict=True):
            left = np.concatenate([ways == LEFT, [True, True]])[f.cut].astype(np.float64)
            both = np.concatenate([ways == UNTOLD, [False, False]])[f.cut]
            for e in np.flatnonzero(both | self._takes_both(ways, own)).tolist():
                sides = (f.boxes[f.item_box[item[e]]] for item in (f.left, f.right))
                missing = bool(np.isnan(own[f.geometry.cuts[f.cut[e]].feature]))
                try:
                    left[e] = f.geometry.share_left(int(f.cut[e]), *sides, missing=missing)
                except DataError:
                    left[e] = 0.0  # the row never comes here
            out.append(left)
        return out

    def _of_row(self, design: Numbers | None) -> tuple[Numbers, Numbers]:
        """Mean and mean square of each leaf, (L, D)."""
        if design is None:
            return self._first, self._second
        squares = np.einsum("i,bij,j->b", design, self._second, design)
        return (self._first @ design)[:, None], squares[:, None]

    def _pair(
        self, a: Numbers, b: Numbers, one: Numbers | None, zero: Numbers | None
    ) -> tuple[Numbers, Numbers]:
        f, p = self._forest, self._probability
        of_leaf = self._of_leaves(one, zero)
        of_item = np.zeros((f.n_items + 1, *of_leaf.shape[1:]))
        item = np.repeat(np.arange(f.n_items), np.diff(f.first_edge))
        for first, last in reversed(list(zip(f.levels[:-1], f.levels[1:], strict=True))):
            at = np.arange(f.first_edge[first], f.first_edge[last])
            at = at[p[at] > 0]
            left, right = of_item[f.left[at]], of_item[f.right[at]]
            ends, calls = (f.cut[at] == LEAF)[:, None, None], (f.cut[at] == CALL)[:, None, None]
            split = _of_split(a[at, None], b[at, None], left, right)
            own = np.where(ends, of_leaf[f.item_leaf[item[at]]], np.where(calls, left, split))
            np.add.at(of_item, item[at], p[at, None, None] * own)
        return of_item[0, 4], of_item[0, 5]

    def _of_leaves(self, one: Numbers | None, zero: Numbers | None) -> Numbers:
        """m_1, m_0, q_1, q_0, d and e of each leaf, shape (L, 6, D)."""
        (m1, q1), (m0, q0) = self._of_row(one), self._of_row(zero)
        d = e = np.zeros_like(m1)
        if one is not None and zero is not None:
            d, e = self._of_row(one - zero)
        return np.stack([m1, m0, q1, q0, d, e], axis=1)


def _of_split(a: Numbers, b: Numbers, left: Numbers, right: Numbers) -> Numbers:
    """The same of splits, whose sides (E, 6, D) are given, shape (E, 6, D)."""
    m1, m0, q1, q0, d, e = (np.stack([left[:, i], right[:, i]]) for i in range(6))
    x, y = np.stack([a, 1 - a]), np.stack([b, 1 - b])
    m1, m0 = _times(x, m1), _times(y, m0)
    with np.errstate(invalid="ignore"):
        d = np.where(x == y, _times(x, d), m1 - m0)
        products = _times(x**2, q1) + _times(y**2, q0) - _times(x * y, q1 + q0 - e)
        e = np.where(x == y, _times(x**2, e), products)
        return np.stack(
            [
                m1.sum(axis=0),
                m0.sum(axis=0),
                _times(x**2, q1).sum(axis=0) + 2 * _times(*m1),
                _times(y**2, q0).sum(axis=0) + 2 * _times(*m0),
                d.sum(axis=0),
                e.sum(axis=0) + 2 * _times(*d),
            ],
            axis=1,
        )


def _times(x: Numbers, y: Numbers) -> Numbers:
    """The product, 0 where one is 0, though the other be infinite."""
    x, y = np.broadcast_arrays(x, y)
    return np.multiply(x, y, out=np.zeros(x.shape), where=(x != 0) & (y != 0))
