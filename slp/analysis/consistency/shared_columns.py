"""Whether a feature can grow while the features that share a column with it stay as they are."""

from __future__ import annotations

from slp.analysis.findings import Findings
from slp.constraints.prefer import without_preference
from slp.ir import program as ir
from slp.ir.made import Made
from slp.messages.definitions import MONOTONE_SHARES
from slp.messages.names import atom


def check_monotone(program: ir.CheckedProgram, made: Made, findings: Findings) -> None:
    """Refuse `monotone` of a feature beside another one of the trees that shares a column with it
    (E182), unless it declares that the other one stays as it is."""
    columns = {name for _, names in made.of for name in names}
    features = [f for f in dict.fromkeys([*dict(made.of), *sorted(columns)])]
    allowed = [
        f
        for f in features
        if f not in program.ignored and not any(c.never_splits_on(f) for c in program.constraints)
    ]
    for constraint in map(without_preference, program.constraints):
        if constraint.rising is None or constraint.others_fixed:
            continue
        feature, up = constraint.rising
        for other in allowed:
            shared = sorted(made.share(feature, other) - dict(made.of).keys())
            if other != feature and (shared or feature in made.counted(other)):
                found = MONOTONE_SHARES(
                    constraint.span,
                    feature=feature,
                    other=other,
                    shared=(shared or [feature])[0],
                    atom=atom(feature),
                    direction="up" if up else "down",
                )
                findings.add(found)
                break
