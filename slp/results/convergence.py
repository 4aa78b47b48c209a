"""Statistics of chains: R-hat, effective draws, Monte Carlo errors.

Reference: Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Rank-normalization, folding, and
localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16; sequences
of autocorrelations end as in Geyer (1992), Practical Markov chain Monte Carlo, Statistical Science
7. ArviZ has the same statistics, against which these are tested; but its import takes 170 MiB and
seconds, more than most runs do.

M chains, T draws of each, q quantities.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEWEST_DRAWS", "bulk_ess", "monte_carlo_errors", "r_hat", "tail_ess"]

_Array = NDArray[np.float64]

#: With fewer draws in each chain nothing can be said.
FEWEST_DRAWS = 4
#: Numbers whose autocovariances are worked out at a time.
_MOST_AT_ONCE = 1 << 18
#: Draws that differ by less are the same.
_SAME = 1e-15


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
    halves = _split(values)
    spread = np.abs(halves - np.median(halves))
    found = [_r_hat(_normal_scores(x)) for x in (halves, spread)]
    return _known(found[1] if found[1] > found[0] else found[0])


def bulk_ess(values: _Array) -> float | None:
    """Effective draws for the middle of a distribution, shape (M, T); None as `r_hat`."""
    if not _defined(values):
        return None
    return _known(_ess(_normal_scores(_split(values))))


def tail_ess(values: _Array) -> float | None:
    """Effective draws for its 5 % and 95 % quantiles, the smaller of the two; None as `r_hat`."""
    if not _defined(values):
        return None
    below = (values <= np.quantile(values, p) for p in (0.05, 0.95))
    return _known(min(_ess(_split(b.astype(np.float64))) for b in below))


@np.errstate(invalid="ignore", divide="ignore")
def monte_carlo_errors(values: _Array) -> _Array:
    """Standard error of the mean of each of q quantities, shape (M, T, q) to (q,): standard
    deviation over the root of the effective draws; NaN with fewer than four draws in a chain."""
    m, t, q = values.shape
    out = np.full(q, np.nan)
    if t < FEWEST_DRAWS:
        return out
    step = max(1, _MOST_AT_ONCE // (m * t))
    for a in range(0, q, step):
        some = np.moveaxis(values[:, :, a : a + step], 2, 0)
        deviation = some.std(axis=(1, 2), ddof=1)
        same = (some == some[:, :1, :1]).all(axis=(1, 2))
        errors = deviation / np.sqrt(_effective(_split(some)))
        out[a : a + step] = np.where(same, 0.0, errors)
    return out


def _defined(values: _Array) -> bool:
    return values.shape[1] >= FEWEST_DRAWS and not bool((values == values[0, 0]).all())


def _known(found: float) -> float | None:
    return None if np.isnan(found) else found


def _split(values: _Array) -> _Array:
    """Chains, shape (..., M, T), cut in two, shape (..., 2 M, T // 2)."""
    half = values.shape[-1] // 2
    return np.concatenate([values[..., :half], values[..., -half:]], axis=-2)


def _normal_scores(values: _Array) -> _Array:
    """Normal quantiles of the ranks among all draws, equal ones sharing the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    twice = 2 * np.cumsum(counts) - counts + 1  # the mean rank of each value, from 1
    scores = _quantiles_of_ranks(values.size)[twice][place]
    return np.asarray(scores.reshape(values.shape))


@lru_cache(maxsize=8)
def _quantiles_of_ranks(n: int) -> _Array:
    """Normal quantile of (r - 3/8) / (n + 1/4) for the rank r = i / 2 at index i, from 2 on."""
    inverse = NormalDist().inv_cdf
    ranks = [inverse((i / 2 - 0.375) / (n + 0.25)) for i in range(2, 2 * n + 1)]
    return np.array([np.nan, np.nan, *ranks])


@np.errstate(invalid="ignore", divide="ignore")
def _r_hat(values: _Array) -> float:
    n = values.shape[1]
    between = n * values.mean(axis=1).var(ddof=1)
    within = values.var(axis=1, ddof=1).mean()
    return float(np.sqrt((between / within + n - 1) / n))


def _ess(values: _Array) -> float:
    return float(_effective(values[None])[0])


@np.errstate(invalid="ignore", divide="ignore")
def _effective(values: _Array) -> _Array:
    """Effective draws of q quantities for their means, shape (q, M, T) to (q,).

    Pairs of neighbouring autocorrelations are added up until one is not above zero, none counting
    more than the one before it; of the pair that ends the sum its first counts once.
    """
    q, m, n = values.shape
    covariance = _autocovariance(values).mean(axis=1)
    within = covariance[:, 0] * n / (n - 1)
    total = covariance[:, 0].copy()
    if m > 1:
        total += values.mean(axis=2).var(axis=1, ddof=1)
    rho = 1 - (within[:, None] - covariance) / total[:, None]
    rho[:, 0] = 1.0
    last = max(0, (n - 3) // 2)  # number of the last pair that may be looked at
    even = rho[:, 0 : 2 * last + 1 : 2]
    pairs = even + rho[:, 1 : 2 * last + 2 : 2]
    ends = pairs <= 0
    ends[:, 0], ends[:, last] = False, True
    end = ends.argmax(axis=1)
    summed = np.where(np.arange(last + 1) < end[:, None], np.minimum.accumulate(pairs, axis=1), 0)
    each = np.arange(q)
    first = np.where((even[each, end] > 0) | (pairs[each, end] >= 0), even[each, end], 0.0)
    tau = np.maximum(-1 + 2 * summed.sum(axis=1) + first, 1 / np.log10(m * n))
    tau[np.isnan(rho).any(axis=1)] = np.nan
    constant = np.ptp(values, axis=(1, 2)) < _SAME
    return np.where(constant, float(m * n), m * n / tau)


def _autocovariance(values: _Array) -> _Array:
    """At each lag, over the number of draws: shape (..., T) to (..., T)."""
    n = values.shape[-1]
    length = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(values - values.mean(axis=-1, keepdims=True), length)
    power = spectrum.real**2 + spectrum.imag**2
    return np.asarray(np.fft.irfft(power, length)[..., :n] / n)
