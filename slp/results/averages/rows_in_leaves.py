"""What leaves predict of rows: most leaf models say the same of every row, a line does not.

A leaf has J numbers to predict by: the class probabilities, the mean, or the coefficients of a line
(`normal_linear`), of which a row's prediction is the product with its (1, z).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.data.words import first_row
from slp.errors import DataError
from slp.leaves import LeafModel
from slp.messages.new_rows import NEW_REGRESSOR_MISSING


def of_rows(values: NDArray[np.float64], design: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """The predictions, shape (..., m, C) or (..., m, 1), of m rows that reach leaves with the
    numbers `values` (..., m, J), or mean numbers. `design` is that of the rows."""
    return values if design is None else (values * design).sum(axis=-1, keepdims=True)


def regressors_of_rows(table: Table, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values (m, q) of the leaf model's regressors in new rows (`rows_as_numbers`, (m, d)).

    Raises
    ------
    DataError
        E442: a row misses one.
    """
    places = [table.feature_names.index(name) for name in table.leaf.regressors]
    found = numbers[:, places]
    for name, values in zip(table.leaf.regressors, found.T, strict=True):
        if np.isnan(values).any():
            raise DataError(NEW_REGRESSOR_MISSING(name=name, row=first_row(np.isnan(values))))
    return found


def design_of_rows(table: Table, numbers: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """(1, z), shape (m, q + 1), of new rows; None if leaves predict the same of every row. Raises
    as `regressors_of_rows`."""
    return table.leaf.design(regressors_of_rows(table, numbers))


def design_of_table(table: Table, rows: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """The same of distinct rows of the table, (m,), at the mean of the rows that each stands
    for."""
    return table.leaf.design_of_sums(table.statistics[rows])


def leaves_at(table: Table, numbers: NDArray[np.float64]) -> Iterator[LeafModel]:
    """The leaf model as it predicts each of m new rows (`rows_as_numbers`)."""
    design, leaf = design_of_rows(table, numbers), table.leaf
    return repeat(leaf, len(numbers)) if design is None else map(leaf.at, design)
