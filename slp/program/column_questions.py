"""What is odd about the columns of a new table, as comments with the lines that mend it: numbers in
text, zeros for missing values, ordered words, columns that say the same, the response again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.columns import numbers_in
from slp.data.columns import Column, distinct_cells, numbers_of, texts_of
from slp.data.written import Writing, find_writing
from slp.messages.names import joined, plural
from slp.messages.numbers import number_text
from slp.program.directive_lines import atom_of, comment, directive, offered
from slp.program.level_orders import order_of
from slp.source import visible
from slp.terms import Atom, Struct, Term, list_term

_FEWEST = 5  # different values of which two columns say the same, and not by chance
_MOST_SHOWN = 6
_WIDE = 120  # a longer line is left out
_LINE = 0.999  # the squared correlation of the response and the same in another unit, rounded


def column_questions(
    features: Sequence[Column], others: Sequence[Column], outcome: Column
) -> Iterator[str]:
    """The lines, all of them comments. `others` are columns that are left out."""
    for column in [outcome, *features, *others]:
        given = column.rows(np.flatnonzero(~column.missing))
        if column.kind == "text" and len(given.cells):
            yield from _writing_lines(column, find_writing(given), again=column is outcome)
    for column in features:
        if column.numeric:
            yield from _zero_lines(column)
        elif not column.ordered:
            yield from _order_lines(column)
    yield from _equal_lines(features)
    for column in features:
        yield from _response_lines(column, outcome)


def _feature(column: Column, *parts: Term) -> str:
    side = [Struct("missing", (Atom("side"),))] * bool(column.missing.any())
    return offered(directive("feature", atom_of(column), list_term([*parts, *side])))


def _name(column: Column) -> str:
    return f"`{visible(column.name)}`"


# --- numbers in text ---------------------------------------------------------------------------


def _writing_lines(column: Column, found: Writing | None, *, again: bool) -> Iterator[str]:
    if found is None:
        return
    how = ["a comma"] * found.comma
    if found.units:
        plural_sign = "s" * (len(found.units) > 1)
        how.insert(0, f"the unit{plural_sign} {joined(map(visible, found.units))}")
    what = (
        f"{_name(column)} seems to hold numbers with {joined(how)}, such as `{visible(found.cell)}`"
    )
    if not found.readable:
        why = "some have another unit, a point or a comma for thousands"
        if found.others:
            why = f"{plural(found.others, 'cell')} hold something else"
        yield from comment(f"{what}, but {why}: write them alike, or as plain numbers.")
        return
    place = "the line of its leaves goes then" if again else "in place of its own line"
    comma = ", if the comma is a decimal sign" * found.comma
    yield from comment(f"{what}. This reads them as numbers{comma} ({place}):")
    parts: list[Term] = [Struct("unit", (Atom(unit),)) for unit in found.units]
    parts += [Struct("decimal", (Atom("comma"),))] * found.comma
    if again:
        yield offered(directive("feature", atom_of(column), list_term(parts)))
    else:
        yield _feature(column, *parts)


# --- zeros -------------------------------------------------------------------------------------


def _zero_lines(column: Column) -> Iterator[str]:
    values = numbers_of(column)[0][~column.missing]
    zeros = int((values == 0).sum())
    if not _are_odd(values, zeros):
        return
    least = number_text(float(values[values > 0].min()))
    yield from comment(
        f"{_name(column)} is 0 in {plural(zeros, 'row')} and at least {least} in the others. Do "
        "the zeros stand for missing values? If so, empty these cells, and take this line in place "
        "of its own:"
    )
    side = Struct("missing", (Atom("side"),))
    yield offered(directive("feature", atom_of(column), list_term([Atom("numeric"), side])))


def _are_odd(values: NDArray[np.float64], zeros: int) -> bool:
    """Whether 0 is far below all other values: by more than any step between those in the lower
    half, and by much more than their usual step or a third of their median."""
    if not zeros or 2 * zeros > len(values) or (values < 0).any() or not np.isfinite(values).all():
        return False
    above = np.unique(values[values > 0])
    if len(above) < _FEWEST:
        return False
    least, middle = float(above[0]), float(np.median(values[values > 0]))
    steps = np.diff(above[above <= middle]) if len(above) > 2 else np.diff(above)
    if not len(steps) or least <= steps.max():
        return False
    return least >= 5 * float(np.median(steps)) or 3 * least >= middle


# --- ordered words -----------------------------------------------------------------------------


def _order_lines(column: Column) -> Iterator[str]:
    if column.kind == "unusable" or column.missing.all():
        return
    levels = [t for t in dict.fromkeys(texts_of(column).tolist()) if t is not None]
    order, why = order_of(levels), "have the levels of {0} this order"
    if order is None and column.categories and set(levels) <= set(column.categories):
        order, why = column.categories, "the type of {0} lists its levels like this; is it an order"
    if order is None or len(order) < 2 or _fall(order):
        return
    line = _feature(column, Struct("ordinal", (list_term(map(Atom, order)),)))
    if len(line) <= _WIDE:
        told = why.format(_name(column))
        yield from comment(f"{told[0].upper()}{told[1:]}? Then this line replaces its own:")
        yield line


def _fall(order: Sequence[str]) -> bool:
    """Whether levels are numbers that do not rise."""
    numbers = numbers_in(order)
    return numbers is not None and any(np.diff(numbers) <= 0)


# --- columns that say the same -----------------------------------------------------------------


_Key: TypeAlias = tuple[str, bytes]


def _equal_lines(features: Sequence[Column]) -> Iterator[str]:
    """Columns that say what one before them does."""
    seen: dict[_Key, Column] = {}
    for column in features:
        own, alike = _keys(column)
        first = next((seen[key] for key in alike if key in seen), None)
        for key in own:
            seen.setdefault(key, column)
        if first is None:
            continue
        what = f"{_name(column)} and {_name(first)} tell the same, value by value"
        if first.kind == column.kind and bool((first.cells == column.cells).all()):
            what = f"{_name(column)} has the same values as {_name(first)}"
        elif len(column.cells) < 2 * _FEWEST:
            continue  # by chance
        yield from comment(f"{what}. To leave it out, take this line in place of its own:")
        yield offered(directive("ignore", atom_of(column)))


def _keys(column: Column) -> tuple[list[_Key], list[_Key]]:
    """The keys of a column, and those of columns that say the same: numbers in the same or the
    opposite order; levels, and numbers beside levels, that go together in the rows."""
    codes = _codes(column)
    if codes is None:
        return [], []
    own: list[_Key] = []
    alike: list[_Key] = []
    most = int(codes.max())
    if column.numeric:
        turned = np.where(codes < 0, codes, most - codes)
        own.append(("order", codes.tobytes()))
        alike += [("order", codes.tobytes()), ("order", turned.tobytes())]
    if 2 * (most + 1) <= len(codes):
        parts = _by_first_row(codes).tobytes()
        own.append(("numbers" if column.numeric else "levels", parts))
        alike += [("levels", parts)] + [("numbers", parts)] * (not column.numeric)
    return own, alike


def _codes(column: Column) -> NDArray[np.int64] | None:
    """The place of each cell among the different ones, in their order, with -1 where missing; None
    of a column that is constant or has few cells."""
    there = np.flatnonzero(~column.missing)
    if column.kind == "unusable" or 2 * len(there) < len(column.cells):
        return None
    distinct, places = distinct_cells(column.rows(there))
    if len(distinct) < 2:
        return None
    codes = np.full(len(column.cells), -1, np.int64)
    codes[there] = places
    return codes


def _by_first_row(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Codes numbered in the order of the rows, so that they tell which rows go together alone."""
    _, first, places = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[places])


# --- the response again ------------------------------------------------------------------------


def _response_lines(column: Column, outcome: Column) -> Iterator[str]:
    both = np.flatnonzero(~(column.missing | outcome.missing))
    if "unusable" in (column.kind, outcome.kind) or 2 * len(both) < len(column.cells):
        return
    x, y = column.rows(both), outcome.rows(both)
    said = _same_numbers(x, y) if x.numeric and y.numeric else _same_classes(x, y)
    if said is not None:
        yield from comment(
            f"{_name(column)} {said} the response {_name(outcome)}. Is it the response in other "
            "units or words, or known only afterwards? Then this line replaces its own:"
        )
        yield offered(directive("ignore", atom_of(column)))


def _same_numbers(x: Column, y: Column) -> str | None:
    a, b = numbers_of(x)[0], numbers_of(y)[0]
    few = min(len(np.unique(a)), len(np.unique(b)))
    if few < _FEWEST or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return _same_classes(x, y)
    if np.corrcoef(a, b)[0, 1] ** 2 > _LINE:
        return "lies on a line with"
    one, other = (np.unique(v, return_inverse=True)[1] for v in (a, b))
    if np.array_equal(one, other) or np.array_equal(one, other.max() - other):
        return "has the order of"
    return None


def _same_classes(x: Column, y: Column) -> str | None:
    one, other = _codes(x), _codes(y)
    if one is None or other is None or len(one) < 2 * _FEWEST or one.max() != other.max():
        return None
    pairs = np.unique(np.stack([one, other]), axis=1).shape[1]
    if pairs != one.max() + 1 or 2 * pairs > len(one):
        return None
    return "has one value for each of"
