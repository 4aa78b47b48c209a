"""Automata that compare thresholds with the bounds of one box: their base, and the one that knows
whether a region lies inside."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from slp.ir.automaton import DONE, Automaton
from slp.ir.boxes import Box
from slp.ir.cells import Cell

Q = TypeVar("Q", bound=Hashable)


class BoxAutomaton(Automaton[Q]):
    """An automaton that compares thresholds with the bounds of `box`."""

    box: Box

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset(self.box.bounds)

    @property
    def breakpoints(self) -> Mapping[str, frozenset[float]]:
        return {f: frozenset(filter(math.isfinite, b)) for f, b in self.box.bounds.items()}


BoxBound: TypeAlias = tuple[str, Literal["min", "max"]]
#: The finite bounds of a box that a region keeps; DONE where it lies beyond one.
Within: TypeAlias = frozenset[BoxBound] | str


@dataclass(frozen=True)
class InsideAutomaton(BoxAutomaton[Within]):
    """Whether a region lies inside the box. State: the finite bounds that the region keeps, or
    DONE. It refuses nothing.

    A region that lies wholly beyond a bound stays there, so its state is DONE.
    """

    box: Box
    start = frozenset[BoxBound]()

    def is_inside(self, state: Within) -> bool:
        """Whether a region in this state lies inside the box."""
        return state == self._needed()

    def _needed(self) -> frozenset[BoxBound]:
        ends = self.box.bounds.items()
        lows: set[BoxBound] = {(f, "min") for f, (low, _) in ends if low > -math.inf}
        return frozenset(lows | {(f, "max") for f, (_, high) in ends if high < math.inf})

    def step(self, state: Within, feature: str, cell: Cell | None) -> tuple[Within, Within] | None:
        if isinstance(state, str):
            return DONE, DONE
        if cell is None or feature not in self.box.bounds:
            return state, state
        low, high = self.box.bounds[feature]
        left, right = state, state
        if high < math.inf and cell.at_most(high):
            left = state | {(feature, "max")}
        if low > -math.inf and cell.at_least(low):
            right = state | {(feature, "min")}
        return (DONE if cell.at_most(low) else left, DONE if cell.at_least(high) else right)

    def is_leaf_of_box(self, state: Within) -> bool:
        return self.is_inside(state)

    def describe(self, state: Within) -> str:
        if isinstance(state, str):
            return f"off {self.box.name}"
        if self.is_inside(state):
            return f"inside {self.box.name}"
        kept = [
            f"{f} >= {self.box.end_text(f, self.box.bounds[f][0])}"
            if end == "min"
            else f"{f} < {self.box.end_text(f, self.box.bounds[f][1])}"
            for f, end in sorted(state)
        ]
        return " and ".join(kept)
