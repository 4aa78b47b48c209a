"""Leave-one-out from draws of trees, by Pareto-smoothed importance sampling (PSIS).

Draws of P(T | y), weighted by 1 / q, are draws of the posterior without the row
(`slp.results.averages.left_out`). Weights in the tail are replaced by the quantiles of a
generalised Pareto distribution that is fitted to them. Its shape k tells whether they can be
trusted: not above 0.7.

Reference: Vehtari, Gelman & Gabry (2017), Practical Bayesian model evaluation using leave-one-out
cross-validation and WAIC, Statistics and Computing 27; Vehtari, Simpson, Gelman, Yao & Gabry
(2024), Pareto smoothed importance sampling, JMLR 25. By `arviz_stats`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slp.results.averages.left_out import HeldRows, LeftOut
from slp.results.averages.weighted_draws import WeightedDraws
from slp.results.trust.convergence import array_stats

#: A distribution is fitted to no fewer.
_FEWEST_IN_TAIL = 5


class SmoothedRows:
    """Collects what the draws say of held rows, some rows at a time."""

    def __init__(self, drawn: WeightedDraws, held: HeldRows) -> None:
        self._drawn, self._held = drawn, held
        self._draws = np.concatenate(drawn.chains)[drawn.resampled()]
        m = len(held.row)
        self._log_predictive, self._k, self._error = np.empty(m), np.empty(m), np.empty(m)
        self._of_sum = np.zeros(len(drawn.frequency))

    def add(self, first: int, log_q: NDArray[np.float64]) -> None:
        """The rows from number `first` on: log q under each of U trees, shape (U, p)."""
        # Scaled by the largest, so that none leaves the range of doubles.
        least = log_q.min(axis=0)
        ratios = np.exp(least - log_q)
        mean = self._drawn.mean(ratios)
        own = slice(first, first + log_q.shape[1])
        self._error[own] = self._drawn.error(ratios) / mean
        self._of_sum += (1 - ratios / mean) @ self._held.counts[own]
        q = np.exp(log_q - log_q.max(axis=0))
        share = _effective_share(self._drawn, q)
        for i in range(log_q.shape[1]):
            found = smoothed(log_q[self._draws, i], float(share[i]))
            self._log_predictive[first + i], self._k[first + i] = found

    def left_out(self) -> LeftOut:
        """What they say together. Errors are those of the weights without smoothing, by the delta
        method."""
        of_sum = float(self._drawn.error(self._of_sum[:, None])[0])
        return LeftOut(self._log_predictive, self._error, of_sum, self._k)


def smoothed(log_q: NDArray[np.float64], effective_share: float) -> tuple[float, float]:
    """log p(y_i | the others) from log q at T draws, shape (T,), and Pareto k.

    Trees are discrete, so many draws have equal weights. Where the largest weight is that of five
    effective draws or more, weights have a largest one as far as the draws show: k is -inf, and
    nothing is smoothed. Else a distribution is fitted to the tail. k is inf where fewer than five
    draws are above all others, so that there is nothing to fit to.

    `effective_share` : effective draws over draws.
    """
    weights, k = -log_q - np.logaddexp.reduce(-log_q), np.inf
    if (log_q == log_q.min()).sum() * effective_share >= _FEWEST_IN_TAIL:
        k = -np.inf
    elif (n_tail := _tail(np.sort(-log_q), effective_share)) >= _FEWEST_IN_TAIL:
        # psislw takes 3 sqrt(T / share) draws for the tail, if T share > 225.
        share = 9 * len(log_q) / (n_tail + 0.5) ** 2
        with np.errstate(all="ignore"):
            found, shape = array_stats().psislw(log_q, share)
        if np.isfinite(shape) and np.isfinite(found).all():
            weights, k = found, float(shape)
    return float(np.logaddexp.reduce(weights + log_q)), k


def _tail(ascending: NDArray[np.float64], effective_share: float) -> int:
    """How many of T log weights are the tail: at most min(T / 5, 3 sqrt(T / share)) (Vehtari et al.
    2024), less those equal to the next one, above which they are measured."""
    T = len(ascending)
    most = min(T // 5, int(3 * (T / effective_share) ** 0.5))
    return T - int(np.searchsorted(ascending, ascending[T - 1 - most], side="right"))


def _effective_share(drawn: WeightedDraws, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Effective draws of q (U, p) over draws, shape (p,), at most 1; 1 where it is not known."""
    error = drawn.error(q)
    variance = drawn.mean((q - drawn.mean(q)) ** 2)
    n = sum(map(len, drawn.chains))
    with np.errstate(all="ignore"):
        share = variance / (n * error**2)
    return np.where(np.isfinite(share) & (share > 0), np.minimum(share, 1.0), 1.0)
