"""Rows that are left out: what their responses are worth, given those of the others.

Let q be the likelihood of row i in its leaf, given the leaf's other rows: with S the statistics of
the leaf and s those of the row, p(S) / p(S - s). The features of all rows stay, so P(T) does not
depend on y_i, and P(T | y) = P(T | y without y_i) q / p(y_i | the others). So

    1 / p(y_i | the others) = sum over T of P(T | y) / q = sum over leaves with row i of P(leaf) / q

Reference: Gelfand, Dey & Chang (1992), Model determination using predictive distributions, Bayesian
Statistics 4 (the conditional predictive ordinate).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.leaves.base import LeafModel

#: The probability of a leaf, its statistics (k,), and the distinct rows in it.
WeighedLeaf: TypeAlias = tuple[float, NDArray[np.float64], NDArray[np.int64]]


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

    def of_leaves(self, leaf: LeafModel, leaves: Iterable[WeighedLeaf]) -> NDArray[np.float64]:
        """log p(y_i | the others) of each row, shape (m,), from all leaves: the sum above."""
        out = np.full(len(self.row), -np.inf)
        for probability, S, rows in leaves:
            if probability > 0:
                held = np.flatnonzero(np.isin(self.row, rows))
                q = log_given_others(leaf, S, self.statistics[self.kind[held]])
                out[held] = np.logaddexp(out[held], np.log(probability) - q)
        return -out


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


def log_given_others(
    leaf: LeafModel, S: NDArray[np.float64], s: NDArray[np.float64]
) -> NDArray[np.float64]:
    """log q of rows with statistics s (..., k) in leaves with S (..., k), which hold them,
    broadcast over (...)."""
    return leaf.log_marginal(S) - leaf.log_marginal(S - s)
