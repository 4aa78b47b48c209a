"""What `prefer` does not go with."""

from __future__ import annotations

from slp.analysis.findings import Findings
from slp.constraints.form import of_kind
from slp.constraints.prefer import Prefer
from slp.errors import Related
from slp.ir.program import CheckedProgram
from slp.messages import constraints as words


def check_preferences(program: CheckedProgram, findings: Findings) -> None:
    """Find preferences beside a prior whose weights of trees are not known, and preferences for a
    class in leaves beside constraints on classes that restrict."""
    preferences = of_kind(program.constraints, Prefer)
    strict = next((c for c in program.constraints if _of_leaves(c)), None)
    for own in preferences:
        if program.edits is not None:
            findings.add(words.PREFERENCE_OF_EDITS(own.span))
        elif program.failure == "backtrack":
            findings.add(words.PREFERENCE_THAT_BACKTRACKS(own.span))
        elif _of_leaves(own.constraint) and strict is not None and program.failure == "restrict":
            related = [Related("beside this", strict.span)] if strict.span is not None else []
            findings.add(words.PREFERS_CLASS_BESIDE_CONSTRAINT(own.span, related=related))


def _of_leaves(constraint: object) -> bool:
    """Whether leaves decide it."""
    return getattr(constraint, "decided_at", "") == "decided at the leaf" and not isinstance(
        constraint, Prefer
    )
