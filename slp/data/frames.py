"""Tables from Python: frames, arrays and lists of rows, and what `intake` makes of other forms,
become columns.

pandas frames are recognised by their methods, and pandas is never imported. Their index is ignored.
The columns of a plain array are called `x0`, `x1`, ...
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets import check_time
from slp.data.arrays import settled
from slp.data.columns import Column, column_of_array, column_of_objects
from slp.data.intake import arrow_as_polars, is_arrow, is_pandas_frame, is_polars, taken_in
from slp.data.times import Library
from slp.errors import DataError
from slp.late import late_import
from slp.messages.names import plural
from slp.messages.table_files import (
    COLUMN_WITHOUT_NAME,
    NO_COLUMNS,
    NO_ROWS,
    NOT_A_ROW,
    NOT_A_TABLE,
    SAME_NAMES,
    UNEQUAL_ROWS,
    WRONG_DIMENSIONS,
)


@dataclass(frozen=True, eq=False)
class Frame:
    """Columns of equal length. `named` is false for arrays, whose names are made up."""

    columns: tuple[Column, ...]
    n_rows: int
    named: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, distinct."""
        return tuple(c.name for c in self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, len(self.columns)

    def rows(self, chosen: NDArray[np.intp]) -> Frame:
        """The rows of these numbers (from 0), in their order."""
        columns = tuple(c.rows(chosen) for c in self.columns)
        return replace(self, columns=columns, n_rows=len(chosen))

    @property
    def nbytes(self) -> int:
        """Approximate bytes of its cells; texts are not counted, because equal texts are shared."""
        return sum(c.cells.nbytes + c.missing.nbytes for c in self.columns)


def check_names(names: Sequence[str]) -> None:
    """Raise DataError for columns without a name (E408) or with the same one (E407)."""
    faults = []
    unnamed = [i for i, name in enumerate(names, 1) if not name.strip()]
    if unnamed:
        faults.append(COLUMN_WITHOUT_NAME(place=unnamed[0]))
    for name, count in Counter(n for n in names if n.strip()).items():
        if count > 1:
            places = ", ".join(str(i) for i, other in enumerate(names, 1) if other == name)
            faults.append(SAME_NAMES(count=count, name=name, places=places))
    if faults:
        raise DataError(faults)


def frame_of(X: Any) -> Frame:
    """Any accepted table as columns.

    Raises
    ------
    DataError
        E404 no rows, E407 and E408 faults of names, E410 no table, E414 rows of unequal length.
    BudgetError
        As `taken_in`.
    """
    frame = frame_or_empty(X)
    if frame.n_rows == 0:
        raise DataError(NO_ROWS())
    return frame


def frame_or_empty(X: Any) -> Frame:
    """Any accepted table as columns, possibly without cells. Raises as `frame_of`, except E404 for
    no rows."""
    if isinstance(X, Frame):
        return X
    X = taken_in(X)
    library: Library = "arrow" if is_arrow(X) else "polars"
    X = arrow_as_polars(X)
    if is_polars(X, "DataFrame"):
        columns = _columns_of_series(X.columns, X.get_columns())
        frame = Frame(tuple(c.placed("frame", library) for c in columns), X.height, named=True)
    elif is_pandas_frame(X):
        frame = _frame_of_pandas(X)
    else:
        frame = _frame_of_array(X)
    if frame.n_rows and not frame.columns:
        raise DataError(NO_COLUMNS())
    return frame


def _frame_of_pandas(X: Any) -> Frame:
    series = (X.iloc[:, i] for i in range(len(X.columns)))
    columns = _columns_of_series([str(label) for label in X.columns], series)
    own = zip(columns, X.columns, strict=True)
    columns = [c.placed(f"frame[{label!r}]", "pandas") for c, label in own]
    return Frame(tuple(columns), len(X) if columns else 0, named=True)


def _columns_of_series(names: Sequence[str], series: Iterable[Any]) -> list[Column]:
    check_names(names)
    columns = []
    for name, values in zip(names, series, strict=True):
        check_time("reading the table")
        columns.append(column_of_values(name, values))
    return columns


def _frame_of_array(X: Any) -> Frame:
    if isinstance(X, list | tuple):
        return _frame_of_rows(X)
    X = settled(X, "the table")  # of a matrix, X[:, j] would be a matrix again
    if not isinstance(X, np.ndarray):
        raise DataError(NOT_A_TABLE(type=type(X).__name__))
    if X.ndim != 2:
        raise DataError(WRONG_DIMENSIONS(dimensions=plural(X.ndim, "dimension")))
    columns = [column_of_array(f"x{j}", X[:, j]) for j in range(X.shape[1])]
    return Frame(_in_array(columns), X.shape[0], named=False)


def _in_array(columns: Sequence[Column]) -> tuple[Column, ...]:
    return tuple(column.placed(f"X[:, {j}]") for j, column in enumerate(columns))


def _frame_of_rows(X: Sequence[Any]) -> Frame:
    rows = [tuple(row) if isinstance(row, list | tuple | np.ndarray) else None for row in X]
    checked = [row for row in rows if row is not None]
    if len(checked) < len(rows):
        at = rows.index(None)
        raise DataError(NOT_A_ROW(row=at + 1, type=type(X[at]).__name__))
    width = len(checked[0]) if checked else 0
    for i, row in enumerate(checked, 1):
        if len(row) != width:
            raise DataError(UNEQUAL_ROWS(row=i, cells=plural(len(row), "cell"), width=width))
    cells = zip(*checked, strict=True)
    columns = [column_of_objects(f"x{j}", column) for j, column in enumerate(cells)]
    return Frame(_in_array(columns), len(checked), named=False)


def column_of_values(name: str, values: Any) -> Column:
    """One column from a polars or pandas series, an array (n,) or a sequence."""
    if is_polars(values, "Series"):
        column: Column = late_import("slp.data.polars_frames").column_of_polars(name, values)
        return column
    if hasattr(values, "iloc"):
        return _column_of_pandas(name, values)
    if isinstance(values, np.ndarray):
        return column_of_array(name, values)
    return column_of_objects(name, list(values))


def _column_of_pandas(name: str, series: Any) -> Column:
    if isinstance(series.dtype, np.dtype) and series.dtype.kind != "O":
        return column_of_array(name, series.to_numpy()).placed("", "pandas")
    missing = np.asarray(series.isna(), dtype=np.bool_)
    column = column_of_objects(name, series.to_numpy(dtype=object).tolist(), missing)
    column = column.placed("", "pandas")
    if not hasattr(series, "cat"):
        return column
    column = replace(column, nominal=True)
    if not series.cat.ordered:
        return column
    return column.with_categories(series.cat.categories.tolist(), ordered=True)
