"""What of a prediction is drawn, averaged and contrasted: the mean, the probabilities of classes,
and of durations the median, survival and restricted mean.

Each is a function of the parameters of a leaf. Its mean and variance in a leaf follow from the
leaf's statistics where they have a closed form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from slp.leaves import LeafModel
from slp.leaves.rates import RatesOfPieces
from slp.results.averages.reached import DrawnLeaves


class Quantity(ABC):
    """A quantity of D numbers for each row."""

    #: what it is called in words, and as an argument
    words: str
    name: str

    @abstractmethod
    def of_leaves(self, leaf: LeafModel, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The quantity, or the J numbers it is made of by the design of a row, of leaves with these
        parameters (P, r), shape (P, J)."""

    def of_draws(self, drawn: DrawnLeaves) -> NDArray[np.float64]:
        """The quantity of each draw and row, shape (B, m, D)."""
        return drawn.averaged(self.of_leaves(drawn.leaf, drawn.parameters))

    def mean(self, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The mean of `of_leaves` given the statistics (K, k) of leaves, shape (K, J), inf where it
        is infinite; None where there is no closed form."""
        return None

    def spread(self, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The variance of `of_leaves` as `LeafModel.spread` has it; None where there is no closed
        form."""
        return None

    def has_variance(self, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether `of_leaves` has a variance in leaves, shape (K,)."""
        spread = self.spread(leaf, S)
        if spread is None:
            return np.ones(len(S), np.bool_)
        return np.asarray(np.isfinite(spread).reshape(len(S), -1).all(axis=1))


@dataclass(frozen=True)
class Mean(Quantity):
    """The mean, or the class probabilities: what the mean of an outcome's indicator is."""

    name: str = "mean"

    @property
    def words(self) -> str:  # type: ignore[override]
        """What it is called."""
        return "mean" if self.name == "mean" else "probability"

    def of_leaves(self, leaf: LeafModel, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """`LeafModel.values_of`."""
        return leaf.values_of(parameters)

    def mean(self, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The predictive mean, NaN where there is none."""
        if leaf.point == "median":
            return leaf.mean(S)[..., None]
        told = leaf.values(S)
        return np.where(S[:, :1] <= leaf.mean_needs, np.nan, told) if leaf.mean_needs >= 0 else told

    def spread(self, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """That of the leaf model."""
        return leaf.spread(S)

    def has_variance(self, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.bool_]:
        """See `Quantity`. The mean of a duration has one where the last rate has two moments of its
        reciprocal."""
        if leaf.responses == "durations":
            return np.asarray(OfDurations.rates(leaf).posterior(S)[0][..., -1] > 2)
        return super().has_variance(leaf, S)


class OfDurations(Quantity):
    """A quantity of durations."""

    @staticmethod
    def rates(leaf: LeafModel) -> RatesOfPieces:
        """The leaf model, which is one of durations."""
        return cast(RatesOfPieces, leaf)


@dataclass(frozen=True)
class Survival(OfDurations):
    """P(Y > t) at times t."""

    times: tuple[float, ...]
    name = "survival"
    words = "survival"

    def of_leaves(self, leaf: LeafModel, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `RatesOfPieces.survival_of`."""
        return self.rates(leaf).survival_of(parameters, np.array(self.times))

    def mean(self, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `RatesOfPieces.survival`."""
        return self.rates(leaf).survival(S, np.array(self.times))

    def spread(self, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of the square less the square of the mean."""
        squares = self.rates(leaf).survival(S, np.array(self.times), power=2)
        return np.asarray(np.maximum(squares - self.mean(leaf, S) ** 2, 0.0))


@dataclass(frozen=True)
class CumulativeHazard(OfDurations):
    """-log P(Y > t) at times t. Of a row in several leaves it is that of their mixture, so that
    its mean has no closed form."""

    times: tuple[float, ...]
    name = "cumulative_hazard"
    words = "cumulative hazard"

    def of_leaves(self, leaf: LeafModel, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `RatesOfPieces.hazard_of`."""
        return self.rates(leaf).hazard_of(parameters, np.array(self.times))

    def of_draws(self, drawn: DrawnLeaves) -> NDArray[np.float64]:
        """See `Quantity`."""
        own = self.of_leaves(drawn.leaf, drawn.parameters)
        if drawn.share is None:
            return drawn.averaged(own)
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(drawn.averaged(np.exp(-own))))


@dataclass(frozen=True)
class RestrictedMean(OfDurations):
    """The mean of min(Y, horizon)."""

    horizon: float
    name = "restricted_mean"
    words = "restricted mean"

    def of_leaves(self, leaf: LeafModel, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `RatesOfPieces.restricted_mean_of`."""
        return self.rates(leaf).restricted_mean_of(parameters, self.horizon)[..., None]

    def mean(self, leaf: LeafModel, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `RatesOfPieces.restricted_mean`."""
        return self.rates(leaf).restricted_mean(S, self.horizon)[..., None]


@dataclass(frozen=True)
class Median(OfDurations):
    """The median of the drawn distribution."""

    name = "median"
    words = "median"

    def of_leaves(self, leaf: LeafModel, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `RatesOfPieces.median_of`."""
        return self.rates(leaf).median_of(parameters)[..., None]

    def of_draws(self, drawn: DrawnLeaves) -> NDArray[np.float64]:
        """See `Quantity`. That of a row in several leaves is the median of their mixture, which
        lies between the medians of the leaves, by bisection."""
        if drawn.share is None:
            return super().of_draws(drawn)
        own = self.of_leaves(drawn.leaf, drawn.parameters)[drawn.place, 0]
        low, high = np.full(drawn.shape, np.inf).ravel(), np.full(drawn.shape, -np.inf).ravel()
        np.minimum.at(low, drawn.pair, own)
        np.maximum.at(high, drawn.pair, own)
        rates, model = drawn.parameters[drawn.place], self.rates(drawn.leaf)
        for _ in range(64):
            middle = low + (high - low) / 2
            times = model.time_in_pieces(middle)[drawn.pair]
            left = np.zeros_like(middle)
            np.add.at(left, drawn.pair, drawn.share * np.exp(-(rates * times).sum(axis=-1)))
            low, high = np.where(left > 0.5, middle, low), np.where(left > 0.5, high, middle)
        return high.reshape(*drawn.shape, 1)


@dataclass(frozen=True, eq=False)
class LeafMoments:
    """First and second moments of a quantity in leaves, less a constant, for rows with a design or
    without.

    Attributes
    ----------
    leaf, quantity : the leaf model, and what of it.
    centre : what is subtracted, so that squares do not cancel.
    knows : whether leaves know the responses; False under a prior.
    """

    leaf: LeafModel
    quantity: Quantity
    centre: float
    knows: bool

    def of(self, S: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The means (K, J) of leaves with statistics (K, k), and those of squares, (K, J), or of
        products where rows have a design, (K, J, J)."""
        S = S if self.knows else self.leaf.without_rows(S)
        mean, spread = self.quantity.mean(self.leaf, S), self.quantity.spread(self.leaf, S)
        assert mean is not None and spread is not None, "only such quantities are asked for"
        if self.leaf.regressors:
            mean[:, 0] -= self.centre
            return mean, spread + mean[:, :, None] * mean[:, None, :]
        mean = mean - self.centre
        return mean, spread + mean**2
