"""`Avoids`: what a goal about trees asks of each tree, as a condition (docs/tree-goals.md).

No program writes it. Other constraints restrict the splits that are drawn, or fail by the program's
`failure`. This one takes trees out of a distribution and leaves all weights as they are, so the sum
that remains, over the sum without it, is the probability that a tree avoids the event.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from slp.ir.automaton import DONE, LOST, Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint
from slp.source import SourceSpan


@dataclass(frozen=True, order=True)
class UsesFeature:
    """A split on `feature`."""

    feature: str


@dataclass(frozen=True, order=True)
class RootOn:
    """A split on `feature` at the root."""

    feature: str


@dataclass(frozen=True, order=True)
class SplitAbove:
    """A split on `below` under a split on `feature`."""

    feature: str
    below: str


@dataclass(frozen=True, order=True)
class DeeperThan:
    """A split under `depth` others or more: the tree is deeper than `depth`."""

    depth: int


@dataclass(frozen=True, order=True)
class ThresholdIn:
    """A split on `feature` with low <= threshold <= high."""

    feature: str
    low: float
    high: float


@dataclass(frozen=True, order=True)
class PartsRows:
    """A split that parts two rows: of each feature the lesser and the larger of their values."""

    values: tuple[tuple[str, float, float], ...]


#: What a tree avoids if none of its splits has it.
Event: TypeAlias = UsesFeature | RootOn | SplitAbove | DeeperThan | ThresholdIn | PartsRows


@dataclass(frozen=True)
class Avoids(Constraint):
    """No split of the tree has the event."""

    name: ClassVar[str] = "avoids"
    event: Event
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    def words(self) -> str:
        """See `Constraint`."""
        return f"The tree avoids {self.event}."

    def automaton(self) -> AvoidsAutomaton:
        """See `Constraint`."""
        return AvoidsAutomaton(self.event)

    def can_be_broken(self, features: Collection[str]) -> bool:
        """See `Constraint`."""
        if isinstance(self.event, DeeperThan | PartsRows):
            return True
        return self.event.feature in features


@dataclass(frozen=True)
class AvoidsAutomaton(Automaton[int | str]):
    """State: the number of splits above (`DeeperThan`), 1 below a split on the feature
    (`SplitAbove`), else 0; DONE where nothing below has the event, LOST where a split had it."""

    event: Event
    loses: ClassVar[bool] = True
    start = 0

    @property
    def mentioned(self) -> frozenset[str]:
        """See `Automaton`."""
        match self.event:
            case DeeperThan():
                return frozenset()
            case SplitAbove(feature, below):
                return frozenset({feature, below})
            case PartsRows(values):
                return frozenset(feature for feature, _, _ in values)
            case _:
                return frozenset({self.event.feature})

    @property
    def breakpoints(self) -> dict[str, frozenset[float]]:
        """See `Automaton`."""
        match self.event:
            case ThresholdIn(feature, low, high):
                return {feature: frozenset({low, high})}
            case PartsRows(values):
                return {feature: frozenset({low, high}) for feature, low, high in values}
            case _:
                return {}

    def step(
        self, state: int | str, feature: str, cell: Cell | None
    ) -> tuple[int | str, int | str]:
        """See `Automaton`."""
        if isinstance(state, str):
            return state, state
        if isinstance(self.event, PartsRows):
            return self._of_rows(self.event, feature, cell)
        below = self._below(state, feature, cell)
        return below, below

    def _below(self, state: int, feature: str, cell: Cell | None) -> int | str:
        match self.event:
            case UsesFeature(used):
                return LOST if feature == used else 0
            case RootOn(used):
                return LOST if feature == used else DONE
            case SplitAbove(over, under):
                if state and feature == under:
                    return LOST
                return 1 if feature == over else state
            case DeeperThan(depth):
                return LOST if state >= depth else state + 1
            case ThresholdIn(used, low, high):
                if feature != used or cell is None:
                    return 0
                return LOST if cell.at_least(low) and cell.at_most(high) else 0
        raise AssertionError(self.event)

    def _of_rows(
        self, event: PartsRows, feature: str, cell: Cell | None
    ) -> tuple[int | str, int | str]:
        """Rows below a threshold go left. On the side without the rows nothing parts them."""
        ends = {name: (low, high) for name, low, high in event.values}.get(feature)
        if ends is None or cell is None:  # a column that no split can be on
            return 0, 0
        low, high = ends
        if cell.above(high):
            return 0, DONE
        return (LOST, LOST) if cell.above(low) else (DONE, 0)

    def describe(self, state: int | str) -> str:
        """See `Automaton`."""
        return "" if state in (0, DONE) else f"{self.event}: {state}"
