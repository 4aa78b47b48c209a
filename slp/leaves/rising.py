"""Logarithms of ratios of gamma functions, the only special function of the marginal likelihoods.

With R(a, x) = log Gamma(a + x) - log Gamma(a), `log Gamma` itself is never subtracted: for large a
or x its digits cancel. For whole x, R(a, x) = sum of log(a + j) over 0 <= j < x, which is tabulated
because engines need the values for millions of boxes. For all others it is Stirling's series, term
by term.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LONGEST_TABLE = 1 << 17  # 1 MiB; sums up to here have an error below 2e-10
_FAR = 16  # from here on the next term of Stirling's series is below 2e-16


class LogRising:
    """R(a, x) for one a: the log of a rising factorial."""

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
        far = i >= len(self._table)
        return np.where(far, log_rising(self.a, np.where(far, i, 0)), inside)

    def at(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values for any real numbers; one below 0, which is rounding, counts as 0."""
        x = np.maximum(np.asarray(x, dtype=np.float64), 0.0)
        tabulated = (x < _LONGEST_TABLE) & (x == np.floor(x))
        whole = self(np.where(tabulated, x, 0.0).astype(np.intp))
        if tabulated.all():
            return whole
        return np.where(tabulated, whole, log_rising(self.a, np.where(tabulated, 0.0, x)))

    def _grow(self, length: int) -> None:
        if len(self._table) == _LONGEST_TABLE:
            return
        length = min(max(length, 2 * len(self._table)), _LONGEST_TABLE)
        terms = np.log(self.a + np.arange(length - 1))
        # Extended precision, so that the error does not grow along the sum.
        sums = np.cumsum(terms, dtype=np.longdouble).astype(np.float64)
        self._table = np.concatenate([[0.0], sums])


def log_rising(
    a: float | NDArray[np.float64], x: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """R(a, x) for a above 0 and x from 0 on, broadcast.

    Its error is a few units in the last place of x log(a + x), and 1e-15. Gamma(a + x) / Gamma(a)
    is its value one step up over (a + x) / a; so many steps bring a to 16, where Stirling's series
    (Abramowitz & Stegun 6.1.41) holds.
    """
    start, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    a = np.array(start)
    logs, ratios = np.zeros(a.shape), np.zeros(a.shape)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for _ in range(_FAR):
            near = a < _FAR
            if not near.any():
                break
            ratio = np.where(near, x / a, 0.0)
            large = ratio > 2.0**60  # log(1 + ratio) and log(ratio) are the same double
            logs += np.where(large, np.log(x) - np.log(a), 0.0)
            # The product of the others less 1, so that small x lose nothing.
            ratio = np.where(large, 0.0, ratio)
            ratios += ratio + ratios * ratio
            a = np.where(near, a + 1, a)
    series = (a - 0.5) * np.log1p(x / a) + x * (np.log(a + x) - 1)
    return np.asarray(series + _rest(a + x) - _rest(a) - np.log1p(ratios) - logs)


def _rest(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """log Gamma(z) - (z - 1/2) log z + z - log(2 pi) / 2."""
    square = 1 / z**2
    inner = 1 / 1260 + square * (-1 / 1680 + square / 1188)
    return np.asarray((1 / 12 + square * (-1 / 360 + square * inner)) / z)
