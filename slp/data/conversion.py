"""Columns whose cells are of another type than those of the table at fit: truth values, numbers, or
text.

A whole column of another type has no new levels: each cell means a value of the type at fit where
the two types match one to one (`1`, `true` and "True"; `2` and "2"), else the column is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.data.cells import cell_text, read_number
from slp.data.columns import Column
from slp.errors import DataError
from slp.leaves import label_text
from slp.messages import Wording
from slp.messages.new_rows import OTHER_TYPE

#: What the cells of a column are: truth values, numbers that are all 0 or 1, numbers, or text.
CellType: TypeAlias = Literal["boolean", "zero_one", "number", "text"]

_WORDS: dict[CellType, str] = {
    "boolean": "truth values",
    "zero_one": "the numbers 0 and 1",
    "number": "numbers",
    "text": "text",
}
_NUMERIC = ("number", "zero_one")
_TRUTHS = {"true": True, "false": False}


def cell_type(column: Column) -> CellType | None:
    """The type of a column's cells; None if all are missing, or it cannot be used."""
    cells = column.cells[~column.missing]
    if column.kind == "unusable" or not len(cells):
        return None
    if column.kind != "number":
        return column.kind
    return "zero_one" if bool(((cells == 0) | (cells == 1)).all()) else "number"


def guessed_type(levels: Collection[str]) -> CellType:
    """What a column seems to have been, by the text of levels."""
    if all(level in _TRUTHS for level in levels):
        return "boolean"
    numbers = {read_number(level) for level in levels}
    if None in numbers:
        return "text"
    return "zero_one" if numbers <= {0.0, 1.0} else "number"


def type_by_thresholds(thresholds: Sequence[float]) -> CellType | None:
    """What a column seems to have been, by the thresholds of tests: they part 0 from 1, or not."""
    if not thresholds:
        return None
    return "zero_one" if all(0 < t <= 1 for t in thresholds) else "number"


def as_numbers(column: Column, fitted: CellType | None, wording: Wording = OTHER_TYPE) -> Column:
    """A column for a numeric feature, in numbers where its cells are truth values. Text that holds
    numbers is left as it is.

    Raises
    ------
    DataError
        E447: its cells have no place among those at fit, in this wording.
    """
    now = cell_type(column)
    if now is None or fitted is None or (fitted == "zero_one" and now in _NUMERIC):
        return column
    if fitted not in ("boolean", "zero_one"):
        if now == "boolean":
            raise _refused(column, now, fitted, wording)
        return column
    if fitted == "zero_one" and now == "text" and not _each(column, _truth):
        return column  # other numbers, or text that is none, of which another message tells

    def number(cell: Any) -> float | None:
        truth = _truth(cell)
        return None if truth is None else float(truth)

    return _converted(column, number, np.float64, "number", (now, fitted, wording))


def as_levels(
    column: Column,
    levels: Collection[str],
    fitted: CellType | None,
    wording: Wording = OTHER_TYPE,
) -> Column:
    """A column for a feature of levels: as text, each cell its level, if the type of its cells is
    not the fitted one. If that is not known (None), the levels tell, and text may stay text.

    Raises
    ------
    DataError
        E447: its cells have no place among the levels, in this wording.
    """
    now = cell_type(column)
    then = fitted or guessed_type(levels)
    alike = now == then or (now in _NUMERIC and then in _NUMERIC)
    if now is None or (alike and (fitted is not None or now == "text")):
        return column
    # Levels of a tree may be the text of numbers, such as `01`.
    meaning = _level_of(levels, "text" if alike and now in _NUMERIC else then, now)
    known = set(levels) if fitted is None else set()

    def level_of(cell: Any) -> str | None:
        return cell if cell in known else meaning(cell)

    if fitted is None and now == "text" and not _each(column, level_of):
        if then != "boolean" or _any(column, level_of):
            return column
    return _converted(column, level_of, object, "text", (now, then, wording))


def _level_of(
    levels: Collection[str], then: CellType, now: CellType
) -> Callable[[Any], str | None]:
    """The level that a cell of another type stands for, None where it stands for none."""
    if then == "boolean":
        return _text_of_truth
    if then != "text" and now == "text":
        return lambda cell: _text_of_number(cell, words=then == "zero_one")
    if then != "text":
        return lambda cell: str(int(cell)) if then == "zero_one" else None
    key: Callable[[str], Any] = read_number
    numbers = {read_number(level) for level in levels} - {None}
    if now == "boolean":
        key = _truth_of_word if numbers - {0.0, 1.0} else _truth
    elif now == "zero_one" and not numbers:
        key = _truth_of_word
    meant: dict[Any, list[str]] = {}
    for level in levels:
        if (value := key(level)) is not None:
            meant.setdefault(value, []).append(level)

    def level_of(cell: Any) -> str | None:
        own = meant.get(cell, [cell_text(cell)] if meant else [])  # if there are others, a new one
        return own[0] if len(own) == 1 else None

    return level_of


def _truth_of_word(text: str) -> bool | None:
    return _TRUTHS.get(text.strip().casefold())


def _truth(cell: Any) -> bool | None:
    """The truth value of a boolean, 0, 1, or a text of one of these; None of any other cell."""
    if isinstance(cell, str):
        word = _truth_of_word(cell)
        cell = read_number(cell) if word is None else word
    return bool(cell) if cell in (0, 1) else None


def _text_of_truth(cell: Any) -> str | None:
    truth = _truth(cell)
    return None if truth is None else label_text(truth)


def _text_of_number(text: str, *, words: bool) -> str | None:
    """The level of a number in text; with `words`, also of a truth value: `1` or `0`."""
    truth = _truth_of_word(text) if words else None
    number = read_number(text) if truth is None else float(truth)
    if number is None or not np.isfinite(number):
        return None
    digits = text.strip().removeprefix("+")
    whole = digits.removeprefix("-").isdecimal()  # which a float may not hold
    return str(int(digits)) if whole else cell_text(number)


def _each(column: Column, meaning: Callable[[Any], Any]) -> bool:
    """Whether each cell has a meaning."""
    return all(meaning(cell) is not None for cell in set(column.cells[~column.missing].tolist()))


def _any(column: Column, meaning: Callable[[Any], Any]) -> bool:
    """Whether some cell has a meaning."""
    return any(meaning(cell) is not None for cell in set(column.cells[~column.missing].tolist()))


def _converted(
    column: Column,
    meaning: Callable[[Any], Any],
    dtype: Any,
    kind: Literal["number", "text"],
    told: tuple[CellType, CellType, Wording],
) -> Column:
    """The column of what its cells mean."""
    there = np.flatnonzero(~column.missing)
    given = column.cells[there].tolist()
    meanings = {cell: meaning(cell) for cell in set(given)}
    if None in meanings.values():
        raise _refused(column, *told, first=lambda cell: meanings[cell] is None)
    cells: NDArray[Any] = np.zeros(len(column.cells), dtype)
    cells[there] = [meanings[cell] for cell in given]
    return Column(column.name, kind, cells, column.missing)


def _refused(
    column: Column,
    now: CellType,
    fitted: CellType,
    wording: Wording,
    first: Callable[[Any], bool] = lambda cell: True,
) -> DataError:
    """E447, with the first such cell."""
    there = np.flatnonzero(~column.missing).tolist()
    row = next(i for i in there if first(column.cells[i : i + 1].tolist()[0]))
    cell = cell_text(column.cells[row])
    return DataError(
        wording(name=column.name, now=_WORDS[now], cell=cell, row=row + 1, then=_WORDS[fitted])
    )
