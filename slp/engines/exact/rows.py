"""What the exact distribution says of new rows, and of pairs of them: descents of the core from the
root, all rows together down the items that they may visit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.engines.exact.pairs import pair_differences, untold_told
from slp.engines.exact.passes import Keep, Passes
from slp.problem.new_rows import distinct_rows, rows_as_numbers
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.over_trees import average_predictions
from slp.results.averages.proximity import Proximity
from slp.results.averages.quantiles import LeafMixture
from slp.results.averages.rows_in_leaves import design_of_rows, of_rows

if TYPE_CHECKING:
    from slp.results.averages.quantities import LeafMoments

#: New rows whose leaves are held together.
_ROWS_AT_ONCE = 256


class SumsOfRows:
    """The part of `slp.engines.exact.distribution.CompiledChart` that follows rows."""

    table: Table
    likelihood: bool
    passes: Passes

    def seconds_of_new_rows(self, rows: NDArray[np.object_]) -> float:
        """See `TreeDistribution`; it takes the pass for the totals, which predictions need too."""
        numbers = rows_as_numbers(self.table, rows)
        first, _ = distinct_rows(self.table, numbers)
        total = self.passes.get("total", self.likelihood, _keep_for(numbers))
        return float(self.passes.engine.seconds_of_new_rows(total, numbers[first]))

    def predictions(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """For each new row the class probabilities, shape (m, C), or the predictive mean, shape
        (m, 1); within 1e-11, rounding apart."""
        leaf = self.table.leaf
        if not leaf.predicted_in_core:
            return average_predictions(self.table, rows, self.leaf_mixtures(rows))
        numbers = rows_as_numbers(self.table, rows)
        first, which = distinct_rows(self.table, numbers)
        found = self._descend("predicting", self.passes.engine.predict_rows, numbers[first])
        width = len(leaf.classes) or 1 + len(leaf.regressors)
        out = np.asarray(found).reshape(len(first), width)[which]
        out[:, 0] += leaf.ref
        return of_rows(out, design_of_rows(self.table, numbers))

    def leaf_mixtures(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """For each new row, the leaves that it may end in; rows on the same side of every cut are
        computed once."""
        numbers = rows_as_numbers(self.table, rows)
        first, which = distinct_rows(self.table, numbers)
        for a in range(0, len(rows), _ROWS_AT_ONCE):
            here, place = np.unique(which[a : a + _ROWS_AT_ONCE], return_inverse=True)
            found = self._leaves_reached(numbers[first[here]])
            yield from (found[i] for i in place)

    def _leaves_reached(self, numbers: NDArray[np.float64]) -> list[LeafMixture]:
        reached = self.passes.engine.leaves_reached
        found = self._descend("following new rows into leaves", reached, numbers)
        k = self.table.leaf.n_statistics
        return [LeafMixture(mass, statistics.reshape(-1, k)) for mass, statistics in found]

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """See `TreeAverages`; within 1e-11, rounding apart."""
        engine, d = self.passes.engine, len(self.table.features)
        if rows is None:
            found = self.passes.descend(
                "following the table's rows",
                self.likelihood,
                lambda total, memory, _, report: engine.features_asked_of_table(
                    total, memory, report
                ),
                "items",
            )
            asked, tests = (np.asarray(own).reshape(1, d) for own in found)
            return FeaturesAsked.exact(asked, tests, prices)
        numbers = rows_as_numbers(self.table, rows)
        first, which = distinct_rows(self.table, numbers)
        found = self._descent(
            "following the features asked of new rows",
            lambda total, memory, _, report: engine.features_asked(
                total, numbers[first], memory, report
            ),
            "items",
        )
        asked, tests = (np.asarray(own).reshape(len(first), d)[which] for own in found)
        return FeaturesAsked.exact(asked, tests, prices)

    def proximity(self, rows: NDArray[np.object_]) -> Proximity | None:
        """See `TreeAverages`; within 1e-11, rounding apart."""
        numbers = rows_as_numbers(self.table, rows)
        shared, parted = self._descent(
            "following pairs of new rows",
            lambda total, memory, _, report: self.passes.engine.proximity(
                total, numbers, memory, report
            ),
            "items",
        )
        if parted:
            return None
        return Proximity.exact(np.asarray(shared).reshape(len(rows), len(rows)))

    def seconds_of_features(self, rows: NDArray[np.object_] | None) -> float:
        """See `TreeDistribution`; it takes the pass for the totals."""
        total = self.passes.get("total", self.likelihood, "blocks")
        if rows is None:
            return float(self.passes.engine.seconds_of_features(total, 0))
        first, _ = distinct_rows(self.table, rows_as_numbers(self.table, rows))
        return float(self.passes.engine.seconds_of_features(total, len(first)))

    def seconds_of_pairs(self, ones: NDArray[np.object_], zeros: NDArray[np.object_]) -> float:
        """See `TreeDistribution`."""
        first, _ = self._distinct_pairs(ones, zeros)
        total = self.passes.get("total", self.likelihood, "items")
        return float(self.passes.engine.seconds_of_pairs(total, len(first)))

    def differences(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_], moments: LeafMoments
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `TreeDistribution`; within 1e-11 of the range of what is predicted."""
        first, which = self._distinct_pairs(ones, zeros)
        one, zero = (rows_as_numbers(self.table, rows[first]) for rows in (ones, zeros))
        of = (self.passes, self.table, moments)
        mean, square = pair_differences(*of, one, zero, likelihood=self.likelihood)
        return mean[which], square[which]

    def _distinct_pairs(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The pairs that represent all others, and for each pair the one that does, shape (m,)."""
        own = []
        for rows in (ones, zeros):
            numbers = rows_as_numbers(self.table, rows)
            _, which = distinct_rows(self.table, numbers)
            own += [which] if not self.table.leaf.regressors else list(numbers.T)
        _, first, which = np.unique(np.stack(own), axis=1, return_index=True, return_inverse=True)
        return first, which.reshape(-1)

    def _descend(
        self, words: str, descent: Callable[..., tuple[Any, ...]], numbers: NDArray[np.float64]
    ) -> Any:
        """What a descent of the core finds for new rows. Raises as `_descent`."""
        (found,) = self._descent(
            words,
            lambda total, memory, threads, report: descent(total, numbers, memory, threads, report),
            _keep_for(numbers),
        )
        return found

    def _descent(
        self, words: str, descent: Callable[..., tuple[Any, ...]], keep: Keep
    ) -> tuple[Any, ...]:
        """The results of a descent of the core for new rows: see `Passes.descend`.

        Raises
        ------
        DataError
            E442, E445: a split does not say the side of a row, and that is an error.
        """
        with untold_told(self.table):
            return self.passes.descend(words, self.likelihood, descent, keep)


def _keep_for(numbers: NDArray[np.float64]) -> Keep:
    """What the pass for the totals must keep so that new rows are followed from it."""
    return "items" if np.isnan(numbers).any() else "blocks"
