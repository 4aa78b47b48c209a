"""Checks of single columns: cells that are missing, of the wrong kind, or out of range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slp.data.columns import Column, numbers_of
from slp.data.words import data_error, first_row, plural
from slp.errors import DataError

__all__ = ["check_usable", "missing_error", "read_numbers"]


def check_usable(column: Column, missing_help: str) -> None:
    """Raise DataError for dates or strange types (E411, E412) and for missing cells (E420)."""
    if column.fault is not None:
        raise DataError(column.fault)
    if column.missing.any():
        raise missing_error(column.name, column.missing, missing_help)


def missing_error(name: str, missing: NDArray[np.bool_], help: str) -> DataError:
    """E420: which column, how many cells, and the first row."""
    count, n = int(missing.sum()), len(missing)
    where = f"the first in row {first_row(missing)}" if count < n else "in every row"
    if count == 1 < n:
        where = f"in row {first_row(missing)}"
    return data_error("E420", f"column `{name}` misses {plural(count, 'value')}, {where}", help)


def read_numbers(column: Column, why: str, help: str) -> NDArray[np.float64]:
    """The cells of a usable column as numbers, float64 (n,).

    `why` ends "column `x` ...": what says that it holds numbers; `help` is for text.
    Raises DataError for text that is no number (E421) and for the text `nan` (E420).
    """
    values, bad = numbers_of(column)
    if bad is not None:
        message = f"column `{column.name}` {why}, but row {bad + 1} holds `{column.cells[bad]}`"
        raise data_error("E421", message, help)
    nan = np.isnan(values)
    if nan.any():
        raise missing_error(column.name, nan, "fill them in, or leave those rows out")
    return values
