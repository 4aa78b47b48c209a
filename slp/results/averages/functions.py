"""Averages over draws that are functions of a row, each with a distribution of its own for it: soft
trees of numbers, and sums of trees. No leaf has rows of the table that others have not."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from slp.problem.new_rows import table_as_numbers
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.left_out import HeldRows
from slp.results.averages.quantiles import LeafMixture
from slp.results.averages.reached import Reached


class DrawnFunctions(DrawnTrees):
    """See the module."""

    hard = False

    @abstractmethod
    def _values(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each draw predicts of rows (m, d): class probabilities, shape (U, m, C), or means,
        shape (U, m)."""

    @abstractmethod
    def _statistics_of_rows(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The statistics by which the leaf model has each draw's distribution of rows, shape (U, m,
        k)."""

    def _some(self, rows: NDArray[np.object_]) -> Iterator[NDArray[np.float64]]:
        """New rows as numbers, some at a time."""
        return self._pieces(rows)

    def predictions(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """See `TreeAverages`."""
        found = [self.mean(values) for values in self.predictions_by_tree(rows)]
        return np.concatenate(found).reshape(len(rows), -1)

    def predictions_by_tree(self, rows: NDArray[np.object_]) -> Iterator[NDArray[np.float64]]:
        """See `DrawnTrees`."""
        return map(self._values, self._some(rows))

    def predictive_error(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """See `DrawnTrees`."""
        return np.concatenate([self.error(values) for values in self.predictions_by_tree(rows)])

    def table_predictions(self) -> NDArray[np.float64]:
        """See `DrawnTrees`."""
        return self._values(table_as_numbers(self.table, self._some_of_table()))

    def reached(self, rows: NDArray[np.object_]) -> Reached:
        """See `DrawnTrees`: each row has a leaf of its own."""
        pieces = [self._statistics_of_rows(numbers) for numbers in self._some(rows)]
        statistics = np.concatenate(pieces, axis=1)
        flat = statistics.reshape(-1, statistics.shape[-1])
        leaves = np.arange(len(flat), dtype=np.int32).reshape(statistics.shape[:2])
        return Reached(flat, leaves, (), len(rows))

    def leaf_mixtures(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """See `TreeAverages`: the distribution of each draw."""
        for numbers in self._some(rows):
            for own in np.moveaxis(self._statistics_of_rows(numbers), 1, 0):
                yield LeafMixture(self.frequency, own)

    def _log_normal_given_others(
        self, held: HeldRows, variance: NDArray[np.float64]
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """`log_given_others` of numbers, with the variance of each draw (U,). Given its mean and
        its variance, which were drawn, a row depends on no other."""
        for a in range(0, len(held.row), self.rows_at_a_time):
            own = slice(a, a + self.rows_at_a_time)
            means = self._values(table_as_numbers(self.table, held.row[own])) - self.table.leaf.ref
            n, total, squares = held.statistics[held.kind[own]].T
            about = np.maximum(squares - 2 * means * total + n * means**2, 0.0)
            noise = variance[:, None]
            yield a, -0.5 * (n * np.log(2 * np.pi * noise) + about / noise)


def normal_statistics(
    means: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The moments (1, m, m^2 + s2) of normal distributions of rows, shape (U, m, 3), by their means
    (U, m) and the variance of each draw (U,)."""
    return np.stack([np.ones_like(means), means, means**2 + variance[:, None]], axis=-1)
