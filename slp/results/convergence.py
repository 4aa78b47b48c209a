"""Statistics of chains: R-hat, effective draws, Monte Carlo errors.

Reference: Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Rank-normalization, folding, and
localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16. Tests
compare with `arviz_stats`, whose import takes a second and 77 MB.

M chains, T draws of each, q quantities. All statistics are of the halves of the chains.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from slp.results.diagnostics import FEWEST_DRAWS

_Array = NDArray[np.float64]

#: The quantiles that effective draws in the tails are of.
_TAILS = (0.05, 0.95)

#: Values whose autocovariances are worked out at once.
_AT_ONCE = 2**19

#: Smaller ranges count as none.
_RESOLUTION = 1e-15


def r_hat(values: _Array) -> float | None:
    """Rank-normalised split R-hat of a quantity, shape (M, T): the larger of that of the values and
    of their distances from the median. Of one chain, that of its halves.

    None where it has no value: fewer than four draws in a chain, or all of them equal.
    """
    if values.shape[0] == 1:
        half = values.shape[1] // 2
        values = values[:, : 2 * half].reshape(2, half)
    if not _defined(values):
        return None
    halves = _halves(values)
    folded = np.abs(halves - np.median(halves))
    return _known(max(_split_r_hat(_normal_scores(halves)), _split_r_hat(_normal_scores(folded))))


def bulk_ess(values: _Array) -> float | None:
    """Effective draws for the middle of a distribution, shape (M, T); None as `r_hat`."""
    return _known(_ess_of(_normal_scores(_halves(values)))) if _defined(values) else None


def tail_ess(values: _Array) -> float | None:
    """Effective draws for its 5 % and 95 % quantiles, the smaller of the two; None as `r_hat`."""
    if not _defined(values):
        return None
    below = (values <= quantile for quantile in np.quantile(values, _TAILS))
    return _known(min(_ess_of(_halves(tail.astype(np.float64))) for tail in below))


def monte_carlo_errors(values: _Array) -> _Array:
    """Standard error of the mean of each of q quantities, shape (M, T, q) to (q,): standard
    deviation over the root of the effective draws; 0 where all draws are equal, NaN with fewer than
    four draws in a chain."""
    m, t, q = values.shape
    if t < FEWEST_DRAWS or q == 0:
        return np.full(q, np.nan)
    # Many new rows end in the same leaves of all trees: equal quantities are worked out once.
    columns = np.ascontiguousarray(values.reshape(m * t, q).T)
    bits = columns.view(np.dtype((np.void, columns.itemsize * m * t))).ravel()
    _, first, which = np.unique(bits, return_index=True, return_inverse=True)
    distinct = values[:, :, first]
    same = (distinct == distinct[:1, :1]).all(axis=(0, 1))
    deviation = distinct.reshape(m * t, -1).std(axis=0, ddof=1)
    errors = deviation / np.sqrt(_ess(_halves(distinct)))
    return np.where(same, 0.0, errors)[which]


def _defined(values: _Array) -> bool:
    enough = values.shape[1] >= FEWEST_DRAWS and not np.isnan(values).any()
    return enough and not bool((values == values[0, 0]).all())


def _known(found: float) -> float | None:
    return None if math.isnan(found) else float(found)


def _halves(values: _Array) -> _Array:
    """First and second halves of the chains as chains, shape (2 M, T // 2, ...). A draw in the
    middle is left out."""
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, -half:]])


def _normal_scores(values: _Array) -> _Array:
    """Each value's rank among all, the mean one of equal values, as the normal quantile of (rank -
    3/8) / (number + 1/4) (Blom 1958). Same shape."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    twice_ranks = 2 * np.cumsum(counts) - counts + 1
    scores = _quantiles(values.size)[twice_ranks[which] - 2]
    return np.asarray(scores.reshape(values.shape), np.float64)


@cache
def _quantiles(n: int) -> _Array:
    """The scores of ranks 1, 1.5, 2, ..., n; shape (2 n - 1,)."""
    score = NormalDist().inv_cdf
    return np.array([score((1 + i / 2 - 0.375) / (n + 0.25)) for i in range(2 * n - 1)])


def _split_r_hat(halves: _Array) -> float:
    """R-hat of chains, shape (2 M, T // 2); NaN where none of them moves."""
    n = halves.shape[1]
    between, within = n * halves.mean(axis=1).var(ddof=1), halves.var(axis=1, ddof=1).mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.sqrt((between / within + n - 1) / n))


def _ess_of(halves: _Array) -> float:
    """Effective draws of a quantity, shape (2 M, T // 2)."""
    return float(_ess(halves[:, :, None])[0])


def _ess(halves: _Array) -> _Array:
    """Effective draws of each quantity, shape (2 M, T // 2, q) to (q,)."""
    each = max(1, _AT_ONCE // (halves.shape[0] * halves.shape[1]))
    q = halves.shape[2]
    return np.concatenate([_ess_at_once(halves[:, :, i : i + each]) for i in range(0, q, each)])


def _ess_at_once(halves: _Array) -> _Array:
    """By Geyer's initial monotone sequence of the autocorrelations of neighbouring lags 2 k and
    2 k + 1, summed up to the first sum that is not positive, of which lag 2 k alone is added."""
    m, n, q = halves.shape
    covariance = _autocovariances(halves).mean(axis=0)
    variance = covariance[0] * n / (n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = covariance[0] + halves.mean(axis=1).var(axis=0, ddof=1)
        correlation = 1 - (variance - covariance) / spread
        correlation[0] = 1.0
        pairs = (max(1, (n - 1) // 2), 2, q)
        by_pair = correlation[: 2 * pairs[0]].reshape(pairs)
        sums = by_pair.sum(axis=1)
        ends = np.argmax(np.vstack([sums[:-1] <= 0, np.ones((1, q), bool)]), axis=0)
        falling = np.minimum.accumulate(sums)
        counted = np.where(np.arange(pairs[0])[:, None] < ends, falling, 0.0).sum(axis=0)
        last, whole = by_pair[ends, 0, np.arange(q)], sums[ends, np.arange(q)]
        last = np.where((last > 0) | (whole >= 0), last, 0.0)
        times = np.maximum(2 * counted + last - 1, 1 / math.log10(m * n))
        same = halves.max(axis=(0, 1)) - halves.min(axis=(0, 1)) < _RESOLUTION
        return np.asarray(np.where(same, m * n, m * n / times), np.float64)


def _autocovariances(halves: _Array) -> _Array:
    """Of each chain at lags 0, 1, ..., shape (2 M, T // 2, q), over all its draws."""
    n = halves.shape[1]
    length = 2 ** math.ceil(math.log2(2 * n))
    spectrum = np.fft.rfft(halves - halves.mean(axis=1, keepdims=True), length, axis=1)
    power = spectrum.real**2 + spectrum.imag**2
    return np.asarray(np.fft.irfft(power, length, axis=1)[:, :n] / n, np.float64)
