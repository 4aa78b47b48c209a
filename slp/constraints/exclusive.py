"""`exclusive([F, G, ...])`: no path splits on two of the features."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from slp.constraints.form import Arguments, Form
from slp.ir.automaton import Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint
from slp.messages.names import joined
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class Exclusive(Constraint):
    """No path splits on two of `features`."""

    name: ClassVar[str] = "exclusive"
    features: tuple[str, ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    def words(self) -> str:
        return f"No path splits on two of {joined(self.features)}."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        for feature in self.features:
            yield feature, self.span

    def automaton(self) -> ExclusiveAutomaton:
        return ExclusiveAutomaton(frozenset(self.features))

    def can_be_broken(self, features: Collection[str]) -> bool:
        return len(set(self.features) & set(features)) > 1

    def keeps_apart(self, a: str, b: str) -> bool:
        return a in self.features and b in self.features


@dataclass(frozen=True)
class ExclusiveAutomaton(Automaton[str | None]):
    """State: the one of the features used above, "" if none is, None if two are."""

    features: frozenset[str]
    start = ""

    @property
    def mentioned(self) -> frozenset[str]:
        return self.features

    def step(
        self, state: str | None, feature: str, cell: Cell | None
    ) -> tuple[str | None, str | None] | None:
        if feature not in self.features:
            return state, state
        return (feature, feature) if state in ("", feature) else None

    def beyond(self, state: str | None, feature: str, cell: Cell | None) -> tuple[None, None]:
        return None, None

    def describe(self, state: str | None) -> str:
        if state is None:
            return f"took two of {', '.join(sorted(self.features))}"
        return f"took {state}" if state else ""


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Exclusive | None:
    names = given.names(args[0], 2)
    return Exclusive(names, span) if names else None


FORM = Form(Exclusive.name, "`exclusive([F, G])`", (1,), _read)
