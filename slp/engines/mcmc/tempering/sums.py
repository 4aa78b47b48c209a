"""Sums over the scans of a ladder, and the log evidence from them.

Rungs j and j + 1 have the targets w(x) L(x)^b, with the normalisers Z_j, and u(x) =
L(x)^(b_j+1 - b_j). Three estimates of Z_j+1 / Z_j, of which the first two are the stepping stones
up and down (Xie, Lewis, Fan, Kuo & Chen 2011), and the third is the bridge with a guess c of the
log ratio (Meng & Wong 1996, Bennett 1976), which is right for every c, and best for the true one:

    mean of u at rung j
    1 / mean of 1/u at rung j + 1
    e^c  x  mean of u / (u + e^c) at rung j  /  mean of e^c / (u + e^c) at rung j + 1

The product over all pairs is Z(1) / Z(0): the evidence under the prior normalised over its support.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from slp.results.trust.tempering import LadderFigures
from slp.runner import Json

#: Numbers of a pair: sums of rejection probabilities; logs of the sums of u below and of 1/u above;
#: the two sums of the bridge; swaps tried and accepted.
PAIR_NUMBERS = 7
_REJECTED, _UP, _DOWN, _BRIDGE_UP, _BRIDGE_DOWN, _TRIED, _SWAPPED = range(PAIR_NUMBERS)
_LOGS = [_UP, _DOWN]

#: Batches are merged by two when there are so many. The last half of them has 24 or more.
_MOST_BATCHES = 96


@dataclass(frozen=True, eq=False)
class ScanSums:
    """Over some scans.

    Attributes
    ----------
    scans : how many.
    pairs : numbers of each pair of neighbours, float64, shape (N - 1, 7).
    round_trips : of derivations, from the prior to the posterior and back.
    fresh : independent draws at power 0.
    """

    scans: int
    pairs: NDArray[np.float64]
    round_trips: int = 0
    fresh: int = 0

    def __add__(self, other: ScanSums) -> ScanSums:
        pairs = self.pairs + other.pairs
        pairs[:, _LOGS] = np.logaddexp(self.pairs[:, _LOGS], other.pairs[:, _LOGS])
        return ScanSums(
            self.scans + other.scans,
            pairs,
            self.round_trips + other.round_trips,
            self.fresh + other.fresh,
        )

    @property
    def rejections(self) -> NDArray[np.float64]:
        """Mean probability that a swap is rejected, shape (N - 1,)."""
        return self.pairs[:, _REJECTED] / self.scans

    def to_data(self) -> Json:
        """As JSON."""
        return [self.scans, self.pairs.tolist(), self.round_trips, self.fresh]

    @classmethod
    def from_data(cls, data: Json) -> ScanSums:
        """See `to_data`."""
        scans, pairs, round_trips, fresh = data
        found = np.array(pairs, np.float64)
        assert scans >= 0 and found.ndim == 2 and found.shape[1] == PAIR_NUMBERS
        return cls(int(scans), found, int(round_trips), int(fresh))


@dataclass(frozen=True, eq=False)
class Batches:
    """Sums of consecutive scans in batches of `length` scans or somewhat more, 96 at most; the last
    may be shorter."""

    sums: tuple[ScanSums, ...] = ()
    length: int = 1

    def and_then(self, new: ScanSums) -> Batches:
        """With the sums of later scans."""
        if self.sums and self.sums[-1].scans < self.length:
            return Batches((*self.sums[:-1], self.sums[-1] + new), self.length)
        if len(self.sums) < _MOST_BATCHES:
            return Batches((*self.sums, new), self.length)
        merged = tuple(a + b for a, b in zip(self.sums[::2], self.sums[1::2], strict=True))
        return Batches((*merged, new), 2 * self.length)

    def last(self, share: float) -> tuple[ScanSums, ...]:
        """The batches of the last scans, a share of them, 1 or less."""
        before = sum(s.scans for s in self.sums) * (1 - share)
        out, seen = [], 0
        for batch in self.sums:
            seen += batch.scans
            if seen > before:
                out.append(batch)
        return tuple(out)


def log_ratios(total: ScanSums, centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """log Z_j+1 / Z_j of each pair by the bridge with the guesses `centres`; where that is not
    finite, by the mean of the stepping stones; where these are not, 0. Shape (N - 1,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = total.pairs
        bridge = centres + np.log(pairs[:, _BRIDGE_UP]) - np.log(pairs[:, _BRIDGE_DOWN])
        stones = (pairs[:, _UP] - pairs[:, _DOWN]) / 2
    found = np.where(np.isfinite(bridge), bridge, stones)
    return np.where(np.isfinite(found), found, 0.0)


def figures_of(
    batches: Iterable[ScanSums],
    powers: NDArray[np.float64],
    centres: NDArray[np.float64],
    *,
    fresh: bool,
) -> LadderFigures | None:
    """What a ladder's batches tell; None if there are none. `fresh`: whether trees are drawn
    independently at power 0."""
    kept = list(batches)
    if not kept:
        return None
    total = reduce(add, kept)
    n, pairs = total.scans, total.pairs
    with np.errstate(divide="ignore", invalid="ignore"):
        up = float((pairs[:, _UP] - math.log(n)).sum())
        down = float((math.log(n) - pairs[:, _DOWN]).sum())
        rates = pairs[:, _SWAPPED] / pairs[:, _TRIED]
    return LadderFigures(
        powers=tuple(powers.tolist()),
        rejections=tuple(total.rejections.tolist()),
        swap_rates=tuple(rates.tolist()),
        round_trips=total.round_trips,
        scans=n,
        fresh=total.fresh / n if fresh else None,
        log_evidence=float(log_ratios(total, centres).sum()),
        log_evidence_error=_error(kept, total),
        log_evidence_up=up,
        log_evidence_down=down,
    )


def _error(batches: list[ScanSums], total: ScanSums) -> float:
    """Standard error of the bridge's log evidence, by the delta method over batches: with A and B
    the means over all scans of the terms of the bridge, and a, b the sums over the n scans of a
    batch, each batch contributes the sum over pairs of (a - n A) / A - (b - n B) / B. NaN if there
    are fewer than two batches, or some mean is 0."""
    if len(batches) < 2:
        return math.nan
    contributions = np.zeros(len(batches))
    with np.errstate(divide="ignore", invalid="ignore"):
        for column, sign in ((_BRIDGE_UP, 1), (_BRIDGE_DOWN, -1)):
            mean = total.pairs[:, column] / total.scans
            for k, batch in enumerate(batches):
                own = batch.pairs[:, column] / mean - batch.scans
                contributions[k] += sign * float(own.sum())
    n = len(batches)
    return math.sqrt(n / (n - 1) * float((contributions**2).sum())) / total.scans
