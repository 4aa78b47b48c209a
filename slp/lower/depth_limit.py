"""The limit of depth as an automaton, beside those of constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from slp.ir.automaton import Automaton
from slp.ir.cells import Cell


@dataclass(frozen=True)
class DepthLimit(Automaton[int]):
    """`support(max_depth(K))`. State: depth. No split at depth K is proposed at all; without a
    limit it only tells the depth."""

    max_depth: int | None
    outside: ClassVar[bool] = True
    start = 0

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset()

    def step(self, state: int, feature: str, cell: Cell | None) -> tuple[int, int] | None:
        limited = self.max_depth is not None and state >= self.max_depth
        return None if limited else (state + 1, state + 1)

    def describe(self, state: int) -> str:
        return f"depth {state}"
