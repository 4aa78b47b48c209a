"""Which column is what: features, response, event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from slp.data.columns import Column, texts_of
from slp.data.frames import Frame, column_of_values, frame_of
from slp.data.words import data_error, listed, nearest, plural
from slp.ir.program import Program
from slp.source import SourceSpan

__all__ = ["Roles", "roles_of"]


@dataclass(frozen=True, eq=False)
class Roles:
    """Feature columns in the table's order (at least one), response, and event column if any."""

    features: tuple[Column, ...]
    response: Column
    event: Column | None


def roles_of(program: Program, frame: Frame, y: Any = None) -> Roles:
    """Give each column its part.

    The response is, in this order: `y` (values, or the name of a column), the program's
    `:- response(...)`, the last column that is not ignored. Where `y` is values, every column is a
    feature that is not ignored, also one of the same name as `y`.

    Raises
    ------
    DataError
        E413 `y` does not fit the table, E424 no feature is left, E425 no such column, E426 the
        response is given twice (`y` holds what the column of its name does, or the program names
        that column), E427 the event column is the response.
    """
    by_name = {c.name: c for c in frame.columns}
    span = program.spans.get("response")
    if y is None or isinstance(y, str):
        name = _name_of_response(program, frame) if y is None else y
        response = _find(by_name, name, "the response", span if y is None else None)
    else:
        response = _given_response(program, frame, y)
    event = None
    if program.event is not None:
        event = _find(by_name, program.event, "the event", span)
        if event.name == response.name:
            message = f"column `{event.name}` cannot be both the duration and its event"
            raise data_error("E427", message, "write :- response(time, event(status)).", span)
    apart = {program.event, *program.ignored}
    if response is by_name.get(response.name):
        apart.add(response.name)
    features = tuple(c for c in frame.columns if c.name not in apart)
    if not features:
        raise data_error(
            "E424",
            "the table has no feature columns",
            f"the response is `{response.name}`; every other column is ignored or not there",
        )
    return Roles(features, response, event)


def _name_of_response(program: Program, frame: Frame) -> str:
    if program.response is not None:
        return program.response
    kept = [name for name in frame.names if name not in program.ignored]
    return (kept or list(frame.names))[-1]


def _find(by_name: Mapping[str, Column], name: str, part: str, span: SourceSpan | None) -> Column:
    if name in by_name:
        return by_name[name]
    guess = nearest(name, by_name)
    help = f"did you mean `{guess}`?" if guess else f"the columns are {listed(list(by_name))}"
    raise data_error("E425", f"there is no column `{name}` for {part}", help, span)


def _given_response(program: Program, frame: Frame, y: Any) -> Column:
    column = _column_of_response(y, program.response or "y")
    if len(column.cells) != frame.n_rows:
        rows, values = plural(frame.n_rows, "row"), plural(len(column.cells), "value")
        message = f"the table has {rows}, but y has {values}"
        raise data_error("E413", message, "y needs one value for each row, in the same order")
    for other in frame.columns:
        if other.name == program.response or (other.name == column.name and _same(other, column)):
            name = other.name
            raise data_error(
                "E426",
                f"the response `{name}` is given as y and is a column of the table as well",
                f'drop the column from X, or pass y="{name}" to take it from there',
            )
    return column


def _same(a: Column, b: Column) -> bool:
    """Whether two columns hold the same values, be it in another type."""
    if "text" in (a.kind, b.kind):
        return bool(np.array_equal(texts_of(a), texts_of(b)))
    return bool(np.array_equal(a.missing, b.missing) and np.array_equal(a.cells, b.cells))


def _column_of_response(y: Any, default: str) -> Column:
    """`y` as a column: a series, an array (n,) or (n, 1), a list, a frame of one column."""
    if hasattr(y, "columns"):
        columns = frame_of(y).columns
        if len(columns) != 1:
            message = f"y has {plural(len(columns), 'column')}, the response is one"
            raise data_error("E413", message, "pass one column")
        return columns[0]
    if not isinstance(y, np.ndarray) and not hasattr(y, "name") and hasattr(y, "__array__"):
        y = np.asarray(y)
    if isinstance(y, np.ndarray):
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            message = f"y is an array of shape {y.shape}, the response is one column"
            raise data_error("E413", message, "pass an array of shape (n,)")
    elif not isinstance(y, list | tuple) and not hasattr(y, "name"):
        message = f"a value of type {type(y).__name__} is no response"
        raise data_error("E413", message, "pass a series, an array, a list or a column name")
    name = getattr(y, "name", None)
    return column_of_values(default if name in (None, "") else str(name), y)
