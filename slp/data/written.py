"""Numbers in text as a declaration says that they are written: with their unit, with a decimal
comma."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from slp.data.cells import read_number
from slp.data.columns import Column
from slp.errors import DataError
from slp.messages.cells import POINT_BESIDE_COMMA
from slp.messages.names import atom

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


# --- what a column seems to hold ---------------------------------------------------------------

_NUMBER = r"[+-]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:e[+-]?\d+)?"
_UNIT = r"[%‰€$£¥₹]|°[CF]?|[µμ]?[^\W\d_]{1,12}[²³]?(?:[/*^.·-]?[^\W_]{1,9}[²³]?){0,3}\.?"
_SIGNED = re.compile(
    rf"(?:(?P<before>[€$£¥₹])\s*)?(?P<number>{_NUMBER})\s*(?P<unit>{_UNIT})?", re.IGNORECASE
)
#: Units that may well stand side by side in a column.
_USUAL = frozenset(
    "% ‰ mg g kg µg μg ug mcg ng t ml dl cl l mm cm m km in ft mi lb lbs oz s sec secs min mins h "
    "hr hrs hour hours day days week weeks month months year years yr yrs minute minutes second "
    "seconds k € $ £ eur usd mmol/l mg/dl mg/l °c °f c f".split()
)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")


@dataclass(frozen=True)
class Writing:
    """How numbers seem to be written in a column of text: their units, whether with a decimal
    comma, a cell, and how many cells are not written so. `readable`: one declaration reads all."""

    units: tuple[str, ...]
    comma: bool
    cell: str
    others: int
    readable: bool


def find_writing(column: Column) -> Writing | None:
    """How the numbers of a column of text are written, if at least half of the cells are numbers
    and some have a unit or a comma; None otherwise. No cell may be missing."""
    if column.kind != "text":
        return None
    cells = [str(cell).strip() for cell in column.cells]
    found = {cell: _SIGNED.fullmatch(cell) for cell in dict.fromkeys(cells)}
    matches = [m for m in (found[cell] for cell in cells) if m is not None]
    units = Counter(m["before"] or m["unit"] for m in matches if m["before"] or m["unit"])
    numbers = [m["number"] for m in matches]
    commas = [number for number in numbers if "," in number]
    if 2 * len(matches) < len(cells) or not (units or commas) or _are_names(units):
        return None
    known = next(m[0] for m in matches if m["before"] or m["unit"] or "," in m["number"])
    thousands = bool(commas) and all(_THOUSANDS.fullmatch(number) for number in commas)
    sound = all(_WITH_COMMA.fullmatch(n) for n in numbers) and not thousands
    sound = sound if commas else all(read_number(n) is not None for n in numbers)
    readable = sound and len(units) <= 1 and len(matches) == len(cells)
    ends = tuple(unit for unit, _ in units.most_common(4))
    return Writing(ends, bool(commas), known, len(cells) - len(matches), readable)


def _are_names(units: Counter[str]) -> bool:
    """Whether what stands behind numbers is part of names, such as `3A`, `3B` and `1st`: several
    that are no usual units."""
    return len(units) > 1 and not all(unit.casefold() in _USUAL for unit in units)
