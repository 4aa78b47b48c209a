"""One recursion over the forest, many algebras.

    value(item) = plus over its edges e of  times(e, value(left(e)), value(right(e)))

Algebras that take `share`, the conditional probability of each edge given its item, compute with plain
probabilities and stay accurate in the relative sense, as they add and multiply what is not negative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.infer.exact.forest import LEAF, Forest

__all__ = [
    "Semiring",
    "best_score",
    "deepest",
    "fold",
    "leaf_polynomial",
    "log_sum",
    "most_leaves",
    "segment_log_sum",
    "tree_count",
    "usage",
]

Floats: TypeAlias = NDArray[np.float64]
Bounds: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Semiring:
    """An algebra over the forest.

    `times(e, l, r)` gives the terms of the edges in the slice `e`, from the values of the items they lead to;
    `plus(terms, starts)` adds up the terms of each item, which begin at `starts`. `zero` and `one` are the values of
    an item that derives nothing and of the unit item, broadcast to `shape`.
    """

    zero: float
    one: Any
    times: Callable[[slice, Floats, Floats], Floats]
    plus: Callable[[Floats, Bounds], Floats]
    shape: tuple[int, ...] = ()


def fold(forest: Forest, semiring: Semiring) -> Floats:
    """The value of every item, shape (N + 1, *semiring.shape); the unit item comes last."""
    values = np.full((forest.n_items + 1, *semiring.shape), semiring.zero)
    values[-1] = semiring.one
    for level in reversed(range(len(forest.levels) - 1)):
        first, last = forest.levels[level], forest.levels[level + 1]
        bounds = forest.first_edge[first : last + 1]
        filled = np.flatnonzero(np.diff(bounds))
        if len(filled):
            e = slice(int(bounds[0]), int(bounds[-1]))
            terms = semiring.times(e, values[forest.left[e]], values[forest.right[e]])
            values[first + filled] = semiring.plus(terms, bounds[filled] - bounds[0])
    return values


def segment_log_sum(terms: Floats, starts: Bounds) -> Floats:
    """log sum exp of each segment; -inf where all its terms are."""
    top = np.maximum.reduceat(terms, starts)
    shift = np.where(top > -np.inf, top, 0.0)
    sizes = np.diff(starts, append=len(terms))
    total = np.add.reduceat(np.exp(terms - np.repeat(shift, sizes)), starts)
    with np.errstate(divide="ignore"):
        return shift + np.log(total)


def _sum(terms: Floats, starts: Bounds) -> Floats:
    return np.add.reduceat(terms, starts, axis=0)


def _max(terms: Floats, starts: Bounds) -> Floats:
    return np.maximum.reduceat(terms, starts, axis=0)


def log_sum(log_weight: Floats) -> Semiring:
    """Log of the total weight of all derivations."""
    return Semiring(-np.inf, 0.0, lambda e, l, r: log_weight[e] + l + r, segment_log_sum)


def best_score(log_weight: Floats) -> Semiring:
    """Log weight of the best derivation (Viterbi)."""
    return Semiring(-np.inf, 0.0, lambda e, l, r: log_weight[e] + l + r, _max)


def tree_count() -> Semiring:
    """Number of derivations; exact below 2**53, inf beyond the floats."""
    return Semiring(0.0, 1.0, lambda e, l, r: l * r, _sum)


def most_leaves(forest: Forest) -> Semiring:
    """Leaves of the largest tree."""
    return Semiring(0.0, 0.0, lambda e, l, r: (forest.cut[e] == LEAF) + l + r, _max)


def deepest(forest: Forest) -> Semiring:
    """Depth of the deepest tree (0 for a leaf)."""
    return Semiring(0.0, 0.0, lambda e, l, r: (forest.cut[e] >= 0) + np.maximum(l, r), _max)


def usage(share: Floats, on_feature: Callable[[slice], Floats], n_features: int) -> Semiring:
    """Probability that a tree splits on each feature anywhere, shape (d,).

    `on_feature(e)` has shape (E, d): 1 where an edge splits on the feature, else 0. With u the value, an edge
    on another feature gives u(l) + u(r) - u(l) u(r), written without a difference of nearly equal numbers.
    """

    def times(e: slice, l: Floats, r: Floats) -> Floats:
        below = l + r * (1.0 - l)
        return share[e, None] * np.where(on_feature(e), 1.0, below)

    return Semiring(0.0, 0.0, times, _sum, (n_features,))


def leaf_polynomial(share: Floats, forest: Forest, most: int) -> Semiring:
    """Probability of exactly k leaves, k = 0 to `most`, shape (most + 1,)."""

    def times(e: slice, l: Floats, r: Floats) -> Floats:
        out = np.zeros_like(l)
        for k in range(most + 1):
            out[:, k:] += l[:, k : k + 1] * r[:, : most + 1 - k]
        is_leaf = forest.cut[e] == LEAF
        out[is_leaf] = np.roll(out[is_leaf], 1, axis=1)
        return out * share[e, None]

    one = np.zeros(most + 1)
    one[0] = 1.0
    return Semiring(0.0, one, times, _sum, (most + 1,))
