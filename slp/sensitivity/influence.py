"""What the response of each row does to what rows are told: told by all responses, less told by the
others, exactly. The features of the row stay, and with them the trees and their prior."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from slp.budgets import check_time
from slp.results.averages.left_out import HeldRows
from slp.sensitivity.edges import Edges

_Floats = NDArray[np.float64]


def influence_on_rows(
    edges: Edges,
    rows: NDArray[np.object_],
    told: _Floats,
    progress: Callable[[int, str], None] | None,
) -> _Floats:
    """For each row of the data what its response does to each of some rows (`Table.new_rows`, m),
    which are told (m, J) by all responses: shape (n_rows, m, J).

    Raises
    ------
    TimeOverError
        E540: the time is over.
    """
    table, chart = edges.table, edges.adjoints.chart
    held = HeldRows.of(table)
    out = np.zeros((len(held.row), *told.shape))
    for i in range(len(held.row) if len(rows) else 0):
        check_time("while rows were left out")
        if progress is not None:
            progress(i, "predicting without each row")
        without = chart.of_statistics(held.without(table.statistics, i))
        out[i] = told - without.predictions(rows)
    return np.asarray(out[held.of_data])
