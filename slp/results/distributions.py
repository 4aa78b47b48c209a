"""What a `Posterior` says of the distribution of outcomes of new rows: mixtures of all leaves that
a row may end in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slp.data.table import Table
from slp.errors import UsageError
from slp.leaves import LeafModel, label_text
from slp.messages.results import (
    NO_ORDER,
    NOT_A_QUANTILE,
    NOT_AN_OUTCOME,
    OUTCOMES_DIFFER,
)
from slp.problem.new_rows import rows_as_numbers
from slp.results.averages.over_trees import TreeAverages
from slp.results.averages.quantiles import LeafMixture, mixture_quantile
from slp.results.averages.quantities import Quantity, Survival
from slp.results.averages.rows_in_leaves import leaves_at
from slp.results.differences import quantity_of
from slp.results.record.result import Result


class Distributions:
    """The part of `slp.Posterior` that says how outcomes of new rows are distributed. Of a prior
    leaves know no outcomes."""

    _result: Result
    table: Table

    def quantile(self, X: Any, q: float | Sequence[float]) -> NDArray[np.float64]:
        """For each row the least outcome y with P(outcome <= y) of at least q, averaged over all
        trees, shape (m,); of several q, (m, len(q)).

        Raises
        ------
        UsageError
            A q is not between 0 and 1 (E508); the response is classes (E556).
        DataError
            `X` lacks a column, or a value.
        """
        self._check_order("quantile")
        levels = np.asarray(q)
        if levels.dtype.kind not in "iuf" or not ((levels > 0) & (levels < 1)).all():
            raise UsageError(NOT_A_QUANTILE(level=q))
        return self._quantiles(self.table.new_rows(X), levels)

    def _quantiles(self, rows: NDArray[np.object_], levels: NDArray[Any]) -> NDArray[np.float64]:
        """As `quantile`, of rows as `Table.new_rows` has them."""
        numbers = rows_as_numbers(self.table, rows)
        first, which = self._result.distinct_rows(numbers)

        def of_row(leaf: LeafModel, mixture: LeafMixture, _: int) -> list[float]:
            return [mixture_quantile(leaf, mixture, float(p)) for p in levels.ravel()]

        found = self._by_mixture(rows[first], of_row)
        return np.reshape(found, (len(first), *levels.shape))[which]

    def density(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """For each row the predictive density of the outcome y, one for all rows or one for each,
        averaged over all trees, shape (m,): of classes the probability of the class, of counts that
        of the count in one unit of exposure.

        Raises
        ------
        UsageError
            E556: y is no class, or has another number of outcomes.
        DataError
            `X` lacks a column, or a value.
        """
        rows = self.table.new_rows(X)
        outcomes = self._given_outcomes(y, len(rows))

        def of_row(leaf: LeafModel, mixture: LeafMixture, i: int) -> float:
            own = np.exp(leaf.log_density(mixture.statistics, outcomes[i]))
            return float(np.dot(mixture.probability, own))

        return np.array(self._by_mixture(rows, of_row), np.float64)

    def cdf(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """For each row P(outcome <= y), y one for all rows or one for each, averaged over all
        trees, shape (m,).

        Raises
        ------
        UsageError
            E556: the response is classes, or y has another number of outcomes.
        DataError
            `X` lacks a column, or a value.
        """
        self._check_order("probability of outcomes up to one")
        rows = self.table.new_rows(X)
        outcomes = self._given_outcomes(y, len(rows))

        def of_row(leaf: LeafModel, mixture: LeafMixture, i: int) -> float:
            return float(np.dot(mixture.probability, leaf.cdf(mixture.statistics, outcomes[i])))

        return np.array(self._by_mixture(rows, of_row), np.float64)

    def survival(self, X: Any, times: Sequence[float]) -> NDArray[np.float64]:
        """For each row P(duration > t) at T times, averaged over all trees, shape (m, T). Minus its
        logarithm is the cumulative hazard of the mixture. `quantity` has intervals.

        Raises
        ------
        UsageError
            E556: the response is no duration; the times are no numbers from 0 up.
        DataError
            `X` lacks a column, or a value.
        """
        of = quantity_of(self._result, "survival", times, None)
        return np.minimum(self._mean_of_mixtures(X, of), 1.0)  # leaves may add up to a bit more

    def restricted_mean(self, X: Any, horizon: float) -> NDArray[np.float64]:
        """For each row the mean of the duration, or of the `horizon` if that is less, averaged over
        all trees, shape (m,). `quantity` has intervals.

        Raises
        ------
        UsageError
            E556: the response is no duration; the horizon is no number above 0.
        DataError
            `X` lacks a column, or a value.
        """
        of = quantity_of(self._result, "restricted_mean", None, horizon)
        return self._mean_of_mixtures(X, of)[:, 0]

    def _mean_of_mixtures(self, X: Any, quantity: Quantity) -> NDArray[np.float64]:
        """The mean of a quantity of durations in the leaves of each row, shape (m, D)."""
        rows = self.table.new_rows(X)
        first, which = self._result.distinct_rows(rows_as_numbers(self.table, rows))

        def of_row(leaf: LeafModel, mixture: LeafMixture, _: int) -> NDArray[np.float64]:
            own = quantity.mean(leaf, mixture.statistics)
            assert own is not None, "only such quantities are asked for"
            return np.asarray(mixture.probability @ own)

        size = len(quantity.times) if isinstance(quantity, Survival) else 1
        told = self._by_mixture(rows[first], of_row)
        return np.reshape(told, (len(first), size))[which]

    def _by_mixture(
        self, rows: NDArray[np.object_], ask: Callable[[LeafModel, LeafMixture, int], Any]
    ) -> list[Any]:
        """What is asked of the leaves that each row (`Table.new_rows`) may end in, by its place."""
        self._result.say_what_prior_knows()
        leaves = list(leaves_at(self.table, rows_as_numbers(self.table, rows)))

        def every(averages: TreeAverages) -> list[Any]:
            each = zip(leaves, averages.leaf_mixtures(rows), strict=True)
            return [ask(leaf, self._known(mixture), i) for i, (leaf, mixture) in enumerate(each)]

        return self._result.of_new_rows(every, rows)

    def _known(self, mixture: LeafMixture) -> LeafMixture:
        """A mixture with what its leaves know."""
        if self._result.leaves_know:
            return mixture
        return LeafMixture(mixture.probability, self.table.leaf.without_rows(mixture.statistics))

    def _given_outcomes(self, y: ArrayLike, m: int) -> NDArray[Any]:
        """Outcomes as a leaf model knows them, one for each of m rows."""
        try:
            given = np.asarray(y)
        except ValueError:  # lists of several lengths
            raise UsageError(OUTCOMES_DIFFER(outcomes=len(list(y)), rows=m)) from None  # type: ignore[arg-type]
        if given.ndim and given.shape != (m,):
            raise UsageError(OUTCOMES_DIFFER(outcomes=len(given), rows=m))
        classes = self.table.leaf.classes
        if classes:
            place = {label_text(label): i for i, label in enumerate(classes)}
            texts = [label_text(value) for value in given.ravel().tolist()]
            for text in texts:
                if text not in place:
                    known = ", ".join(place)
                    response = self.table.response
                    raise UsageError(NOT_AN_OUTCOME(value=text, response=response, known=known))
            given = np.array([place[text] for text in texts], np.int64).reshape(given.shape)
        elif given.dtype.kind not in "iufb":
            bad = given.ravel()[0]
            numbers = "numbers"
            raise UsageError(NOT_AN_OUTCOME(value=bad, response=self.table.response, known=numbers))
        else:
            given = given.astype(np.float64)
        return np.broadcast_to(given, (m,))

    def _check_order(self, what: str) -> None:
        if self.table.leaf.classes:
            raise UsageError(NO_ORDER(response=self.table.response, what=what))
