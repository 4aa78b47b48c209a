"""The statements of a program beside its rules: constraints, limits, groups and weights of
features; the program without some of them; and the smallest part of them that has a property."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from slp.ir.constraints import Constraint, Support
from slp.ir.program import CheckedProgram
from slp.source import SourceSpan

#: Whether some of the statements, with the rules, have a property; None if that is not known.
Property: TypeAlias = Callable[[Sequence["Statement"]], bool | None]


@dataclass(frozen=True, eq=False)
class Statement:
    """Constraints, or a limit of `support`, or a group or the weight of a feature, by their names.
    What comes from a caller and not from a text has no place."""

    span: SourceSpan | None
    constraints: tuple[Constraint, ...] = ()
    limit: str | None = None
    weight: str | None = None
    group: str | None = None


def statements_of(program: CheckedProgram) -> list[Statement]:
    """Each constraint in the program's order, each limit, each group, and each weight."""
    constraints = [Statement(c.span, (c,)) for c in program.constraints]
    weights = [
        Statement(program.spans.get(f"feature_weight:{feature}"), weight=feature)
        for feature in program.feature_weights
    ]
    groups = [
        Statement(next(iter(group.spans.values()), None), group=name)
        for name, group in program.groups.items()
    ]
    return [*constraints, *_limits(program), *groups, *weights]


def places_of(program: CheckedProgram) -> list[Statement]:
    """The constraints and limits, file by file in their order there, those without a place last.
    Constraints of one list have one place, and are one statement."""
    by_place: dict[SourceSpan, list[Constraint]] = {}
    without = []
    for constraint in program.constraints:
        if constraint.span is None:
            without.append(Statement(None, (constraint,)))
        else:
            by_place.setdefault(constraint.span, []).append(constraint)
    placed = [(span, Statement(span, tuple(own))) for span, own in by_place.items()]
    placed += [(s.span, s) for s in _limits(program) if s.span is not None]
    files = list(dict.fromkeys(span.file for span, _ in placed))
    placed.sort(key=lambda one: (files.index(one[0].file), one[0].start))
    return [*(statement for _, statement in placed), *without]


def _limits(program: CheckedProgram) -> Iterator[Statement]:
    for name, limit in vars(program.support).items():
        if limit != getattr(Support(), name):
            yield Statement(program.spans.get(f"support:{name}"), limit=name)


def with_only(
    program: CheckedProgram, statements: Sequence[Statement], kept: Sequence[Statement]
) -> CheckedProgram:
    """The program without those of the `statements` that are not kept."""
    left = [s for s in statements if s not in kept]
    constraints = {id(c) for statement in left for c in statement.constraints}
    loose = {s.limit: getattr(Support(), s.limit) for s in left if s.limit is not None}
    weights = {statement.weight for statement in left}
    groups = {statement.group for statement in left}
    return replace(
        program,
        constraints=tuple(c for c in program.constraints if id(c) not in constraints),
        support=replace(program.support, **loose),
        groups={name: own for name, own in program.groups.items() if name not in groups},
        feature_weights={f: w for f, w in program.feature_weights.items() if f not in weights},
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
