"""A toy engine: a random walk on the integers that steps up, down, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from slp.runner import Info, Json, Move, Outcome, SearchStoppedError, Stop, never


@dataclass(frozen=True)
class Walker:
    place: int
    tuned: int = 0


@dataclass
class Walk:
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

    def step(self, rng: np.random.Generator, state: Walker) -> tuple[Walker, Info]:
        self.steps += 1
        if self.steps == self.interrupt_at:
            raise KeyboardInterrupt
        change = int(rng.integers(-1, 2))
        outcome: Outcome = "accepted" if change else "rejected"
        new = Walker(state.place + change, state.tuned)
        return new, Info((Move("stroll", outcome),), float(new.place))

    def adapt(self, state: Walker, info: Info, step: int) -> Walker:
        return Walker(state.place, step)

    def record(self, state: Walker) -> Json:
        return [state.place, state.tuned]

    def state_to_data(self, state: Walker) -> Json:
        return [state.place, state.tuned]

    def state_from_data(self, data: Json) -> Walker:
        return Walker(*data)


@dataclass
class BlockWalk(Walk):
    """The same walk, many steps at once; `blocks` are their lengths."""

    longest_block: int = 500
    blocks: list[int] = field(default_factory=list)

    def advance(
        self, rng: np.random.Generator, state: Walker, n: int, tuning_from: int | None
    ) -> tuple[Walker, Counter[tuple[str, Outcome]]]:
        tally: Counter[tuple[str, Outcome]] = Counter()
        for i in range(n):
            state, info = self.step(rng, state)
            tally.update((move.name, move.outcome) for move in info.moves)
            if tuning_from is not None:
                state = self.adapt(state, info, tuning_from + i)
        self.blocks.append(n)
        return state, tally
