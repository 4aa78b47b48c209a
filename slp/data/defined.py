"""The columns that formulas of a program make of others (`slp.columns.formula`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slp.columns.declared import has_levels
from slp.columns.formula import DefinedFeature, Formula
from slp.data.columns import Column, numbers_of
from slp.data.declarations import declared_of
from slp.data.faults import check_usable
from slp.data.feature_kind import Feature
from slp.data.words import first_row, listed
from slp.data.written import as_written
from slp.errors import DataError, Diagnostic, UsageError
from slp.ir.program import CheckedProgram
from slp.messages import made_columns as words
from slp.messages.cells import MISSING_VALUES
from slp.messages.names import atom, nearest, plural
from slp.messages.numbers import number_text
from slp.messages.plots import FORMULA_NOT_FOLLOWED
from slp.source import SourceSpan

_Floats = NDArray[np.float64]


def check_name(name: str, columns: Collection[str | None], span: SourceSpan | None = None) -> None:
    """Raise DataError E490 if a table has a column of the name of a defined feature."""
    if name in columns:
        raise DataError(words.NAME_IS_COLUMN(span, name=name))


def numbers_with_gaps(column: Column, span: SourceSpan | None = None) -> _Floats:
    """The cells of a column that a formula takes as numbers (n,), NaN where they are missing.

    Raises
    ------
    DataError
        E411, E412: cells that cannot be used. E491: text.
    """
    check_usable(column.rows(np.flatnonzero(~column.missing)), MISSING_VALUES)
    values, bad = numbers_of(column)
    if bad is not None:
        cell = column.cells[bad]
        raise DataError(words.TEXT_IN_FORMULA(span, name=column.name, row=bad + 1, cell=cell))
    return values


def column_by_formula(
    name: str,
    formula: Formula,
    sources: Mapping[str, _Floats],
    counts: NDArray[np.bool_] | None = None,
    span: SourceSpan | None = None,
) -> Column:
    """The column of a defined feature, by the numbers (n,) of the columns of its formula, NaN where
    missing. `counts` (n,) are the rows that must have a value; None for all.

    Raises
    ------
    DataError
        E492: the formula has no value in a row.
    """
    values = formula.values(sources)
    lost = np.isnan(values)
    given = ~np.logical_or.reduce([np.isnan(sources[c]) for c in formula.columns])
    wrong = lost & given if counts is None else lost & given & counts
    if formula.undefined == "error" and wrong.any():
        row = first_row(wrong)
        told = [f"`{c}` is {number_text(float(sources[c][row - 1]))}" for c in formula.columns]
        rows = "" if wrong.sum() == 1 else f", and in {plural(int(wrong.sum()) - 1, 'more row')}"
        raise DataError(
            words.NO_VALUE(
                span,
                name=name,
                atom=atom(name),
                text=formula.text,
                row=row,
                rows=rows,
                values=", ".join(told),
            )
        )
    return Column(name, "number", values, lost, formula=formula)


def defined_columns(
    program: CheckedProgram,
    by_name: Mapping[str, Column],
    beside: Collection[str | None],
    weights: _Floats | None,
) -> tuple[Column, ...]:
    """The columns of the features that a program defines.

    `by_name` are the table's columns; `beside` the names of those that are no feature, as they say
    something of the response or weigh rows; `weights` (n,) those of the rows, None for 1 each. A
    row of weight 0 needs no value.

    Raises
    ------
    DataError
        E490 to E492, of all definitions that are at fault.
    """
    faults: list[Diagnostic] = []
    out = []
    counts = None if weights is None else weights > 0
    for d in program.definitions:
        try:
            check_name(d.name, (*by_name, *beside), d.span)
            sources = {c: _source(c, d, by_name, beside, program) for c in d.formula.columns}
            out.append(column_by_formula(d.name, d.formula, sources, counts, d.span))
        except DataError as e:
            faults += e.diagnostics
    if faults:
        raise DataError(faults)
    return tuple(out)


def _source(
    name: str,
    d: DefinedFeature,
    by_name: Mapping[str, Column],
    beside: Collection[str | None],
    program: CheckedProgram,
) -> _Floats:
    """The numbers of a column of a formula, as the program declares it."""
    if name in beside:
        raise DataError(words.SOURCE_IS_ROLE(d.span, name=name, feature=d.name))
    if name not in by_name:
        columns, near = listed(list(by_name)), nearest(name, by_name)
        raise DataError(
            words.NO_SOURCE(d.span, name=name, feature=d.name, columns=columns, nearest=near)
        )
    column = by_name[name]
    declared = declared_of(column, program.features)
    if declared.levels is not None or has_levels(declared, numeric=column.numeric):
        raise DataError(words.SOURCE_IS_LEVELS(d.span, name=name, feature=d.name, atom=atom(name)))
    column = as_written(column, declared.unit, comma=declared.decimal == "comma")
    return numbers_with_gaps(column, d.span)


def follow_formulas(features: Sequence[Feature], rows: NDArray[np.object_], f: int) -> None:
    """Give rows (m, d), as `Table.new_rows` has them, whose values of feature f are others now, the
    values of what formulas make of it.

    Raises
    ------
    UsageError
        E571: a formula takes the feature and a column that is ignored, which rows do not keep.
    DataError
        E492: a formula has no value there.
    """
    place = {feature.name: i for i, feature in enumerate(features)}
    for i, feature in enumerate(features):
        formula = feature.kind.formula
        if formula is None or features[f].name not in formula.columns:
            continue
        lost = [name for name in formula.columns if name not in place]
        if lost:
            made, drawn = feature.name, features[f].name
            raise UsageError(FORMULA_NOT_FOLLOWED(made=made, drawn=drawn, ignored=lost[0]))
        sources = {name: rows[:, place[name]].astype(np.float64) for name in formula.columns}
        column = column_by_formula(feature.name, formula, sources)
        rows[:, i] = column.cells
        rows[column.missing, i] = None
