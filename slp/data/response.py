"""The response and its leaf model: classes or numbers, checked against what the model can take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slp.data.columns import Column, labels_of, numbers_of, texts_of
from slp.data.faults import check_usable
from slp.data.features import Declared
from slp.data.texts import text_warnings
from slp.data.words import data_error, first_row, listed
from slp.errors import DataError, Diagnostic
from slp.ir.program import LeafDeclaration
from slp.leaves import Label, LeafModel, label_text, leaf_model
from slp.source import SourceSpan

__all__ = ["Response", "bind_response"]

MOST_INTEGER_CLASSES = 20
_LARGEST = 1e150  # squares and their sums stay finite
_LARGEST_COUNT = 1e12  # and sums of counts stay whole
_MOST_STATISTICS = 1 << 27  # rows times classes: 1 GiB
_EVENTS = {"1": 1.0, "true": 1.0, "0": 0.0, "false": 0.0}


@dataclass(frozen=True, eq=False)
class Response:
    """The leaf model bound to the response, statistics (n, k) of each row, and what to say."""

    leaf: LeafModel
    statistics: NDArray[np.float64]
    notes: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def bind_response(
    column: Column,
    event: Column | None,
    declaration: LeafDeclaration | None,
    declared: Declared,
    span: SourceSpan | None = None,
    class_order: Sequence[str] | None = None,
) -> Response:
    """Choose and fit the leaf model (DESIGN 3).

    `declared` is what `:- feature(...)` says of the response column; `span` is `:- response(...)`,
    `class_order` the order of classes that it declares.

    Raises
    ------
    DataError
        E411, E412, E420 for cells; E427 event column; E430 classes where numbers are needed or
        the reverse; E431, E434 the declaration; E432, E433 values the model cannot take; E435 too
        many classes.
    """
    if column.fault is not None:
        help = "turn it into numbers or text, or name another response: :- response(Column)."
        raise DataError(replace(column.fault, help=help))
    check_usable(column, "leave those rows out: a row without a response says nothing")
    if event is not None and (declaration is None or declaration.model != "gamma_exponential"):
        raise data_error(
            "E427",
            f"the event column `{event.name}` needs the leaf model gamma_exponential",
            "add :- leaf(gamma_exponential(1, 1)). or take event(...) out of :- response(...).",
            span,
        )
    if class_order is not None or _wants_classes(column, declaration, declared):
        response = _classes(column, declaration, class_order, span)
        if declaration is None and class_order is None and declared.kind is None:
            found = text_warnings(column, numbers=False)
            response = replace(response, warnings=(*found, *response.warnings))
        return response
    return _numbers(column, event, declaration)


def _wants_classes(column: Column, declaration: LeafDeclaration | None, declared: Declared) -> bool:
    if declaration is not None:
        return declaration.model == "dirichlet"
    if declared.kind is not None:
        return declared.kind == "categorical"
    if not column.numeric:
        return True
    return column.whole and len(np.unique(column.cells)) <= MOST_INTEGER_CLASSES


# --- classes -----------------------------------------------------------------------------------


def _classes(
    column: Column,
    declaration: LeafDeclaration | None,
    order: Sequence[str] | None,
    span: SourceSpan | None,
) -> Response:
    if declaration is not None and column.numeric and not column.whole:
        row = first_row(~(np.isfinite(column.cells) & (column.cells == np.floor(column.cells))))
        raise data_error(
            "E430",
            f"`dirichlet` needs classes, but the response `{column.name}` holds the number "
            f"{column.cells[row - 1]} in row {row}",
            "for numbers leave the leaf directive out, or declare normal_inverse_gamma",
            declaration.span,
        )
    classes, y = labels_of(column)
    if order is not None:
        classes, y = _in_order(column.name, classes, y, order, span)
    if len(classes) * len(y) > _MOST_STATISTICS:
        raise data_error(
            "E435",
            f"the response `{column.name}` has {len(classes)} classes in {len(y)} rows",
            "is it a name or a number stored as text? Name the response: :- response(Column).",
        )
    leaf = leaf_model(declaration, classes, y)
    notes = (
        f"response `{column.name}`: {len(classes)} classes, {leaf.describe()}"
        + ("" if order is None else f", in the order {' < '.join(map(label_text, classes))}")
        + (" (no leaf model is declared)" if declaration is None else ""),
    )
    warnings: tuple[Diagnostic, ...] = ()
    if len(classes) == 1:
        message = (
            f"the response `{column.name}` has one class only, `{label_text(classes[0])}`, "
            "so every tree explains it alike"
        )
        warnings = (Diagnostic("W402", message, severity="warning"),)
    return Response(leaf, leaf.statistics(y), notes, warnings)


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
        raise data_error(
            "E436",
            f"the response `{name}` has the class `{unknown[0]}`, which the declared order lacks",
            f"the order is {listed(list(order))}: add the class in its place",
            span,
        )
    places = np.argsort([rank[label_text(c)] for c in classes])
    return tuple(classes[i] for i in places), np.argsort(places).astype(np.int32)[y]


# --- numbers -----------------------------------------------------------------------------------


def _numbers(column: Column, event: Column | None, declaration: LeafDeclaration | None) -> Response:
    y = _read_response(column, declaration)
    _check_range(column.name, y, declaration)
    data = y if event is None else np.stack([y, _read_event(event)], axis=-1)
    leaf = leaf_model(declaration, (), data)
    if declaration is not None:
        notes = (f"response `{column.name}`: numbers, {leaf.describe()}",)
        return Response(leaf, leaf.statistics(data), notes)
    notes = (
        f"response `{column.name}`: numbers, {leaf.describe()}; no leaf model is declared, so its "
        "mean and scale were taken from the response",
    )
    warnings: tuple[Diagnostic, ...] = ()
    if float(np.var(y)) == 0:
        message = (
            f"the response `{column.name}` is {y[0]:g} in every row, so its scale was set to 1"
        )
        help = "declare one with :- leaf(normal_inverse_gamma(Mu, Kappa, Alpha, Beta))."
        warnings = (Diagnostic("W404", message, help=help, severity="warning"),)
    return Response(leaf, leaf.statistics(data), notes, warnings)


def _read_response(column: Column, declaration: LeafDeclaration | None) -> NDArray[np.float64]:
    model = "a numeric response" if declaration is None else f"`{declaration.model}`"
    span = None if declaration is None else declaration.span
    help = "for classes write :- leaf(dirichlet(1))."
    values, bad = numbers_of(column)
    if column.kind == "boolean":
        message = f"{model} needs numbers, but the response `{column.name}` holds truth values"
        raise data_error("E430", message, help, span)
    nan = np.isnan(values)
    if bad is not None or nan.any():
        row = bad + 1 if bad is not None else first_row(nan)
        message = (
            f"{model} needs numbers, but the response `{column.name}` holds "
            f"`{column.cells[row - 1]}` in row {row}"
        )
        raise data_error("E430", message, help, span)
    return values


def _check_range(name: str, y: NDArray[np.float64], declaration: LeafDeclaration | None) -> None:
    large = np.abs(y) > _LARGEST
    if large.any():
        row = first_row(large)
        message = f"the response `{name}` is {y[row - 1]:g} in row {row}"
        help = "responses must be finite and at most 1e150 in size: correct it or change the unit"
        raise data_error("E433", message, help)
    if declaration is None or declaration.model not in _DOMAINS:
        return
    need, holds, help = _DOMAINS[declaration.model]
    wrong = ~holds(y)
    if wrong.any():
        row = first_row(wrong)
        raise data_error(
            "E432",
            f"`{declaration.model}` needs {need}, but the response `{name}` is "
            f"{y[row - 1]:g} in row {row}",
            help,
            declaration.span,
        )


#: What a model needs, which responses have it, and what to do about the others.
_DOMAINS: dict[str, tuple[str, Callable[[NDArray[np.float64]], NDArray[np.bool_]], str]] = {
    "gamma_poisson": (
        "counts (whole numbers from 0 to 1e12)",
        lambda y: (y >= 0) & (y <= _LARGEST_COUNT) & (y == np.floor(y)),
        "correct the cell, or declare normal_inverse_gamma",
    ),
    "gamma_exponential": (  # no other model knows of censoring
        "durations above 0",
        lambda y: y > 0,
        "correct the cell; if 0 stands for less than one unit of time, write what it is about: 0.5",
    ),
}


def _read_event(column: Column) -> NDArray[np.float64]:
    """1 where the event was seen, 0 where it was not."""
    check_usable(column, "leave those rows out: without it a duration means nothing")
    texts = texts_of(column)
    wrong = np.array([t not in _EVENTS for t in texts])
    if wrong.any():
        row = first_row(wrong)
        raise data_error(
            "E427",
            f"the event column `{column.name}` holds `{texts[row - 1]}` in row {row}",
            "write 1 or true where the event was seen, 0 or false where it was not",
        )
    return np.array([_EVENTS[t] for t in texts])
