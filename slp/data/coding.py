"""`table_of`: makes the coded table of engines from a program and any kind of table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp import kernels
from slp.budgets import check_time
from slp.columns.concepts import SplitsByConcepts
from slp.data.declarations import declared_of, with_missing
from slp.data.features import CodedColumn, code_column
from slp.data.frames import frame_of
from slp.data.hierarchies import hierarchies_of
from slp.data.regressors import predictors_of, regressors_of
from slp.data.response import Response, bind_response
from slp.data.roles import Roles, roles_of
from slp.data.row_weights import RowWeights
from slp.data.table import Table
from slp.data.words import listed
from slp.errors import DataError, Diagnostic
from slp.ir.program import CheckedProgram, FeatureDeclaration
from slp.ir.whole import is_whole
from slp.leaves import loss_matrix
from slp.messages.names import atom, plural
from slp.messages.numbers import interval_text
from slp.messages.table_warnings import CONSTANT_FEATURES, ONE_BIN


def table_of(program: CheckedProgram, X: Any, y: Any = None) -> Table:
    """The coded table (see `slp.columns` for the coding).

    `X` is a pandas or polars frame, a NumPy array (n, columns) or a list of rows. `y` is the
    response: a series, array or list of n values, or the name of a column of X. Without it, X
    contains the response: the column that the program names, else the last that is not ignored.

    Rows that are equal in all coded features are merged, whatever their response.

    Raises
    ------
    DataError
        With every fault of the table (docs/data.md lists them).
    """
    frame = frame_of(X)
    given = roles_of(program, frame, y)
    roles = given.weighted()
    faults: list[Diagnostic] = []
    coded: list[CodedColumn] = []
    for column in roles.features:
        check_time("reading the table")
        try:
            declared = declared_of(column, program.features)
            if roles.sided and column.missing.any():
                declared = with_missing(declared)
            coded.append(code_column(column, declared, roles.weights).in_few_bytes())
        except DataError as e:
            faults += e.diagnostics
    if program.is_a and not faults:
        try:
            coded = _with_concepts(program, roles, coded)
        except DataError as e:
            faults += e.diagnostics
    try:
        response = response_of(program, roles)
    except DataError as e:
        raise DataError([*faults, *e.diagnostics]) from e
    if faults:
        raise DataError(faults)
    return _merged(coded, response, roles, given.without_weight(), frame.nbytes)


def _with_concepts(
    program: CheckedProgram, roles: Roles, coded: Sequence[CodedColumn]
) -> list[CodedColumn]:
    """The coded columns, those of which levels have concepts coded anew. Raises DataError E175."""
    found, warnings = hierarchies_of(program.is_a, [own.feature for own in coded])
    out: list[CodedColumn] = []
    for column, plain in zip(roles.features, coded, strict=True):
        if column.name not in found:
            out.append(plain)
            continue
        splits = SplitsByConcepts(found[column.name])
        declared = replace(declared_of(column, program.features), splits=splits)
        if roles.sided and column.missing.any():
            declared = with_missing(declared)
        out.append(code_column(column, declared, roles.weights).in_few_bytes())
    if warnings and out:
        out[0] = replace(out[0], warnings=(*out[0].warnings, *warnings))
    return out


def response_of(program: CheckedProgram, roles: Roles) -> Response:
    """The response of a table with its leaf model. Raises as `bind_response`."""
    column = roles.response
    of_feature = any(column.name == f.name for f in roles.features)
    named = [] if of_feature else [d for d in program.features if d.name == column.name]
    # The order of categories is for features: classes are sorted unless the program says more.
    declared = declared_of(replace(column, ordered=False), named)
    if roles.kind is not None:
        kind: Literal["categorical", "numeric"]
        kind = "categorical" if roles.kind == "classes" else "numeric"
        declared = FeatureDeclaration(column.name, kind)
    span = program.spans.get("response")
    order, weights = program.class_order, roles.weights
    x = regressors_of(program, roles.features)
    if program.sum_of is not None and roles.features:
        x = predictors_of(program, roles.features)
    response = bind_response(
        column,
        roles.event,
        program.leaf,
        declared,
        span,
        order,
        weights,
        x,
        roles.exposure,
        event_codes=program.event_codes,
        soft=program.soft,
        box_leaves=program.leaves_of_boxes,
        trees=None if program.sum_of is None else program.sum_of.count,
    )
    classes = response.leaf.classes
    if program.losses and classes:
        response.leaf.loss = loss_matrix(classes, program.losses)
    return response


def _merged(
    coded: Sequence[CodedColumn],
    response: Response,
    roles: Roles,
    without_weight: NDArray[np.int64],
    bytes_read: int,
) -> Table:
    codes, row_of, counts = kernels.merge_rows(np.stack([c.codes for c in coded], axis=1))
    warnings = [w for c in coded for w in c.warnings]
    response.leaf.weighted = roles.weights is not None
    return Table(
        features=tuple(c.feature for c in coded),
        codes=codes,
        counts=counts,
        statistics=_sum_over(row_of, response.rows.statistics(response.leaf), len(counts)),
        row_responses=response.rows,
        leaf=response.leaf,
        response=roles.response.name,
        n_rows=len(row_of),
        row_of=row_of,
        without_weight=without_weight,
        weighted=_weighted(roles.weights),
        weights=None
        if roles.weights is None
        else RowWeights.of_rows(roles.weights, row_of, len(counts)),
        notes=(
            _size_note(len(row_of), len(counts), len(coded)),
            *_weight_notes(roles),
            *_feature_notes(coded),
            *response.notes,
        ),
        warnings=(*warnings, *_constant_warnings(coded, codes), *response.warnings),
        bytes_read=bytes_read,
    )


def _weighted(weights: NDArray[np.float64] | None) -> Literal["whole", "real"] | None:
    if weights is None:
        return None
    return "whole" if is_whole(weights).all() else "real"


def _weight_notes(roles: Roles) -> tuple[str, ...]:
    weights = roles.weights
    if weights is None:
        return ()
    low, high = float(weights.min()), float(weights.max())
    total = f"{float(weights.sum()):.10g}"
    return (f"rows have weights from {interval_text(low, high)}, together {total}",)


def _sum_over(
    row_of: NDArray[np.int64], statistics: NDArray[np.float64], m: int
) -> NDArray[np.float64]:
    """Statistics (n, k) of rows summed to those of the m distinct rows, (m, k)."""
    sums = [np.bincount(row_of, weights=column, minlength=m) for column in statistics.T]
    return np.stack(sums, axis=1)


def _size_note(n_rows: int, distinct: int, d: int) -> str:
    note = f"{plural(n_rows, 'row')}, {plural(d, 'feature')}"
    if distinct == n_rows:
        return note
    return f"{note}; {distinct} distinct rows, equal ones are merged and counted"


def _feature_notes(coded: Sequence[CodedColumn]) -> tuple[str, ...]:
    told: dict[str, list[str]] = {}
    for name, (what, more) in (
        (c.feature.name, n) for c in coded for n in (*c.feature.kind.notes, *c.notes)
    ):
        told.setdefault(what, []).append(f"{name} ({more})" if more else name)
    return tuple(f"{what}: {_first(own)}" for what, own in told.items())


def _first(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - 8} more" if len(texts) > 8 else ""
    return f"{', '.join(texts[:8])}{more}"


def _constant_warnings(
    coded: Sequence[CodedColumn], codes: NDArray[np.int32]
) -> tuple[Diagnostic, ...]:
    """W401: features that cannot split anything."""
    constant = [
        c.feature.name
        for c, column in zip(coded, codes.T, strict=True)
        if (column == column[0]).all() and not c.one_bin
    ]
    one_bin = [c.feature.name for c in coded if c.one_bin]
    warnings = []
    if constant:
        warnings.append(CONSTANT_FEATURES(features=listed(constant)))
    if one_bin:
        warnings.append(ONE_BIN(features=listed(one_bin), atom=atom(one_bin[0])))
    return tuple(warnings)
