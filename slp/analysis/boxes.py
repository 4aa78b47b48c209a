"""Box facts: `box(Name, Feature, Min, Max).`, gathered by name."""

from __future__ import annotations

from collections.abc import Iterable

from slp.analysis.directives import name_of, span_of
from slp.analysis.findings import Findings
from slp.analysis.parameters import Values
from slp.errors import Related
from slp.ir.program import Box
from slp.source import SourceSpan
from slp.syntax.ast import Clause
from slp.terms import Atom, Struct

__all__ = ["box_names", "is_box_clause", "read_boxes"]

_USAGE = "write box(name, feature, 0, 10). for 0 <= feature < 10; a bound may be -inf or inf"


def is_box_clause(clause: Clause) -> bool:
    """Whether a clause speaks of boxes: its head is `box(...)`, with whatever arguments."""
    return isinstance(clause.head, Struct) and clause.head.name == "box" and clause.arrow != "-->"


def box_names(clauses: Iterable[Clause]) -> set[str]:
    """Names that box facts begin with, those of malformed facts too."""
    heads = (clause.head for clause in clauses)
    names = (head.args[0] for head in heads if isinstance(head, Struct))
    return {name.name for name in names if isinstance(name, Atom)}


def read_boxes(clauses: Iterable[Clause], values: Values, findings: Findings) -> dict[str, Box]:
    """Boxes by name, bounds in the order of their facts; malformed facts are found and left out."""
    bounds: dict[str, dict[str, tuple[float, float]]] = {}
    spans: dict[tuple[str, str], SourceSpan] = {}
    first: dict[str, SourceSpan] = {}
    for clause in clauses:
        fact = _read_fact(clause, values, findings)
        if fact is None:
            continue
        name, feature, low, high = fact
        if (name, feature) in spans:
            findings.error(
                "E122",
                f"box `{name}` is bounded twice in `{feature}`",
                clause.span,
                help="a box has one interval for each feature; give another box another name",
                related=[Related("first bounded here", spans[name, feature])],
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
        findings.error(
            "E120",
            "a box is a fact with a name, a feature and two bounds",
            clause.span,
            help=_USAGE,
        )
        return None
    name = name_of(head.args[0], "a box", clause.span, findings, "E120")
    feature = name_of(head.args[1], "a feature", clause.span, findings, "E120")
    low = values.number(head.args[2], "the lower bound", clause.span)
    high = values.number(head.args[3], "the upper bound", clause.span)
    if name is None or feature is None or low is None or high is None:
        return None
    if low >= high:
        findings.error(
            "E121",
            f"box `{name}` is empty: no number is at least {low:g} and below {high:g}",
            span_of(head, clause.span),
            help=f"are the bounds swapped? {_USAGE}" if low > high else _USAGE,
        )
        return None
    return name, feature, low, high
