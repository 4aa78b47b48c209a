"""Averages over draws of trees.

A sampler's draws repeat themselves, so each distinct tree is worked on once (`WeightedDraws`).
Where rows end in the trees, `slp.results.averages.routed_trees` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.problem.new_rows import rows_as_numbers, table_as_numbers
from slp.results.averages.asked import FeaturesAsked, asked_of_draws
from slp.results.averages.left_out import HeldRows, LeftOut
from slp.results.averages.over_trees import ScoredTrees, TreeAverages
from slp.results.averages.proximity import Proximity, proximity_of_draws
from slp.results.averages.quantiles import LeafMixture, medians
from slp.results.averages.routed_trees import RoutedTrees
from slp.results.averages.rows_in_leaves import design_of_rows, design_of_table, of_rows
from slp.results.averages.smoothing import SmoothedRows

if TYPE_CHECKING:
    from slp.results.averages.quantities import LeafMoments

_Answer = TypeVar("_Answer")

#: The step of a density's difference, relative to the place.
_STEP = 1e-4


class DrawnTrees(RoutedTrees):
    """Averages over draws of trees (`TreeAverages`)."""

    #: Whether each row goes one way at a split.
    hard = True
    #: How many trees a draw sums up; 0 where it is of one tree.
    n_summed = 0
    shaped_by_clock = None

    def __reduce__(self) -> tuple[type[DrawnTrees], tuple[Any, ...]]:
        """For pickles and copies: the data of the core are computed again."""
        of = (self.table, self.trees, self.chains, self._threads, self._room, self.log_weights)
        return type(self), (*of, self.out_of_time)

    # --- what is asked of a result (`Averages`) ------------------------------------------------

    @property
    def drawn(self) -> DrawnTrees:
        """See `Averages`."""
        return self

    def summary(self, ask: Callable[[TreeAverages], _Answer]) -> tuple[_Answer, DrawnTrees]:
        """See `Averages`."""
        return ask(self), self

    def of_new_rows(
        self, ask: Callable[[TreeAverages], _Answer], rows: NDArray[np.object_]
    ) -> _Answer:
        """See `Averages`."""
        return ask(self)

    def error_of_new_rows(
        self, rows: NDArray[np.object_], of: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """See `Averages`."""
        if of is None:
            return self.predictive_error(rows)
        pieces, first = [], 0
        for values in self.predictions_by_tree(rows):
            own = of[first : first + values.shape[1]]
            pieces.append(self.error(np.einsum("umc,mca->uma", values, own)))
            first += len(own)
        return np.concatenate(pieces)

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """See `Averages`: from the draws, with replacement."""
        return self.trees.take(rng.choice(len(self.trees), n, p=self.frequency))

    def draw_paths(self, rows: NDArray[np.object_], n: int, rng: np.random.Generator) -> None:
        """See `Averages`."""

    def differences(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_], moments: LeafMoments
    ) -> None:
        """See `Averages`."""

    # --- averages (`TreeAverages`) -------------------------------------------------------------

    def usage(self) -> NDArray[np.float64]:
        """For each feature the share of draws that split on it anywhere, shape (d,)."""
        return self.mean((self.splits > 0).astype(np.float64))

    def expected_splits(self) -> NDArray[np.float64]:
        """For each feature the mean number of splits on it, shape (d,)."""
        return self.mean(self.splits.astype(np.float64))

    def root_splits(self) -> NDArray[np.float64]:
        """For each feature the share of draws whose root splits on it, shape (d,)."""
        return self.mean(self._roots)

    @cached_property
    def _roots(self) -> NDArray[np.float64]:
        """1 at each tree and the feature that its root splits on, else 0; shape (U, d)."""
        first = self.arrays.features()[self.arrays.starts[:-1]]
        return np.asarray(first[:, None] == np.arange(len(self.table.features)), np.float64)

    def leaf_distribution(self) -> NDArray[np.float64]:
        """Share of draws with k leaves, at index k."""
        return self._shares(self.n_leaves)

    def depth_distribution(self) -> NDArray[np.float64]:
        """Share of draws of depth t, at index t."""
        return self._shares(self.depth)

    def usage_error(self) -> NDArray[np.float64]:
        """Monte Carlo standard error of `usage`, shape (d,)."""
        return self.error((self.splits > 0).astype(np.float64))

    def expected_splits_error(self) -> NDArray[np.float64]:
        """Monte Carlo standard error of `expected_splits`, shape (d,)."""
        return self.error(self.splits.astype(np.float64))

    def _shares(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        """Share of draws with each value of a whole number of their tree, shape (U,)."""
        return np.asarray(np.bincount(numbers, self.frequency), np.float64)

    def leaf_mixtures(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """For each new row, the leaves that it ends in."""
        statistics, which = self._distinct_leaves
        for numbers in self._pieces(rows):
            where = self._told_leaves(numbers)
            if where is None:
                yield from self._mixtures_of_missing(numbers)
                continue
            for column in where.T:
                leaves, place = np.unique(which[column], return_inverse=True)
                yield LeafMixture(self._shares(place), statistics[leaves])

    def _mixtures_of_missing(self, numbers: NDArray[np.float64]) -> Iterator[LeafMixture]:
        """The leaves of rows some of which the kernels cannot send down trees."""
        statistics, which = self._distinct_leaves
        mass = np.zeros((len(numbers), len(statistics)))
        for u, (at, leaves, shares) in enumerate(self._paths(numbers)):
            np.add.at(mass, (at, which[leaves]), shares * self.frequency[u])
        for own in mass:
            yield LeafMixture(own[own > 0], statistics[own > 0])

    def predictions(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """For each new row the class probabilities, shape (m, C), or the predictive mean, shape
        (m, 1), averaged over all draws; of durations the median of the mixture of all draws."""
        if self.table.leaf.point == "median":
            return medians(self.table.leaf, self.leaf_mixtures(rows))
        values = self.table.leaf.values(self._statistics)
        numbers = rows_as_numbers(self.table, rows)
        blank = self._untold(numbers)
        whole = np.ascontiguousarray(numbers[~blank])
        out = np.empty((len(numbers), values.shape[1]))
        out[~blank] = self._ensemble.average(values, self.frequency, whole, self._threads)
        blank[~blank] = np.isnan(out[~blank]).any(axis=1)
        if blank.any():
            own = np.zeros((int(blank.sum()), values.shape[1]))
            for u, (at, leaves, shares) in enumerate(self._paths(numbers[blank])):
                np.add.at(own, at, self.frequency[u] * shares[:, None] * values[leaves])
            out[blank] = own
        return of_rows(out, design_of_rows(self.table, numbers))

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """See `TreeAverages`."""
        return asked_of_draws(self, rows, prices)

    def proximity(self, rows: NDArray[np.object_]) -> Proximity:
        """See `TreeAverages`."""
        return proximity_of_draws(self, rows)

    # --- rows left out -------------------------------------------------------------------------

    def leave_out(self, held: HeldRows) -> LeftOut:
        """See `TreeAverages`: by importance sampling."""
        found = SmoothedRows(self, held)
        for first, log_q in self.log_given_others(held):
            found.add(first, log_q)
        return found.left_out()

    def log_given_others(self, held: HeldRows) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """The log likelihood of held rows under each tree, given the other rows of their leaves:
        some rows at a time, the number of the first one and shape (U, p)."""
        S, leaf = self._statistics, self.table.leaf
        whole = leaf.log_marginal(S)
        for a in range(0, len(held.row), self.rows_at_a_time):
            own = slice(a, a + self.rows_at_a_time)
            where = self._leaves_of(table_as_numbers(self.table, held.row[own]))
            others = S[where] - held.statistics[held.kind[own]]
            yield a, whole[where] - leaf.log_marginal(others)

    # --- predictions ---------------------------------------------------------------------------

    def predictive(
        self, where: NDArray[np.int64], design: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        """What each tree predicts of rows, by their leaves of shape (U, m), and their (1, z) where
        leaves are lines: class probabilities, shape (U, m, C), or means, shape (U, m)."""
        return self._told(self.table.leaf.values(self._statistics)[where], design)

    def _told(
        self, values: NDArray[np.float64], design: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        found = of_rows(values, design)
        return found if self.table.leaf.classes else found[..., 0]

    def predictions_by_tree(self, rows: NDArray[np.object_]) -> Iterator[NDArray[np.float64]]:
        """What each tree predicts of new rows (`Table.new_rows`), some rows at a time: class
        probabilities, shape (U, m, C), or means, shape (U, m)."""
        values = self.table.leaf.values(self._statistics)
        numbers, first = rows_as_numbers(self.table, rows), 0
        for own in self.leaf_values_by_tree(rows, values):
            design = design_of_rows(self.table, numbers[first : first + own.shape[1]])
            yield self._told(own, design)
            first += own.shape[1]

    def draws_of_trees(
        self, n: int, rng: np.random.Generator
    ) -> tuple[DrawnTrees, NDArray[np.int64]]:
        """See `Averages`."""
        return self, rng.choice(len(self.trees), n, p=self.frequency)

    def predictive_error(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """Monte Carlo standard error of `predictions`: of means (m, C) or (m,), of medians (m,)."""
        if self.table.leaf.point == "median":
            return self._error_of_medians(rows)
        pieces = []
        for values in self.predictions_by_tree(rows):
            if len(self.table.leaf.classes) == 2:  # p and 1 - p have the same error
                pieces.append(np.repeat(self.error(values[:, :, :1]), 2, axis=1))
            else:
                pieces.append(self.error(values))
        return np.concatenate(pieces)

    def _error_of_medians(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """By the delta method (van der Vaart 1998, Asymptotic Statistics, corollary 21.5): with F
        the average of the trees' distribution functions, the error of F at its median, over the
        density there, a central difference."""
        middle = self.predictions(rows)[:, 0]
        below, at, above = (self._reached(rows, middle * (1 + h)) for h in (-_STEP, 0.0, _STEP))
        density = (self.mean(above) - self.mean(below)) / (2 * _STEP * middle)
        return np.asarray(self.error(at) / density)

    def _reached(self, rows: NDArray[np.object_], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each tree says of P(Y <= y) of m new rows, shape (U, m), `y` of shape (m,)."""
        statistics, which = self._distinct_leaves
        numbers = rows_as_numbers(self.table, rows)
        out = np.zeros((len(self.trees), len(numbers)))
        told = self._told_leaves(numbers)
        if told is not None:
            where = which[told]
            return self.table.leaf.cdf(statistics[where], np.broadcast_to(y, where.shape))
        for own, (at, leaves, shares) in zip(out, self._paths(numbers), strict=True):
            np.add.at(own, at, shares * self.table.leaf.cdf(statistics[which[leaves]], y[at]))
        return out

    def table_predictions(self) -> NDArray[np.float64]:
        """`predictive` of the rows of `leaves_of_table`."""
        design = design_of_table(self.table, self._some_of_table())
        return self.predictive(self.leaves_of_table(), design)


class IndependentTrees(DrawnTrees):
    """Averages over draws of trees that do not depend on each other."""

    def error(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `WeightedDraws`; where no time is left for statistics of chains, the standard
        deviation over the root of the number of draws."""
        if not self.out_of_time:
            return super().error(values)
        n = sum(map(len, self.chains))
        return np.asarray(np.sqrt(self.mean((values - self.mean(values)) ** 2) / max(n - 1, 1)))


def error_of_prior(averages: TreeAverages, rows: NDArray[np.object_]) -> NDArray[np.float64] | None:
    """Monte Carlo standard error of what trees predict of new rows where leaves know the priors of
    their boxes alone, shape (m, J); None where trees are summed."""
    if not isinstance(averages, DrawnTrees):
        return None
    leaf = averages.table.leaf
    values = leaf.values(leaf.without_rows(averages.leaf_statistics))
    found = map(averages.error, averages.leaf_values_by_tree(rows, values))
    return np.concatenate(list(found))
