"""How a constraint is written, read and checked against others: one `Form` for each name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from slp.errors import Diagnostic, Related
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint, Support
from slp.ir.decisions import FeatureCost
from slp.ir.groups import Named
from slp.ir.leaves import ClassShares
from slp.ir.made import Made
from slp.messages import Wording
from slp.messages.constraints import LOWER_LIMIT
from slp.source import SourceSpan
from slp.terms import Term

_C = TypeVar("_C", bound=Constraint)


class Arguments(Protocol):
    """Reads arguments of one constraint. What is malformed is None, and gives a finding."""

    def name(self, term: Term, what: str = "a feature") -> str | None:
        """The name that an atom stands for; `what` it is the name of."""
        ...

    def named(self, term: Term) -> Named | None:
        """The feature or the group of this name."""
        ...

    def names(self, term: Term, least: int) -> tuple[Named, ...] | None:
        """The features and groups in a list of at least `least` (1 or 2) names, none of which is in
        another."""
        ...

    def box(self, term: Term) -> Box | None:
        """The box of this name."""
        ...

    def shares(self, term: Term) -> ClassShares | None:
        """Probabilities of classes that sum to 1."""
        ...

    def amount(self, term: Term, what: str) -> float | None:
        """A finite number of at least 0."""
        ...

    def whole(self, term: Term, what: str, least: int) -> int | None:
        """An integer of at least `least`."""
        ...

    @property
    def costs(self) -> tuple[FeatureCost, ...] | None:
        """The declared costs of features; None if one of these directives is malformed, which has a
        finding of its own."""
        ...

    def made(self, *names: Named) -> Made:
        """The defined features that count as some of these names."""
        ...

    @property
    def every_made(self) -> Made:
        """All defined features."""
        ...

    def local(self, more: Sequence[Term]) -> bool | None:
        """Whether `local` stands in the arguments after the first."""
        ...

    def malformed(self, wording: Wording, term: Term | None = None, **values: Any) -> None:
        """Report a wording that tells how the constraint is written, at a term or the whole
        constraint."""
        ...


def nothing(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    """What a constraint finds among others that nothing contradicts."""
    return iter(())


@dataclass(frozen=True)
class Form:
    """A constraint's name in the language.

    Attributes
    ----------
    name : as in `:- constraint(NAME(...)).`
    usage : how it is written, for messages.
    arities : the numbers of arguments that it may have.
    read : makes the constraint of its arguments and place; None where they are malformed.
    find : errors and warnings on all constraints of its kind in a program, which contradict others
        or have no effect, on every table.
    listed : whether a list as the first argument stands for a constraint on each item.
    of_each_feature : whether a group there stands for a constraint on each of its features.
    """

    name: str
    usage: str
    arities: tuple[int, ...]
    read: Callable[[tuple[Term, ...], Arguments, SourceSpan], Constraint | None]
    find: Callable[[Sequence[Constraint], Support], Iterator[Diagnostic]] = nothing
    listed: bool = False
    of_each_feature: bool = False


def of_kind(constraints: Iterable[Constraint], kind: type[_C]) -> list[_C]:
    """The constraints of a kind, in order."""
    return [c for c in constraints if isinstance(c, kind)]


def and_this(*constraints: Constraint) -> list[Related]:
    """Places of constraints that say the same or the contrary."""
    return [Related("and this", c.span) for c in constraints if c.span is not None]


def because_of(constraint: Constraint) -> list[Related]:
    """The place of a constraint that is the reason."""
    return [Related("because of this", constraint.span)] if constraint.span is not None else []


def beside_lower(limits: Sequence[_C], most: Callable[[_C], int]) -> Iterator[Diagnostic]:
    """Limits of a kind that limit nothing beside the lowest one."""
    least = min(limits, key=most, default=None)
    for limit in limits:
        if least is not None and most(least) < most(limit):
            yield LOWER_LIMIT(
                limit.span, related=because_of(least), name=limit.name, most=most(least)
            )
