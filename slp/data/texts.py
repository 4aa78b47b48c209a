"""Columns of text that may be meant as numbers, numbers with decimal commas, or dates.

Nothing is converted on a guess: `1,5` may be 1.5 and `1,500` 1500, `03/04/2024` may be in March or
in April. A warning says what a cell seems to be, and what to do.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.cells import read_number
from slp.data.columns import Column, distinct_cells
from slp.data.words import first_row
from slp.errors import Diagnostic
from slp.messages import Wording
from slp.messages.names import atom
from slp.messages.table_warnings import (
    COMMAS_AS_TEXT,
    DATES_AS_TEXT,
    NUMBERS_AND_TEXT,
    NUMBERS_AS_TEXT,
)

_COMMA = re.compile(
    r"[+-]?(?:(?:\d+|\d{1,3}(?:[. '\u00a0\u202f]\d{3})+),\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?)", re.A
)

_PART = r"(?:0?[1-9]|[12]\d|3[01])"  # a day or a month
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]m)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?"
_DAY = "|".join(
    [
        rf"\d{{4}}([-/.]){_PART}(?:\1{_PART})?",
        rf"{_PART}([-/.]){_PART}\2(?:\d{{4}}|\d{{2}})",
        rf"{_PART}\.?[- ]{_MONTH}\.?,?[- ](?:\d{{4}}|\d{{2}})",
        rf"{_MONTH}\.? {_PART},? \d{{4}}",
    ]
)
_DATE = re.compile(rf"(?:{_DAY})(?:(?:T|,? ){_TIME})?|{_TIME}", re.A | re.I)


def text_warnings(column: Column, *, numbers: bool = True) -> tuple[Diagnostic, ...]:
    """W403, W406 or W405 if at least half of the cells of a text column are numbers, numbers some
    of which have a comma, or dates or times; no W403 if `numbers` is False, as for classes, which
    may well be numbers. No cell may be missing."""
    if column.kind != "text":
        return ()
    distinct, codes = distinct_cells(column)
    number = np.array([read_number(text) is not None for text in distinct])[codes]
    if _half(number):
        return (_numbers_warning(column, number),) if numbers else ()
    comma = _matches(_COMMA, distinct)[codes]
    if comma.any() and _half(comma | number):
        return (_warning(COMMAS_AS_TEXT, column, comma),)
    date = _matches(_DATE, distinct)[codes]
    if _half(date):
        return (_warning(DATES_AS_TEXT, column, date),)
    return ()


def _half(cells: NDArray[np.bool_]) -> bool:
    return 2 * int(cells.sum()) >= len(cells)


def _numbers_warning(column: Column, number: NDArray[np.bool_]) -> Diagnostic:
    if number.all():
        return NUMBERS_AS_TEXT(name=column.name, atom=atom(column.name))
    counts = {"numbers": int(number.sum()), "total": len(number), "row": first_row(~number)}
    return _warning(NUMBERS_AND_TEXT, column, ~number, **counts)


def _matches(pattern: re.Pattern[str], texts: NDArray[np.object_]) -> NDArray[np.bool_]:
    found = (pattern.fullmatch(text.strip()) is not None for text in texts)
    return np.fromiter(found, np.bool_, len(texts))


def _warning(
    wording: Wording, column: Column, cells: NDArray[np.bool_], **values: Any
) -> Diagnostic:
    """A warning about a column, with the first of these cells as the example."""
    shown = column.cells[first_row(cells) - 1]
    return wording(name=column.name, atom=atom(column.name), cell=shown, **values)
