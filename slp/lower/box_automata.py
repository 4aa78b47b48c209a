"""Automata of constraints on a box: `constant`, `majority`, `forbid(F, within(Box))`."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from slp.ir.constraints import Box
from slp.lower.automaton import DONE, Automaton
from slp.lower.cells import Cell
from slp.messages.numbers import number_text

Q = TypeVar("Q", bound=Hashable)
BoxBound: TypeAlias = tuple[str, Literal["min", "max"]]
Within: TypeAlias = frozenset[BoxBound] | str


class _BoxAutomaton(Automaton[Q]):
    """An automaton that compares thresholds with the bounds of one box."""

    box: Box

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset(self.box.bounds)

    @property
    def breakpoints(self) -> Mapping[str, frozenset[float]]:
        return {f: frozenset(filter(math.isfinite, b)) for f, b in self.box.bounds.items()}


@dataclass(frozen=True)
class ConstantAutomaton(_BoxAutomaton[str]):
    """`constant(Box)`. State: "contains" (the region contains the box) or DONE."""

    box: Box
    start = "contains"

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        if state == DONE:
            return DONE, DONE
        if cell is None or feature not in self.box.bounds:
            return None
        low, high = self.box.bounds[feature]
        if cell.above(low) and cell.below(high):
            return None
        left = state if cell.at_least(high) else DONE
        right = state if cell.at_most(low) else DONE
        return left, right

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"contains {self.box.name}"


@dataclass(frozen=True)
class MajorityAutomaton(_BoxAutomaton[str]):
    """`majority(Box, Class)`. State: "meets" (the region meets the box) or DONE."""

    box: Box
    outcome: str
    start = "meets"

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        if state == DONE:
            return DONE, DONE
        if cell is None or feature not in self.box.bounds:
            return state, state
        low, high = self.box.bounds[feature]
        return state if cell.above(low) else DONE, state if cell.below(high) else DONE

    def majority(self, state: str) -> str | None:
        return None if state == DONE else self.outcome

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"meets {self.box.name}"


@dataclass(frozen=True)
class ForbidWithinAutomaton(_BoxAutomaton[Within]):
    """`forbid(F, within(Box))`. State: the finite bounds that the region keeps, or DONE.

    A region that lies wholly beyond a bound stays there, so its state is DONE.
    """

    feature: str
    box: Box
    start = frozenset[BoxBound]()

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset(self.box.bounds) | {self.feature}

    def _needed(self) -> frozenset[BoxBound]:
        ends = self.box.bounds.items()
        lows: set[BoxBound] = {(f, "min") for f, (low, _) in ends if low > -math.inf}
        return frozenset(lows | {(f, "max") for f, (_, high) in ends if high < math.inf})

    def step(self, state: Within, feature: str, cell: Cell | None) -> tuple[Within, Within] | None:
        if isinstance(state, str):
            return DONE, DONE
        if feature == self.feature and state == self._needed():
            return None
        if cell is None or feature not in self.box.bounds:
            return state, state
        low, high = self.box.bounds[feature]
        left, right = state, state
        if high < math.inf and cell.at_most(high):
            left = state | {(feature, "max")}
        if low > -math.inf and cell.at_least(low):
            right = state | {(feature, "min")}
        return (DONE if cell.at_most(low) else left, DONE if cell.at_least(high) else right)

    def describe(self, state: Within) -> str:
        if isinstance(state, str):
            return f"off {self.box.name}"
        if state == self._needed():
            return f"inside {self.box.name}"
        kept = [
            f"{f} >= {number_text(self.box.bounds[f][0])}"
            if end == "min"
            else f"{f} < {number_text(self.box.bounds[f][1])}"
            for f, end in sorted(state)
        ]
        return " and ".join(kept)
