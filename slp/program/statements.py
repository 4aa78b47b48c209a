"""The statements of a program, which are its constraints and limits, and the smallest part of them
that has a property."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from slp.ir.constraints import Constraint, Support
from slp.ir.program import CheckedProgram
from slp.source import SourceSpan

#: The limits that a program may set, as `Support` names them.
_LIMITS = ("min_leaf", "min_weight", "max_depth")

#: Whether some of the statements, with the rules, have a property; None if that is not known.
Property: TypeAlias = Callable[[Sequence["Statement"]], bool | None]


@dataclass(frozen=True, eq=False)
class Statement:
    """What one place of a program demands: constraints (several where a list stands for them), or
    one limit. A function that a caller requires has no place."""

    span: SourceSpan | None
    constraints: tuple[Constraint, ...] = ()
    limit: str | None = None


def statements_of(program: CheckedProgram) -> list[Statement]:
    """The statements, file by file in their order there; those without a place come last."""
    by_place: dict[SourceSpan, list[Constraint]] = {}
    without = []
    for constraint in program.constraints:
        if constraint.span is None:
            without.append(Statement(None, (constraint,)))
        else:
            by_place.setdefault(constraint.span, []).append(constraint)
    placed = [(span, Statement(span, tuple(own))) for span, own in by_place.items()]
    for name in _LIMITS:
        span = program.spans.get(f"support:{name}")
        if span is not None:
            placed.append((span, Statement(span, limit=name)))
    files = list(dict.fromkeys(span.file for span, _ in placed))
    placed.sort(key=lambda one: (files.index(one[0].file), one[0].start))
    return [*(statement for _, statement in placed), *without]


def with_only(program: CheckedProgram, statements: Sequence[Statement]) -> CheckedProgram:
    """The program with some of its statements alone."""
    kept = {id(c) for statement in statements for c in statement.constraints}
    limits = {statement.limit for statement in statements}
    loose = {
        name: getattr(Support(), name)
        for name in _LIMITS
        if name not in limits and f"support:{name}" in program.spans
    }
    return replace(
        program,
        constraints=tuple(c for c in program.constraints if id(c) in kept),
        support=replace(program.support, **loose),
    )


def smallest_part(statements: Sequence[Statement], has: Property) -> tuple[list[Statement], bool]:
    """A part that has a property of which no smaller part has it, and whether that is certain.

    All statements together have the property, and so has each part that contains one that has it.
    The part is that which is complete first, in the order of the statements: bisection finds the
    shortest beginning that has the property; then each statement of it is left out, the last one
    first, where the rest keeps the property (Junker 2004, whose preferred conflict this is).
    """
    low, high = 0, len(statements)
    while low < high:
        middle = (low + high) // 2
        if has(statements[:middle]):
            high = middle
        else:
            low = middle + 1
    part, certain = list(statements[:high]), True
    for statement in reversed(statements[:high]):
        less = [other for other in part if other is not statement]
        answer = has(less)
        if answer:
            part = less
        certain &= answer is not None
    return part, certain
