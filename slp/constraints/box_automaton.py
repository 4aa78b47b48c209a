"""The base of automata that compare thresholds with the bounds of one box."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

from slp.ir.automaton import Automaton
from slp.ir.constraints import Box

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
