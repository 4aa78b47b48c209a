"""The columns of a leaf model that is a regression: `normal_linear([x1, ...])`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slp.data.columns import Column, numbers_of
from slp.data.declarations import declared_of
from slp.data.words import first_row
from slp.data.written import as_written
from slp.errors import DataError
from slp.ir.program import CheckedProgram
from slp.messages.leaf_models import (
    REGRESSOR_CELL,
    REGRESSOR_DEFINED,
    REGRESSOR_IGNORED,
    REGRESSOR_NO_NUMBERS,
)
from slp.messages.names import atom

_LARGEST = 1e150  # squares and their sums stay finite


def regressors_of(
    program: CheckedProgram, features: Sequence[Column]
) -> NDArray[np.float64] | None:
    """The values that the leaf model's regressors have in the rows, shape (n, q); None if it has
    none.

    Raises
    ------
    DataError
        E434: a column is no feature, holds levels, or lacks a finite number.
    """
    if program.leaf is None or not program.leaf.columns:
        return None
    span, by_name = program.leaf.span, {c.name: c for c in features}
    out = []
    for name in program.leaf.columns:
        column = by_name.get(name)
        if column is None:
            raise DataError(REGRESSOR_IGNORED(span, name=name, atom=atom(name)))
        if column.formula is not None:
            raise DataError(REGRESSOR_DEFINED(span, name=name))
        declared = declared_of(column, program.features)
        comma = declared.decimal == "comma"
        values, bad = numbers_of(as_written(column, declared.unit, comma=comma))
        of_levels = declared.kind in ("categorical", "ordinal") or declared.levels is not None
        if of_levels or bad is not None or not (column.numeric or declared.of_numbers):
            raise DataError(REGRESSOR_NO_NUMBERS(span, name=name))
        wrong = ~(np.abs(values) <= _LARGEST)
        if wrong.any():
            raise DataError(REGRESSOR_CELL(span, name=name, row=first_row(wrong)))
        out.append(values)
    return np.stack(out, axis=1)
