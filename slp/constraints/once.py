"""`once(F)`: no path splits on F twice."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from slp.constraints.form import Arguments, Form
from slp.ir.automaton import Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint
from slp.ir.groups import Named, name_in_program
from slp.ir.made import Made
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class Once(Constraint):
    """No path splits on `feature` twice; on features of a group once at most, together."""

    name: ClassVar[str] = "once"
    feature: Named
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    made: Made = Made()

    def words(self) -> str:
        return f"No path splits on {self.made.told(self.feature)} twice."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        yield from self.each_named(self.feature)

    def automaton(self) -> OnceAutomaton:
        return OnceAutomaton(self.feature, self.made)

    def can_be_broken(self, features: Collection[str]) -> bool:
        return not self.made.on(self.feature).isdisjoint(features)


@dataclass(frozen=True)
class OnceAutomaton(Automaton[bool]):
    """State: whether F is used above."""

    feature: Named
    made: Made
    start = False

    @property
    def mentioned(self) -> frozenset[str]:
        return self.made.on(self.feature)

    def step(self, state: bool, feature: str, cell: Cell | None) -> tuple[bool, bool] | None:
        if not self.made.counts(feature, self.feature):
            return state, state
        return None if state else (True, True)

    def describe(self, state: bool) -> str:
        return f"{name_in_program(self.feature)} used" if state else ""


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Once | None:
    feature = given.named(args[0])
    return Once(feature, span, given.made(feature)) if feature is not None else None


FORM = Form(Once.name, "`once(F)`", (1,), _read)
