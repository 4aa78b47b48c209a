"""What a `Posterior` says of new rows by draws: draws themselves, quantities, contrasts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.errors import UsageError
from slp.leaves import label_array
from slp.messages.results import ROWS_DIFFER, UNKNOWN_KIND_OF_DRAW
from slp.results.averages.quantities import Mean
from slp.results.contrasts import Contrast, RowQuantity
from slp.results.differences import Contrasting, OfRows, leaf_draws, quantity_of
from slp.results.distributions import Distributions
from slp.runner.options import check_count, fresh_seed

#: The most that a count is as an integer.
_MOST_WHOLE = 2.0**53


class Predictive(Distributions):
    """The part of `slp.Posterior` that draws what is to be expected of new rows. Of a prior leaves
    know no outcomes."""

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

        Trees are independent draws, or, of a sampler, drawn from its draws with replacement, or
        the trees found alone (W553).
        Durations are not censored, and their mean is that given the drawn rates. Counts are those
        in one unit of exposure. Of a row that goes down both sides of a split the mean is averaged,
        and an outcome comes from one side. W552: the prior of the leaves has seen the response.

        Raises
        ------
        UsageError
            `n` or `seed` is no whole number from 0 up (E505); no such `kind` (E556).
        DataError
            `X` lacks a column, or a value; E443: a registered leaf model has no draws.
        BudgetError
            The draws do not fit into the memory (E501).
        """
        if kind not in ("mean", "outcome"):
            raise UsageError(UNKNOWN_KIND_OF_DRAW(kind=kind))
        check_count("n", n)
        return self._draws_of_rows(self.table.new_rows(X), kind, n, seed)

    def _draws_of_rows(
        self,
        rows: NDArray[np.object_],
        kind: Literal["mean", "outcome"],
        n: int,
        seed: int | None,
    ) -> NDArray[Any]:
        """As `predict_draws`, of rows as `Table.new_rows` has them."""
        rng, leaf = _generator(seed), self.table.leaf
        self._result.say_what_prior_knows()
        self._result.say_found()
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

    def quantity(
        self,
        X: Any,
        of: str | None = None,
        *,
        times: Sequence[float] | None = None,
        horizon: float | None = None,
        n: int = 2000,
        seed: int | None = None,
    ) -> RowQuantity:
        """A quantity of each row with its uncertainty, a `slp.RowQuantity`: mean, intervals and
        probabilities, row by row, and averaged over rows (`average`).

        `of` and its options are those of `contrast`. Both the tree and the parameters of its leaves
        are unknown; intervals are over both. Means are exact where the engine sums over all trees;
        all else is from draws, as of `contrast`.

        Raises
        ------
        UsageError
            E556: the response has no such quantity. E505: `n` is no whole number from 2 up, `seed`
            none from 0 up.
        DataError
            `X` lacks a column, or a value; E443: a registered leaf model has no draws.
        BudgetError
            The draws do not fit into the memory (E501).
        """
        check_count("n", n, least=2)
        rng = _generator(seed)
        quantity = quantity_of(self._result, of, times, horizon)
        rows = self.table.new_rows(X)
        self._result.say_what_prior_knows()
        return OfRows(self._result, quantity, rows).quantity(n, rng)

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
        `"median"` (the default), `"mean"`, `"survival"` or `"cumulative_hazard"` at the `times`, or
        `"restricted_mean"` up to the `horizon`. The quantity of a row is a function of the tree and
        the parameters of its leaf, both unknown. Means, and variances by row, are exact where the
        engine sums over all trees and a leaf has them in closed form; all else is from draws, `n`
        independent ones, or those of a sampler. Each number says which: see docs/contrasts.md.

        Raises
        ------
        UsageError
            E556: the response has no such quantity, or the rows differ in number. E505: `n` is no
            whole number from 2 up, `seed` none from 0 up.
        DataError
            `X1` or `X0` lacks a column, or a value; E443: a registered leaf model has no draws.
        BudgetError
            The draws do not fit into the memory (E501).
        """
        check_count("n", n, least=2)
        rng = _generator(seed)
        quantity = quantity_of(self._result, of, times, horizon)
        ones, zeros = self.table.new_rows(X1), self.table.new_rows(X0)
        if len(zeros) == 1 != len(ones):
            zeros = np.repeat(zeros, len(ones), axis=0)
        if len(ones) != len(zeros):
            raise UsageError(ROWS_DIFFER(ones=len(ones), zeros=len(zeros)))
        self._result.say_what_prior_knows()
        return Contrasting(self._result, quantity, ones, zeros).contrast(n, rng)


def _generator(seed: int | None) -> np.random.Generator:
    if seed is not None:
        check_count("seed", seed, most=math.inf)
    return np.random.default_rng(fresh_seed() if seed is None else seed)
