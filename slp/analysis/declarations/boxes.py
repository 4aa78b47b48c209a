"""Box facts `box(Name, Feature, Min, Max).`, collected by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import name_of, span_of
from slp.analysis.sources.parameters import Values
from slp.columns import level_numbers, quantity_text
from slp.data.cells import cell_text
from slp.errors import Related
from slp.ir.boxes import Box
from slp.messages import constraints as words
from slp.resolution.machine.functions import CONSTANTS
from slp.source import SourceSpan
from slp.syntax.ast import Clause
from slp.terms import Atom, Number, Struct, Term


def is_box_clause(clause: Clause) -> bool:
    """Whether a clause is about boxes: its head is `box(...)`, with any arguments."""
    return isinstance(clause.head, Struct) and clause.head.name == "box" and clause.arrow != "-->"


def box_names(clauses: Iterable[Clause]) -> set[str]:
    """Names of boxes in facts, including malformed facts."""
    heads = (clause.head for clause in clauses)
    names = (head.args[0] for head in heads if isinstance(head, Struct))
    return {name.name for name in names if isinstance(name, Atom)}


def read_boxes(
    clauses: Iterable[Clause],
    values: Values,
    findings: Findings,
    orders: Mapping[str, tuple[str, ...]],
) -> dict[str, Box]:
    """Boxes by name, with bounds in the order of their facts. Malformed facts give findings and are
    left out. `orders` are the levels of ordinal features, which bound them."""
    bounds: dict[str, dict[str, tuple[float, float]]] = {}
    spans: dict[tuple[str, str], SourceSpan] = {}
    first: dict[str, SourceSpan] = {}
    for clause in clauses:
        fact = _read_fact(clause, values, findings, orders)
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
    return {name: Box(name, b, first[name], _named(b, orders)) for name, b in bounds.items()}


def _named(
    bounds: Mapping[str, tuple[float, float]], orders: Mapping[str, tuple[str, ...]]
) -> dict[str, dict[float, str]]:
    """See `Box.named`."""
    named = {f: dict(zip(level_numbers(orders[f]), orders[f], strict=True)) for f in orders}
    return {f: {b: named[f][b] for b in bounds[f] if b in named[f]} for f in bounds if f in named}


def _read_fact(
    clause: Clause, values: Values, findings: Findings, orders: Mapping[str, tuple[str, ...]]
) -> tuple[str, str, float, float] | None:
    head = clause.head
    if not isinstance(head, Struct) or len(head.args) != 4 or clause.arrow or clause.label:
        findings.add(words.BOX_IS_NO_FACT(clause.span))
        return None
    wordings = (words.VARIABLE_IN_BOX, words.NO_NAME_IN_BOX)
    name = name_of(head.args[0], "a box", clause.span, findings, wordings)
    feature = name_of(head.args[1], "a feature", clause.span, findings, wordings)
    order = orders.get(feature or "", ())
    low, high = (
        _read_bound(term, order, f"the {which} bound", clause.span, values)
        for term, which in zip(head.args[2:], ("lower", "upper"), strict=True)
    )
    if name is None or feature is None or low is None or high is None:
        return None
    if low >= high:
        empty = words.SWAPPED_BOUNDS if low > high else words.EMPTY_BOX
        ends = [quantity_text(end, order=order) for end in (low, high)]
        findings.add(empty(span_of(head, clause.span), name=name, low=ends[0], high=ends[1]))
        return None
    return name, feature, low, high


def _read_bound(
    term: Term, order: tuple[str, ...], what: str, span: SourceSpan, values: Values
) -> float | None:
    """A bound: a number, or a level of the feature's `order`, if it has one."""
    level = term.name if isinstance(term, Atom) else None
    if isinstance(term, Number):
        level = cell_text(term.value)
    if level in order:
        return level_numbers(order)[order.index(level)]
    named = isinstance(term, Number) or (isinstance(term, Atom) and term.name not in CONSTANTS)
    number = None if order and named else values.number(term, what, span)
    if order and (number is None or math.isfinite(number)):
        levels = ", ".join(order)
        values.findings.add(words.BOUND_IS_NO_LEVEL(term.span or span, what=what, levels=levels))
        return None
    return number
