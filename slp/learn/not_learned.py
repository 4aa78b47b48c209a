"""Why labels below the observed goals, and parameters in them, are not learned."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from slp.analysis.sources.parameters import names_in
from slp.ir import program as ir
from slp.learn.label_tables import LabelTable, Predicates, plain_label
from slp.learn.result import NotLearned
from slp.learn.text import ProgramText
from slp.syntax import term_to_text
from slp.terms import Number, variables


def predicates_not_learned(
    called: Predicates,
    tables: Sequence[LabelTable],
    learned: Collection[str],
    parameters: Collection[str],
    text: ProgramText,
) -> Iterator[NotLearned]:
    """The predicates of which no label is learned, and the parameters of labels that are not.

    `called` are the predicates below the observed goals, `tables` and `learned` the predicates and
    the parameters that are learned, `parameters` all those of the program. Predicates whose labels
    have one possible value are left out.
    """
    known = {(table.name, table.arity) for table in tables}
    told: set[str] = set()
    for (name, arity), clauses in called.items():
        labels = [c.label for c in clauses if c.label is not None]
        numbers = [isinstance(label, Number) for label in labels]
        if not labels or (name, arity) in known:
            continue
        used = {n: None for label in labels for n in names_in(label) if n in parameters}
        if any({*variables(c.label)} - {*variables(c.head)} for c in clauses if c.label):
            reason = "goals of the bodies give them"
            used |= {n: None for n in _in_heads_and_bodies(called) if n in parameters}
        elif all(numbers):
            if all(plain_label(c) in (0, 1) for c in clauses):
                continue
            reason = "they stand in another file"
        elif any(numbers):
            reason = "some are numbers, others expressions"
        elif not used:
            reason = "they are expressions, not numbers"
        else:
            reason = ""
        if reason:
            yield NotLearned(f"{name}/{arity}", reason)
        for parameter in used:
            if parameter not in learned and parameter not in told:
                told.add(parameter)
                yield NotLearned(parameter, _why_not(parameter, text))


def _in_heads_and_bodies(called: Predicates) -> Iterator[str]:
    """The names in heads and bodies of clauses, which may reach labels that bodies give."""
    for clauses in called.values():
        for clause in clauses:
            yield from sorted(names_in(clause.head))
            if clause.body is not None:
                yield from sorted(names_in(clause.body))


def _why_not(parameter: str, text: ProgramText) -> str:
    """Why a parameter in a label is not learned."""
    if text.is_computed(parameter):
        return "its value is computed from others"
    if parameter not in text.learnable([parameter]):
        return "not only labels use it"
    return "with any other value alone, labels are invalid"


def labels_that_stay(
    sets: Sequence[Sequence[ir.LogicClause]], unused: Collection[int]
) -> Iterator[NotLearned]:
    """The labels of 0 in sets of clauses, and the labels of `unused` sets."""
    for i, clauses in enumerate(sets):
        for clause in clauses:
            if i in unused:
                reason = "no derivation of an observation uses these clauses"
            elif plain_label(clause) == 0:
                reason = "a label of 0 stays 0"
            else:
                continue
            yield NotLearned(term_to_text(clause.head), reason)
