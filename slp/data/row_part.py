"""Some rows of a coded table, with its columns as they are, and rows that are set aside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slp.data.row_responses import RowResponses
from slp.data.row_weights import RowWeights
from slp.data.table import Table
from slp.messages.names import plural

#: One row of so many is set aside, and what marks its random numbers among those of a seed.
ONE_OF, _OF_SET_ASIDE = 8, 0x5E7
#: With fewer rows set aside there are too few to weight members by; and with fewer rows in all.
FEWEST_ASIDE = 50
FEWEST_ROWS = ONE_OF * FEWEST_ASIDE


def set_aside(table: Table, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of the data that stay, and those that are set aside, both ascending: an eighth of
    all rows, rounded down, at random, and of each class an eighth, rounded up or down."""
    n = table.n_rows
    order = np.random.default_rng([seed, _OF_SET_ASIDE]).permutation(n)
    if table.leaf.classes:
        order = order[np.argsort(table.outcomes()[order], kind="stable")]
    aside = np.sort(order[ONE_OF - 1 :: ONE_OF])
    return np.setdiff1d(np.arange(n), aside), aside


def responses_of(table: Table, rows: NDArray[np.int64]) -> RowResponses:
    """The responses of some rows of the data. Raises as `Table.outcomes`."""
    outcomes = table.outcomes()[rows]
    own = table.row_responses
    weights = None if own is None or own.weights is None else own.weights[rows]
    regressors = None if own is None or own.regressors is None else own.regressors[rows]
    return RowResponses(outcomes, weights, regressors)


def part_of_table(table: Table, rows: NDArray[np.int64]) -> Table:
    """The table of some rows of the data, coded as the whole table is. It does not tell which row
    was which. Raises as `Table.outcomes`."""
    responses = responses_of(table, rows)
    kept, row_of = np.unique(table.row_of[rows], return_inverse=True)
    statistics = np.zeros((len(kept), table.statistics.shape[1]))
    np.add.at(statistics, row_of, responses.statistics(table.leaf))
    weights = None
    if responses.weights is not None and table.weights is not None:
        weights = RowWeights.of_rows(responses.weights, row_of, len(kept))
    of_all = f"{plural(len(rows), 'row')} of {table.n_rows:,}, drawn by the seed"
    return replace(
        table,
        codes=np.ascontiguousarray(table.codes[kept]),
        counts=np.bincount(row_of, minlength=len(kept)).astype(np.int64),
        statistics=statistics,
        n_rows=len(rows),
        row_of=row_of.astype(np.int64),
        without_weight=None,
        notes=(of_all, *table.notes[1:]),
        warnings=(),
        weights=weights,
        row_responses=responses,
    )
