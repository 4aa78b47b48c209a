"""What a `Posterior` says of outcomes of new rows: draws, contrasts, quantiles, densities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slp.data.table import Table
from slp.errors import UsageError, warn
from slp.leaves import LeafModel, label_array, label_text
from slp.messages.results import (
    NO_ORDER,
    NOT_A_QUANTILE,
    NOT_AN_OUTCOME,
    OUTCOMES_DIFFER,
    PRIOR_HAS_SEEN,
    ROWS_DIFFER,
    UNKNOWN_KIND_OF_DRAW,
)
from slp.problem.new_rows import rows_as_numbers
from slp.results.averages.over_trees import TreeAverages
from slp.results.averages.quantiles import LeafMixture, mixture_quantile
from slp.results.averages.quantities import Mean
from slp.results.averages.rows_in_leaves import leaves_at
from slp.results.contrasts import Contrast
from slp.results.differences import Contrasting, leaf_draws, quantity_of
from slp.results.record.result import Result
from slp.runner.options import check_count, fresh_seed

#: The most that a count is as an integer.
_MOST_WHOLE = 2.0**53


class Predictive:
    """The part of `slp.Posterior` that says what is to be expected of new rows. Of a prior leaves
    know no outcomes."""

    _result: Result
    table: Table

    def predict_draws(
        self,
        X: Any,
        kind: Literal["mean", "outcome"] = "mean",
        n: int = 1000,
        seed: int | None = None,
    ) -> NDArray[Any]:
        """`n` draws of what new rows have: of its mean, shape (n, m), of classes their
        probabilities, (n, m, C); or, with `kind="outcome"`, of an outcome in the response's own
        type, (n, m). A draw has one tree for all rows, and rows that end in one leaf share its
        parameters, which are drawn too. Of a prior it is the prior predictive.

        Trees are independent draws, or, of a sampler, drawn from its draws with replacement.
        Durations are not censored, and their mean is that given the drawn rates. Counts are those
        in one unit of exposure. Of a row that goes down both sides of a split the mean is averaged,
        and an outcome comes from one side. W552: the prior of the leaves has seen the response.

        Raises
        ------
        UsageError
            `n` or `seed` is no whole number from 0 up (E505); no such `kind` (E556).
        DataError
            `X` lacks a column, or a value; E443: a registered leaf model has no draws.
        """
        if kind not in ("mean", "outcome"):
            raise UsageError(UNKNOWN_KIND_OF_DRAW(kind=kind))
        check_count("n", n)
        rng, rows, leaf = _generator(seed), self.table.new_rows(X), self.table.leaf
        self._say_what_prior_knows()
        means = kind == "mean" and bool(leaf.classes)
        shape = (n, len(rows), len(leaf.classes)) if means else (n, len(rows))
        if 0 in shape:
            return np.zeros(shape, np.float64 if kind == "mean" else self._outcomes(None).dtype)
        drawn, trees = self._result.averages.draws_of_trees(n, rng)
        draws = leaf_draws(self._result, drawn, trees, rows)
        if kind == "mean":
            return draws.of(rng, Mean().of_draws).reshape(shape)
        return self._outcomes(draws.of(rng, lambda own: own.outcomes(rng)))

    def _outcomes(self, drawn: NDArray[Any] | None) -> NDArray[Any]:
        """Outcomes as leaf models draw them, in the response's own type; None: an empty array."""
        leaf = self.table.leaf
        own = np.zeros(0, np.int64 if leaf.classes else np.float64) if drawn is None else drawn
        if leaf.classes:
            return np.asarray(label_array(leaf.classes)[own])
        if leaf.responses == "counts" and (own <= _MOST_WHOLE).all():
            return own.astype(np.int64)
        return own

    def contrast(
        self,
        X1: Any,
        X0: Any,
        of: str | None = None,
        *,
        times: Sequence[float] | None = None,
        horizon: float | None = None,
        n: int = 2000,
        seed: int | None = None,
    ) -> Contrast:
        """How much a quantity of the rows of `X1` exceeds that of the rows of `X0`, a
        `slp.Contrast`: row by row, and averaged over rows (`average`), with ratios (`ratio`). `X0`
        may have one row for all.

        `of` is the mean of numbers and counts, `"probability"` of each class, and of durations
        `"median"` (the default), `"mean"`, `"survival"` at the `times`, or `"restricted_mean"` up
        to the `horizon`. The quantity of a row is a function of the tree and the parameters of its
        leaf, both unknown. Means, and variances by row, are exact where the engine sums over all
        trees and a leaf has them in closed form; all else is from draws, `n` independent ones, or
        those of a sampler. Each number says which: see docs/contrasts.md.

        Raises
        ------
        UsageError
            E556: the response has no such quantity, or the rows differ in number. E505: `n` is no
            whole number from 2 up, `seed` none from 0 up.
        DataError
            `X1` or `X0` lacks a column, or a value; E443: a registered leaf model has no draws.
        """
        check_count("n", n, least=2)
        rng = _generator(seed)
        quantity = quantity_of(self._result, of, times, horizon)
        ones, zeros = self.table.new_rows(X1), self.table.new_rows(X0)
        if len(zeros) == 1 != len(ones):
            zeros = np.repeat(zeros, len(ones), axis=0)
        if len(ones) != len(zeros):
            raise UsageError(ROWS_DIFFER(ones=len(ones), zeros=len(zeros)))
        self._say_what_prior_knows()
        return Contrasting(self._result, quantity, ones, zeros).contrast(n, rng)

    # --- distributions -------------------------------------------------------------------------

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
        rows = self.table.new_rows(X)
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

    def _by_mixture(
        self, rows: NDArray[np.object_], ask: Callable[[LeafModel, LeafMixture, int], Any]
    ) -> list[Any]:
        """What is asked of the leaves that each row (`Table.new_rows`) may end in, by its place."""
        self._say_what_prior_knows()
        leaves = list(leaves_at(self.table, rows_as_numbers(self.table, rows)))

        def every(averages: TreeAverages) -> list[Any]:
            each = zip(leaves, averages.leaf_mixtures(rows), strict=True)
            return [ask(leaf, self._known(mixture), i) for i, (leaf, mixture) in enumerate(each)]

        return self._result.of_new_rows(every, rows)

    def _known(self, mixture: LeafMixture) -> LeafMixture:
        """A mixture with what its leaves know."""
        if self._result.leaves_know:
            return mixture
        return LeafMixture(mixture.probability, np.zeros_like(mixture.statistics))

    def _given_outcomes(self, y: ArrayLike, m: int) -> NDArray[Any]:
        """Outcomes as a leaf model knows them, one for each of m rows."""
        given = np.asarray(y)
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

    def _say_what_prior_knows(self) -> None:
        """W552, of a prior whose leaves have numbers that were taken from the response."""
        if not self._result.likelihood and self.table.leaf.of_response:
            warn(PRIOR_HAS_SEEN())


def _generator(seed: int | None) -> np.random.Generator:
    if seed is not None:
        check_count("seed", seed, most=math.inf)
    return np.random.default_rng(fresh_seed() if seed is None else seed)
