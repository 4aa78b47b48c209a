"""No column that a program names may have two roles, and no defined feature may have levels."""

from __future__ import annotations

from slp.analysis.findings import Findings
from slp.constraints.prefer import without_preference
from slp.errors import Related
from slp.ir import program as ir
from slp.ir.names import named_features
from slp.messages.constraints import FEATURE_WITH_ROLE
from slp.messages.definitions import DEFINED_WITH_LEVELS
from slp.messages.groups import GROUP_AS_DEFINED


def check_columns(program: ir.CheckedProgram, findings: Findings) -> None:
    """Check that the response, its event or exposure and the ignored columns are no features."""
    roles = {name: ("ignored", program.spans.get(f"ignore:{name}")) for name in program.ignored}
    span = program.spans.get("response")
    if program.response is not None:
        roles[program.response] = ("the response", span)
    for beside in (program.event, program.exposure):
        if beside is not None:
            roles[beside] = ("part of the response", span)
    if program.row_weight is not None:
        roles[program.row_weight] = ("the weight of rows", program.spans.get("row_weight"))
    taken = {c for d in program.definitions for c in d.formula.columns} & {*program.ignored}
    # What counts as splits on a column of a formula may be said of one that is ignored.
    counting = [c.span for c in program.constraints if without_preference(c).rising is None]
    counting += [cost.span for cost in program.costs]
    counting += [box.span for box in program.boxes.values()]
    for name, where in named_features(program):
        if name in roles and not (name in taken and where in counting):
            role, said = roles[name]
            because = [Related(f"{role} because of this", said)] if said else []
            findings.add(FEATURE_WITH_ROLE(where, related=because, name=name, role=role))


def check_defined(program: ir.CheckedProgram, findings: Findings) -> None:
    """Check that features that formulas make have numbers, and that no group has their name."""
    names = {d.name for d in program.definitions}
    for declared in program.features:
        of_levels = declared.kind in ("categorical", "ordinal") or declared.splits is not None
        if declared.name in names and of_levels:
            findings.add(DEFINED_WITH_LEVELS(declared.span, name=declared.name))
    for group in program.groups.values():
        if group.name in names:
            span = next(iter(group.spans.values()), None)
            findings.add(GROUP_AS_DEFINED(span, name=group.name))
