"""Single cells: which are missing, their kind, and their values as numbers and as text.

A cell is missing if it is None, NaN, pandas' NA or NaT, or blank text. As text it reads as a class
label does (`slp.leaves.labels`).
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from slp.data.times import is_time
from slp.leaves import label_of, label_text

CellKind = Literal["boolean", "integer", "real", "text", "time", "other"]

_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.I | re.A)
_NAN = re.compile(r"[+-]?nan", re.I)


def is_missing(cell: Any) -> bool:
    """Whether a cell has no value."""
    if cell is None:
        return True
    if isinstance(cell, str):
        return not cell.strip()
    if isinstance(cell, Decimal):
        return cell.is_nan()
    if isinstance(cell, float | np.floating):
        return math.isnan(cell)
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    return type(cell).__name__ in ("NAType", "NaTType")  # pandas, which need not be installed


def kind_of_type(cell_type: type) -> CellKind:
    """The kind of cells of a Python or NumPy type."""
    if issubclass(cell_type, bool | np.bool_):
        return "boolean"
    if is_time(cell_type):  # before the integers: timedelta64 is one of NumPy's
        return "time"
    if issubclass(cell_type, Integral):
        return "integer"
    if issubclass(cell_type, Real | Decimal):
        return "real"
    return "text" if issubclass(cell_type, str) else "other"


def cell_text(cell: Any) -> str:
    """A value that is not missing, as a level and as the text of a class label."""
    return label_text(label_of(cell))


def number_of(cell: Any) -> float:
    """A number of any Python type as a float; infinite if it is too large."""
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf


def read_number(text: str) -> float | None:
    """Text as a number, NaN for `nan` in upper or lower case, None if it is neither."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    return math.nan if _NAN.fullmatch(text) else None
