"""Numbers in text as a declaration says that they are written: with their unit, with a decimal
comma."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from slp.data.cells import read_number
from slp.data.columns import Column
from slp.errors import DataError
from slp.messages.names import atom
from slp.messages.tables import POINT_BESIDE_COMMA

_WITH_COMMA = re.compile(r"[+-]?(?:\d+(?:,\d*)?|,\d+)(?:e[+-]?\d+)?", re.I | re.A)


def as_written(column: Column, unit: str | None, *, comma: bool) -> Column:
    """A column of text with its numbers as `slp.data.cells.read_number` takes them: `10 mg` as
    `10` where that is the `unit`, which may stand on either side; `29,3` as `29.3` with `comma`.
    Cells that are no such numbers are left as they are.

    Raises
    ------
    DataError
        E421: a number has a point, where the comma is the decimal sign.
    """
    if column.kind != "text" or (unit is None and not comma):
        return column
    meant = {cell: _meant(cell, unit, comma) for cell in set(column.cells[~column.missing])}
    wrong = {cell for cell, text in meant.items() if text is None}
    cells = np.empty(len(column.cells), dtype=object)
    for i, (cell, missing) in enumerate(zip(column.cells, column.missing, strict=True)):
        if not missing and cell in wrong:
            name = column.name
            raise DataError(POINT_BESIDE_COMMA(name=name, atom=atom(name), cell=cell, row=i + 1))
        cells[i] = "" if missing else meant[cell]
    return replace(column, cells=cells)


def _meant(cell: str, unit: str | None, comma: bool) -> str | None:
    """The number of a cell; the cell itself if it has none, None where a point is one too many."""
    text = without_unit(cell, unit) if unit is not None else cell.strip()
    if not comma:
        return cell if read_number(text) is None else text
    if "." in text and any(map(str.isdecimal, text)):
        return None
    return text.replace(",", ".") if _WITH_COMMA.fullmatch(text) else cell


def without_unit(cell: str, unit: str) -> str:
    """A cell without blanks around it, and without the unit at its end or else its beginning."""
    text = cell.strip()
    rest = text.removesuffix(unit)
    return (rest if rest != text else text.removeprefix(unit)).strip()
