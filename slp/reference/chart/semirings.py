"""One recursion over the forest, many algebras.

    value(item) = plus over its edges e of  times(e, value(left(e)), value(right(e)))

Algebras that take `edge_probability`, of each edge given its item, compute with plain
probabilities. Their relative error stays small, because they only add and multiply numbers that are
not negative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.reference.chart.forest import Forest

Floats: TypeAlias = NDArray[np.float64]
Bounds: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Semiring:
    """An algebra over the forest.

    `times(e, x, y)` gives the terms of the edges in the slice `e`, from the values of the items
    they lead to; `plus(terms, starts)` adds up the terms of each item, which begin at `starts`.
    `zero` and `one` are the values of an item that derives nothing and of the unit item, broadcast
    to `shape`.
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


def log_add(terms: Floats, starts: Bounds) -> Floats:
    """log sum exp of each segment; -inf where all its terms are."""
    top = np.maximum.reduceat(terms, starts)
    shift = np.where(top > -np.inf, top, 0.0)
    sizes = np.diff(starts, append=len(terms))
    total = np.add.reduceat(np.exp(terms - np.repeat(shift, sizes)), starts)
    with np.errstate(divide="ignore"):
        return shift + np.log(total)


def add(terms: Floats, starts: Bounds) -> Floats:
    """Sum of each segment."""
    return np.add.reduceat(terms, starts, axis=0)


def maximum(terms: Floats, starts: Bounds) -> Floats:
    """Maximum of each segment."""
    return np.maximum.reduceat(terms, starts, axis=0)


def log_sum(log_weight: Floats) -> Semiring:
    """Log of the total weight of all derivations."""
    return Semiring(-np.inf, 0.0, lambda e, x, y: log_weight[e] + x + y, log_add)


def best_score(log_weight: Floats) -> Semiring:
    """Log weight of the best derivation (Viterbi)."""
    return Semiring(-np.inf, 0.0, lambda e, x, y: log_weight[e] + x + y, maximum)


def tree_count() -> Semiring:
    """Number of derivations; exact below 2**53, inf beyond the floats."""
    return Semiring(0.0, 1.0, lambda e, x, y: x * y, add)


def usage(
    edge_probability: Floats, on_feature: Callable[[slice], NDArray[np.bool_]], n_features: int
) -> Semiring:
    """Probability that a tree splits on each feature anywhere, shape (d,).

    `on_feature(e)`, shape (E, d), tells which edges split on which feature. With u the value, an
    edge on another feature gives u(x) + u(y) - u(x) u(y), written without a difference of nearly
    equal numbers.
    """

    def times(e: slice, x: Floats, y: Floats) -> Floats:
        below = x + y * (1.0 - x)
        return edge_probability[e, None] * np.where(on_feature(e), 1.0, below)

    return Semiring(0.0, 0.0, times, add, (n_features,))
