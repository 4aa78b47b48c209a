"""Tables and responses as estimators of scikit-learn take them.

scikit-learn checks arrays of numbers, names and numbers of columns; `slp.data` reads everything
else. What scikit-learn refuses has a code here too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import assert_all_finite, column_or_1d, validate_data

from slp.budgets import check_room_for_rows, memory_budget
from slp.data import taken_in
from slp.data.arrays import settled
from slp.data.cells import read_number
from slp.data.columns import Column, numbers_of
from slp.data.faults import check_usable
from slp.data.frames import Frame, column_of_values, frame_or_empty
from slp.data.intake import arrow_as_polars
from slp.errors import DataError, SlpError
from slp.messages.cells import MISSING_IN_RESPONSE
from slp.messages.leaf_models import TEXT_FOR_REGRESSOR
from slp.messages.names import atom
from slp.messages.table_files import (
    DATES_AS_RESPONSE,
    REFUSED,
    SPARSE_RESPONSE,
    STRANGE_CELLS,
    STRANGE_RESPONSE,
)


class RefusedTypeError(DataError, TypeError):
    """A fault of which scikit-learn tells by a `TypeError`."""


@contextmanager
def refusals() -> Iterator[None]:
    """Gives what scikit-learn raises in the block a code (E415)."""
    try:
        yield
    except SlpError:
        raise
    except TypeError as e:
        raise RefusedTypeError(REFUSED(reason=_words(e))) from e
    except ValueError as e:
        raise DataError(REFUSED(reason=_words(e))) from e


def _words(error: Exception) -> str:
    """What an error says, without the arrays that it shows."""
    lines = str(error).splitlines()
    return " ".join(line for line in lines if not line.startswith((" ", "[", "array=")))


def table_to_fit(
    estimator: Any, X: Any, y: Any, ignored: Collection[str]
) -> tuple[Frame, NDArray[Any]]:
    """The columns of a table, and the response as an array (n,). Sets `n_features_in_` and
    `feature_names_in_` of the estimator. `ignored` are the columns that the program ignores.

    A column of text in an array, or in a list of rows, is one of numbers if all its cells are.

    Raises
    ------
    DataError
        They are no table with one response.
    BudgetError
        E501: the table takes more than the estimator's memory.
    """
    X, y = _taken_in(estimator, X), _response(y)
    with refusals():
        if _has_numbers(X):
            X = validate_data(estimator, X, **_NUMBERS)
        frame = frame_or_empty(X)
        if not frame.named:
            _check_cells(frame, ignored)
            frame = replace(frame, columns=tuple(map(_with_numbers, frame.columns)))
        X = arrow_as_polars(X)
        validate_data(estimator, X, y, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        _check_response(y, type(estimator).__name__, numbers=estimator._kind == "numbers")
        check_consistent_length(X, y)
    return frame, y


def rows_to_predict(estimator: Any, X: Any, names: Sequence[str]) -> Frame:
    """The columns of rows to predict: by `names`, those at fit, or by place where X has others.
    Raises as `table_to_fit`."""
    X = _taken_in(estimator, X)
    with refusals():
        if _has_numbers(X):
            X = validate_data(estimator, X, reset=False, **_NUMBERS)
        frame = frame_or_empty(X)
        validate_data(estimator, arrow_as_polars(X), reset=False, skip_check_array=True)
    if frame.named and set(names) <= set(frame.names):
        return frame
    own = zip(frame.columns, names, strict=True)
    columns = tuple(replace(column, name=name) for column, name in own)
    return replace(frame, columns=columns, named=True)


#: How scikit-learn checks an array of numbers.
_NUMBERS: Mapping[str, Any] = {"dtype": "numeric", "ensure_all_finite": "allow-nan"}


def _taken_in(estimator: Any, X: Any) -> Any:
    """A table that fits within the estimator's memory, as a frame, an array or a list of rows; a
    list as an array if it has numbers alone."""
    memory = memory_budget(estimator.memory)
    X = taken_in(X, memory)
    array = settled(X, "the table")
    if not isinstance(X, list | tuple) or _has_numbers(array):
        X = array
    check_room_for_rows(X, memory)
    return X


def _has_numbers(X: Any) -> bool:
    """Whether it is an array of numbers or truth values, all of which are there."""
    masked = isinstance(X, np.ma.MaskedArray)
    return isinstance(X, np.ndarray) and X.dtype.kind in "biufc" and not masked


def _check_cells(frame: Frame, ignored: Collection[str]) -> None:
    """Raise E412 for cells of an array that are no numbers, text or truth values."""
    for column in frame.columns:
        unknown = column.kind == "unusable" and column.times is None
        if unknown and column.name not in ignored:
            name, cells = column.name, column.type_name
            raise RefusedTypeError(STRANGE_CELLS(name=name, atom=atom(name), type=cells))


def _with_numbers(column: Column) -> Column:
    """The column in numbers if it is text, and all its cells are numbers."""
    if column.kind != "text":
        return column
    numbers, bad = numbers_of(column)
    if bad is not None:
        return column
    return replace(column, kind="number", cells=numbers, missing=np.isnan(numbers))


def _response(y: Any) -> Any:
    if hasattr(y, "toarray"):
        raise RefusedTypeError(SPARSE_RESPONSE())
    y = settled(taken_in(y), "the response")
    if isinstance(y, np.ma.MaskedArray):
        check_usable(column_of_values("y", y.ravel()), MISSING_IN_RESPONSE)
    return y


def _check_response(y: NDArray[Any], estimator: str, *, numbers: bool) -> None:
    """Raise DataError for dates and the like (E411), cells of a strange type (E412) and missing
    ones (E420), and where `numbers` are needed for truth values and text that is no number
    (E430)."""
    if y.dtype.kind in "OMm":
        column = column_of_values("y", y).placed("y")
        check_usable(column, MISSING_IN_RESPONSE, DATES_AS_RESPONSE, STRANGE_RESPONSE)
    assert_all_finite(y, input_name="y")
    for row, cell in enumerate(y.tolist() if numbers else (), start=1):
        if isinstance(cell, bool) or (isinstance(cell, str) and read_number(cell) is None):
            raise DataError(TEXT_FOR_REGRESSOR(estimator=estimator, cell=cell, row=row))
