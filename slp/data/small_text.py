"""Small tables in plain text, read without polars, which takes longer to import than all of slp.

It reads only unambiguous text: printable ASCII, no quotes, lines of equal length.
`slp.data.polars_frames` reads everything else and reports every fault. A test compares the two on
common files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from slp.data.cells import read_number
from slp.data.columns import Column, column_of_array, column_of_objects
from slp.data.frames import Frame

#: Larger texts take longer here than the import of polars.
MOST_BYTES = 1 << 16
_PLAIN = re.compile(r"[\t\n !#-~]*")  # no quotes, and no carriage return alone
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")  # surely an int64
_TRUTH = {"true", "false"}


def find_columns(text: str, separator: str) -> Frame | None:
    """The table in a text with a header line, or None if polars should read it."""
    text = text.replace("\r\n", "\n").removesuffix("\n")
    if not _PLAIN.fullmatch(text):
        return None
    header, *rows = ([cell.strip() for cell in line.split(separator)] for line in text.split("\n"))
    if not rows or len(header) < 2 or "" in header or len(set(header)) < len(header):
        return None
    if any(len(row) != len(header) for row in rows):
        return None
    columns = list(map(_find_column, header, zip(*rows, strict=True)))
    found = tuple(c for c in columns if c is not None)
    return Frame(found, len(rows), named=True) if len(found) == len(columns) else None


def _find_column(name: str, cells: Sequence[str]) -> Column | None:
    """A column of stripped cells, of which blank ones are missing."""
    given = [cell for cell in cells if cell]
    if not given or any(cell.lower() in _TRUTH for cell in given):
        return None
    missing = np.array([not cell for cell in cells])
    if all(map(_WHOLE.fullmatch, given)):
        return column_of_array(name, np.array([int(cell or 0) for cell in cells]), missing)
    numbers = [read_number(cell or "0") for cell in cells]
    read = [number for number in numbers if number is not None]
    if len(read) < len(cells):
        return column_of_objects(name, [cell or None for cell in cells])
    if any(cell.lstrip("+-").isdigit() and not _WHOLE.fullmatch(cell) for cell in given):
        return None  # a whole number of many digits
    return column_of_array(name, np.array(read), missing)
