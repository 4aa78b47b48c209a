"""`exclusive([F, G, ...])`: no path splits on two of the features."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from slp.constraints.form import Arguments, Form, and_this
from slp.errors import Diagnostic
from slp.ir.automaton import Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint
from slp.ir.groups import Named, features_of, name_in_program
from slp.ir.made import Made
from slp.messages import constraints as words
from slp.messages.names import joined
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class Exclusive(Constraint):
    """No path splits on two of `features`."""

    name: ClassVar[str] = "exclusive"
    features: tuple[Named, ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    made: Made = Made()

    def words(self) -> str:
        told = (self.made.told(f, *self.features) for f in self.features)
        return f"No path splits on two of {joined(told)}."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        for feature in self.features:
            yield from self.each_named(feature)

    def automaton(self) -> ExclusiveAutomaton:
        return ExclusiveAutomaton(self.features, self.made)

    def can_be_broken(self, features: Collection[str]) -> bool:
        each = (self.made.closest(f, self.features) for f in features)
        return len(frozenset[Named]().union(*each)) > 1

    def never_splits_on(self, feature: str) -> bool:
        return len(self.made.closest(feature, self.features)) > 1

    def keeps_apart(self, a: str, b: str) -> bool:
        both = [self.made.closest(f, self.features) for f in (a, b)]
        return [len(own) for own in both] == [1, 1] and both[0] != both[1]

    def against_first(self, feature: Named, span: SourceSpan | None) -> Diagnostic | None:
        if not all(map(self.never_splits_on, features_of(feature))):
            return None
        return words.FIRST_FORBIDDEN(span, related=and_this(self), feature=name_in_program(feature))


@dataclass(frozen=True)
class ExclusiveAutomaton(Automaton[str | None]):
    """State: the one of the features or groups used above, "" if none is, None if two are."""

    features: tuple[Named, ...]
    made: Made
    start = ""

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset[str]().union(*map(self.made.on, self.features))

    def step(
        self, state: str | None, feature: str, cell: Cell | None
    ) -> tuple[str | None, str | None] | None:
        taken = self.made.closest(feature, self.features)
        if not taken:
            return state, state
        own = name_in_program(*taken) if len(taken) == 1 else ""
        return (own, own) if own and state in ("", own) else None

    def beyond(self, state: str | None, feature: str, cell: Cell | None) -> tuple[None, None]:
        return None, None

    def describe(self, state: str | None) -> str:
        if state is None:
            return f"took two of {', '.join(sorted(map(name_in_program, self.features)))}"
        return f"took {state}" if state else ""


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Exclusive | None:
    names = given.names(args[0], 2)
    return Exclusive(names, span, given.made(*names)) if names else None


FORM = Form(Exclusive.name, "`exclusive([F, G])`", (1,), _read)
