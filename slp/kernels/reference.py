"""The kernels in NumPy: the specification of the compiled ones, and their replacement if they are
missing.

Same names, arguments and results as `slp._core`; the facade `slp.kernels` says what they mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def code_values(column: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Code a column (n,) by its sorted distinct values."""
    # Adding 0.0 turns minus zero into zero, so that the value shown does not depend on the order.
    values, codes = np.unique(column + 0.0, return_inverse=True)
    return values, codes.astype(np.int32)


def code_by_cuts(column: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int32]:
    """Code a column (n,) by the number of cuts (c,) that are not above the value."""
    return np.searchsorted(cuts, column, side="right").astype(np.int32)


def merge_rows(
    rows: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Merge the equal rows of a table of codes, by the bytes of its rows (n, w): the first row of
    each kind, (m,), the kind of each row, (n,), and how many rows each kind has, (m,)."""
    place_of: dict[bytes, int] = {}
    row_of = np.array(
        [place_of.setdefault(row.tobytes(), len(place_of)) for row in rows], dtype=np.int64
    )
    _, first_rows = np.unique(row_of, return_index=True)
    return first_rows.astype(np.int64), row_of, np.bincount(row_of, minlength=len(place_of))


class Ensemble:
    """Trees that many rows are sent down at once, by the nodes of one after the other in preorder:
    features (N,), -1 of a leaf; operands and others (N,); where each tree starts, and N, (U + 1,);
    which features have levels (d,)."""

    def __init__(
        self,
        features: NDArray[np.int32],
        operands: NDArray[np.float64],
        others: NDArray[np.float64],
        starts: NDArray[np.int64],
        levels: NDArray[np.bool_],
    ) -> None:
        self._features, self._operands = features.tolist(), operands.tolist()
        self._others = others.tolist()
        self._roots, self._levels = starts[:-1].tolist(), levels.tolist()
        self._right = [0] * len(features)
        self._leaf = np.cumsum(features < 0) - 1  # the number of a node that is a leaf
        waiting: list[int] = []  # splits whose right side has not begun
        for i, feature in enumerate(self._features):
            if i and self._features[i - 1] < 0 and waiting:
                self._right[waiting.pop()] = i
            if feature >= 0:
                waiting.append(i)

    def shapes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Leaves (U,), depth (U,) and splits (U, d) of each tree."""
        n_leaves, depth = np.zeros((2, len(self._roots)), np.int64)
        splits = np.zeros((len(self._roots), len(self._levels)), np.int64)
        for u, root in enumerate(self._roots):
            stack = [(root, 0)]
            while stack:
                i, above = stack.pop()
                if self._features[i] < 0:
                    n_leaves[u] += 1
                    depth[u] = max(depth[u], above)
                else:
                    splits[u, self._features[i]] += 1
                    stack += [(i + 1, above + 1), (self._right[i], above + 1)]
        return n_leaves, depth, splits

    def leaves(self, rows: NDArray[np.float64], threads: int) -> NDArray[np.int64]:
        """The leaf of each row (m, d) under each tree, (U, m), -1 where a split does not say the
        row's side. There is one thread."""
        out = np.full((len(self._roots), len(rows)), -1, np.int64)
        for u, root in enumerate(self._roots):
            stack = [(root, np.arange(len(rows)))]
            while stack:
                i, inside = stack.pop()
                f = self._features[i]
                if f < 0:
                    out[u, inside] = self._leaf[i]
                    continue
                values, operand, other = rows[inside, f], self._operands[i], self._others[i]
                left = values == operand if self._levels[f] else values < operand
                if other == other:
                    told = left | (values == other)
                    inside, left = inside[told], left[told]
                stack += [(i + 1, inside[left]), (self._right[i], inside[~left])]
        return out

    def sums(
        self, statistics: NDArray[np.float64], rows: NDArray[np.float64], threads: int
    ) -> NDArray[np.float64]:
        """Sum of the statistics (m, k) of the rows that end in each leaf, (K, k)."""
        out = np.zeros((self._leaf[-1] + 1, statistics.shape[1]))
        for where in self.leaves(rows, threads):
            np.add.at(out, where[where >= 0], statistics[where >= 0])
        return out

    def average(
        self,
        values: NDArray[np.float64],
        weights: NDArray[np.float64],
        rows: NDArray[np.float64],
        threads: int,
    ) -> NDArray[np.float64]:
        """Sum over the trees of weight (U,) times the values (K, q) of a row's leaf, (m, q), NaN
        where a split does not say the row's side."""
        out = np.zeros((len(rows), values.shape[1]))
        for weight, where in zip(weights, self.leaves(rows, threads), strict=True):
            out += weight * values[where]
            out[where < 0] = np.nan
        return out
