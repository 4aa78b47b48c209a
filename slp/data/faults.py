"""Checks of single columns: cells that are missing, of the wrong kind, or out of range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slp.data.columns import Column, numbers_of
from slp.data.words import atom, first_row
from slp.errors import DataError
from slp.messages import Wording
from slp.messages.names import plural
from slp.messages.table_files import DATES, STRANGE_TYPE
from slp.messages.tables import MISSING_VALUES


def check_usable(
    column: Column, missing: Wording, dates: Wording = DATES, strange: Wording = STRANGE_TYPE
) -> None:
    """Raise DataError for dates (E411), values of a strange type (E412) and missing cells (E420),
    in these wordings."""
    if column.kind == "unusable":
        wording = dates if column.type_name is None else strange
        name = column.name
        raise DataError(wording(name=name, atom=atom(name), type=column.type_name))
    if column.missing.any():
        raise missing_error(column.name, column.missing, missing)


def missing_error(name: str, missing: NDArray[np.bool_], wording: Wording) -> DataError:
    """E420: which column, how many cells, and the first row."""
    count, n = int(missing.sum()), len(missing)
    where = f"the first in row {first_row(missing)}" if count < n else "in every row"
    if count == 1 < n:
        where = f"in row {first_row(missing)}"
    values = plural(count, "value")
    return DataError(wording(name=name, atom=atom(name), values=values, where=where))


def read_numbers(column: Column, wording: Wording) -> NDArray[np.float64]:
    """The cells of a usable column as numbers, float64 (n,).

    Raises DataError for text that is no number (E421, in this wording) and for the text `nan`
    (E420).
    """
    values, bad = numbers_of(column)
    if bad is not None:
        cell, name = column.cells[bad], column.name
        raise DataError(wording(name=name, atom=atom(name), row=bad + 1, cell=cell))
    nan = np.isnan(values)
    if nan.any():
        raise missing_error(column.name, nan, MISSING_VALUES)
    return values
