"""Results over sums of trees: averages over draws, each of which is a function of a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import UsageError
from slp.late import late_import
from slp.messages.sums import NOT_OF_SUMS
from slp.problem.new_rows import table_as_numbers
from slp.problem.sum_arrays import SumArrays
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.functions import DrawnFunctions, normal_statistics
from slp.results.averages.left_out import HeldRows
from slp.results.averages.proximity import Proximity

#: Rows of the table of which diagnostics look at predictions.
_ROWS_LOOKED_AT = 64


class SummedTrees(DrawnFunctions):
    """Averages over draws of sums of trees."""

    @property
    def sums(self) -> SumArrays:
        """The draws."""
        sums = self.trees.trees
        assert isinstance(sums, SumArrays)
        return sums

    def _shapes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """See `DrawnTrees`: of all trees of a draw, the depth of the deepest."""
        self.n_summed = self.sums.n_trees
        return self.sums.shapes()

    def _values(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `DrawnFunctions`."""
        fits = self.sums.fits(numbers, self._threads)
        if not self.table.leaf.classes:
            return fits
        ndtr = late_import("scipy.special").ndtr
        return np.stack([ndtr(-fits), ndtr(fits)], axis=-1)

    def _statistics_of_rows(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `DrawnFunctions`."""
        values = self._values(numbers)
        if self.table.leaf.classes:
            return values
        return normal_statistics(values - self.table.leaf.ref, self.sums.variance)

    def table_predictions(self) -> NDArray[np.float64]:
        """See `DrawnTrees`: of some rows."""
        n = len(self.table.counts)
        some = np.unique(np.linspace(0, n - 1, min(n, _ROWS_LOOKED_AT)).astype(np.int64))
        return self._values(table_as_numbers(self.table, some))

    def log_given_others(self, held: HeldRows) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """See `DrawnTrees`. Given its sum a row depends on no other."""
        if not self.table.leaf.classes:
            yield from self._log_normal_given_others(held, self.sums.variance)
            return
        for a in range(0, len(held.row), self.rows_at_a_time):
            own = slice(a, a + self.rows_at_a_time)
            shares = self._values(table_as_numbers(self.table, held.row[own]))
            counts = held.statistics[held.kind[own]]
            with np.errstate(divide="ignore"):
                logs = np.where(counts > 0, np.log(shares), 0.0)
            yield a, (counts * logs).sum(axis=-1)

    @property
    def _roots(self) -> NDArray[np.float64]:
        """See `DrawnTrees`: a sum has no root."""
        raise UsageError(NOT_OF_SUMS(what="the feature of the first split"))

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """See `TreeAverages`: refused."""
        raise UsageError(NOT_OF_SUMS(what="which features a row is asked on its path"))

    def proximity(self, rows: Any) -> Proximity:
        """See `TreeAverages`: refused."""
        raise UsageError(NOT_OF_SUMS(what="whether two rows end in one leaf"))
