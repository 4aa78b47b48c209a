"""The response and its leaf model: classes or numbers, checked against the leaf model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.columns import Column, labels_of, numbers_of
from slp.data.faults import check_range, check_usable
from slp.data.row_responses import RowResponses
from slp.data.second_columns import read_event, read_exposure
from slp.data.texts import text_warnings
from slp.data.words import first_row, listed
from slp.data.written import as_written
from slp.errors import DataError, Diagnostic
from slp.ir.leaves import BoxLeaf, LeafDeclaration
from slp.ir.program import EventCodes, FeatureDeclaration
from slp.ir.whole import is_whole
from slp.leaves import (
    LARGEST,
    Label,
    LeafModel,
    label_text,
    leaf_class,
    leaf_model,
    rounded_text,
    taken_note,
    with_boxes,
)
from slp.messages.cells import MISSING_IN_RESPONSE
from slp.messages.columns import EVENT_WITHOUT_MODEL, EXPOSURE_WITHOUT_MODEL
from slp.messages.leaf_models import (
    CLASS_NOT_IN_ORDER,
    MODEL_NEEDS_CLASSES_NOT,
    MODEL_NEEDS_NUMBERS_NOT,
    MODEL_NEEDS_NUMBERS_NOT_TRUTHS,
    RESPONSE_TOO_LARGE,
    TOO_MANY_CLASSES,
    TOO_MANY_REGRESSORS,
)
from slp.messages.names import plural
from slp.messages.table_files import DATES_AS_RESPONSE, STRANGE_RESPONSE
from slp.messages.table_warnings import NO_SCALE, ONE_CLASS, SQUARES_ARE_ROUNDED, SQUARES_ARE_ZERO
from slp.source import SourceSpan

MOST_INTEGER_CLASSES = 20
_LARGEST_ROUNDING = 1e-3  # of a log marginal
_MOST_STATISTICS = 1 << 27  # rows times classes: 1 GiB


@dataclass(frozen=True, eq=False)
class Response:
    """The leaf model bound to the response, the responses of the rows, and what is said of
    them."""

    leaf: LeafModel
    rows: RowResponses
    notes: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def outcomes(self) -> NDArray[Any]:
        """The outcome of each row (see `RowResponses`)."""
        return self.rows.outcomes


def bind_response(
    column: Column,
    event: Column | None,
    declaration: LeafDeclaration | None,
    declared: FeatureDeclaration,
    span: SourceSpan | None = None,
    class_order: Sequence[str] | None = None,
    weights: NDArray[np.float64] | None = None,
    regressors: NDArray[np.float64] | None = None,
    exposure: Column | None = None,
    *,
    event_codes: EventCodes | None = None,
    soft: bool = False,
    box_leaves: Sequence[BoxLeaf] = (),
    trees: int | None = None,
) -> Response:
    """Choose and fit the leaf model (docs/data.md).

    `declared` is the declaration `:- feature(...)` of the response column. `span` is the place of
    `:- response(...)`, and `class_order` the order of classes that it declares. `weights`, shape
    (n,), are those of the rows, `regressors`, shape (n, q), the columns of the leaf model, or of
    the linear model that a sum of trees takes its noise from.
    `event_codes` says what the cells of `event` mean, and `exposure` is the column in whose unit
    the rate of counts is. `soft`: for soft trees; `trees`: for sums of so many. `box_leaves` are
    the priors of leaves in boxes.

    Raises
    ------
    DataError
        E411, E412, E420 for cells; E427 column of events or exposure; E430 classes where numbers
        are needed or the reverse; E431 the declaration; E432, E433 values that the model does not
        allow; E435 too many classes.
    """
    check_usable(column, MISSING_IN_RESPONSE, DATES_AS_RESPONSE, STRANGE_RESPONSE)
    column = as_written(column, declared.unit, comma=declared.decimal == "comma")
    second = None if declaration is None else leaf_class(declaration).second_column
    if event is not None and second != "event":
        raise DataError(EVENT_WITHOUT_MODEL(span, name=event.name))
    if exposure is not None and second != "exposure":
        raise DataError(EXPOSURE_WITHOUT_MODEL(span, name=exposure.name))
    class_order = declared.levels if class_order is None else class_order
    if class_order is not None or _wants_classes(column, declaration, declared):
        response = _classes(column, declaration, class_order, span, box_leaves, weights, trees)
        if declaration is None and class_order is None and declared.kind is None:
            found = text_warnings(column, numbers=False)
            response = replace(response, warnings=(*found, *response.warnings))
        return replace(response, rows=replace(response.rows, weights=weights))
    beside = None if event is None else read_event(event, event_codes, span)
    if exposure is not None:
        beside = read_exposure(exposure, column)
    response = _numbers(column, declaration, weights, regressors, beside, soft, box_leaves, trees)
    if exposure is not None:
        (note,) = response.notes
        response = replace(response, notes=(f"{note}, rates per unit of `{exposure.name}`",))
    of_leaf = regressors if response.leaf.regressors else None
    rows = replace(response.rows, weights=weights, regressors=of_leaf)
    response = replace(response, rows=rows)
    if declared.range is not None:
        values, _ = numbers_of(column)
        check_range(column.name, values, declared.range, declared.unit)
    if declared.unit is not None:
        response = replace(
            response, notes=(*response.notes, f"unit of `{column.name}`: {declared.unit}")
        )
    return response


def _wants_classes(
    column: Column, declaration: LeafDeclaration | None, declared: FeatureDeclaration
) -> bool:
    if declaration is not None:
        return leaf_class(declaration).responses == "classes"
    if declared.kind is not None or declared.of_numbers:
        return declared.kind == "categorical"
    if not column.numeric:
        return True
    return column.whole and len(np.unique(column.cells)) <= MOST_INTEGER_CLASSES


def _all_integers(column: Column) -> bool:
    """Whether a column is of an integer type, of any size, or of whole numbers."""
    return column.cells.dtype.kind != "f" or column.whole


# --- classes -----------------------------------------------------------------------------------


def _classes(
    column: Column,
    declaration: LeafDeclaration | None,
    order: Sequence[str] | None,
    span: SourceSpan | None,
    box_leaves: Sequence[BoxLeaf],
    weights: NDArray[np.float64] | None,
    trees: int | None,
) -> Response:
    if declaration is not None and column.numeric and not _all_integers(column):
        row = first_row(~is_whole(column.cells))
        cell = column.cells[row - 1]
        raise DataError(
            MODEL_NEEDS_CLASSES_NOT(declaration.span, name=column.name, cell=cell, row=row)
        )
    classes, y = labels_of(column)
    if order is not None:
        classes, y = _in_order(column.name, classes, y, order, span)
    if len(classes) * len(y) > _MOST_STATISTICS:
        raise DataError(TOO_MANY_CLASSES(name=column.name, classes=len(classes), rows=len(y)))
    leaf = leaf_model(declaration, classes, y, weights, trees=trees)
    leaf = with_boxes(leaf, box_leaves, classes, y)
    taken = taken_note(declaration, classes, sums=trees is not None)
    notes = (
        f"response `{column.name}`: {len(classes)} classes, {leaf.describe()}"
        + ("" if order is None else f", in the order {' < '.join(map(label_text, classes))}")
        + (f"; {taken}" if taken else " (no leaf model is declared)" * (declaration is None)),
    )
    warnings: tuple[Diagnostic, ...] = ()
    if len(classes) == 1:
        warnings = (ONE_CLASS(name=column.name, label=label_text(classes[0])),)
    return Response(leaf, RowResponses(y), notes, warnings)


def _in_order(
    name: str,
    classes: Sequence[Label],
    y: NDArray[np.int32],
    order: Sequence[str],
    span: SourceSpan | None,
) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """The classes in a declared order, and each row's place among them."""
    rank = {text: i for i, text in enumerate(order)}
    unknown = [label_text(c) for c in classes if label_text(c) not in rank]
    if unknown:
        shown = listed(list(order))
        raise DataError(CLASS_NOT_IN_ORDER(span, name=name, label=unknown[0], order=shown))
    places = np.argsort([rank[label_text(c)] for c in classes])
    return tuple(classes[i] for i in places), np.argsort(places).astype(np.int32)[y]


# --- numbers -----------------------------------------------------------------------------------


def _numbers(
    column: Column,
    declaration: LeafDeclaration | None,
    weights: NDArray[np.float64] | None,
    regressors: NDArray[np.float64] | None,
    beside: NDArray[np.float64] | None,
    soft: bool,
    box_leaves: Sequence[BoxLeaf],
    trees: int | None,
) -> Response:
    """`beside`, shape (n,): the events or the exposures."""
    y = _read_response(column, declaration)
    _check_range(column.name, y, declaration)
    data = y if beside is None else np.stack([y, beside], axis=-1)
    leaf = leaf_model(declaration, (), data, weights, regressors, soft=soft, trees=trees)
    if not soft:
        leaf = with_boxes(leaf, box_leaves, (), data, weights)
    if leaf.regressors and leaf.n_statistics * len(y) > _MOST_STATISTICS:
        raise DataError(TOO_MANY_REGRESSORS(columns=len(leaf.regressors), rows=len(y)))
    if declaration is not None:
        kind: str = leaf.responses
        if beside is not None and leaf.responses == "durations":
            kind += f", {plural(round(beside.sum()), 'event')}"
        taken = taken_note(declaration, ())
        told = leaf.describe() if taken is None else f"{rounded_text(leaf.describe())}; {taken}"
        notes = (f"response `{column.name}`: {kind}, {told}",)
        found = leaf.doubts(data, declaration.span)
        found = (*found, *_rounding_warnings(leaf, y, weights))
        return Response(leaf, RowResponses(data), notes, found)
    notes = (
        f"response `{column.name}`: numbers, {rounded_text(leaf.describe())}; "
        f"{taken_note(None, (), soft=soft, sums=trees is not None)}",
    )
    warnings: tuple[Diagnostic, ...] = ()
    if float(np.var(y)) == 0:
        warnings = (_no_scale(column.name, y),)
    warnings = (*warnings, *_rounding_warnings(leaf, y, weights))
    return Response(leaf, RowResponses(data), notes, warnings)


def _no_scale(name: str, y: NDArray[np.float64]) -> Diagnostic:
    """W404: the responses are equal, or differ by so little that the squares are 0."""
    width = float(np.ptp(y))
    if width == 0:
        return NO_SCALE(name=name, value=y[0])
    return SQUARES_ARE_ZERO(name=name, width=f"{width:.3g}")


def _rounding_warnings(
    leaf: LeafModel, y: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> tuple[Diagnostic, ...]:
    """W409 where rounding can change the log marginal of a leaf by more than 0.001."""
    if weights is None:
        return ()
    values, group = np.unique(y, return_inverse=True)
    weight = np.bincount(group, weights).astype(np.float64, copy=False)
    bound = leaf.rounding(values - leaf.ref, weight)
    if bound is None:
        return ()
    worst = int(np.argmax(bound))
    if bound[worst] <= _LARGEST_ROUNDING:
        return ()
    found = SQUARES_ARE_ROUNDED(
        value=float(values[worst]), weight=f"{weight[worst]:.3g}", bound=f"{bound[worst]:.1g}"
    )
    return (found,)


def _read_response(column: Column, declaration: LeafDeclaration | None) -> NDArray[np.float64]:
    model = "a numeric response" if declaration is None else f"`{declaration.model}`"
    span = None if declaration is None else declaration.span
    values, bad = numbers_of(column)
    if column.kind == "boolean":
        raise DataError(MODEL_NEEDS_NUMBERS_NOT_TRUTHS(span, model=model, name=column.name))
    nan = np.isnan(values)
    if bad is not None or nan.any():
        row = bad + 1 if bad is not None else first_row(nan)
        cell = column.cells[row - 1]
        raise DataError(
            MODEL_NEEDS_NUMBERS_NOT(span, model=model, name=column.name, cell=cell, row=row)
        )
    return values


def _check_range(name: str, y: NDArray[np.float64], declaration: LeafDeclaration | None) -> None:
    large = np.abs(y) > LARGEST
    if large.any():
        row = first_row(large)
        raise DataError(RESPONSE_TOO_LARGE(name=name, value=y[row - 1], row=row))
    if declaration is None:
        return
    model = leaf_class(declaration)
    wrong = ~model.allows(y)
    if model.not_allowed is not None and wrong.any():
        row = first_row(wrong)
        found = {"model": declaration.model, "name": name, "value": y[row - 1], "row": row}
        raise DataError(model.not_allowed(declaration.span, **found))
