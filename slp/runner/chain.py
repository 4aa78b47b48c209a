"""One chain, or one island of particles: its schedule, its steps, and the draws that it keeps."""

from __future__ import annotations

import json
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from slp.runner.options import check_count
from slp.runner.stepper import (
    BlockStoppedError,
    Json,
    Move,
    Phase,
    SearchStoppedError,
    Stepper,
    Tally,
    Weighted,
)

S = TypeVar("S")

#: Seconds that a round of turns may take.
_LONGEST_ROUND = 0.5

#: The least number of draws that a chain keeps, and the most that it keeps for each draw asked for.
#: With 8, seven remain for each draw asked for after the first eighth is left out.
_FEWEST_KEPT, _MOST_KEPT = 100, 8

#: The most rounds of a run. No run lasts so long, as the length doubles every two rounds.
MOST_ROUNDS = 60


def length_of(rounds: int) -> int:
    """The length of so many rounds, in units of the first: 1, 2, 3, 4, 6, 8, 12, 16, ..."""
    return 1 if rounds < 2 else (2 + rounds % 2) * 2 ** (rounds // 2 - 1)


#: Each chain holds its random numbers, its state and its draws.
_MOST_CHAINS = 10_000


@dataclass(frozen=True)
class Schedule:
    """How long to run.

    `draws` is the number kept by all chains together. If it is not a multiple of `chains`, the
    first chains keep one more. Each chain first makes `warm_up` steps, of which nothing is kept,
    then keeps every `thin`-th state. Islands of particles have `thin` None: each runs until it is
    done, and then keeps all draws of its state.

    A run of several rounds may go on after its draws: r rounds make `length_of(r)` times the steps
    of one after warm-up. The draws are spread evenly over the last half of these steps after two
    rounds, over their last two thirds after three, three quarters after four, and five sixths or
    more after more. `rounds` is the most that are made.
    """

    draws: int
    chains: int = 4
    warm_up: int = 1000
    thin: int | None = 1
    rounds: int = 1

    def __post_init__(self) -> None:
        check_count("draws", self.draws)
        check_count("chains", self.chains, least=1, most=_MOST_CHAINS)
        check_count("warmup", self.warm_up)
        if self.thin is not None:
            check_count("thin", self.thin, least=1)
        check_count("rounds", self.rounds, least=1, most=MOST_ROUNDS)

    def draws_of(self, chain: int) -> int:
        """Draws that one chain keeps."""
        return self.draws // self.chains + (chain < self.draws % self.chains)

    def most_steps_of(self, chain: int) -> float:
        """All steps of one chain in all rounds, as `steps_of`."""
        first = self.steps_of(chain)
        if self.rounds == 1:
            return first
        return first + max(0, first - self.warm_up) * float(length_of(self.rounds) - 1)

    def steps_of(self, chain: int) -> float:
        """The steps of one chain in the first round: 0 if it keeps nothing, inf if it runs until it
        is done."""
        draws = self.draws_of(chain)
        if self.thin is None:
            return math.inf if draws else 0
        return self.warm_up + draws * self.thin if draws else 0


@dataclass(frozen=True, slots=True)
class KeptDraw:
    """A draw that a chain keeps: its record as JSON, because lists of numbers take ten times the
    memory."""

    text: str
    log_weight: float

    @classmethod
    def of(cls, draw: Weighted) -> KeptDraw:
        """A draw, to be kept."""
        return cls(json.dumps(draw.record, separators=(",", ":")), draw.log_weight)

    @property
    def record(self) -> Json:
        """See `Weighted`."""
        return json.loads(self.text)


class Chain(Generic[S]):
    """One chain, or one island. `steps` counts finished steps, `made` the draws of all `rounds`
    begun. `cut` says whether warm-up must end early. `search` describes the progress of a search
    for a start that was stopped; None if none was. A chain keeps every `every`-th draw. If the
    draws kept take more than `room` bytes, or are more than eight for each draw asked for, it drops
    every second one and doubles `every`."""

    def __init__(
        self,
        stepper: Stepper[S],
        schedule: Schedule,
        number: int,
        stream: np.random.SeedSequence,
        cut: Callable[[], bool],
        room: float,
        size_of: Callable[[Json], int],
        threads: int = 1,
    ) -> None:
        self.stepper, self.schedule, self.cut, self.threads = stepper, schedule, cut, threads
        self.room, self.size_of = room, size_of
        self.rounds, self.every, self.made, self.held = 1, 1, 0, 0
        self.stream, self.rng = stream, np.random.Generator(np.random.PCG64(stream))
        self.number, self.last = number, schedule.steps_of(number)
        self.steps = 0
        self.state: S | None = None
        self.search: str | None = None
        self.draws: list[KeptDraw] = []
        self.warm_up_tally: Tally = Counter()
        self.tally: Tally = Counter()

    @property
    def over(self) -> bool:
        """Whether the schedule or the stepper is finished."""
        if self.steps >= self.last:
            return True
        return self.state is not None and self.stepper.done(self.state)

    def advance(self, n: int, stop: threading.Event) -> None:
        """Up to `n` blocks of steps; fewer at the end, when they take long, or when told to
        stop."""
        end = time.monotonic() + _LONGEST_ROUND
        for _ in range(n):
            if stop.is_set() or self.over:
                return
            if self.state is None:
                self.state = self._start(stop)
            if self.state is None:
                return
            if self.steps < self.schedule.warm_up and self.cut():
                self._end_warm_up()
            self._block(self.state, stop)
            if time.monotonic() > end:
                return

    def begin_next_round(self) -> None:
        """Go on to the steps of one round more."""
        self.rounds += 1
        self.last = replace(self.schedule, rounds=self.rounds).most_steps_of(self.number)

    def spread_evenly(self, every: int) -> tuple[list[KeptDraw], float]:
        """The draws asked for, or fewer, and the share of the steps after warm-up, up to the last,
        over which they are spread evenly. They are of those kept, one in so many of all draws,
        without the first eighth if there are enough."""
        if self.schedule.thin is None:
            return self.draws, 1.0
        planned = max(0, int(self.last) - self.schedule.warm_up) // self.schedule.thin
        draws = self.draws[: kept_of(planned, self.every)][:: every // self.every]
        n, wanted = len(draws), self.schedule.draws_of(self.number)
        if n <= wanted:
            return draws, 1.0
        late = draws[min(n // 8, n - wanted) :]
        stride = len(late) // wanted
        return late[::-stride][:wanted][::-1], stride * wanted / n

    def _end_warm_up(self) -> None:
        """End warm-up here, and shorten the rest of the run by the same factor."""
        planned, made = self.schedule, self.steps
        thin = None if planned.thin is None else max(1, planned.thin * made // planned.warm_up)
        self.schedule = replace(planned, warm_up=made, thin=thin)
        self.last = self.schedule.steps_of(self.number)

    def _start(self, stop: threading.Event) -> S | None:
        """A state to start from; None if the search for it was told to stop. A resumed run then
        begins the search again, with the same random numbers."""
        before = self.rng.bit_generator.state
        try:
            return self.stepper.init(self.rng, stop.is_set)
        except SearchStoppedError as stopped:
            self.rng.bit_generator.state = before
            self.search = str(stopped)
            return None

    def _block(self, state: S, stop: threading.Event) -> None:
        """Steps to the end of warm-up or to the next draw, the longest block at most."""
        after, thin = self.steps - self.schedule.warm_up, self.schedule.thin
        block = self.stepper.longest_block
        left = -after if after < 0 else block if thin is None else thin - after % thin
        n = min(left, block)
        phase = Phase(after < 0, self.steps + 1, self.threads, stop.is_set)
        before = self.rng.bit_generator.state
        try:
            state, info = self.stepper.advance(self.rng, state, n, phase)
        except BlockStoppedError:  # a resumed run begins it again, with the same random numbers
            self.rng.bit_generator.state = before
            return
        (self.warm_up_tally if after < 0 else self.tally).update(info.tally)
        if after >= 0 and (self.stepper.done(state) if thin is None else n == left):
            self._keep(self.stepper.draws(state))
        self.state, self.steps = state, self.steps + n

    def _keep(self, draws: Sequence[Weighted]) -> None:
        if self.schedule.thin is None:  # the weights refer to all particles together
            self.draws += map(KeptDraw.of, draws)
            return
        for draw in draws:
            if self.made % self.every == 0:
                self.draws.append(KeptDraw.of(draw))
                self.held += self.size_of(draw.record)
                if len(self.draws) > _MOST_KEPT * self.schedule.draws_of(self.number):
                    self._keep_every(2 * self.every)
                while self.held > self.room and len(self.draws) > _FEWEST_KEPT:
                    self._keep_every(2 * self.every)
            self.made += 1

    def _keep_every(self, every: int) -> None:
        self.draws, self.every = self.draws[:: every // self.every], every
        self.held = sum(self.size_of(draw.record) for draw in self.draws)

    def to_data(self) -> Json:
        return {
            "rng": self.rng.bit_generator.state,
            "steps": self.steps,
            "state": None if self.state is None else self.stepper.dump(self.state),
            "draws": [draw.record for draw in self.draws],
            "log_weights": [draw.log_weight for draw in self.draws],
            "warm_up_tally": _tally_to_data(self.warm_up_tally),
            "tally": _tally_to_data(self.tally),
        }

    def go_on_from(self, data: Json) -> None:
        self.rng.bit_generator.state = data["rng"]
        self.steps = data["steps"]
        while 0 < self.last < min(self.steps, self.schedule.most_steps_of(self.number)):
            self.begin_next_round()
        state = data["state"]
        self.state = None if state is None else self.stepper.load(state)
        draws = map(Weighted, data["draws"], data["log_weights"])
        self.draws = list(map(KeptDraw.of, draws))
        self.held = sum(self.size_of(draw.record) for draw in self.draws)
        if self.schedule.thin is not None:
            self.made = max(0, self.steps - self.schedule.warm_up) // self.schedule.thin
            while self.draws and kept_of(self.made, self.every) > len(self.draws):
                self.every *= 2
            assert kept_of(self.made, self.every) == len(self.draws)
        self.warm_up_tally = _tally_from_data(data["warm_up_tally"])
        self.tally = _tally_from_data(data["tally"])


def kept_of(n: int, every: int) -> int:
    """How many of n draws are kept: the first, and every `every`-th after it."""
    return -(-n // every)


def _tally_to_data(tally: Tally) -> Json:
    return [[name, outcome, count] for (name, outcome), count in tally.items()]


def _tally_from_data(data: Json) -> Tally:
    return Counter({Move(name, outcome): count for name, outcome, count in data})
