"""Resampling: n particles drawn from weighted ones, so that each has n times its share of the
weight as its expected number of copies.

`multinomial` draws each independently. `residual` first takes the whole part of each expected
number, and draws the rest independently. `stratified` and `systematic` cut the weights, laid one
after the other, into n equal strata: `stratified` draws one point in each stratum independently,
`systematic` takes the same point in all strata.

**Given that a particle survives.** With r(a) the probability that a scheme gives the particles
a[0], ..., a[n-1] to the n places, and b a particle of expected number m = n W(b), a conditional
filter draws a and a place j of b's copy with the probability

    r(a) [a[j] = b] / m

It sums to 1, as m is the expected number of copies of b. As m times the mean weight is the weight
of b, r(a) times the mean weight is this law times the weight of b. So the law of a filter, times
its estimate, is the law of the conditional filter times the weight of the path that it keeps. Here
j is drawn first, with probability P(a[j] = b) / m, then the others given a[j] = b:

    multinomial   j uniformly; the others are drawn as in the plain scheme
    residual      j among the copies that b gets by its whole part, with probability 1 / m each, and
                  the places that are drawn, each with its probability of b, divided by m; the
                  others as in the plain scheme
    stratified    j by the part of b's weight in its stratum; the others as in the plain scheme
    systematic    j and the point together, by the lengths of the pieces in which place j gets b

References: Douc, Cappe & Moulines (2005), Comparison of resampling schemes for particle filtering,
ISPA; Andrieu, Doucet & Holenstein (2010), Particle Markov chain Monte Carlo methods, JRSS B 72,
section 4.3 and appendix, for the law of the conditional filter, of which the display above is the
case of places that are not exchangeable.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

from slp.runner.randomness import Randomness

#: The numbers of n particles, and the place of the one that survives (-1 where none must).
_Drawn: TypeAlias = tuple[list[int], int]
#: From cumulative weights, the last of which is n, and the particle that survives (-1: none must).
_Scheme: TypeAlias = Callable[[Randomness, Sequence[float], int], _Drawn]

#: A particle that survives has at least this share of the highest weight, so that no rounding
#: takes all of its places. That changes no probability by more than the share.
_LEAST_SHARE = 2.0**-40


def effective_size(log_weights: Sequence[float]) -> float:
    """(sum of the weights)^2 / sum of their squares; 0 where all weights are 0."""
    top = max(log_weights)
    if top == -math.inf:
        return 0.0
    weights = [math.exp(w - top) for w in log_weights]
    return sum(weights) ** 2 / sum(w * w for w in weights)


def resampled(
    randomness: Randomness, scheme: str, log_weights: Sequence[float], n: int, kept: int = -1
) -> _Drawn:
    """The numbers of n particles drawn by a scheme of `RESAMPLED_BY`, not all of weight 0; given
    that the particle `kept` survives, if that is not -1, with the place of its copy."""
    top = max(log_weights)
    weights = [math.exp(w - top) for w in log_weights]
    if kept >= 0:
        weights[kept] = max(weights[kept], _LEAST_SHARE)
    sums = list(accumulate(weights))
    return RESAMPLED_BY[scheme](randomness, [n * (s / sums[-1]) for s in sums], kept)


def _place(randomness: Randomness, kept: int, probabilities: Iterable[float]) -> int:
    """A place for the particle that survives, drawn by the probability of each place."""
    return -1 if kept < 0 else randomness.among(list(accumulate(probabilities)))


def _multinomial(randomness: Randomness, sums: Sequence[float], kept: int) -> _Drawn:
    n = round(sums[-1])
    at = -1 if kept < 0 else randomness.index(n)
    return [kept if j == at else randomness.among(sums) for j in range(n)], at


def _residual(randomness: Randomness, sums: Sequence[float], kept: int) -> _Drawn:
    expected = [b - a for a, b in pairwise([0.0, *sums])]
    out = [i for i, mean in enumerate(expected) for _ in range(math.floor(mean))]
    rest = list(accumulate(mean - math.floor(mean) for mean in expected))
    drawn = range(len(out), round(sums[-1]))
    of_rest = (expected[kept] % 1.0) / max(len(drawn), 1)
    at = _place(randomness, kept, [*(float(i == kept) for i in out), *(of_rest for _ in drawn)])
    return out + [kept if j == at else randomness.among(rest) for j in drawn], at


def _stratified(randomness: Randomness, sums: Sequence[float], kept: int) -> _Drawn:
    n = round(sums[-1])
    low, high = (sums[kept - 1] if kept > 0 else 0.0), sums[kept]
    at = _place(randomness, kept, (max(0.0, min(high, j + 1) - max(low, j)) for j in range(n)))
    out = []
    for j in range(n):
        if j == at:
            out.append(kept)
            continue
        first = bisect_right(sums, j)
        last = first
        while sums[last] < j + 1 and last + 1 < len(sums):
            last += 1
        inside = [min(s, j + 1) - j for s in sums[first : last + 1]]
        out.append(first + randomness.among(inside))
    return out, at


def _systematic(randomness: Randomness, sums: Sequence[float], kept: int) -> _Drawn:
    """The outcome changes where the point passes the fractional part of a cumulative weight."""
    n = round(sums[-1])
    ends = sorted({s - math.floor(s) for s in sums[:-1]} - {0.0}) + [1.0]
    last = bisect_left(sums, sums[-1])  # of weight above 0
    pieces = list(pairwise([0.0, *ends]))

    def drawn(piece: int) -> list[int]:
        point = sum(pieces[piece]) / 2
        return [min(bisect_right(sums, j + point), last) for j in range(n)]

    if kept < 0:
        return drawn(randomness.among(ends)), -1
    of_kept = [(p, j) for p in range(len(pieces)) for j, i in enumerate(drawn(p)) if i == kept]
    lengths = (pieces[p][1] - pieces[p][0] for p, _ in of_kept)
    piece, at = of_kept[_place(randomness, kept, lengths)]
    return drawn(piece), at


#: By name.
RESAMPLED_BY: dict[str, _Scheme] = {
    "multinomial": _multinomial,
    "residual": _residual,
    "stratified": _stratified,
    "systematic": _systematic,
}
