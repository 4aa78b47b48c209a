"""The columns of a leaf model that is a regression, `normal_linear([x1, ...])`; and those of the
linear model that a sum of trees takes its noise from."""

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

#: A column of more levels is no part of the linear model.
_MOST_LEVELS = 20


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


def predictors_of(program: CheckedProgram, features: Sequence[Column]) -> NDArray[np.float64]:
    """What a linear model of the response has beside its constant, shape (n, q): numbers, those
    that are missing as the mean; a column of 0 and 1 for each level but the first. Columns of more
    than 20 levels, and of numbers whose squares are too large, are left out."""
    out: list[NDArray[np.float64]] = []
    for column in features:
        declared = declared_of(column, program.features)
        comma = declared.decimal == "comma"
        values, bad = numbers_of(as_written(column, declared.unit, comma=comma))
        of_levels = declared.kind in ("categorical", "ordinal") or declared.levels is not None
        if bad is None and not of_levels and (column.numeric or declared.of_numbers):
            known = values[~np.isnan(values)]
            if len(known) and np.abs(known).max() <= _LARGEST:
                out.append(np.where(np.isnan(values), known.mean(), values))
            continue
        missing = zip(column.cells, column.missing, strict=True)
        cells = np.array(["" if m else str(cell) for cell, m in missing])
        levels = np.unique(cells)
        if len(levels) <= _MOST_LEVELS:
            out += [(cells == level).astype(float) for level in levels[1:]]
    return np.stack(out, axis=1) if out else np.empty((len(features[0].cells), 0))
