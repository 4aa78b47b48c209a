"""Counts with a Poisson distribution of unknown rate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.late import late_import
from slp.leaves.numbers import NumericModel, count_of, gamma_interval, leaf_mean
from slp.leaves.rising import LogRising


class GammaPoisson(NumericModel):
    """`gamma_poisson(a, b)`: rate r ~ Gamma(shape a, rate b), y | r ~ Poisson(r).

    Statistics (k = 3): n, s = sum of y, sum of log y!. The counts of a leaf have (Gelman et al.
    2013, Bayesian Data Analysis, section 2.6)

        P(y) = Gamma(a + s) / Gamma(a) * b^a / (b + n)^(a + s) * product of 1 / y_i!

    and the predictive is negative binomial: shape a + s, success probability (b + n) / (b + n + 1).
    """

    name = "gamma_poisson"
    n_statistics = 3

    def __init__(self, a: float, b: float) -> None:
        self.hyperparameters = (a, b)
        self._rising = LogRising(a)

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """(1, y, log y!), shape (n, 3), of integers as float64 (n,)."""
        y = np.asarray(y, dtype=np.float64)
        return np.stack([np.ones_like(y), y, LogRising(1.0)(y.astype(np.int64))], axis=-1)

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """log P(y), shape (...), of statistics (..., 3); see the class's formula."""
        a, b = self.hyperparameters
        n, s, log_factorials = np.moveaxis(np.asarray(S, dtype=np.float64), -1, 0)
        return np.asarray(
            self._rising.at(s) - a * np.log1p(n / b) - s * np.log(b + n) - log_factorials
        )

    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """(a + s) / (b + n), shape (...)."""
        a, b = self.hyperparameters
        S = np.asarray(S)
        return np.asarray((a + S[..., 1]) / (b + S[..., 0]))

    def cdf(self, S: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Negative binomial distribution function, broadcast over (...)."""
        betainc = late_import("scipy.special").betainc

        a, b = self.hyperparameters
        S = np.asarray(S)
        rate = b + S[..., 0]
        whole = np.floor(np.asarray(y, dtype=np.float64))
        below = betainc(a + S[..., 1], np.maximum(whole, 0.0) + 1, rate / (rate + 1))
        return np.where(whole < 0, 0.0, below)

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"n": .., "mean": ..}` with the leaf's sample mean."""
        n, s, _ = np.asarray(S).tolist()
        return leaf_mean(n, s)

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"rate": .., "rate_interval": [.., ..], "count": ..}`: the predictive mean, which equals
        the mean of the rate r, the interval of r, and the sum of the counts."""
        a, b = self.hyperparameters
        n, s, _ = np.asarray(S).tolist()
        ends = gamma_interval(a + s, b + n)
        return {"rate": float(self.mean(S)), "rate_interval": list(ends), "count": count_of(s)}
