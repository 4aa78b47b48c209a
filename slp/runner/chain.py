"""One chain: its schedule, its steps, and the draws that it keeps."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

import numpy as np

from slp.runner.options import check_count
from slp.runner.stepper import BlockEngine, Engine, Json, Outcome, SearchStoppedError

__all__ = ["Chain", "Schedule", "kept_of"]

S = TypeVar("S")

#: Seconds that a round of turns may take.
_LONGEST_ROUND = 0.5

#: Draws that each chain keeps in any case.
_FEWEST_KEPT = 100

#: Each chain holds its random numbers, its state and its draws.
_MOST_CHAINS = 10_000


@dataclass(frozen=True)
class Schedule:
    """How long to run.

    `draws` is the number kept, all chains together; chain c keeps one more than others if they do
    not come out even. Each chain first makes `warm_up` steps, of which nothing is kept, then keeps
    every `thin`-th state.
    """

    draws: int
    chains: int = 4
    warm_up: int = 1000
    thin: int = 1

    def __post_init__(self) -> None:
        check_count("draws", self.draws)
        check_count("chains", self.chains, least=1, most=_MOST_CHAINS)
        check_count("warmup", self.warm_up)
        check_count("thin", self.thin, least=1)

    def draws_of(self, chain: int) -> int:
        """Draws that one chain keeps."""
        return self.draws // self.chains + (chain < self.draws % self.chains)

    def steps_of(self, chain: int) -> int:
        """Steps of one chain in all; none if it keeps nothing."""
        draws = self.draws_of(chain)
        return self.warm_up + draws * self.thin if draws else 0


class Chain(Generic[S]):
    """One chain. A step is over when `steps` has counted it. `cut` says whether warm-up is to end
    before its time. `search` says how far the search for a start came that was stopped, None if
    none was. Of its draws every `every`-th is kept: where those kept come to more than `room`
    bytes, every second one is dropped."""

    def __init__(
        self,
        engine: Engine[S],
        schedule: Schedule,
        number: int,
        stream: np.random.SeedSequence,
        cut: Callable[[], bool],
        room: float,
        size_of: Callable[[Json], int],
    ) -> None:
        self.engine, self.schedule, self.cut = engine, schedule, cut
        self.room, self.size_of = room, size_of
        self.every, self.made, self.held = 1, 0, 0
        self.rng = np.random.Generator(np.random.PCG64(stream))
        self.number, self.last = number, schedule.steps_of(number)
        self.steps = 0
        self.state: S | None = None
        self.search: str | None = None
        self.draws: list[Json] = []
        self.warm_up_tally: Counter[tuple[str, Outcome]] = Counter()
        self.tally: Counter[tuple[str, Outcome]] = Counter()

    def advance(self, n: int, stop: threading.Event) -> None:
        """Up to `n` turns, each a step or a block of steps; fewer at the end of the schedule, when
        they take long, or when told to stop."""
        turn = self._block if isinstance(self.engine, BlockEngine) else self._step
        end = time.monotonic() + _LONGEST_ROUND
        for _ in range(n):
            if stop.is_set() or self.steps >= self.last:
                return
            if self.state is None:
                self.state = self._start(stop)
            if self.state is None:
                return
            if self.steps < self.schedule.warm_up and self.cut():
                self._end_warm_up()
            turn(self.state)
            if time.monotonic() > end:
                return

    def _end_warm_up(self) -> None:
        """Keep draws from here on, the run being as much shorter as warm-up is."""
        planned, made = self.schedule, self.steps
        thin = max(1, planned.thin * made // planned.warm_up)
        self.schedule = replace(planned, warm_up=made, thin=thin)
        self.last = self.schedule.steps_of(self.number)

    def _start(self, stop: threading.Event) -> S | None:
        """A state to start from; None if the search for it was told to stop. A run that goes on
        from a checkpoint then begins the search again, with the same random numbers."""
        before = self.rng.bit_generator.state
        try:
            return self.engine.init(self.rng, stop.is_set)
        except SearchStoppedError as stopped:
            self.rng.bit_generator.state = before
            self.search = str(stopped)
            return None

    def _block(self, state: S) -> None:
        """Steps to the end of warm-up or to the next draw, the longest block at most."""
        engine = cast("BlockEngine[S]", self.engine)
        after = self.steps - self.schedule.warm_up
        left = -after if after < 0 else self.schedule.thin - after % self.schedule.thin
        n = min(left, engine.longest_block)
        state, moves = engine.advance(self.rng, state, n, self.steps + 1 if after < 0 else None)
        (self.warm_up_tally if after < 0 else self.tally).update(moves)
        if after >= 0 and n == left:
            self._draw(state)
        self.state, self.steps = state, self.steps + n

    def _step(self, state: S) -> None:
        state, info = self.engine.step(self.rng, state)
        step = self.steps + 1
        after = step - self.schedule.warm_up
        if after <= 0:
            state = self.engine.adapt(state, info, step)
        tally = self.warm_up_tally if after <= 0 else self.tally
        tally.update((move.name, move.outcome) for move in info.moves)
        if after > 0 and after % self.schedule.thin == 0:
            self._draw(state)
        self.state, self.steps = state, step

    def _draw(self, state: S) -> None:
        if self.made % self.every == 0:
            self.draws.append(self.engine.record(state))
            self.held += self.size_of(self.draws[-1])
            while self.held > self.room and len(self.draws) > _FEWEST_KEPT:
                self.keep_every(2 * self.every)
        self.made += 1

    def keep_every(self, every: int) -> None:
        self.draws, self.every = self.draws[:: every // self.every], every
        self.held = sum(map(self.size_of, self.draws))

    def to_data(self) -> Json:
        return {
            "rng": self.rng.bit_generator.state,
            "steps": self.steps,
            "state": None if self.state is None else self.engine.state_to_data(self.state),
            "draws": list(self.draws),
            "warm_up_tally": _tally_to_data(self.warm_up_tally),
            "tally": _tally_to_data(self.tally),
        }

    def go_on_from(self, data: Json) -> None:
        self.rng.bit_generator.state = data["rng"]
        self.steps = data["steps"]
        state = data["state"]
        self.state = None if state is None else self.engine.state_from_data(state)
        self.draws = list(data["draws"])
        self.held = sum(map(self.size_of, self.draws))
        self.made = max(0, self.steps - self.schedule.warm_up) // self.schedule.thin
        while kept_of(self.made, self.every) > len(self.draws):
            self.every *= 2
        assert kept_of(self.made, self.every) == len(self.draws)
        self.warm_up_tally = _tally_from_data(data["warm_up_tally"])
        self.tally = _tally_from_data(data["tally"])


def kept_of(n: int, every: int) -> int:
    """How many of n draws are kept: the first, and every `every`-th after it."""
    return -(-n // every)


def _tally_to_data(tally: Counter[tuple[str, Outcome]]) -> Json:
    return [[name, outcome, count] for (name, outcome), count in tally.items()]


def _tally_from_data(data: Json) -> Counter[tuple[str, Outcome]]:
    return Counter({(name, outcome): count for name, outcome, count in data})
