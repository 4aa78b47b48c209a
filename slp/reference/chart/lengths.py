"""Distributions of the number of leaves and of the depth of a tree.

Both only add and multiply probabilities, so small ones have the same relative accuracy as large
ones. `edge_probability` is the probability of each edge given that its item is visited, shape (E,).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slp.reference.chart.forest import LEAF, Forest
from slp.reference.chart.semirings import Semiring, add, fold, maximum

_Floats = NDArray[np.float64]

#: Number of edges whose polynomials are multiplied together; they fit the processor's cache.
_CHUNK = 512


def leaf_distribution(forest: Forest, edge_probability: _Floats, negligible: float) -> _Floats:
    """Probability of k leaves at index k = 0 to the largest tree's, or until what is left is
    `negligible`.

    Each item's value is a polynomial: the coefficient of z^k is the probability of k leaves, and a
    leaf edge multiplies by z. Cut off at degree K, the root's coefficients up to K stay exact.
    """
    largest = fold(forest, _most_leaves(forest))
    limit = min(int(largest[0]), _tail_bound(forest, edge_probability, negligible))

    def times(e: slice, x: _Floats, y: _Floats) -> _Floats:
        out = np.zeros_like(x)
        degree = min(limit, int((largest[forest.left[e]] + largest[forest.right[e]]).max()))
        for a in range(0, len(x), _CHUNK):
            rows = slice(a, a + _CHUNK)
            for k in range(degree + 1):
                out[rows, k : degree + 1] += x[rows, k, None] * y[rows, : degree + 1 - k]
        is_leaf = forest.cut[e] == LEAF
        out[is_leaf] = np.roll(out[is_leaf], 1, axis=1)
        out *= edge_probability[e, None]
        return out

    one = np.zeros(limit + 1)
    one[0] = 1.0
    return np.asarray(fold(forest, Semiring(0.0, one, times, add, (limit + 1,)))[0])


def _most_leaves(forest: Forest) -> Semiring:
    """Leaves of an item's largest tree."""
    return Semiring(0.0, 0.0, lambda e, x, y: (forest.cut[e] == LEAF) + x + y, maximum)


def _tail_bound(forest: Forest, edge_probability: _Floats, negligible: float) -> int:
    """A number of leaves that is exceeded with probability below `negligible` (Chernoff's bound):

    P(leaves > k) <= E[z^leaves] / z^(k + 1) for every z > 1.
    """
    best = forest.geometry.root.bit_count()
    for z in (1.1, 1.3, 1.6, 2.0, 3.0, 5.0):
        factor = np.where(forest.cut == LEAF, z, 1.0)
        factor *= edge_probability
        with np.errstate(over="ignore"):
            moment = float(fold(forest, _product(factor))[0])
        if np.isfinite(moment):
            best = min(best, max(1, int(np.log(moment / negligible) / np.log(z)) + 1))
    return best


def _product(factor: _Floats) -> Semiring:
    """Expected product of the factors of a derivation's edges, if `factor` has their shares in
    it."""
    return Semiring(0.0, 1.0, lambda e, x, y: factor[e] * x * y, add)


def depth_distribution(forest: Forest, edge_probability: _Floats, negligible: float) -> _Floats:
    """Probability of depth t at index t = 0 to the deepest tree's, or until what is left is
    `negligible`.

    With e_t(item) the probability of depth t exactly and b_t of a depth below t, a split whose
    children are x and y has depth t with probability

        e_{t-1}(x) (b_{t-1}(y) + e_{t-1}(y)) + b_{t-1}(x) e_{t-1}(y).

    A call keeps the depth.
    """
    deepest = int(fold(forest, _depth(forest))[0])
    exact = np.zeros(forest.n_items + 1)  # e_{t-1}
    below = np.zeros(forest.n_items + 1)  # b_{t-1}
    out: list[float] = []
    for t in range(deepest + 1):
        now = fold(forest, _exact_depth(forest, edge_probability, t, exact, below))
        below, exact = below + exact, now
        out.append(float(now[0]))
        if 1.0 - sum(out) < negligible:
            break
    return np.array(out)


def _depth(forest: Forest) -> Semiring:
    """Depth of an item's deepest tree."""

    def times(e: slice, x: _Floats, y: _Floats) -> _Floats:
        return np.asarray(np.maximum(x, y) + (forest.cut[e] >= 0))

    return Semiring(0.0, 0.0, times, maximum)


def _exact_depth(
    forest: Forest, edge_probability: _Floats, t: int, exact: _Floats, below: _Floats
) -> Semiring:
    """e_t from e_{t-1} and b_{t-1}."""

    def times(e: slice, x: _Floats, _y: _Floats) -> _Floats:
        left, right, cut = forest.left[e], forest.right[e], forest.cut[e]
        deeper = exact[left] * (below[right] + exact[right]) + below[left] * exact[right]
        stays = np.where(cut == LEAF, float(t == 0), x)
        return np.asarray(edge_probability[e] * np.where(cut >= 0, deeper, stays))

    return Semiring(0.0, 0.0, times, add)
