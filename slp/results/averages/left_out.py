"""Rows that are left out: what their responses are worth, given those of the others.

Let q be the likelihood of row i in its leaf, given the leaf's other rows: with S the statistics of
the leaf and s those of the row, p(S) / p(S - s). The features of all rows stay, so P(T) does not
depend on y_i, and P(T | y) = P(T | y without y_i) q / p(y_i | the others). So

    1 / p(y_i | the others) = sum over T of P(T | y) / q = sum over leaves with row i of P(leaf) / q

Reference: Gelfand, Dey & Chang (1992), Model determination using predictive distributions, Bayesian
Statistics 4 (the conditional predictive ordinate).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.leaves.base import LeafModel


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Different rows of the data: those with the same features and the same response are one.

    Attributes
    ----------
    row : the distinct row of the table that each is part of, ascending, int64, shape (m,).
    kind : which of `statistics` it has, int64, shape (m,).
    statistics : those of one row, times its weight, float64, shape (kinds, k).
    of_data : for each row of the data the one that it is, int64, shape (n_rows,).
    counts : how many rows of the data each is, int64, shape (m,).
    """

    row: NDArray[np.int64]
    kind: NDArray[np.int64]
    statistics: NDArray[np.float64]
    of_data: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table) -> HeldRows:
        """Those of a table. Raises as `Table.statistics_of_rows`."""
        each = table.statistics_of_rows()
        statistics, kind = np.unique(each, axis=0, return_inverse=True)
        pairs, of_data, counts = np.unique(
            table.row_of * len(statistics) + kind.ravel(), return_inverse=True, return_counts=True
        )
        row, own = np.divmod(pairs, len(statistics))
        return cls(row, own, statistics, of_data.ravel(), counts)

    def without(self, statistics: NDArray[np.float64], i: int) -> NDArray[np.float64]:
        """The statistics of distinct rows (n, k) without those of row i."""
        out = statistics.copy()
        alone = self.counts[self.row == self.row[i]].sum() == 1
        own = self.statistics[self.kind[i]]
        out[self.row[i]] = 0.0 if alone else out[self.row[i]] - own
        return out

    def least_of_classes(self, leaf: LeafModel) -> NDArray[np.float64] | None:
        """A lower bound on log q of each row in any leaf, shape (m,): of a class that no other row
        of the leaf has, where all rows are. None for numbers."""
        if not leaf.classes:
            return None
        own = self.statistics[self.kind]
        return leaf.log_least(own, float((own * self.counts[:, None]).sum()))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What each held row is worth.

    Attributes
    ----------
    log_predictive : log p(y_i | the others), shape (m,).
    error : Monte Carlo standard error of each, shape (m,); None where they are exact.
    error_of_sum : that of their sum over the rows of the data.
    pareto_k : of draws, how heavy the tail of 1 / q is, shape (m,); see
        `slp.results.averages.smoothing`. None where they are exact.
    """

    log_predictive: NDArray[np.float64]
    error: NDArray[np.float64] | None = None
    error_of_sum: float = 0.0
    pareto_k: NDArray[np.float64] | None = None
