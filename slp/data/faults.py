"""Checks of single columns: cells that are missing, of the wrong kind, or out of range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slp.columns import level_numbers, quantity_text
from slp.data.columns import Column, numbers_of, texts_of
from slp.data.words import first_row
from slp.errors import DataError
from slp.messages import Wording
from slp.messages.cells import MISSING_VALUES
from slp.messages.columns import OUT_OF_RANGE, UNKNOWN_LEVEL
from slp.messages.names import atom, plural
from slp.messages.table_files import DATES, STRANGE_TYPE


def check_usable(
    column: Column, missing: Wording, dates: Wording = DATES, strange: Wording = STRANGE_TYPE
) -> None:
    """Raise DataError for dates and the like (E411), values of a strange type (E412) and missing
    cells (E420), in these wordings."""
    name, times = column.name, column.times
    if times is not None:
        raise DataError(
            dates(name=name, atom=atom(name), what=times.words, advice=times.advice(name))
        )
    if column.kind == "unusable":
        raise DataError(strange(name=name, atom=atom(name), type=column.type_name))
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


def check_range(
    name: str, x: NDArray[np.float64], declared: tuple[float, float], unit: str | None
) -> None:
    """Raise DataError for a number out of the declared range (E439)."""
    outside = outside_range(x, declared)
    if not outside.any():
        return
    row = first_row(outside)
    low, high, value = (quantity_text(float(v), unit) for v in (*declared, x[row - 1]))
    rows = "" if outside.sum() == 1 else f", and {plural(int(outside.sum()) - 1, 'more row')}"
    raise DataError(OUT_OF_RANGE(name=name, value=value, row=row, rows=rows, low=low, high=high))


def outside_range(x: NDArray[np.float64], declared: tuple[float, float]) -> NDArray[np.bool_]:
    """Which numbers are below the least or above the largest of a range."""
    return np.asarray((x < declared[0]) | (x > declared[1]))


def read_levels(column: Column, order: Sequence[str]) -> NDArray[np.float64]:
    """The numbers that stand for the cells of a usable column in a declared order of levels,
    float64 (n,). Raises DataError for a level that is none of them (E438)."""
    numbers = dict(zip(order, level_numbers(order), strict=True))
    texts = texts_of(column).tolist()
    unknown = [i for i, text in enumerate(texts) if text not in numbers]
    if unknown:
        name, cell = column.name, texts[unknown[0]]
        rows = "" if len(unknown) == 1 else f", and {plural(len(unknown) - 1, 'more row')}"
        shown = " < ".join(order)
        raise DataError(
            UNKNOWN_LEVEL(name=name, cell=cell, row=unknown[0] + 1, rows=rows, levels=shown)
        )
    return np.array([numbers[text] for text in texts])


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
