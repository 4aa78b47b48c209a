"""Constraints that contradict each other or have no effect, on every table.

Constraints that leave a single leaf, make a feature unusable, leave no room or repeat another give
a warning: each kind of constraint finds its own (`slp.constraints`). It is an error if a single
leaf is left and the rules never end in one: no tree is left then.
"""

from __future__ import annotations

from collections.abc import Sequence

from slp.analysis.findings import Findings
from slp.constraints import FORMS
from slp.errors import Related
from slp.ir.constraints import Constraint, Support
from slp.messages.constraints import NO_COMMON_FEATURE, NO_TREE_ON_ANY_TABLE, SAID_ALREADY


def check_constraints(
    constraints: Sequence[Constraint], support: Support, never_a_leaf: bool, findings: Findings
) -> None:
    """Find contradictions, and constraints without effect. `never_a_leaf`: whether each tree of the
    rules has a split."""
    for form in FORMS:
        for found in form.find(constraints, support):
            if never_a_leaf and found.code == NO_COMMON_FEATURE.entry.code:
                found = NO_TREE_ON_ANY_TABLE(found.span, related=found.related, what=found.message)
            findings.add(found)
    seen: dict[str, Constraint] = {}
    for c in constraints:
        if c.is_preference:  # two alike cost twice
            continue
        first = seen.setdefault(repr(c), c)
        if first is not c:
            related = [Related("because of this", first.span)] if first.span is not None else []
            findings.add(SAID_ALREADY(c.span, related=related))
