"""Functions that the models of a numeric response share."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.ir.whole import is_whole
from slp.late import late_import
from slp.leaves.base import LARGEST, LEVEL
from slp.leaves.declared import DeclaredModel
from slp.messages.numbers import number_text

#: Weights of classes that differ by less, relatively, are equal: sums of real weights are rounded.
TIE = 1e-12

_DECIMALS = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?")


def rounded_text(model: str) -> str:
    """A leaf model for people: six digits of each number, with "about" where that rounds one."""
    exact = all(float(x) == float(f"{float(x):.6g}") for x in _DECIMALS.findall(model))
    return model if exact else "about " + _DECIMALS.sub(lambda x: f"{float(x[0]):.6g}", model)


def ratio_formula(
    add: float | None, to: float, *, times: Sequence[str] = ("n",), over: Sequence[str] = ("n",)
) -> dict[str, Any]:
    """The mean (add + T mean) / (to + N) as data (`DeclaredModel.mean_formula`), where T and N are
    the first of these keys that a leaf's summary has. `add` None is `to` times the mean of all
    leaves."""
    return {"add": [add, to], "times": list(times), "over": list(over)}


class NumericModel(DeclaredModel):
    """Base of the numeric models, which have no classes."""

    name: str
    #: hyperparameters, in the order in which they are declared
    hyperparameters: tuple[float, ...]

    def log_parted(self, S: NDArray[np.float64]) -> float:
        """inf: no bound is known."""
        return math.inf

    def numbers_for_core(self, S: NDArray[np.float64]) -> NDArray[np.float64] | str:
        """The hyperparameters; the first, a mean, less `ref`."""
        first, *others = self.hyperparameters
        return np.array([first - self.ref, *others])

    @abstractmethod
    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """See `LeafModel`."""

    @abstractmethod
    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `LeafModel`."""

    @abstractmethod
    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `LeafModel`."""

    def values(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean."""
        return self.mean(S)[..., None]

    def predict_proba(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """A numeric response has no classes: TypeError."""
        raise TypeError(f"{self.name} models numbers, which have no class probabilities")

    def class_cdf(self, S: NDArray[np.float64], outcome: int, p: float) -> NDArray[np.float64]:
        """A numeric response has no classes: TypeError."""
        raise TypeError(f"{self.name} models numbers, which have no class probabilities")

    def outcomes_of(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The second statistic."""
        return np.asarray(S[:, 1] + self.ref)

    def further(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """The statistics of one further response y (...), shape (..., k)."""
        return self.statistics(y.ravel()).reshape(*y.shape, -1)

    def log_density(self, S: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.float64]:
        """The log of the ratio of the marginal likelihoods with y and without, broadcast over
        (...); -inf where the model does not allow y."""
        y = np.asarray(y, np.float64)
        possible = (np.abs(y) <= LARGEST) & self.allows(y)
        S = np.asarray(S, np.float64)
        after = S + self.further(np.where(possible, y, 1.0))
        return np.where(possible, self.log_marginal(after) - self.log_marginal(S), -np.inf)

    def describe(self) -> str:
        """The model as in a declaration."""
        return f"{self.name}({', '.join(map(number_text, self.hyperparameters))})"

    def to_plain(self) -> dict[str, Any]:
        """Its name and hyperparameters."""
        return {"model": self.name, "hyperparameters": list(map(float, self.hyperparameters))}


class NormalLeaf(NumericModel):
    """Base of the models with normal errors. The last parameter of a leaf is its variance, those
    before it are what it predicts by."""

    def values_of(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean, or the coefficients of a line."""
        return parameters[..., :-1]

    def draw_outcomes(
        self,
        parameters: NDArray[np.float64],
        rng: np.random.Generator,
        design: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """A number with the mean of the leaf, or of its line at the design of the row."""
        values = self.values_of(parameters)
        mean = values[..., 0] if design is None else (values * design).sum(axis=-1)
        noise = rng.standard_normal(mean.shape)
        return np.asarray(mean + noise * np.sqrt(parameters[..., -1]))


def leaf_mean(n: float, total: float) -> dict[str, Any]:
    """`{"n": .., "mean": ..}` of a leaf. An empty leaf has no mean."""
    return {"n": count_of(n), "mean": total / n if n else None}


def log_best_runs(
    log_marginal: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    S: NDArray[np.float64],
    events: NDArray[np.float64],
    exposure: NDArray[np.float64],
) -> float:
    """Log marginal likelihood of the best partition of rows with statistics (n, k) into leaves:
    runs of rows in the order of events over exposure."""
    rate = np.where(events > 0, events / np.where(exposure > 0, exposure, 1e-300), 0.0)
    up_to = np.cumsum(np.vstack([np.zeros(S.shape[1]), S[np.argsort(rate)]]), axis=0)
    best = [0.0]
    for i in range(1, len(up_to)):
        best.append(float((np.array(best) + log_marginal(up_to[i] - up_to[:i])).max()))
    return best[-1]


def count_of(n: float) -> float:
    """A number of rows, an int; of rows with real weights their weight."""
    return int(n) if is_whole(n) else n


def check_numbers(numbers: list[Any], *, positive: bool) -> None:
    """Raise ValueError unless all are finite floats, and above 0 if they must be."""
    for number in numbers:
        if not isinstance(number, float) or not math.isfinite(number) or (positive and number <= 0):
            raise ValueError("a number of the leaf model is none that it can have")


def three_digits(x: float) -> int | float:
    """A number rounded to three digits."""
    return whole_or_float(float(f"{x:.3g}"))


def whole_or_float(x: float) -> int | float:
    """A whole number as an integer, if a float holds it exactly."""
    return int(x) if x.is_integer() and abs(x) < 2**53 else x


def finite(x: float) -> float | None:
    """A number for JSON: None in place of an infinite one."""
    return x if math.isfinite(x) else None


def gamma_interval(shape: float, rate: float) -> tuple[float, float]:
    """The central interval of probability `LEVEL` of a gamma distribution."""
    gammaincinv = late_import("scipy.special").gammaincinv

    tails = (1 - LEVEL) / 2, (1 + LEVEL) / 2
    low, high = (float(gammaincinv(shape, tail)) / rate for tail in tails)
    return low, high


def beta_interval(a: float, b: float) -> tuple[float, float]:
    """The central interval of probability `LEVEL` of a beta distribution; with b = 0 all of it is
    at 1."""
    if b == 0:
        return 1.0, 1.0
    betaincinv = late_import("scipy.special").betaincinv

    low, high = (float(betaincinv(a, b, tail)) for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return low, high
