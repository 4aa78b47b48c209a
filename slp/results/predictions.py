"""What a `Posterior` says of new rows: probabilities, means, intervals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import UsageError
from slp.leaves import decided, label_array
from slp.messages.results import NO_CLASS_PROBABILITIES, NO_MEAN, NOT_A_LEVEL
from slp.problem.new_rows import rows_as_numbers
from slp.results.averages.drawn_trees import error_of_prior
from slp.results.averages.over_trees import TreeAverages, average_predictions
from slp.results.averages.quantiles import LeafMixture, class_quantile, mixture_quantile
from slp.results.averages.rows_in_leaves import leaves_at
from slp.results.decisions import Decisions, decisions_of
from slp.results.record.result import Result


class Predictions:
    """The part of `slp.Posterior` that predicts new rows. Leaves of a prior know no outcomes, so a
    prior predicts the same of every row (W552 where its leaves have seen the response)."""

    _result: Result
    table: Table

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities of new rows, averaged over all trees, shape (m, C), with classes in
        the order of `table.leaf.classes`. Under `exact` they are correct within 1e-11, because
        paths of negligible probability are not followed.

        Raises
        ------
        UsageError
            The response is numeric (E506).
        DataError
            `X` lacks a column, or a value.
        """
        if not self.table.leaf.classes:
            raise UsageError(NO_CLASS_PROBABILITIES())
        return self._predictions(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """For each row, the most probable class (on a tie the first) in the type that it has in the
        table (bool, int64, float64 or str), or the predictive mean; shape (m,). Where the program
        declares losses, it is the class of least expected loss (`decide`). Of durations it is the
        predictive median, of the mixture over all trees, because their mean may be infinite.

        Raises
        ------
        UsageError
            The row can reach a leaf without a mean; of draws a leaf of one drawn (E527).
        DataError
            `X` lacks a column, or a value.
        """
        leaf = self.table.leaf
        if leaf.classes:
            best = decided(self.predict_proba(X), leaf.loss)
            return np.asarray(label_array(leaf.classes)[best])
        return self._predicted(self.table.new_rows(X))[:, 0]

    def _check_means(self, rows: NDArray[np.object_], found: NDArray[np.float64]) -> None:
        """Raise E527 if one of these means (m,) is that of a leaf without a mean."""
        missing = ~np.isfinite(found)
        needs = self.table.leaf.mean_needs
        if needs >= 0 and not self._result.leaves_know:
            missing[:] = True
        elif needs >= 0 and self.table.weighted == "real":  # else all leaves have enough rows

            def lacking(averages: TreeAverages) -> list[bool]:
                return [
                    bool((m.statistics[m.probability > 0, 0] <= needs).any())
                    for m in averages.leaf_mixtures(rows)
                ]

            missing |= np.array(self._result.of_new_rows(lacking, rows), bool)
        if missing.any():
            raise UsageError(NO_MEAN(row=int(np.argmax(missing)) + 1))

    def _predictions(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, shape (m, C), or means or medians, shape (m, 1)."""
        return self._by_leaves(self.table.new_rows(X))

    def _predicted(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """Class probabilities, shape (m, C), or means or medians, shape (m, 1), of rows as
        `Table.new_rows` has them. Raises UsageError E527 for a mean that is none."""
        found = self._by_leaves(rows)
        if not self.table.leaf.classes and self.table.leaf.point == "mean":
            self._check_means(rows, found[:, 0])
        return found

    def _by_leaves(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        if not self._result.leaves_know:
            return average_predictions(self.table, rows, self._of_prior(rows))
        return self._result.of_new_rows(lambda averages: averages.predictions(rows), rows)

    def _of_prior(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """The leaves that each row may end in under a prior: those of one prior say the same."""
        self._result.say_what_prior_knows()
        leaf = self.table.leaf
        if not leaf.in_boxes:
            return repeat(LeafMixture(np.ones(1), np.zeros((1, leaf.n_statistics))), len(rows))
        told = self._result.of_new_rows(lambda averages: list(averages.leaf_mixtures(rows)), rows)
        return (LeafMixture(m.probability, leaf.without_rows(m.statistics)) for m in told)

    def decide(self, X: Any, loss: Any = None) -> Decisions:
        """For each row the class of least posterior expected loss: `Decisions` with `decision`,
        `expected_loss`, `error`, `margin`, `tied` and more.

        `loss` is a mapping from pairs (truth, said) to what it costs to say a class where another
        one is true, others 1, right 0; or all of them, a matrix (C, C) with a row for each true
        class and a column for each class that may be said, in the order of `table.leaf.classes`.
        Without it the losses are those that the program declares, or 1 for each wrong class.

        Raises
        ------
        UsageError
            E564: the response is numeric, or the losses do not fit its classes.
        DataError
            `X` lacks a column, or a value.
        """
        return decisions_of(self, X, loss)

    def predict_interval(self, X: Any, level: float = 0.9) -> NDArray[np.float64]:
        """Equal-tailed intervals over all trees: of a numeric response the predictive interval,
        shape (m, 2); of classes the credible interval of each class's probability, shape (m, C, 2).

        The ends are the quantiles (1 - level) / 2 and (1 + level) / 2 of the mixture of all leaves
        that the row may end in, the least value whose distribution function reaches them: of the
        leaves' predictives, or, for class c, of Beta(a_c + n_c, A + n - a_c - n_c) in a leaf with n
        rows, n_c of them of the class. So it says what the data leave open of a probability, of
        which `predict_proba` is the mean; `predict_error` is another matter: the error of a
        sampler.

        Raises
        ------
        UsageError
            `level` is not between 0 and 1 (E508).
        DataError
            `X` lacks a column, or a value.
        """
        leaf = self.table.leaf
        if not isinstance(level, int | float | np.number) or not 0 < level < 1:
            raise UsageError(NOT_A_LEVEL(level=level))
        tails = ((1 - level) / 2, (1 + level) / 2)
        rows = self.table.new_rows(X)
        numbers = rows_as_numbers(self.table, rows)
        first, which = self._result.distinct_rows(numbers)

        def ends(averages: TreeAverages) -> list[list[float]]:
            mixtures = averages.leaf_mixtures(rows[first])
            if not self._result.leaves_know:
                mixtures = self._of_prior(rows[first])
            if not leaf.classes:
                each = zip(leaves_at(self.table, numbers[first]), mixtures, strict=True)
                return [[mixture_quantile(own, m, q) for q in tails] for own, m in each]
            classes = range(len(leaf.classes))
            return [
                [class_quantile(leaf, m, c, q) for c in classes for q in tails] for m in mixtures
            ]

        found = np.array(self._result.of_new_rows(ends, rows), np.float64)
        return found.reshape(len(first), *([len(leaf.classes)] if leaf.classes else []), 2)[which]

    def predict_error(self, X: Any) -> NDArray[np.float64]:
        """Monte Carlo standard error of each value of `predict_proba`, shape (m, C), or of each
        predicted mean or median, shape (m,); 0 if they are exact, NaN if there are too few draws to
        tell.

        Raises
        ------
        DataError
            `X` lacks a column, or a value.
        """
        rows = self.table.new_rows(X)
        found = self._result.error_of_new_rows(rows) if self._result.leaves_know else None
        leaf = self.table.leaf
        if found is None and leaf.in_boxes:
            found = self._result.of_new_rows(lambda averages: error_of_prior(averages, rows), rows)
        if found is not None:
            return found if leaf.classes else found.reshape(len(rows))
        return np.zeros((len(rows), len(leaf.classes)) if leaf.classes else len(rows))
