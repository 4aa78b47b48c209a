"""Durations whose rate of events is constant within pieces of the time: what given rates say.

With rates r_j and u_j(t) the time that is spent in piece j until t, the hazard is H(t) = sum of
r_j u_j(t), and P(Y > t) = exp(-H(t)).
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from slp.leaves.base import Point, Responses
from slp.leaves.numbers import NumericModel
from slp.messages.leaf_models import NOT_A_DURATION


class RatesOfPieces(NumericModel):
    """Base of the models of durations. The parameters of a leaf are its rates, shape (..., J)."""

    responses: Responses = "durations"
    second_column = "event"
    not_allowed = NOT_A_DURATION
    point: Point = "median"
    predicted_in_core = False
    #: the start of each of J pieces, and its length, the last infinite, float64 (J,)
    starts: NDArray[np.float64] = np.zeros(1)
    lengths: NDArray[np.float64] = np.full(1, np.inf)

    @classmethod
    def allows(cls, y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Numbers from 0 up. An event at 0 has a density, as rates are finite; a duration censored
        at 0 tells nothing."""
        return y >= 0

    @abstractmethod
    def posterior(self, S: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Shapes and rates of the gamma distributions of the rates r_j, each (..., J)."""

    @abstractmethod
    def median(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The predictive median, shape (...); inf beyond the largest float."""

    def values(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The median."""
        return self.median(S)[..., None]

    def time_in_pieces(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """How long durations (...) are in each piece, shape (..., J)."""
        return np.asarray(np.clip(np.asarray(y)[..., None] - self.starts, 0.0, self.lengths))

    # --- averages over the rates ---------------------------------------------------------------

    def cdf(self, S: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """1 less P(Y > y), broadcast over (...)."""
        shape, rate = self.posterior(S)
        logs = shape * np.log1p(self.time_in_pieces(np.asarray(y, np.float64)) / rate)
        return np.asarray(-np.expm1(-logs.sum(axis=-1)))

    def survival(
        self, S: NDArray[np.float64], times: NDArray[np.float64], power: int = 1
    ) -> NDArray[np.float64]:
        """The mean of P(Y > t)^power given the rates, at times (T,), shape (..., T): the product
        of (1 + power u_j / rate_j)^-shape_j."""
        shape, rate = (x[..., None, :] for x in self.posterior(S))
        logs = shape * np.log1p(power * self.time_in_pieces(times) / rate)
        return np.asarray(np.exp(-logs.sum(axis=-1)))

    def restricted_mean(self, S: NDArray[np.float64], horizon: float) -> NDArray[np.float64]:
        """The predictive mean of min(Y, horizon), shape (...): the integral of P(Y > t) up to the
        horizon; infinite at an infinite one unless the last shape is above 1."""
        shape, rate = self.posterior(S)
        u = self.time_in_pieces(np.array(horizon))
        logs = np.log1p(u / rate)
        before = np.zeros_like(logs)
        np.cumsum((shape * logs)[..., :-1], axis=-1, out=before[..., 1:])
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            x = (1 - shape) * logs
            own = np.where(shape == 1, rate * logs, rate * np.expm1(x) / (1 - shape))
        return np.asarray((np.exp(-before) * own).sum(axis=-1))

    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The integral of P(Y > y), shape (...); inf unless the last shape is above 1."""
        return self.restricted_mean(S, np.inf)

    # --- given the rates -----------------------------------------------------------------------

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """The rates, shape (..., J)."""
        shape, rate = self.posterior(S)
        return np.asarray(rng.standard_gamma(shape) / rate)

    def values_of(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean."""
        return self.restricted_mean_of(parameters, np.inf)[..., None]

    def draw_outcomes(
        self,
        parameters: NDArray[np.float64],
        rng: np.random.Generator,
        design: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """A duration that is not censored."""
        return self._reaching(parameters, rng.standard_exponential(parameters.shape[:-1]))

    def median_of(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The median given the rates, shape (...)."""
        return self._reaching(parameters, np.full(parameters.shape[:-1], math.log(2)))

    def survival_of(
        self, parameters: NDArray[np.float64], times: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """P(Y > t) given the rates, at times (T,), shape (..., T)."""
        return np.asarray(np.exp(-self.hazard_of(parameters, times)))

    def hazard_of(
        self, parameters: NDArray[np.float64], times: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """H(t) at times (T,), shape (..., T)."""
        return np.asarray((parameters[..., None, :] * self.time_in_pieces(times)).sum(axis=-1))

    def restricted_mean_of(
        self, parameters: NDArray[np.float64], horizon: float
    ) -> NDArray[np.float64]:
        """The mean of min(Y, horizon) given the rates, shape (...)."""
        u = np.broadcast_to(self.time_in_pieces(np.array(horizon)), parameters.shape)
        with np.errstate(invalid="ignore"):
            own = np.where(parameters > 0, -np.expm1(-parameters * u), u)
        own = np.divide(own, parameters, out=own, where=parameters > 0)
        return np.asarray((np.exp(-self._before(parameters)) * own).sum(axis=-1))

    def _before(self, rates: NDArray[np.float64]) -> NDArray[np.float64]:
        """The hazard at the start of each piece, shape (..., J)."""
        before = np.zeros_like(rates)
        np.cumsum(rates[..., :-1] * self.lengths[:-1], axis=-1, out=before[..., 1:])
        return before

    def _reaching(
        self, rates: NDArray[np.float64], hazard: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The time at which the hazard (...) is reached, shape (...); inf beyond the largest
        float."""
        before = self._before(rates)
        piece = ((before <= hazard[..., None]).sum(axis=-1) - 1)[..., None]
        rate, start = (np.take_along_axis(x, piece, axis=-1)[..., 0] for x in (rates, before))
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            rest = np.where(hazard > start, (hazard - start) / rate, 0.0)
        return np.asarray(self.starts[piece[..., 0]] + rest)
