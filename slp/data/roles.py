"""The roles of columns: features, response, event, exposure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.data.arrays import settled
from slp.data.columns import Column, numbers_of, texts_of
from slp.data.defined import defined_columns
from slp.data.faults import check_usable, read_numbers
from slp.data.frames import Frame, column_of_values, frame_of
from slp.data.words import first_row, listed
from slp.errors import DataError
from slp.ir.program import CheckedProgram
from slp.messages.cells import MISSING_VALUES, TEXT_IN_NUMERIC
from slp.messages.columns import (
    EVENT_IS_RESPONSE,
    EXPOSURE_IS_RESPONSE,
    NO_COLUMN,
    NO_FEATURES,
    NO_WEIGHT,
    RESPONSE_TWICE,
    WEIGHTS_OF_ANOTHER_SHAPE,
    WEIGHTS_TWICE,
    WRONG_WEIGHT_OF_ROW,
)
from slp.messages.names import nearest, plural
from slp.messages.table_files import (
    NOT_A_RESPONSE,
    RESPONSE_OF_ANOTHER_LENGTH,
    RESPONSE_OF_ANOTHER_SHAPE,
    RESPONSE_OF_MANY_COLUMNS,
    SPARSE_RESPONSE,
)
from slp.source import SourceSpan

#: The largest weight of a row: sums of such weights that are whole stay whole.
MOST_WEIGHT = 1e9
#: The least one above 0.
LEAST_WEIGHT = 1e-9


@dataclass(frozen=True, eq=False)
class GivenResponse:
    """A response as callers give it, with more than its values.

    Attributes
    ----------
    y : the values, or the name of a column; None as for `roles_of`.
    weights : the weight of each row, numbers from 0 up of shape (n,); None for those of the
        column that the program names, or one each.
    factors : numbers by which the weights of rows are multiplied, float64 (n,); None for none.
    kind : whether it is read as classes or as numbers; None for what program and values say.
    sided : whether missing values of features of which the program says nothing take a side.
    """

    y: Any
    weights: Any = None
    factors: NDArray[np.float64] | None = None
    kind: Literal["classes", "numbers"] | None = None
    sided: bool = False


@dataclass(frozen=True, eq=False)
class Roles:
    """Feature columns in the table's order (at least one), response, and the columns of events and
    of exposure if any; the weights of the rows, float64 (n,); `kind` and `sided` as in
    `GivenResponse`."""

    features: tuple[Column, ...]
    response: Column
    event: Column | None
    weights: NDArray[np.float64] | None = None
    kind: Literal["classes", "numbers"] | None = None
    exposure: Column | None = None
    sided: bool = False

    def without_weight(self) -> NDArray[np.int64]:
        """The rows of weight 0, from 0, in order."""
        weights = np.ones(1) if self.weights is None else self.weights
        return np.flatnonzero(weights == 0).astype(np.int64)

    def weighted(self) -> Roles:
        """The rows that have a weight above 0: the others are absent."""
        if self.weights is None or self.weights.all():
            return self
        rows = np.flatnonzero(self.weights)
        return replace(
            self,
            features=tuple(column.rows(rows) for column in self.features),
            response=self.response.rows(rows),
            event=None if self.event is None else self.event.rows(rows),
            exposure=None if self.exposure is None else self.exposure.rows(rows),
            weights=self.weights[rows],
        )


def roles_of(program: CheckedProgram, frame: Frame, y: Any = None) -> Roles:
    """Give each column its role.

    The response is, in this order: `y` (values, or the name of a column), the program's `:-
    response(...)`, the last column that is not ignored. If `y` is values, every column that is not
    ignored is a feature, also one with the name of `y`.

    Raises
    ------
    DataError
        E413 `y` does not fit the table, E424 no feature is left, E425 no such column, E426 the
        response is given twice (`y` equals the column of its name, or the program names that
        column), E427 the column of events or exposure is the response, E437 the weights of rows,
        E411, E412, E420, E421 cells of the column of weights, E490 to E492 defined features.
    """
    given = y if isinstance(y, GivenResponse) else GivenResponse(y)
    by_name = {c.name: c for c in frame.columns}
    span = program.spans.get("response")
    name = named_column(given.y)
    if name is not None:
        response = _find(by_name, name, "the response", None)
    elif given.y is None:
        response = _find(by_name, name_of_response(program, frame), "the response", span)
    else:
        response = _given_response(program, frame, given.y)
    event, exposure = (
        None if name is None else _find(by_name, name, part, span)
        for name, part in ((program.event, "the event"), (program.exposure, "the exposure"))
    )
    if event is not None and event.name == response.name:
        raise DataError(EVENT_IS_RESPONSE(span, name=event.name))
    if exposure is not None and exposure.name == response.name:
        raise DataError(EXPOSURE_IS_RESPONSE(span, name=exposure.name))
    apart = {program.event, program.exposure, program.row_weight, *program.ignored}
    if response is by_name.get(response.name):
        apart.add(response.name)
    weights = _weights_of(program, by_name, given, frame.n_rows)
    features = tuple(c for c in frame.columns if c.name not in apart)
    beside = {response.name, program.event, program.exposure, program.row_weight}
    features += defined_columns(program, by_name, beside, weights)
    if not features:
        raise DataError(NO_FEATURES(response=response.name))
    return Roles(features, response, event, weights, given.kind, exposure, given.sided)


def _weights_of(
    program: CheckedProgram, by_name: Mapping[str, Column], given: GivenResponse, n: int
) -> NDArray[np.float64] | None:
    """Weights of rows, given or in the column that the program names, times their factors; None if
    all are 1."""
    own = given.weights
    if program.row_weight is not None:
        span = program.spans.get("row_weight")
        if own is not None:
            raise DataError(WEIGHTS_TWICE(span, name=program.row_weight))
        column = _find(by_name, program.row_weight, "the weight of rows", span)
        check_usable(column, MISSING_VALUES)
        own = read_numbers(column, TEXT_IN_NUMERIC)
    if own is not None:
        own = _weights(own, n)
    if given.factors is not None:
        own = _weights(given.factors if own is None else own * given.factors, n)
    return None if own is None or (own == 1).all() else own


def _weights(given: Any, n: int) -> NDArray[np.float64]:
    """Weights of rows as float64 (n,).

    Raises
    ------
    DataError
        E437: they are no numbers from 0 to 1e9, one for each row, with one above 0.
    """
    given = settled(given, "the weights")
    shape = np.shape(given)
    if shape != (n,):
        raise DataError(WEIGHTS_OF_ANOTHER_SHAPE(rows=plural(n, "row"), shape=shape))
    weights = column_of_values("weights", given)
    numbers, _ = numbers_of(weights)
    wrong = ~((numbers == 0) | ((numbers >= LEAST_WEIGHT) & (numbers <= MOST_WEIGHT)))
    if wrong.any():
        row = first_row(wrong)
        raise DataError(WRONG_WEIGHT_OF_ROW(weight=weights.cells[row - 1], row=row))
    if not numbers.any():
        raise DataError(NO_WEIGHT())
    return numbers


def named_column(y: Any) -> str | None:
    """The name of a column that is given as the response: a text, or a whole number as pandas has
    them; None if it is something else."""
    if isinstance(y, Integral) and not isinstance(y, bool):
        return str(int(y))
    return y if isinstance(y, str) else None


def name_of_values(program: CheckedProgram, y: Any) -> str | None:
    """The name of a response whose values are given; None if `y` is a column's name or nothing."""
    y = y.y if isinstance(y, GivenResponse) else y
    if y is None or named_column(y) is not None:
        return None
    name = getattr(y, "name", None)
    return (program.response or "y") if name in (None, "") else str(name)


def name_of_response(program: CheckedProgram, frame: Frame) -> str:
    """The name of the response where none is given: that of the program, else the last column that
    is not ignored."""
    if program.response is not None:
        return program.response
    kept = [n for n in frame.names if n not in (*program.ignored, program.row_weight)]
    return (kept or list(frame.names))[-1]


def _find(by_name: Mapping[str, Column], name: str, part: str, span: SourceSpan | None) -> Column:
    if name in by_name:
        return by_name[name]
    columns, near = listed(list(by_name)), nearest(name, by_name)
    raise DataError(NO_COLUMN(span, name=name, part=part, columns=columns, nearest=near))


def _given_response(program: CheckedProgram, frame: Frame, y: Any) -> Column:
    column = _column_of_response(y, name_of_values(program, y) or "y")
    if len(column.cells) != frame.n_rows:
        rows, values = plural(frame.n_rows, "row"), plural(len(column.cells), "value")
        raise DataError(RESPONSE_OF_ANOTHER_LENGTH(rows=rows, values=values))
    for other in frame.columns:
        if other.name == program.response or (other.name == column.name and _same(other, column)):
            raise DataError(RESPONSE_TWICE(name=other.name))
    return column


def _same(a: Column, b: Column) -> bool:
    """Whether two columns have the same values, also in different types."""
    if "text" in (a.kind, b.kind):
        return bool(np.array_equal(texts_of(a), texts_of(b)))
    return bool(np.array_equal(a.missing, b.missing) and np.array_equal(a.cells, b.cells))


def _column_of_response(y: Any, name: str) -> Column:
    """`y` as a column of this name: a series, an array (n,) or (n, 1), a list, a frame of one
    column, or a column already."""
    if isinstance(y, Column):
        return y
    if hasattr(y, "toarray"):
        raise DataError(SPARSE_RESPONSE())
    if hasattr(y, "columns"):
        columns = frame_of(y).columns
        if len(columns) != 1:
            raise DataError(RESPONSE_OF_MANY_COLUMNS(columns=plural(len(columns), "column")))
        return columns[0]
    if not isinstance(y, list | tuple):
        y = settled(y, "the response")
    if isinstance(y, np.ndarray):
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            raise DataError(RESPONSE_OF_ANOTHER_SHAPE(shape=y.shape))
    elif not isinstance(y, list | tuple) and not hasattr(y, "name"):
        raise DataError(NOT_A_RESPONSE(type=type(y).__name__))
    return column_of_values(name, y).placed("y")
