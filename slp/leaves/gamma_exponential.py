"""Durations with an exponential distribution of unknown rate, some of them censored."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.ir.leaves import LeafDeclaration
from slp.leaves.declared import FirstDeclaration, Observed
from slp.leaves.numbers import (
    check_numbers,
    count_of,
    finite,
    gamma_interval,
    leaf_mean,
    log_best_runs,
    ratio_formula,
    three_digits,
)
from slp.leaves.rates import RatesOfPieces
from slp.leaves.rising import LogRising
from slp.leaves.signature import Signature
from slp.messages.names import plural


class GammaExponential(RatesOfPieces):
    """`gamma_exponential(a, b)`: rate r ~ Gamma(shape a, rate b), y | r ~ Exponential(r).

    A duration y with an observed end contributes r exp(-r y) to the likelihood; one censored at y
    contributes exp(-r y). Statistics (k = 3): n, e = observed events, t = sum of y. The durations
    of a leaf have (Ibrahim, Chen & Sinha 2001, Bayesian Survival Analysis, section 2.1)

        p(y) = Gamma(a + e) / Gamma(a) * b^a / (b + t)^(a + e)

    and the predictive is Lomax: P(Y > y) = (1 + y / (b + t))^-(a + e).
    """

    name = "gamma_exponential"
    signature = Signature("gamma_exponential(a, b)", ("a", "b"))
    n_statistics = 3
    for_boxes = True

    def __init__(self, a: float, b: float) -> None:
        self.hyperparameters = (a, b)
        self._rising = LogRising(a)

    # --- the declaration -----------------------------------------------------------------------

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> GammaExponential:
        """With the declared numbers."""
        return cls(*declaration.args)

    @classmethod
    def first_declaration(cls, y: NDArray[Any]) -> FirstDeclaration | None:
        """Of durations with events: the prior weight of one event, at the rate of all."""
        if y.ndim == 1:
            return None
        times, ends = y.T
        seen = f"{int(ends.sum())} of {plural(len(ends), 'duration')} ended in the event"
        above = (
            f"{seen}; of the others the end was not seen.",
            "A leaf's rate of events has the prior weight of one event in the time named second,",
            "which is the rate of the whole table.",
        )
        return FirstDeclaration((1, three_digits(float(times.sum() / ends.sum()) or 1.0)), above)

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> GammaExponential:
        """See `DeclaredModel`."""
        a, b = data["hyperparameters"]
        check_numbers([a, b], positive=True)
        return cls(a, b)

    @classmethod
    def mean_formula(cls, declaration: LeafDeclaration | None) -> Mapping[str, Any]:
        """(b + n mean) / (a + events - 1), infinite unless a + events > 1."""
        assert declaration is not None, "it is no default"
        a, b = declaration.args
        return ratio_formula(b, a - 1, over=("events", "n"))

    # --- leaves --------------------------------------------------------------------------------

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """(1, event, y), shape (n, 3), of durations (n,), or of (duration, event observed) (n,
        2)."""
        y = np.asarray(y, dtype=np.float64)
        times, events = (y, np.ones_like(y)) if y.ndim == 1 else (y[:, 0], y[:, 1])
        return np.stack([np.ones_like(times), events, times], axis=-1)

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """log p(y), shape (...), of statistics (..., 3); see the class's formula."""
        a, b = self.hyperparameters
        _, events, time = np.moveaxis(np.asarray(S, dtype=np.float64), -1, 0)
        return np.asarray(
            self._rising.at(events) - a * np.log1p(time / b) - events * np.log(b + time)
        )

    def scores(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `LeafModel`: events over time."""
        events, time = S[..., 1], S[..., 2]
        return np.divide(events, time, out=np.full_like(time, np.inf), where=time > 0)

    def log_parted(self, S: NDArray[np.float64]) -> float:
        """That of the best runs of rows in the order of events over time."""
        return log_best_runs(self.log_marginal, S, S[:, 1], S[:, 2])

    def outcomes_of(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Time, and whether its end was seen."""
        return np.asarray(S[:, [2, 1]])

    def posterior(self, S: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """a + e and b + t, each (..., 1)."""
        a, b = self.hyperparameters
        S = np.asarray(S, np.float64)
        return a + S[..., 1:2], b + S[..., 2:3]

    def median(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """(b + t) (2^(1 / (a + e)) - 1), shape (...); inf beyond the largest float."""
        a, b = self.hyperparameters
        S = np.asarray(S)
        with np.errstate(over="ignore"):
            return np.asarray((b + S[..., 2]) * np.expm1(math.log(2) / (a + S[..., 1])))

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The variance of 1 / r: ((b + t) / (A - 1))^2 / (A - 2), A = a + e; inf unless A > 2."""
        A, B = self.posterior(S)
        own = np.where(A > 2, A, 3.0)
        return np.where(A > 2, (B / (own - 1)) ** 2 / (own - 2), np.inf)

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"n": .., "events": .., "mean": ..}` with the mean time, including censored times."""
        n, events, time = np.asarray(S).tolist()
        return {"n": count_of(n), "events": count_of(events), "mean": leaf_mean(n, time)["mean"]}

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"median": .., "median_interval": [.., ..], "mean": .., "time": ..}`: the predictive
        median (None beyond the largest float), the interval of the median log(2)/r given the rate,
        the predictive mean (None if it is infinite), and the total observed time."""
        a, b = self.hyperparameters
        _, events, time = np.asarray(S).tolist()
        low, high = gamma_interval(a + events, b + time)
        return {
            "median": finite(float(self.median(S))),
            "median_interval": [math.log(2) / high, finite(math.log(2) / low) if low > 0 else None],
            "mean": finite(float(self.mean(S))),
            "time": time,
        }
