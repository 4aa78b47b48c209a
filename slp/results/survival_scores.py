"""How well durations of held-out rows are predicted, some of them censored.

A run on the rows of the other folds tells each held-out row's S(t) and its restricted mean. They
are scored by

- Harrell's concordance (Harrell et al. 1982): of the pairs of rows in one fold of which it is known
  who lasted longer, the share where the restricted mean is longer too; where both predictions are
  equal a pair counts half. A pair is such if the shorter duration ended in the event. Of equal
  durations one must be censored; it lasted longer.
- the Brier score with inverse probability of censoring weights (Graf et al. 1999): at a time t the
  mean over rows of S(t)^2 / G(y-) where the event was seen at y <= t, (1 - S(t))^2 / G(t) where
  y > t, and 0 where the row was censored by then. G is the Kaplan-Meier estimate of the censoring
  in the training rows, G(y-) its value before y. The integral is by trapezoids.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

#: Restricted means that differ by less of the horizon are equal: sums over leaves are rounded.
_TIE = 1e-9
#: Shares of the observed events by whose times the Brier score is told.
_SHARES = np.arange(1, 10) / 10


@dataclass(frozen=True)
class SurvivalScale:
    """What all folds are scored at.

    Attributes
    ----------
    horizon : of the restricted mean: the longest duration of the table.
    times : rising, those of the Brier score: deciles of the times of observed events, as far as
        the training rows of every fold reach further.
    """

    horizon: float
    times: tuple[float, ...]

    @classmethod
    def of(cls, outcomes: Numbers, parts: Sequence[NDArray[np.intp]]) -> SurvivalScale:
        """Of durations (n,), or with events (n, 2), and the rows of each fold."""
        y, seen = durations_and_events(outcomes)
        horizon = float(y.max()) or 1.0
        if not seen.any():
            return cls(horizon, ())
        at = np.unique(np.quantile(y[seen], _SHARES, method="inverted_cdf"))
        least = min((float(np.delete(y, rows).max()) for rows in parts), default=0.0)
        return cls(horizon, tuple(at[at < least].tolist()))


@dataclass(frozen=True, eq=False)
class ToldOfDurations:
    """What a run tells of the m held-out rows of a fold: the restricted mean, shape (m,), and S(t)
    at T times, shape (m, T)."""

    restricted_mean: Numbers
    survival: Numbers


@dataclass(frozen=True)
class SurvivalScores:
    """How well the durations of held-out rows are predicted. An error is the standard error over
    folds; NaN of fewer than two folds that tell.

    Attributes
    ----------
    concordance, concordance_error : Harrell's, of pairs in the same fold, by the restricted mean;
        0.5 is chance. None where no pair tells.
    horizon : of the restricted mean, in units of the response.
    brier, brier_error : the Brier score integrated from the first of `times` to the last, over the
        length between them; of one time that at it. None without times.
    times, brier_at : times in units of the response, and the Brier score at each.
    """

    concordance: float | None
    concordance_error: float | None
    horizon: float
    brier: float | None
    brier_error: float | None
    times: tuple[float, ...]
    brier_at: tuple[float, ...]

    @classmethod
    def of(
        cls,
        outcomes: Numbers,
        parts: Sequence[NDArray[np.intp]],
        told: Sequence[ToldOfDurations],
    ) -> SurvivalScores:
        """Of durations (n,), or with events (n, 2), the rows of each fold, and what is told of
        them."""
        scale = SurvivalScale.of(outcomes, parts)
        y, seen = durations_and_events(outcomes)
        pairs, briers = [], []
        for rows, own in zip(parts, told, strict=True):
            pairs.append(
                concordant_pairs(y[rows], seen[rows], own.restricted_mean, _TIE * scale.horizon)
            )
            training = np.delete(y, rows), np.delete(seen, rows)
            left = Censoring(*training)
            briers.append(brier_of_rows(y[rows], seen[rows], own.survival, scale.times, left))
        share, share_error = _concordance(pairs)
        brier_at = np.concatenate(briers).mean(axis=0)
        brier = brier_error = None
        if scale.times:
            brier = _integrated(brier_at, scale.times)
            by_fold = [_integrated(own.mean(axis=0), scale.times) for own in briers]
            brier_error = error_over_folds(by_fold)
        return cls(
            share,
            share_error,
            scale.horizon,
            brier,
            brier_error,
            scale.times,
            tuple(brier_at.tolist()),
        )


class Censoring:
    """The Kaplan-Meier estimate G(t) of P(censored after t), from durations (n,) and whether each
    ended in the event. At one time events come before censoring."""

    def __init__(self, y: Numbers, seen: NDArray[np.bool_]) -> None:
        at, which = np.unique(y, return_inverse=True)
        events = np.bincount(which, seen, len(at))
        rows = np.bincount(which, minlength=len(at))
        still = np.cumsum(rows[::-1])[::-1] - events
        self._at = at
        kept = 1 - (rows - events) / np.maximum(still, 1)  # without any left none was censored
        self._left = np.concatenate([[1.0], np.cumprod(kept)])

    def left(self, t: Numbers) -> Numbers:
        """G(t), shape (...)."""
        return np.asarray(self._left[np.searchsorted(self._at, t, side="right")])

    def left_before(self, t: Numbers) -> Numbers:
        """G(t-), shape (...)."""
        return np.asarray(self._left[np.searchsorted(self._at, t, side="left")])


def durations_and_events(outcomes: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """Durations (n,), and whether each ended in the event, all where no column says."""
    if outcomes.ndim == 1:
        return outcomes, np.ones(len(outcomes), np.bool_)
    return outcomes[:, 0], outcomes[:, 1] > 0


def kaplan_meier(times: Numbers, seen: NDArray[Any]) -> tuple[Numbers, Numbers]:
    """Times from 0 on and the estimate of P(T > t) from each of them on: the product over ends seen
    of 1 - (ends at a time) / (durations of at least it)."""
    at, which = np.unique(times, return_inverse=True)
    ends = np.bincount(which, seen, len(at))
    still = np.cumsum(np.bincount(which, minlength=len(at))[::-1])[::-1]
    left = np.cumprod(1 - ends / still)
    return np.concatenate([[0.0], at]), np.concatenate([[1.0], left])


def concordant_pairs(
    y: Numbers, seen: NDArray[np.bool_], predicted: Numbers, tie: float
) -> tuple[float, int]:
    """How many pairs of rows are concordant, those with predictions not further apart than `tie`
    counted half, and how many pairs tell."""
    concordant, pairs = 0.0, 0
    for i in np.flatnonzero(seen):
        longer = (y > y[i]) | ((y == y[i]) & ~seen)
        apart = predicted[longer] - predicted[i]
        concordant += float((apart > tie).sum() + (np.abs(apart) <= tie).sum() / 2)
        pairs += int(longer.sum())
    return concordant, pairs


def brier_of_rows(
    y: Numbers,
    seen: NDArray[np.bool_],
    survival: Numbers,
    times: Sequence[float],
    censoring: Censoring,
) -> Numbers:
    """The terms of the Brier score, shape (m, T), of rows with S(t) (m, T) at the times; each must
    be below the longest duration of the training rows."""
    t = np.array(times)
    by_then = y[:, None] <= t
    before = np.broadcast_to(censoring.left_before(y)[:, None], by_then.shape)
    counted = seen[:, None] & by_then
    ended = np.divide(counted, before, out=np.zeros(counted.shape), where=counted)
    still = ~by_then / censoring.left(t)
    return np.asarray(ended * survival**2 + still * (1 - survival) ** 2)


def error_over_folds(values: Sequence[float]) -> float:
    """Standard error of the mean of folds; NaN of one."""
    if len(values) < 2:
        return math.nan
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def _concordance(
    folds: Sequence[tuple[float, int]],
) -> tuple[float | None, float | None]:
    telling = [(own, pairs) for own, pairs in folds if pairs]
    if not telling:
        return None, None
    share = sum(own for own, _ in telling) / sum(pairs for _, pairs in telling)
    return share, error_over_folds([own / pairs for own, pairs in telling])


def _integrated(brier: Numbers, times: Sequence[float]) -> float:
    if len(times) == 1:
        return float(brier[0])
    middle = (brier[1:] + brier[:-1]) / 2
    return float(middle @ np.diff(times)) / (times[-1] - times[0])
