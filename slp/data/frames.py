"""Tables from Python: polars and pandas frames, NumPy arrays and lists of rows become columns.

pandas is recognised by what its frames can do and never imported; its index is left out. A plain
array's columns are called `x0`, `x1`, ...
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.columns import (
    Column,
    column_of_array,
    column_of_objects,
    texts_of,
)
from slp.data.faults import check_usable, read_numbers
from slp.data.table import Table
from slp.data.words import data_error, listed, nearest, plural
from slp.errors import DataError, Diagnostic, warn

__all__ = [
    "Frame",
    "check_names",
    "collected",
    "column_of_values",
    "frame_of",
    "frame_or_empty",
    "rows_to_predict",
]

_ACCEPTED = "pass a pandas or polars frame, a two-dimensional NumPy array or a list of rows"


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

    @property
    def nbytes(self) -> int:
        """What its cells take, about: texts that are equal are one, and not counted."""
        return sum(c.cells.nbytes + c.missing.nbytes for c in self.columns)


def check_names(names: Sequence[str]) -> None:
    """Raise DataError for columns without a name (E408) or with the same one (E407)."""
    faults = []
    unnamed = [i for i, name in enumerate(names, 1) if not name.strip()]
    if unnamed:
        faults.append(
            Diagnostic(
                "E408",
                f"column {unnamed[0]} has no name",
                help="name it in the header; pandas writes a row index unless told index=False",
            )
        )
    for name, count in Counter(n for n in names if n.strip()).items():
        if count > 1:
            places = [str(i) for i, other in enumerate(names, 1) if other == name]
            faults.append(
                Diagnostic(
                    "E407",
                    f"{count} columns are called `{name}` (columns {', '.join(places)})",
                    help="rename them, so that a program can say which it means",
                )
            )
    if faults:
        raise DataError(faults)


def frame_of(X: Any) -> Frame:
    """Any accepted table as columns.

    Raises
    ------
    DataError
        E404 no rows, E407 and E408 faults of names, E410 no table, E414 rows of unequal length.
    """
    frame = frame_or_empty(X)
    if frame.n_rows == 0:
        raise data_error("E404", "the table has no rows", "inference needs at least one")
    return frame


def frame_or_empty(X: Any) -> Frame:
    """Any accepted table as columns, which may have no cells; raises what `frame_of` does but E404
    for no rows."""
    if isinstance(X, Frame):
        return X
    X = collected(X)
    if _is_polars(X, "DataFrame"):
        frame = _frame_of_series(X.columns, X.get_columns())
    elif _is_pandas_frame(X):
        frame = _frame_of_series([str(c) for c in X.columns], _pandas_series(X))
    else:
        frame = _frame_of_array(X)
    if frame.n_rows and not frame.columns:
        raise data_error("E404", "the table has no columns", "it needs features and a response")
    return frame


def collected(X: Any) -> Any:
    """A lazy frame of polars as one that holds its rows; anything else as it is."""
    return X.collect() if _is_polars(X, "LazyFrame") else X


def _is_polars(X: Any, kind: str) -> bool:
    """Whether X is of a class of polars, which its maker has imported then."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(X, getattr(polars, kind))


def _is_pandas_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "iloc")


def _pandas_series(X: Any) -> list[Any]:
    return [X.iloc[:, i] for i in range(len(X.columns))]


def _frame_of_series(names: Sequence[str], series: Sequence[Any]) -> Frame:
    check_names(names)
    columns = tuple(
        column_of_values(name, values) for name, values in zip(names, series, strict=True)
    )
    return Frame(columns, len(columns[0].cells) if columns else 0, named=True)


def _frame_of_array(X: Any) -> Frame:
    if hasattr(X, "toarray"):
        raise data_error("E410", "the table is a sparse matrix", "pass X.toarray()")
    if isinstance(X, list | tuple):
        return _frame_of_rows(X)
    if isinstance(X, np.matrix) or (not isinstance(X, np.ndarray) and hasattr(X, "__array__")):
        X = np.asarray(X)  # of a matrix, X[:, j] would be a matrix again
    if not isinstance(X, np.ndarray):
        raise data_error("E410", f"a value of type {type(X).__name__} is no table", _ACCEPTED)
    if X.ndim != 2:
        message = f"the array has {X.ndim} dimension{'s' * (X.ndim != 1)}, a table has 2"
        raise data_error("E410", message, _ACCEPTED)
    columns = tuple(column_of_array(f"x{j}", X[:, j]) for j in range(X.shape[1]))
    return Frame(columns, X.shape[0], named=False)


def _frame_of_rows(X: Sequence[Any]) -> Frame:
    rows = [tuple(row) if isinstance(row, list | tuple | np.ndarray) else None for row in X]
    checked = [row for row in rows if row is not None]
    if len(checked) < len(rows):
        at = rows.index(None)
        message = f"row {at + 1} of the list is of type {type(X[at]).__name__}, not a list of cells"
        raise data_error("E410", message, _ACCEPTED)
    width = len(checked[0]) if checked else 0
    for i, row in enumerate(checked, 1):
        if len(row) != width:
            message = f"row {i} has {plural(len(row), 'cell')}, row 1 has {width}"
            raise data_error("E414", message, "every row needs one cell for each column")
    cells = zip(*checked, strict=True)
    columns = tuple(column_of_objects(f"x{j}", column) for j, column in enumerate(cells))
    return Frame(columns, len(checked), named=False)


def column_of_values(name: str, values: Any) -> Column:
    """One column from a polars or pandas series, an array (n,) or a sequence."""
    if _is_polars(values, "Series"):
        from slp.data.polars_frames import column_of_polars  # late: a slow import

        return column_of_polars(name, values)
    if hasattr(values, "iloc"):
        return _column_of_pandas(name, values)
    if isinstance(values, np.ndarray):
        return column_of_array(name, values)
    return column_of_objects(name, list(values))


def _column_of_pandas(name: str, series: Any) -> Column:
    if isinstance(series.dtype, np.dtype) and series.dtype.kind != "O":
        return column_of_array(name, series.to_numpy())
    missing = np.asarray(series.isna(), dtype=np.bool_)
    column = column_of_objects(name, series.to_numpy(dtype=object).tolist(), missing)
    return replace(column, nominal=hasattr(series, "cat"))


# --- rows to predict ---------------------------------------------------------------------------


def rows_to_predict(table: Table, X: Any) -> NDArray[np.object_]:
    """Rows as an object array (m, d): see `Table.new_rows`.

    Levels that the table does not have are kept as they are: no test `= level` holds for them,
    which is told (W440).

    Raises
    ------
    DataError
        E440 a column is missing, E441 an array has the wrong number of columns, and all faults of
        cells and of `frame_or_empty`.
    """
    frame = frame_or_empty(X)
    columns = _columns_of_features(table, frame)
    faults: list[Diagnostic] = []
    out = np.empty((frame.n_rows, len(columns)), dtype=object)
    for j, (feature, column) in enumerate(zip(table.features, columns, strict=True)):
        try:
            check_usable(column, "fill them in, or leave those rows out")
            numeric = not feature.categorical
            out[:, j] = (
                read_numbers(column, "is numeric", "correct the cell")
                if numeric
                else texts_of(column)
            )
        except DataError as e:
            faults += e.diagnostics
    if faults:
        raise DataError(faults)
    _warn_of_new_levels(table, out)
    return out


def _warn_of_new_levels(table: Table, rows: NDArray[np.object_]) -> None:
    """W440: levels of rows to predict (m, d) that no row of the table has."""
    new: list[str] = []
    for feature, cells in zip(table.features, rows.T, strict=True):
        if feature.levels is not None:
            levels = sorted(set(cells).difference(feature.levels))
            new += [f"{listed(levels)} of `{feature.name}`"] if levels else []
    if new:
        more = f"; and of {plural(len(new) - 8, 'column')} more" if len(new) > 8 else ""
        message = (
            f"the rows to predict have levels that no row of the table has: {'; '.join(new[:8])}"
            f"{more}"
        )
        help = "no test on such a level holds, so they go where other levels go: correct them, or "
        help += "take rows that have them into the table"
        warn(Diagnostic("W440", message, help=help, severity="warning"))


def _columns_of_features(table: Table, frame: Frame) -> list[Column]:
    """The frame's column for each feature: by name, or by place where an array has just those."""
    if not frame.named and len(frame.columns) == len(table.features):
        return list(frame.columns)
    by_name = {c.name: c for c in frame.columns}
    absent = [name for name in table.feature_names if name not in by_name]
    if absent and not frame.named:
        have, want = len(frame.columns), len(table.features)
        message = f"the array has {plural(have, 'column')}, the table {plural(want, 'feature')}"
        raise data_error("E441", message, f"in this order: {listed(table.feature_names)}")
    if absent:
        raise DataError([_absent_fault(name, frame.names) for name in absent])
    return [by_name[name] for name in table.feature_names]


def _absent_fault(name: str, names: Sequence[str]) -> Diagnostic:
    guess = nearest(name, names)
    help = f"did you mean `{guess}`?" if guess else f"its columns are {listed(names)}"
    return Diagnostic("E440", f"the rows to predict have no column `{name}`", help=help)
