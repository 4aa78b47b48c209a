"""Answers of a search in terms without a store, recorded piece by piece.

A run binds few of the answer's variables. So it records no copy of the answer, but an earlier
record, and terms for the variables of that one. Then an answer that is a list of N drawn elements
takes time proportional to N. Equal records are one object, so answers are compared by identity.
Small answers are recorded whole, so that they are one object however they were bound.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakValueDictionary

from slp.resolution.machine.store import Numbering, Store
from slp.terms import Struct, Term, Var, substitute

#: Answers of at most this number of parts are recorded whole.
_SMALL = 64


@dataclass(slots=True, eq=False, repr=False, weakref_slot=True)
class Record:
    """Terms for the variables of the record `before`; without one the answer itself. Its own
    variables are numbered from 1. `size` counts parts, as those of the record before, and may be
    too large."""

    before: Record | None
    terms: tuple[Term, ...]
    size: int


class RecordedAnswer(NamedTuple):
    """An answer in a run: a record, and for each of its variables a term of the run."""

    record: Record
    values: tuple[Term, ...]

    def whole(self, store: Store) -> Term:
        """The answer as a term, resolved in the run's store."""
        record: Record | None = self.record
        values, unbound = self.values, Store(0)
        while record is not None:
            names: dict[Term, Term] = {
                _variable(i): value for i, value in enumerate(values, start=1)
            }
            values = tuple(unbound.resolve(term, names) for term in record.terms)
            record = record.before
        return store.resolve(values[0])


class AnswerRecords:
    """The records in use."""

    def __init__(self) -> None:
        self._known: WeakValueDictionary[Hashable, Record] = WeakValueDictionary()

    def first(self, answer: Term) -> RecordedAnswer:
        """An answer before the first run."""
        return RecordedAnswer(Record(None, (_variable(1),), 1), (answer,))

    def put_down(self, answer: RecordedAnswer, store: Store, numbers: Numbering) -> RecordedAnswer:
        """The answer as a run has bound it, for runs whose variables are numbered by `numbers`."""
        own: dict[Var, Var] = {}

        def renamed(variable: Var) -> Var:
            return own.setdefault(variable, _variable(len(own) + 1))

        terms = tuple(store.mapped(value, renamed) for value in answer.values)
        values = tuple(numbers(variable) for variable in own)
        if len(own) == len(terms) and all(type(term) is Var for term in terms):
            return RecordedAnswer(answer.record, values)
        return RecordedAnswer(self._record(answer.record, terms), values)

    def _record(self, before: Record | None, terms: tuple[Term, ...]) -> Record:
        size = _parts(terms)
        if before is not None:
            size += before.size
            if before.before is None and size <= _SMALL:
                names: dict[Var, Term] = {_variable(i): t for i, t in enumerate(terms, start=1)}
                terms = tuple(substitute(term, names) for term in before.terms)
                before = None
        key = before, terms
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Record(before, terms, size)
        return found


def _variable(number: int) -> Var:
    return Var("A", number)


def _parts(terms: tuple[Term, ...]) -> int:
    """The number of parts of terms, or some number above `_SMALL`."""
    parts, todo = 0, list(terms)
    while todo and parts <= _SMALL:
        term = todo.pop()
        if type(term) is Struct and not term.ground_parts:
            todo.extend(term.args)
        parts += max(1, term.ground_parts) if type(term) is Struct else 1
    return parts
