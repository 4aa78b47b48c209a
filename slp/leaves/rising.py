"""Logarithms of ratios of gamma functions, the only special function of the marginal likelihoods.

`log Gamma(a + i) - log Gamma(a) = sum of log(a + j) over 0 <= j < i` is tabulated as this sum. The
sum has no cancellation for large `a`, and engines need the values for millions of boxes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from slp.late import late_import

_LONGEST_TABLE = 1 << 20  # 8 MiB; above it log Gamma itself is accurate enough


class LogRising:
    """`log Gamma(a + i) - log Gamma(a)` for integers `i >= 0`: the log of a rising factorial."""

    def __init__(self, a: float) -> None:
        self.a = a
        self._table = np.zeros(1)
        self._grow(256)

    def __call__(self, i: NDArray[np.integer]) -> NDArray[np.float64]:
        """Values for an integer array of any shape. The table grows to the largest argument."""
        try:
            return np.asarray(self._table[i])
        except IndexError:
            self._grow(int(np.max(i)) + 1)
        inside = self._table[np.minimum(i, len(self._table) - 1)]
        return np.where(i < len(self._table), inside, self._far(i))

    def at(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values for any real numbers; one below 0, which is rounding, counts as 0."""
        x = np.maximum(np.asarray(x, dtype=np.float64), 0.0)
        i = x.astype(np.intp)
        whole = self(i)
        if (i == x).all():
            return whole
        step = _log_gamma_step(np.asarray(self.a + i, np.float64), x - i)
        return np.asarray(whole + step, np.float64)

    def _grow(self, length: int) -> None:
        if len(self._table) == _LONGEST_TABLE:
            return
        length = min(max(length, 2 * len(self._table)), _LONGEST_TABLE)
        terms = np.log(self.a + np.arange(length - 1))
        # Extended precision, so that the error does not grow along the sum.
        sums = np.cumsum(terms, dtype=np.longdouble).astype(np.float64)
        self._table = np.concatenate([[0.0], sums])

    def _far(self, i: NDArray[np.integer]) -> NDArray[np.float64]:
        if int(np.max(i)) < len(self._table):
            return np.zeros(np.shape(i))
        gammaln = late_import("scipy.special").gammaln

        return np.asarray(gammaln(self.a + i) - gammaln(self.a))


def _log_gamma_step(z: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
    """`log Gamma(z + f) - log Gamma(z)` for 0 <= f < 1: for large z Stirling's series, whose next
    term is below 1e-16."""
    gammaln = late_import("scipy.special").gammaln

    def rest(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return (1 / 12 - (1 / 360 - 1 / (1260 * x**2)) / x**2) / x

    far = (z - 0.5) * np.log1p(f / z) + f * np.log(z + f) - f + rest(z + f) - rest(z)
    return np.where(z < 64, gammaln(z + f) - gammaln(z), far)


def log_gamma_half_step(a: float) -> float:
    """`log Gamma(a + 1/2) - log Gamma(a)`.

    For large `a` it is the series in 1/a (Tricomi & Erdelyi 1951), whose next term is below 3e-16.
    """
    if a < 64:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return 0.5 * math.log(a) - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)
