"""`exclusive([F, G, ...])`: no path splits on two of the features."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from slp.constraints.form import Arguments, Form
from slp.ir.automaton import Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint
from slp.ir.groups import Named, features_of, name_in_program
from slp.messages.names import joined
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class Exclusive(Constraint):
    """No path splits on two of `features`."""

    name: ClassVar[str] = "exclusive"
    features: tuple[Named, ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    def words(self) -> str:
        return f"No path splits on two of {joined(map(str, self.features))}."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        for feature in self.features:
            yield from self.each_named(feature)

    def automaton(self) -> ExclusiveAutomaton:
        named = [(f, name_in_program(own)) for own in self.features for f in features_of(own)]
        return ExclusiveAutomaton(tuple(sorted(named)))

    def can_be_broken(self, features: Collection[str]) -> bool:
        return sum(not features_of(own).isdisjoint(features) for own in self.features) > 1

    def keeps_apart(self, a: str, b: str) -> bool:
        own = [named for named in self.features if features_of(named) & {a, b}]
        return len(own) == 2


@dataclass(frozen=True)
class ExclusiveAutomaton(Automaton[str]):
    """State: the one of the features or groups used above, "" if none is. `named` has the name that
    each feature goes by."""

    named: tuple[tuple[str, str], ...]
    start = ""

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset(feature for feature, _ in self.named)

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        own = dict(self.named).get(feature)
        if own is None:
            return state, state
        return (own, own) if state in ("", own) else None

    def describe(self, state: str) -> str:
        return f"took {state}" if state else ""


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Exclusive | None:
    names = given.names(args[0], 2)
    return Exclusive(names, span) if names else None


FORM = Form(Exclusive.name, "`exclusive([F, G])`", (1,), _read)
