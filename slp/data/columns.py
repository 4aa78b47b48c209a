"""A column of a table, in the form that the rest of this package uses.

A column that cannot be used (dates, nested values) is not an error until it is used: the program
may ignore it, or it may not be a feature of the fitted table. So it keeps the name of its type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.budgets import check_time
from slp.columns import numbers_in
from slp.columns.formula import Formula
from slp.data.cells import cell_text, is_missing, kind_of_type, number_of, read_number
from slp.data.times import Library, Times, sort_of_time
from slp.ir.whole import is_whole
from slp.leaves import Label, label_of, sorted_labels

#: Cells of objects between two looks at the time.
_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Column:
    """A named column of n cells.

    Attributes
    ----------
    kind : `number` (cells int64, uint64 or float64, or Python integers too large for those),
        `boolean` (bool), `text` (str objects) or `unusable` (see `type_name`).
    cells : shape (n,). Undefined where `missing` is true.
    missing : bool, shape (n,).
    type_name : of an `unusable` column, the type of its cells.
    times : what it is if it has dates, times, durations, periods or intervals; else None.
    nominal : whether its values are names, though they may be numbers: pandas' categorical type.
    categories : those of a categorical type that lists them in an order, as text, used or not;
        `ordered` if the type says that the order means something (pandas).
    formula : what made it of other columns; None of a column of the table.
    """

    name: str
    kind: Literal["number", "boolean", "text", "unusable"]
    cells: NDArray[Any]
    missing: NDArray[np.bool_]
    type_name: str | None = None
    times: Times | None = None
    nominal: bool = False
    categories: tuple[str, ...] = ()
    ordered: bool = False
    formula: Formula | None = None

    @property
    def numeric(self) -> bool:
        """Whether it is numeric unless declared otherwise."""
        return self.kind == "number" and not self.nominal

    @property
    def whole(self) -> bool:
        """Whether all cells are integers below 2^53 in magnitude (3.0 counts as one)."""
        return self.kind == "number" and bool(is_whole(self.cells[~self.missing]).all())

    def placed(self, place: str, library: Library | None = None) -> Column:
        """The column with the place where the user holds it, as `Times` says it."""
        if self.times is None:
            return self
        times = replace(self.times, place=place, library=library or self.times.library)
        return replace(self, times=times)

    def with_categories(self, categories: Sequence[Any], *, ordered: bool) -> Column:
        """The column with the categories of its type, if they can be levels: numbers that are in
        falling order are turned round, and an order of numbers that neither rise nor fall is
        none."""
        if self.kind == "unusable" or len(categories) < 2:
            return self
        names = tuple(map(cell_text, categories))
        numbers = numbers_in(names)
        if numbers is not None and ordered:
            falling = all(a > b for a, b in pairwise(numbers))
            names = names[::-1] if falling else names
            ordered = falling or all(a < b for a, b in pairwise(numbers))
        return replace(self, categories=names, ordered=ordered and len(set(names)) == len(names))

    def rows(self, chosen: NDArray[np.intp]) -> Column:
        """The cells of these rows (from 0), in their order."""
        return replace(self, cells=self.cells[chosen], missing=self.missing[chosen])


def unusable(name: str, n: int, type_name: str) -> Column:
    """A column of n cells of a type that cannot be used."""
    return Column(name, "unusable", np.zeros(n), np.zeros(n, dtype=np.bool_), type_name)


def column_of_times(name: str, n: int, times: Times) -> Column:
    """A column of n cells that cannot be used, because they are dates, times or the like."""
    return replace(unusable(name, n, times.words), times=times)


def column_of_array(
    name: str, array: NDArray[Any], missing: NDArray[np.bool_] | None = None
) -> Column:
    """A column of a NumPy array (n,) of any type; `missing` adds to its NaNs, as a mask does."""
    # np.ma is slow to import, and NumPy imports it when it is first used.
    if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(array)
    array = np.asarray(array)
    kind = array.dtype.kind
    if kind in "iuf":
        with np.errstate(over="ignore"):  # a longdouble may become infinite
            cells = array.astype({"i": np.int64, "u": np.uint64, "f": np.float64}[kind])
        nan = np.isnan(cells)
        return Column(name, "number", cells, nan if missing is None else nan | missing)
    if kind == "b":
        blank = np.zeros(len(array), dtype=np.bool_) if missing is None else missing
        return Column(name, "boolean", array, blank)
    if kind in "OU":
        return column_of_objects(name, array.tolist(), missing)
    if kind in "mM":
        times = Times("date" if kind == "M" else "duration", "numpy", "X")
        return column_of_times(name, len(array), times)
    return unusable(name, len(array), array.dtype.name)


def column_of_objects(
    name: str, cells: Sequence[Any], missing: NDArray[np.bool_] | None = None
) -> Column:
    """A column of Python objects: booleans, else numbers, else text if any cell is text.

    `missing` marks more cells as missing.
    """
    n = len(cells)
    blank = np.fromiter(map(is_missing, cells), dtype=np.bool_, count=n)
    if missing is not None:
        blank |= missing
    types = {type(c): None for c, m in zip(cells, blank.tolist(), strict=True) if not m}
    kinds = {kind_of_type(t): t for t in types}
    if "time" in kinds:
        first = next(cell for cell in cells if type(cell) is kinds["time"])
        return column_of_times(name, n, Times(sort_of_time(first), "objects"))
    if "other" in kinds:
        return unusable(name, n, kinds["other"].__name__)
    if "text" in kinds:
        return Column(name, "text", _object_array(cells, blank, cell_text, ""), blank)
    if set(kinds) == {"boolean"}:
        values = [not m and bool(c) for c, m in zip(cells, blank.tolist(), strict=True)]
        return Column(name, "boolean", np.array(values, dtype=np.bool_), blank)
    if "real" not in kinds and kinds:
        return Column(name, "number", _integers(cells, blank), blank)
    numbers = [0.0 if m else number_of(c) for c, m in zip(cells, blank.tolist(), strict=True)]
    return Column(name, "number", np.array(numbers, dtype=np.float64), blank)


def _object_array(
    cells: Sequence[Any], blank: NDArray[np.bool_], convert: Any, filler: Any
) -> NDArray[Any]:
    out = np.empty(len(cells), dtype=object)
    out[:] = [filler if m else convert(c) for c, m in zip(cells, blank.tolist(), strict=True)]
    return out


def _integers(cells: Sequence[Any], blank: NDArray[np.bool_]) -> NDArray[Any]:
    """int64 where they fit, else Python integers."""
    exact = _object_array(cells, blank, int, 0)
    try:
        return exact.astype(np.int64)
    except OverflowError:
        return exact


def numbers_of(column: Column) -> tuple[NDArray[np.float64], int | None]:
    """The cells as float64 (n,), NaN where missing, and the row (from 0) of the first cell of text
    that is not a number, None if there is none."""
    if column.kind == "text":
        return _numbers_of_text(column)
    if column.cells.dtype.kind == "O":
        values = np.array([number_of(c) for c in column.cells], dtype=np.float64)
    else:
        values = column.cells.astype(np.float64)
    return np.where(column.missing, np.nan, values), None


def _numbers_of_text(column: Column) -> tuple[NDArray[np.float64], int | None]:
    cells = zip(column.cells, column.missing, strict=True)
    read = [np.nan if m else read_number(c) for c, m in cells]
    bad = next((i for i, x in enumerate(read) if x is None), None)
    return np.array([np.nan if x is None else x for x in read], dtype=np.float64), bad


def distinct_cells(column: Column) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The distinct cells, sorted, and each cell's place among them (n,). No cell may be missing.

    Raises
    ------
    TimeOverError
        E540: the deadline that is held is over.
    """
    if column.cells.dtype.kind != "O":
        check_time("reading the table")
        distinct, codes = np.unique(column.cells, return_inverse=True)
        return distinct, codes
    pieces = [column.cells[a : a + _CELLS] for a in range(0, len(column.cells), _CELLS)]
    found: set[Any] = set()
    for piece in pieces:  # sorting all cells would compare equal ones, and could not be stopped
        check_time("reading the table")
        found.update(piece.tolist())
    order = sorted(found)
    place = {cell: i for i, cell in enumerate(order)}
    codes = np.empty(len(column.cells), np.intp)
    for a, piece in zip(range(0, len(codes), _CELLS), pieces, strict=True):
        check_time("reading the table")
        codes[a : a + _CELLS] = [place[cell] for cell in piece.tolist()]
    out = np.empty(len(order), dtype=object)
    out[:] = order
    return out, codes


def texts_of(column: Column) -> NDArray[np.object_]:
    """The cells as text (see `slp.data.cells`), object (n,), None where missing."""
    if column.kind == "text":
        own: NDArray[np.object_] = column.cells.copy()
        own[column.missing] = None
        return own
    out = np.empty(len(column.cells), dtype=object)
    out[:] = [
        None if m else cell_text(c) for c, m in zip(column.cells, column.missing, strict=True)
    ]
    return out


def labels_of(column: Column) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """Distinct values, sorted, in their own type (whole numbers are int, also 3.0), and each cell's
    place among them, int32 (n,). No cell may be missing."""
    distinct, codes = distinct_cells(column)
    labels = [int(c) if column.whole else label_of(c) for c in distinct]
    order = sorted_labels(labels)
    place = {label: i for i, label in enumerate(order)}
    return order, np.array([place[label] for label in labels], dtype=np.int32)[codes]
