"""Constraints that contradict each other or have no effect, on every table.

A contradiction is an error: one constraint requires a feature that another rules out, or features
can never be used. A constraint that leaves no room, or repeats another, gives a warning. Each kind
of constraint finds its own (`slp.constraints`).
"""

from __future__ import annotations

from collections.abc import Sequence

from slp.analysis.findings import Findings
from slp.constraints import FORMS
from slp.errors import Related
from slp.ir.constraints import Constraint, Support
from slp.messages.constraints import SAID_ALREADY


def check_constraints(
    constraints: Sequence[Constraint], support: Support, findings: Findings
) -> None:
    """Find contradictions, and constraints without effect."""
    for form in FORMS:
        for found in form.find(constraints, support):
            findings.add(found)
    seen: dict[str, Constraint] = {}
    for c in constraints:
        first = seen.setdefault(repr(c), c)
        if first is not c:
            related = [Related("because of this", first.span)] if first.span is not None else []
            findings.add(SAID_ALREADY(c.span, related=related))
