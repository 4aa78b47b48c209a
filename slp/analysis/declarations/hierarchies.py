"""Facts `is_a(Name, Concept).` and `is_a(Column, Name, Concept).`, in their order."""

from __future__ import annotations

from collections.abc import Iterable

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import name_of
from slp.data.cells import cell_text
from slp.data.hierarchies import contradiction
from slp.ir.hierarchies import IsA, contradictions
from slp.messages import hierarchies as words
from slp.syntax.ast import Clause
from slp.terms import Number, Struct


def is_hierarchy_clause(clause: Clause) -> bool:
    """Whether a clause is about hierarchies: its head is `is_a(...)`, with any arguments."""
    return isinstance(clause.head, Struct) and clause.head.name == "is_a" and clause.arrow != "-->"


def read_hierarchies(clauses: Iterable[Clause], findings: Findings) -> tuple[IsA, ...]:
    """The facts. Those that are malformed or contradict another give findings and are left out."""
    facts = [fact for clause in clauses if (fact := _read_fact(clause, findings)) is not None]
    for column in dict.fromkeys(fact.column for fact in facts):
        for fact, first in contradictions([f for f in facts if f.column == column]):
            facts = [other for other in facts if other is not fact]
            findings.add(contradiction(fact, first))
    return tuple(facts)


def _read_fact(clause: Clause, findings: Findings) -> IsA | None:
    head = clause.head
    sound = isinstance(head, Struct) and len(head.args) in (2, 3)
    if not isinstance(head, Struct) or not sound or clause.body or clause.label:
        findings.add(words.IS_A_IS_NO_FACT(clause.span))
        return None
    wordings = (words.VARIABLE_IN_HIERARCHY, words.NO_NAME_IN_HIERARCHY)
    whats = ("a column", "a level", "a concept")[-len(head.args) :]
    names = [
        cell_text(term.value)
        if isinstance(term, Number)
        else name_of(term, what, clause.span, findings, wordings)
        for term, what in zip(head.args, whats, strict=True)
    ]
    *column, name, concept = names
    if name is None or concept is None or None in column:
        return None
    return IsA(column[0] if column else None, name, concept, clause.span)
