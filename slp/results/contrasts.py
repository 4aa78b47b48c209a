"""`RowQuantity`: a quantity of rows, by row and averaged over them. `Contrast`: how much it differs
between two sets of rows.

Means and variances by row are exact where the engine sums over all trees and the leaf model has
them in closed form. Everything else is an average over draws of trees with drawn parameters of
their leaves, and has its Monte Carlo error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import UsageError
from slp.messages.names import plural
from slp.messages.results import NO_MEAN_OF_QUANTITY, NOT_A_DELTA, NOT_A_LEVEL
from slp.results.averages.weighted_draws import WeightedDraws, weighted_quantiles
from slp.results.estimate import Kind

Numbers = NDArray[np.float64]


def check_level(level: object) -> None:
    """Raise UsageError E508 unless it is a number between 0 and 1."""
    if not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise UsageError(NOT_A_LEVEL(level=level))


@dataclass(frozen=True, eq=False)
class Figure:
    """Numbers, their Monte Carlo standard errors (0 if exact, NaN where the draws do not tell), and
    what they are: `"exact"`, an `"estimate"` from draws, or of the trees `"found"` alone."""

    value: Numbers
    error: Numbers
    kind: Kind

    @classmethod
    def mean_of(cls, values: Numbers, trees: WeightedDraws | None, kind: Kind) -> Figure:
        """The mean of what each of U trees has, (U, ...), with its error. Without `trees` U is 1,
        and this the mean over all trees."""
        if trees is None:
            return cls(values[0], np.zeros(values.shape[1:]), kind)
        return cls(trees.mean(values), trees.error(values), kind)


@dataclass(frozen=True, eq=False)
class Means:
    """The difference and the ratio of two means."""

    difference: Figure
    ratio: Numbers

    @classmethod
    def of(cls, one: Numbers, zero: Numbers, trees: WeightedDraws | None, kind: Kind) -> Means:
        """By the means in each of U trees, (U, ...), as `Figure.mean_of`."""
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = Figure.mean_of(one - zero, trees, kind)
            means = [Figure.mean_of(own, trees, kind).value for own in (one, zero)]
            return cls(apart, means[0] / means[1])


class OfDraws:
    """What draws say of a quantity: its median, interval, and the probability that it is larger
    than a number. All are estimates; `...error` has the Monte Carlo standard error of each."""

    _draws: Numbers
    _weights: WeightedDraws

    @property
    def median(self) -> Numbers:
        """The median."""
        return self._quantiles(0.5)[0]

    def interval(self, level: float = 0.9) -> Numbers:
        """The central interval of this probability, shape (..., 2).

        Raises
        ------
        UsageError
            `level` is not between 0 and 1 (E508).
        """
        check_level(level)
        return np.stack(self._quantiles((1 - level) / 2, (1 + level) / 2), axis=-1)

    def interval_error(self, level: float = 0.9) -> Numbers:
        """Monte Carlo standard error of the ends of `interval`, shape (..., 2): half of the
        distance between the quantiles one standard error of the reached probability below and
        above. Raises as `interval`."""
        ends = np.moveaxis(self.interval(level), -1, 0)
        found = []
        for end, q in zip(ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
            apart = self._weights.error((self._draws <= end).astype(np.float64))
            found.append(self._reach(q, apart))
        return np.stack(found, axis=-1)

    def probability(self, delta: float = 0.0) -> Numbers:
        """The probability of more than `delta`.

        Raises
        ------
        UsageError
            `delta` is no number (E508).
        """
        return self._weights.mean(self._above(delta))

    def probability_error(self, delta: float = 0.0) -> Numbers:
        """Monte Carlo standard error of `probability`. Where all draws agree it is 0, though the
        probability may be some thousandths away from 0 or 1. Raises as `probability`."""
        return self._weights.error(self._above(delta))

    def _above(self, delta: object) -> Numbers:
        if not isinstance(delta, int | float | np.number) or delta != delta:
            raise UsageError(NOT_A_DELTA(delta=delta))
        return (self._draws > delta).astype(np.float64)

    def _quantiles(self, *levels: float) -> list[Numbers]:
        return list(weighted_quantiles(self._draws, self._weights.frequency, levels))

    def _reach(self, q: float, apart: Numbers) -> Numbers:
        """Half of the distance between the quantiles at q less and plus `apart` (...)."""
        order = np.argsort(self._draws, axis=0)
        reached = np.cumsum(self._weights.frequency[order], axis=0)
        ordered = np.take_along_axis(self._draws, order, axis=0)

        def at(level: Numbers) -> Numbers:
            place = (reached >= np.clip(level, 0.0, 1.0) - 1e-12).argmax(axis=0)
            return np.asarray(np.take_along_axis(ordered, place[None], axis=0)[0])

        with np.errstate(invalid="ignore"):
            return np.asarray(
                np.where(np.isnan(apart), np.nan, (at(q + apart) - at(q - apart)) / 2)
            )


@dataclass(frozen=True, eq=False)
class Uncertain(OfDraws):
    """A quantity, or differences of one, with its uncertainty. `mean`, `variance` and what draws
    say have the shape (...)."""

    _draws: Numbers
    _weights: WeightedDraws
    _mean: Figure | None
    _variance: Figure

    @property
    def mean(self) -> Numbers:
        """The mean; NaN where one of a difference is infinite.

        Raises
        ------
        UsageError
            E557: of medians and cumulative hazards.
        """
        return self._figure.value

    @property
    def mean_error(self) -> Numbers:
        """Monte Carlo standard error of `mean`, 0 where it is exact. Raises as `mean`."""
        return self._figure.error

    @property
    def mean_kind(self) -> Kind:
        """What `mean` is: `"exact"`, an `"estimate"` from draws, or of the trees `"found"` alone.
        Raises as `mean`."""
        return self._figure.kind

    @property
    def _figure(self) -> Figure:
        if self._mean is None:
            raise UsageError(NO_MEAN_OF_QUANTITY())
        return self._mean

    @property
    def variance(self) -> Numbers:
        """The variance, over trees and the parameters of their leaves; inf where there is none.
        Raises as `mean`."""
        assert self._figure is not None
        return self._variance.value

    @property
    def variance_error(self) -> Numbers:
        """Monte Carlo standard error of `variance`, 0 where it is exact. Raises as `mean`."""
        assert self._figure is not None
        return self._variance.error

    @property
    def variance_kind(self) -> Kind:
        """What `variance` is, as `mean_kind`. Raises as `mean`."""
        assert self._figure is not None
        return self._variance.kind


@dataclass(frozen=True, eq=False)
class Ratio(OfDraws):
    """Ratios of a quantity. A mean of ratios may not exist, so there is none.

    Attributes
    ----------
    average : the ratio of the averages over rows; None where this is it.
    """

    _draws: Numbers
    _weights: WeightedDraws
    _means: Means | None
    average: Ratio | None

    @property
    def of_means(self) -> Numbers:
        """The ratio of the posterior means.

        Raises
        ------
        UsageError
            E557: of medians and cumulative hazards.
        """
        if self._means is None:
            raise UsageError(NO_MEAN_OF_QUANTITY())
        return self._means.ratio

    @property
    def of_means_kind(self) -> Kind:
        """What `of_means` is, as `Difference.mean_kind`. Raises as `of_means`."""
        if self._means is None:
            raise UsageError(NO_MEAN_OF_QUANTITY())
        return self._means.difference.kind


@dataclass(frozen=True, eq=False)
class RowQuantity(Uncertain):
    """A quantity of the rows of `X`, row by row: shape (m,), of classes (m, C), of survival and the
    cumulative hazard (m, T).

    Attributes
    ----------
    of : the quantity: `mean`, `probability`, `median`, `survival`, `cumulative_hazard` or
        `restricted_mean`.
    labels : the classes, or the times, that the last axis is over; () for one number.
    average : the same averaged over the rows, an `Uncertain` of shape (), (C,) or (T,). Its mean is
        exact where that of the rows is. Variances are from draws.
    n_draws : the number of draws.
    """

    of: str
    labels: tuple[Any, ...]
    average: Uncertain
    n_draws: int

    def __repr__(self) -> str:
        return f"<{self._told()}>"

    def _told(self) -> str:
        kind = "" if self._mean is None else f", means {self.mean_kind}"
        rows = plural(self._draws.shape[1], "row")
        return f"{self.of} in {rows}{kind}, {self.n_draws:,} draws"


@dataclass(frozen=True, eq=False)
class Contrast(RowQuantity):
    """How much a quantity of `X1` differs from that of `X0`, row by row, in the shapes of a
    `RowQuantity`.

    Attributes
    ----------
    of, labels, n_draws : as of a `RowQuantity`.
    average : the same differences averaged over the rows, an `Uncertain` of shape (), (C,) or (T,).
        Its mean is exact where that of the rows is; its variance is from draws.
    ratio : the quantity of `X1` over that of `X0`, a `Ratio`, with its own `average`.
    """

    ratio: Ratio

    def __repr__(self) -> str:
        return f"<difference of {self._told()}>"
