"""Rows to predict: the columns of a frame or an array as those of a coded table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.columns import MISSING
from slp.data.columns import Column, texts_of
from slp.data.conversion import as_levels, as_numbers
from slp.data.defined import check_name, column_by_formula, numbers_with_gaps
from slp.data.faults import check_usable, outside_range, read_levels, read_numbers
from slp.data.feature_kind import Feature
from slp.data.frames import Frame, frame_or_empty
from slp.data.words import first_row, listed
from slp.data.written import as_written
from slp.errors import DataError, Diagnostic, warn
from slp.messages.cells import MISSING_TO_PREDICT, TEXT_TO_PREDICT
from slp.messages.names import nearest, plural
from slp.messages.new_rows import (
    ARRAY_WITHOUT_SOURCE,
    NO_COLUMN_TO_PREDICT,
    WRONG_NUMBER_OF_COLUMNS,
)
from slp.messages.table_warnings import NEW_LEVELS, NEW_OUT_OF_RANGE


def rows_to_predict(features: Sequence[Feature], X: Any) -> NDArray[np.object_]:
    """Rows with these features as an object array (m, d): see `Table.new_rows`.

    Levels that the table does not have are kept as they are: no test `= level` holds for them, with
    a warning (W440).

    Raises
    ------
    DataError
        E440 a column is missing, E441 an array has the wrong number of columns, and all faults of
        cells and of `frame_or_empty`.
    """
    frame = frame_or_empty(X)
    columns = _columns_of_features([f for f in features if f.kind.formula is None], frame)
    columns = _with_defined(features, columns, frame)
    faults: list[Diagnostic] = []
    out = np.empty((frame.n_rows, len(columns)), dtype=object)
    for j, (feature, column) in enumerate(zip(features, columns, strict=True)):
        try:
            column = _as_fitted(feature, column)
            if feature.kind.missing == "level" and column.kind != "unusable":
                out[:, j] = np.where(column.missing, MISSING, texts_of(column))
                continue
            if feature.kind.missing == "side" and column.kind != "unusable":
                there = np.flatnonzero(~column.missing)
                out[there, j] = _cells(feature, column.rows(there))
                continue
            out[:, j] = _cells(feature, column)
        except DataError as e:
            faults += e.diagnostics
    if faults:
        raise DataError(faults)
    _warn_of_new_levels(features, out)
    _warn_of_range(features, out)
    return out


def _with_defined(
    features: Sequence[Feature], columns: Sequence[Column], frame: Frame
) -> list[Column]:
    """The columns of all features: those that are not defined, and the others made of columns.

    Raises
    ------
    DataError
        E440, E441, E490 to E492, and all faults of the cells that formulas take.
    """
    own = {c.name: c for c in columns}
    known = {f.name: f for f in features}
    by_place = not frame.named and len(frame.columns) == len(columns)
    others = {} if by_place else {c.name: c for c in frame.columns}
    faults: list[Diagnostic] = []
    out: list[Column] = []
    for feature in features:
        formula = feature.kind.formula
        if formula is None:
            out.append(own[feature.name])
            continue
        try:
            check_name(feature.name, frame.names)
            sources = {}
            for name in formula.columns:
                column = own.get(name) or others.get(name)
                if column is None and by_place:
                    raise DataError(ARRAY_WITHOUT_SOURCE(name=name, feature=feature.name))
                if column is None:
                    raise DataError(_absent_fault(name, frame.names))
                if name in own:
                    fitted = known[name]
                    column = as_numbers(column, fitted.cells)
                    column = as_written(column, fitted.kind.unit, comma=fitted.comma)
                sources[name] = numbers_with_gaps(column)
            out.append(column_by_formula(feature.name, formula, sources))
        except DataError as e:
            faults += e.diagnostics
    if faults:
        raise DataError(list(dict.fromkeys(faults)))
    return out


def _as_fitted(feature: Feature, column: Column) -> Column:
    """The column with the type of cells that it had in the table (E447)."""
    levels = feature.kind.numbers_by_name
    if levels is None:
        return as_numbers(column, feature.cells)
    own = [level for level in levels if feature.kind.missing != "level" or level != MISSING]
    return as_levels(column, own, feature.cells)


def _cells(feature: Feature, column: Column) -> NDArray[Any]:
    """The cells of a column for a feature, none of which may be missing."""
    check_usable(column, MISSING_TO_PREDICT)
    if feature.kind.numbers_by_name is None:
        column = as_written(column, feature.kind.unit, comma=feature.comma)
        return read_numbers(column, TEXT_TO_PREDICT)
    if not feature.kind.categorical:
        read_levels(column, feature.kind.names)
    return texts_of(column)


def _warn_of_range(features: Sequence[Feature], rows: NDArray[np.object_]) -> None:
    """W441: numbers of rows to predict (m, d) that are out of the declared range."""
    found: list[str] = []
    for feature, cells in zip(features, rows.T, strict=True):
        if feature.kind.range is not None:
            x = cells.astype(np.float64)
            outside = outside_range(x, feature.kind.range)
            if outside.any():
                row = first_row(outside)
                value = feature.kind.words(float(x[row - 1]))
                found.append(f"`{feature.name}` is {value} in row {row}")
    if found:
        warn(NEW_OUT_OF_RANGE(values="; ".join(found[:8])))


def _warn_of_new_levels(features: Sequence[Feature], rows: NDArray[np.object_]) -> None:
    """W440: levels of rows to predict (m, d) that no row of the table has."""
    new: list[str] = []
    for feature, cells in zip(features, rows.T, strict=True):
        if feature.kind.categorical and feature.kind.new is None:  # else a rule was declared
            levels = sorted(set(cells).difference([*feature.kind.names, None]))
            new += [f"{listed(levels)} of `{feature.name}`"] if levels else []
    if new:
        more = f"; and of {plural(len(new) - 8, 'column')} more" if len(new) > 8 else ""
        warn(NEW_LEVELS(levels="; ".join(new[:8]) + more))


def _columns_of_features(features: Sequence[Feature], frame: Frame) -> list[Column]:
    """The frame's column for each feature: by name, or by place where an array has just those."""
    names = [feature.name for feature in features]
    if not frame.named and len(frame.columns) == len(names):
        own = zip(frame.columns, names, strict=True)
        return [replace(column, name=name) for column, name in own]
    by_name = {c.name: c for c in frame.columns}
    absent = [name for name in names if name not in by_name]
    if absent and not frame.named:
        given, needed = plural(len(frame.columns), "column"), plural(len(names), "feature")
        raise DataError(
            WRONG_NUMBER_OF_COLUMNS(columns=given, features=needed, names=listed(names))
        )
    if absent:
        raise DataError([_absent_fault(name, frame.names) for name in absent])
    return [by_name[name] for name in names]


def _absent_fault(name: str, names: Sequence[str]) -> Diagnostic:
    return NO_COLUMN_TO_PREDICT(name=name, columns=listed(names), nearest=nearest(name, names))
