"""Resampling: n particles drawn from weighted ones, so that each has n times its share of the
weight as its expected number of copies.

`multinomial` draws each independently. `residual` first takes the whole part of each expected
number, and draws the rest independently. `stratified` and `systematic` cut the weights, laid one
after the other, into n equal strata: `stratified` draws one point in each stratum independently,
`systematic` takes the same point in all strata.

Reference: Douc, Cappe & Moulines (2005), Comparison of resampling schemes for particle filtering,
ISPA.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

from slp.runner.randomness import Randomness

__all__ = ["SCHEMES", "effective_size", "resampled"]

#: From cumulative weights, the last of which is n, to the numbers of n particles.
_Scheme: TypeAlias = Callable[[Randomness, Sequence[float]], list[int]]


def effective_size(log_weights: Sequence[float]) -> float:
    """(sum of the weights)^2 / sum of their squares; 0 where all weights are 0."""
    top = max(log_weights)
    if top == -math.inf:
        return 0.0
    weights = [math.exp(w - top) for w in log_weights]
    return sum(weights) ** 2 / sum(w * w for w in weights)


def resampled(
    randomness: Randomness, scheme: str, log_weights: Sequence[float], n: int
) -> list[int]:
    """The numbers of n particles drawn by a scheme of `SCHEMES`; not all weights are 0."""
    top = max(log_weights)
    sums = list(accumulate(math.exp(w - top) for w in log_weights))
    return SCHEMES[scheme](randomness, [n * (s / sums[-1]) for s in sums])


def _multinomial(randomness: Randomness, sums: Sequence[float]) -> list[int]:
    return [randomness.among(sums) for _ in range(round(sums[-1]))]


def _residual(randomness: Randomness, sums: Sequence[float]) -> list[int]:
    expected = [b - a for a, b in pairwise([0.0, *sums])]
    out = [i for i, mean in enumerate(expected) for _ in range(math.floor(mean))]
    rest = list(accumulate(mean - math.floor(mean) for mean in expected))
    return out + [randomness.among(rest) for _ in range(round(sums[-1]) - len(out))]


def _stratified(randomness: Randomness, sums: Sequence[float]) -> list[int]:
    out = []
    for j in range(round(sums[-1])):
        first = bisect_right(sums, j)
        last = first
        while sums[last] < j + 1 and last + 1 < len(sums):
            last += 1
        inside = [min(s, j + 1) - j for s in sums[first : last + 1]]
        out.append(first + randomness.among(inside))
    return out


def _systematic(randomness: Randomness, sums: Sequence[float]) -> list[int]:
    """The outcome changes where the point passes the fractional part of a cumulative weight."""
    ends = sorted({s - math.floor(s) for s in sums[:-1]} - {0.0}) + [1.0]
    piece = randomness.among(ends)
    point = (ends[piece] + (ends[piece - 1] if piece else 0.0)) / 2
    last = bisect_left(sums, sums[-1])  # of weight above 0
    return [min(bisect_right(sums, j + point), last) for j in range(round(sums[-1]))]


#: By name.
SCHEMES: dict[str, _Scheme] = {
    "multinomial": _multinomial,
    "residual": _residual,
    "stratified": _stratified,
    "systematic": _systematic,
}
