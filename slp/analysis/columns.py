"""The columns that a program names. No column may have two roles."""

from __future__ import annotations

from collections.abc import Iterator

from slp.analysis.findings import Findings
from slp.errors import Related
from slp.ir import program as ir
from slp.messages.constraints import FEATURE_WITH_ROLE
from slp.source import SourceSpan
from slp.terms import Atom


def features_of(constraint: ir.Constraint) -> tuple[str, ...]:
    """Features that a constraint itself names, without those of its box."""
    match constraint:
        case ir.Forbid(feature) | ir.First(feature) | ir.Once(feature) | ir.Monotone(feature):
            return (feature,)
        case ir.Before(feature, then):
            return (feature, then)
        case ir.Exclusive(features):
            return features
        case ir.Interaction(groups):
            return tuple(dict.fromkeys(f for group in groups for f in group))
        case _:
            return ()


def named_features(program: ir.Program) -> Iterator[tuple[str, SourceSpan | None]]:
    """Every feature that a program splits on, bounds, weighs or constrains, with its place."""
    for constraint in program.constraints:
        for name in features_of(constraint):
            yield name, constraint.span
    for box in program.boxes.values():
        for name in box.bounds:
            yield name, box.span
    for name in program.feature_weights:
        yield name, program.spans.get(f"feature_weight:{name}")
    for rule in program.rules:
        if isinstance(rule.body, ir.SplitBody) and isinstance(rule.body.feature, Atom):
            yield rule.body.feature.name, rule.body.feature.span or rule.span


def check_columns(program: ir.Program, findings: Findings) -> None:
    """Check that the response, its event and the ignored columns are not used as features."""
    roles = {name: ("ignored", program.spans.get(f"ignore:{name}")) for name in program.ignored}
    span = program.spans.get("response")
    if program.response is not None:
        roles[program.response] = ("the response", span)
    if program.event is not None:
        roles[program.event] = ("part of the response", span)
    for name, where in named_features(program):
        if name in roles:
            role, said = roles[name]
            because = [Related(f"{role} because of this", said)] if said else []
            findings.add(FEATURE_WITH_ROLE(where, related=because, name=name, role=role))
