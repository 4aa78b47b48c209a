"""What the columns of a new table are: the likely response, features, and columns to leave out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from slp.data.columns import Column, labels_of
from slp.data.features import code_column
from slp.data.frames import Frame
from slp.data.response import MOST_INTEGER_CLASSES
from slp.data.texts import text_warnings
from slp.data.words import listed
from slp.data.written import find_writing
from slp.errors import DataError
from slp.ir.program import FeatureDeclaration
from slp.leaves import label_text
from slp.messages.columns import NO_COLUMN
from slp.messages.names import nearest, plural
from slp.messages.numbers import interval_text
from slp.program.new_events import TimedEvents, timed_events
from slp.source import visible

#: Names that columns of responses often have.
_RESPONSES = frozenset("y target class label outcome response diagnosis species".split())

MOST_SHOWN = 6  # levels of a column that are listed
_LONGEST = 24  # characters of a level that are shown
_LATER = "part of the question about durations above: it is not known beforehand"
_TO_USE_IT = "to use it, take these rows out, or this line in its place:"
_FEW_ROWS = 20  # a column whose values all differ may be a measurement in fewer rows


@dataclass(frozen=True)
class ColumnRole:
    """A column: its kind, what its values are, and why it is no feature (None: it is one)."""

    column: Column
    kind: str
    values: str
    left_out: str | None = None

    @property
    def wants_side(self) -> bool:
        """Whether it is left out only because its missing values have no side."""
        return self.left_out is not None and self.left_out.endswith(_TO_USE_IT)


@dataclass(frozen=True)
class TablePlan:
    """The roles of a table's columns.

    Attributes
    ----------
    outcome : the response; `why` it is that column.
    timed : durations and events of which the response may be one.
    others : all other columns, in the table's order.
    """

    frame: Frame
    outcome: Column
    why: str
    timed: Sequence[TimedEvents]
    others: Sequence[ColumnRole]

    @property
    def features(self) -> list[ColumnRole]:
        """The columns that are features."""
        return [d for d in self.others if d.left_out is None]


def plan_of(frame: Frame, response: str | None) -> TablePlan:
    """The roles of the columns; `response` names the response, or is None.

    Raises
    ------
    DataError
        E425: no column has that name.
    """
    timed = timed_events(frame.columns)
    outcome, why = _response_of(frame, response, timed)
    if all(outcome not in (pair.duration, pair.event) for pair in timed):
        timed = ()
    later = {id(column) for pair in timed for column in (pair.duration, pair.event)}
    others = []
    for column in frame.columns:
        if column is not outcome:
            role = _role(column)
            others.append(replace(role, left_out=_LATER) if id(column) in later else role)
    return TablePlan(frame, outcome, why, timed, others)


def _response_of(
    frame: Frame, named: str | None, timed: Sequence[TimedEvents]
) -> tuple[Column, str]:
    """The response, and why it is that column."""
    if named is not None:
        found = [c for c in frame.columns if c.name == named]
        if not found:
            columns, near = listed(frame.names), nearest(named, frame.names)
            raise DataError(
                NO_COLUMN(name=named, part="the response", columns=columns, nearest=near)
            )
        return found[0], "as you named it"
    usual = [c for c in frame.columns if c.name.lower() in _RESPONSES and _can_be_response(c)]
    if len(usual) == 1:
        return usual[0], "by its name"
    if timed:
        return timed[0].event, "by its name and codes, as a column of durations stands beside it"
    possible = [c for c in frame.columns if _can_be_response(c)]
    if possible and possible[-1] is not frame.columns[-1]:
        return possible[-1], "the last column that can be one"
    return frame.columns[-1], "the last column"


def _can_be_response(column: Column) -> bool:
    """Missing cells do not count here: their message is clearer than another response."""
    if column.kind == "unusable" or column.missing.all():
        return False
    return bool(column.missing.any()) or _no_feature(column) is None


def _role(column: Column) -> ColumnRole:
    why = _no_feature(column)
    if column.kind == "unusable":
        return ColumnRole(column, "unusable", "", why)
    if column.missing.all():
        return ColumnRole(column, "empty", "", why)
    given = column.rows(np.flatnonzero(~column.missing))
    if given.numeric:
        return ColumnRole(column, "numeric", range_text(given), why)
    if column.ordered and (why is None or column.missing.any()):
        if column.missing.any():
            why = f"{_missing(column)}; {_TO_USE_IT}"
        return ColumnRole(column, "ordinal", " < ".join(map(visible, column.categories)), why)
    if (found := find_writing(given)) is not None and found.readable:
        why = f"numbers in text, such as `{visible(found.cell)}`: see below"
    if why is None and (doubts := text_warnings(column)):
        why = f"to be looked at: {doubts[0].message}"
    values = _levels(given)
    if column.missing.any() and why is None:
        values += f"; {_missing(column)}, one more level"
    return ColumnRole(column, "categorical", values, why)


def range_text(column: Column) -> str:
    """The range of numbers, none of them missing, and how many differ."""
    low, high = np.min(column.cells), np.max(column.cells)
    different = len(np.unique(column.cells))
    return f"{interval_text(low, high)}, {plural(different, 'different value')}"


def _levels(column: Column) -> str:
    texts = [visible(label_text(label)) for label in labels_of(column)[0]]
    shown = [t if len(t) <= _LONGEST else f"{t[: _LONGEST - 3]}..." for t in texts[:MOST_SHOWN]]
    more = f" and {len(texts) - MOST_SHOWN} more" if len(texts) > MOST_SHOWN else ""
    return f"{plural(len(texts), 'level')}: {', '.join(shown)}{more}"


def _no_feature(column: Column) -> str | None:
    """Why a column is left out of the features, in words; None if it is one."""
    if column.missing.all():
        return _missing(column)
    if column.missing.any() and column.numeric:
        return f"{_missing(column)}; {_TO_USE_IT}"
    try:
        found = code_column(column, FeatureDeclaration(column.name, missing="level"))
    except DataError as error:
        return error.diagnostics[0].message
    if found.feature.kind.n_codes == 1:
        return "it has one value only"
    if len(column.cells) < _FEW_ROWS or found.feature.kind.n_codes < len(column.cells):
        return None
    if found.feature.kind.categorical:
        return "a different text in each row: it names the rows"
    steps = np.diff(column.cells) if column.whole else np.zeros(0)
    return "it numbers the rows" if len(steps) and (steps == 1).all() else None


def _missing(column: Column) -> str:
    return f"{int(column.missing.sum())} of {plural(len(column.missing), 'cell')} missing"


def is_classes(outcome: Column) -> bool:
    """Whether the response is classes, by its values."""
    if not outcome.numeric:
        return True
    return outcome.whole and len(np.unique(outcome.cells)) <= MOST_INTEGER_CLASSES
