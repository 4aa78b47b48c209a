"""A toy chain: a random walk on the integers that steps up, down, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from slp.runner import (
    Info,
    Json,
    Move,
    MoveOutcome,
    Phase,
    SearchStoppedError,
    StepByStep,
    Stop,
    Tally,
    never,
)


@dataclass(frozen=True)
class Walker:
    place: int
    tuned: int = 0


@dataclass
class Walk(StepByStep[Walker]):
    """`interrupt_at`: the number of the step, of all chains together, at which Ctrl-C is hit.
    `lost`: nowhere to start from is ever found."""

    program: str = "walk"
    interrupt_at: int | None = None
    steps: int = 0
    lost: bool = False

    @property
    def identity(self) -> Mapping[str, str]:
        return {"program": self.program}

    def init(self, rng: np.random.Generator, stop: Stop = never) -> Walker:
        place = int(rng.integers(100))
        while self.lost:
            if stop():
                raise SearchStoppedError("nowhere to start from was found")
        return Walker(place)

    def step(self, rng: np.random.Generator, state: Walker, phase: Phase) -> tuple[Walker, Tally]:
        self.steps += 1
        if self.steps == self.interrupt_at:
            raise KeyboardInterrupt
        change = int(rng.integers(-1, 2))
        outcome: MoveOutcome = "accepted" if change else "rejected"
        new = Walker(state.place + change, phase.step if phase.warm_up else state.tuned)
        return new, Counter((Move("stroll", outcome),))

    def record(self, state: Walker) -> Json:
        return [state.place, state.tuned]

    def dump(self, state: Walker) -> Json:
        return [state.place, state.tuned]

    def load(self, data: Json) -> Walker:
        return Walker(*data)


@dataclass
class BlockWalk(Walk):
    """The same walk, many steps at once; `blocks` are their lengths."""

    longest_block: int = 500
    blocks: list[int] = field(default_factory=list)

    def advance(
        self, rng: np.random.Generator, state: Walker, n: int, phase: Phase
    ) -> tuple[Walker, Info]:
        self.blocks.append(n)
        return super().advance(rng, state, n, phase)
