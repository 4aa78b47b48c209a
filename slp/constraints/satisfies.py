"""`Satisfies`: that a tree satisfies another constraint, as a condition (docs/pricing.md)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from slp.ir.automaton import LOST, Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint
from slp.source import SourceSpan


@dataclass(frozen=True)
class Satisfies(Constraint):
    """The tree satisfies `constraint`, which splits decide. As with `Avoids`, no program writes it:
    it takes trees out of a distribution and leaves all weights as they are, under either
    `failure`."""

    name: ClassVar[str] = "satisfies"
    constraint: Constraint

    @property
    def span(self) -> SourceSpan | None:  # type: ignore[override]  # a field of others
        """See `Constraint`."""
        return self.constraint.span

    @property
    def by_more_than_features(self) -> str | None:
        """See `Constraint`."""
        return self.constraint.by_more_than_features

    def words(self) -> str:
        """See `Constraint`."""
        return self.constraint.words()

    def automaton(self) -> SatisfiesAutomaton:
        """See `Constraint`."""
        decides = self.constraint.automaton()
        assert decides is not None, "splits decide it"
        return SatisfiesAutomaton(decides)


@dataclass(frozen=True)
class SatisfiesAutomaton(Automaton[Hashable]):
    """The states of `decides`, and LOST where it refuses a split."""

    decides: Automaton[Any]
    loses: ClassVar[bool] = True

    @property
    def mentioned(self) -> frozenset[str]:
        """See `Automaton`."""
        return self.decides.mentioned

    @property
    def breakpoints(self) -> Mapping[str, frozenset[float]]:
        """See `Automaton`."""
        return self.decides.breakpoints

    @property
    def start(self) -> Hashable:
        """See `Automaton`."""
        start: Hashable = self.decides.start
        return start

    def step(self, state: Hashable, feature: str, cell: Cell | None) -> tuple[Hashable, Hashable]:
        """See `Automaton`."""
        below: tuple[Hashable, Hashable] | None = self.decides.step(state, feature, cell)
        return (LOST, LOST) if below is None else below

    def describe(self, state: Hashable) -> str:
        """See `Automaton`."""
        return "lost" if state == LOST else self.decides.describe(state)
