"""How a `RowQuantity` and a `Contrast` are made: exact moments where an engine sums over all trees,
and draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import UsageError
from slp.messages.results import NEEDS_HORIZON, NEEDS_TIMES, NO_SUCH_QUANTITY
from slp.problem.new_rows import rows_as_numbers
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import TreeAverages
from slp.results.averages.quantities import (
    CumulativeHazard,
    LeafMoments,
    Mean,
    Median,
    Quantity,
    RestrictedMean,
    Survival,
)
from slp.results.averages.reached import LeafDraws
from slp.results.averages.rows_in_leaves import design_of_rows, of_rows
from slp.results.averages.weighted_draws import WeightedDraws
from slp.results.contrasts import (
    Contrast,
    Figure,
    Means,
    Numbers,
    Ratio,
    RowQuantity,
    Uncertain,
)
from slp.results.estimate import Kind
from slp.results.record.result import Result


def quantity_of(
    result: Result, of: str | None, times: Sequence[float] | None, horizon: float | None
) -> Quantity:
    """The quantity of rows, or of a contrast.

    Raises
    ------
    UsageError
        E556: the response has it not, or it needs times or a horizon.
    """
    responses = result.table.leaf.responses
    known = {
        "classes": ("probability",),
        "durations": ("median", "mean", "survival", "cumulative_hazard", "restricted_mean"),
    }.get(responses, ("mean",))
    of = known[0] if of is None else of
    if of not in known:
        response, names = result.table.response, ", ".join(known)
        raise UsageError(NO_SUCH_QUANTITY(of=of, response=response, known=names))
    if of in ("survival", "cumulative_hazard"):
        at = _times(times)
        return Survival(at) if of == "survival" else CumulativeHazard(at)
    if of == "restricted_mean":
        if not isinstance(horizon, int | float | np.number) or not 0 < horizon < np.inf:
            raise UsageError(NEEDS_HORIZON())
        return RestrictedMean(float(horizon))
    return Median() if of == "median" else Mean(of)


def _times(times: Any) -> tuple[float, ...]:
    """Times that were given; raises E556 unless they are numbers from 0 up."""
    try:
        at = np.asarray([] if times is None else times, np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise UsageError(NEEDS_TIMES()) from None
    if not len(at) or not (np.isfinite(at) & (at >= 0)).all():
        raise UsageError(NEEDS_TIMES())
    return tuple(at.tolist())


def leaf_draws(
    result: Result, drawn: DrawnTrees, trees: NDArray[np.int64], rows: NDArray[np.object_]
) -> LeafDraws:
    """Draws of the leaves that new rows (`Table.new_rows`) reach in these trees of `drawn`."""
    table = result.table
    design = design_of_rows(table, rows_as_numbers(table, rows))
    return LeafDraws(table.leaf, drawn.reached(rows), trees, design, result.leaves_know)


class OfRows:
    """A quantity of new rows (`Table.new_rows`); with `by_draws` no mean is summed over all trees.
    Arrays inside have a last axis of the D numbers of the quantity; those handed out lack it where
    it has no labels."""

    def __init__(
        self,
        result: Result,
        quantity: Quantity,
        rows: NDArray[np.object_],
        *,
        by_draws: bool = False,
    ) -> None:
        self._result, self._quantity, self._rows = result, quantity, rows
        self._by_draws = by_draws
        self._leaf = result.table.leaf
        self._labels: tuple[Any, ...] = self._leaf.classes
        if isinstance(quantity, Survival | CumulativeHazard):
            self._labels = quantity.times
        self._kind: Kind = "estimate" if result.trees_found is None else "found"

    def _kind_of(self, trees: WeightedDraws | None) -> Kind:
        """What a mean is, over trees or, without them, over all."""
        return self._result.kind_of_sums if trees is None else self._kind

    def quantity(self, n: int, rng: np.random.Generator) -> RowQuantity:
        """By `n` draws, or those of a sampler, and means by sums where they tell."""
        drawn, trees, weights = self._draws(n, rng)
        draws = leaf_draws(self._result, drawn, trees, self._rows)
        rows = self._handed(draws.of(rng, self._quantity.of_draws))
        found, mean, mean_of_average = self._mean_by_row(drawn, draws), None, None
        if found is not None:
            own = self._handed(found[0])
            mean = Figure.mean_of(own, found[1], self._kind_of(found[1]))
            mean_of_average = Figure.mean_of(_over_rows(own), found[1], self._kind_of(found[1]))
        average, lacking = _over_rows(rows), self._ends_without_variance(draws).any(axis=0)
        return RowQuantity(
            rows,
            weights,
            mean,
            self._drawn_variance(rows, weights, lacking),
            of=self._quantity.name,
            labels=self._labels,
            average=Uncertain(
                average,
                weights,
                mean_of_average,
                self._drawn_variance(average, weights, lacking.any()),
            ),
            n_draws=len(trees),
        )

    def _handed(self, values: Numbers) -> Numbers:
        """Numbers (..., D), handed out."""
        return values if self._labels else values[..., 0]

    def _draws(
        self, n: int, rng: np.random.Generator
    ) -> tuple[DrawnTrees, NDArray[np.int64], WeightedDraws]:
        """Distinct trees, the tree of each draw, and how draws count. Draws of a sampler are its
        own, as they are; of an engine that sums, or finds some trees, they are `n` new ones."""
        own = self._result.monte_carlo
        if own is not None:
            trees = np.concatenate(own.chains)
            ends = np.cumsum([len(chain) for chain in own.chains])[:-1]
            places = np.split(np.arange(len(trees)), ends)
            return own, trees, WeightedDraws(len(trees), places, own.log_weights, own.out_of_time)
        drawn, trees = self._result.averages.draws_of_trees(n, rng)
        # One island for each draw: then their errors need no effective draws. Trees that were found
        # are no draws, which have an error.
        alone = [np.arange(n)] if self._kind == "found" else np.split(np.arange(n), n)
        return drawn, trees, WeightedDraws(n, alone, [np.zeros(len(own)) for own in alone])

    def _drawn_variance(
        self, values: Numbers, weights: WeightedDraws, lacking: NDArray[np.bool_] | np.bool_
    ) -> Figure:
        """That of draws (T, ...), with its error; inf, without an error, where there is none:
        `lacking`, of rows (m,) or of their average."""
        with np.errstate(invalid="ignore", over="ignore"):  # of draws beyond the largest number
            squares = (values - weights.mean(values)) ** 2
            n = max(len(values), 2)
            variance = weights.mean(squares) * n / (n - 1)
            error = weights.error(squares)
        none = np.reshape(lacking, lacking.shape + (1,) * (variance.ndim - lacking.ndim))
        return Figure(np.where(none, np.inf, variance), np.where(none, np.nan, error), self._kind)

    def _ends_without_variance(self, draws: LeafDraws) -> NDArray[np.bool_]:
        """Whether the quantity has no variance in the leaf of each row of each tree that was drawn,
        shape (T, m)."""
        S = draws.reached.statistics
        has = self._quantity.has_variance(
            self._leaf, S if draws.knows else self._leaf.without_rows(S)
        )
        return draws.reached.ends_in(~has, np.unique(draws.trees))

    # --- what leaves tell ----------------------------------------------------------------------

    def _mean_by_row(
        self, drawn: DrawnTrees, draws: LeafDraws
    ) -> tuple[Numbers, WeightedDraws | None] | None:
        """Means of rows over all trees, (1, m, D), and None; or where these are not summed, those
        of each of the U trees drawn, (U, m, D), and how trees count. None of what has no mean."""
        every = self._mean_in(draws.reached.statistics)
        if every is None:
            return None

        def summed(averages: TreeAverages) -> Numbers | None:
            if isinstance(averages, WeightedDraws):
                return None
            told = []
            for mixture in averages.leaf_mixtures(self._rows):
                own = self._mean_in(mixture.statistics)
                assert own is not None
                told.append(mixture.probability @ own)
            values = np.reshape(told, (len(self._rows), every.shape[1]))
            return of_rows(values, draws.design)

        found = None if self._by_draws else self._result.of_new_rows(summed, self._rows)
        if found is not None:
            return found[None], None
        return draws.reached.by_tree(every, draws.design), drawn

    def _mean_in(self, S: Numbers) -> Numbers | None:
        """The mean of the quantity in leaves."""
        if not self._result.leaves_know:
            S = self._leaf.without_rows(S)
        return self._quantity.mean(self._leaf, S)


class Contrasting(OfRows):
    """A quantity of new rows less that of others, as many."""

    def __init__(
        self,
        result: Result,
        quantity: Quantity,
        ones: NDArray[np.object_],
        zeros: NDArray[np.object_],
    ) -> None:
        super().__init__(result, quantity, np.concatenate([ones, zeros]))
        self._ones, self._zeros = ones, zeros

    def contrast(self, n: int, rng: np.random.Generator) -> Contrast:
        """By `n` draws, or those of a sampler, and by sums where they tell."""
        drawn, trees, weights = self._draws(n, rng)
        draws = leaf_draws(self._result, drawn, trees, self._rows)
        rows = self._parted(draws.of(rng, self._quantity.of_draws))
        averages = _over_rows(rows[0]), _over_rows(rows[1])
        means, means_of_averages = self._means(drawn, draws)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio_of_averages = Ratio(averages[0] / averages[1], weights, means_of_averages, None)
            ratio = Ratio(rows[0] / rows[1], weights, means, ratio_of_averages)
        apart, average = rows[0] - rows[1], averages[0] - averages[1]
        lacking, variance = self._lacking(draws, apart), self._summed_variance()
        if variance is None:
            variance = self._drawn_variance(apart, weights, lacking)
        lacking |= _of_rows(np.isinf(variance.value))
        return Contrast(
            apart,
            weights,
            None if means is None else means.difference,
            variance,
            of=self._quantity.name,
            labels=self._labels,
            average=Uncertain(
                average,
                weights,
                None if means_of_averages is None else means_of_averages.difference,
                self._drawn_variance(average, weights, lacking.any()),
            ),
            ratio=ratio,
            n_draws=len(trees),
        )

    def _parted(self, values: Numbers) -> tuple[Numbers, Numbers]:
        """Numbers (T, 2 m, D) as those of `ones` and of `zeros`, handed out."""
        own = self._handed(values)
        return own[:, : len(self._ones)], own[:, len(self._ones) :]

    def _lacking(self, draws: LeafDraws, apart: Numbers) -> NDArray[np.bool_]:
        """Whether some tree that was drawn gives the difference of a pair no variance, shape (m,):
        rows in one leaf have none to differ by."""
        ends, m = self._ends_without_variance(draws), len(self._ones)
        lacking = ends[:, :m] | ends[:, m:]
        if draws.reached.leaves is not None:
            leaves = draws.reached.leaves[np.unique(draws.trees)]
            lacking &= leaves[:, :m] != leaves[:, m:]
        return np.asarray(lacking.any(axis=0) & _of_rows((apart != 0).any(axis=0)))

    def _means(
        self, drawn: DrawnTrees, draws: LeafDraws
    ) -> tuple[Means, Means] | tuple[None, None]:
        """Means by row, and averaged over rows; None of what has no mean."""
        found = self._mean_by_row(drawn, draws)
        if found is None:
            return None, None
        one, zero = self._parted(found[0])
        kind = self._kind_of(found[1])
        return Means.of(one, zero, found[1], kind), Means.of(
            _over_rows(one), _over_rows(zero), found[1], kind
        )

    def _summed_variance(self) -> Figure | None:
        """The variance by row over all trees, where an engine sums it; else None."""
        one_leaf = np.zeros((1, self._leaf.n_statistics))
        if self._quantity.spread(self._leaf, one_leaf) is None:
            return None
        numbers = not self._leaf.classes and isinstance(self._quantity, Mean)
        centre = self._leaf.ref if numbers else 0.0
        moments = LeafMoments(self._leaf, self._quantity, centre, self._result.leaves_know)
        found = self._result.averages.differences(self._ones, self._zeros, moments)
        if found is None:
            return None
        mean, square = found
        with np.errstate(invalid="ignore"):
            variance = np.where(np.isfinite(square), np.maximum(square - mean**2, 0.0), np.inf)
        own = variance if self._labels else variance[..., 0]
        return Figure(own, np.zeros_like(own), self._result.kind_of_sums)


def _over_rows(values: Numbers) -> Numbers:
    """The mean over rows, (T, m, ...) to (T, ...); NaN without rows."""
    if not values.shape[1]:
        return np.full((len(values), *values.shape[2:]), np.nan)
    return np.asarray(values.mean(axis=1))


def _of_rows(found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether any number of a row is one that was found, (m, ...) to (m,)."""
    return np.asarray(found.any(axis=tuple(range(1, found.ndim))))
