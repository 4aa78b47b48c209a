"""Box facts `box(Name, Feature, Min, Max).`, collected by name."""

from __future__ import annotations

from collections.abc import Iterable

from slp.analysis.directives import name_of, span_of
from slp.analysis.findings import Findings
from slp.analysis.parameters import Values
from slp.errors import Related
from slp.ir.program import Box
from slp.messages import constraints as words
from slp.source import SourceSpan
from slp.syntax.ast import Clause
from slp.terms import Atom, Struct


def is_box_clause(clause: Clause) -> bool:
    """Whether a clause is about boxes: its head is `box(...)`, with any arguments."""
    return isinstance(clause.head, Struct) and clause.head.name == "box" and clause.arrow != "-->"


def box_names(clauses: Iterable[Clause]) -> set[str]:
    """Names of boxes in facts, including malformed facts."""
    heads = (clause.head for clause in clauses)
    names = (head.args[0] for head in heads if isinstance(head, Struct))
    return {name.name for name in names if isinstance(name, Atom)}


def read_boxes(clauses: Iterable[Clause], values: Values, findings: Findings) -> dict[str, Box]:
    """Boxes by name, with bounds in the order of their facts. Malformed facts give findings and are
    left out."""
    bounds: dict[str, dict[str, tuple[float, float]]] = {}
    spans: dict[tuple[str, str], SourceSpan] = {}
    first: dict[str, SourceSpan] = {}
    for clause in clauses:
        fact = _read_fact(clause, values, findings)
        if fact is None:
            continue
        name, feature, low, high = fact
        if (name, feature) in spans:
            here = [Related("first bounded here", spans[name, feature])]
            findings.add(
                words.BOX_BOUNDED_TWICE(clause.span, related=here, name=name, feature=feature)
            )
            continue
        spans[name, feature] = clause.span
        first.setdefault(name, clause.span)
        bounds.setdefault(name, {})[feature] = (low, high)
    return {name: Box(name, b, first[name]) for name, b in bounds.items()}


def _read_fact(
    clause: Clause, values: Values, findings: Findings
) -> tuple[str, str, float, float] | None:
    head = clause.head
    if not isinstance(head, Struct) or len(head.args) != 4 or clause.arrow or clause.label:
        findings.add(words.BOX_IS_NO_FACT(clause.span))
        return None
    wordings = (words.VARIABLE_IN_BOX, words.NO_NAME_IN_BOX)
    name = name_of(head.args[0], "a box", clause.span, findings, wordings)
    feature = name_of(head.args[1], "a feature", clause.span, findings, wordings)
    low = values.number(head.args[2], "the lower bound", clause.span)
    high = values.number(head.args[3], "the upper bound", clause.span)
    if name is None or feature is None or low is None or high is None:
        return None
    if low >= high:
        empty = words.SWAPPED_BOUNDS if low > high else words.EMPTY_BOX
        findings.add(empty(span_of(head, clause.span), name=name, low=low, high=high))
        return None
    return name, feature, low, high
