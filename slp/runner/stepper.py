"""`Stepper`: what the loop drives.

The state of a Markov chain is a tree, and the chain has no end. The state of an island of a
particle filter is its particles with their weights; it is done when every particle is a whole tree.
The runner knows nothing else about states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from slp.errors import Diagnostic, TimeOverError
from slp.runner.randomness import Randomness, RandomNumbers

#: Data that `json` writes and reads back unchanged, with infinities and NaN.
Json: TypeAlias = Any

#: `failed`: what was proposed derives no tree, or breaks a constraint. `stayed`: nothing could be
#: proposed. Both leave the state as it was, as `rejected` does, and count as steps.
MoveOutcome = Literal["accepted", "rejected", "failed", "stayed"]


class Move(NamedTuple):
    """A proposal of a step, by its public name, and its outcome."""

    name: str
    outcome: MoveOutcome


#: Counts of moves by name and outcome.
Tally: TypeAlias = Counter[Move]

R = TypeVar("R")
S = TypeVar("S")

#: Whether a search must end before it has found anything.
Stop: TypeAlias = Callable[[], bool]


def never() -> bool:
    """The `Stop` of a search without a time limit."""
    return False


def until(stop: Stop, records: Iterable[R]) -> Iterator[R]:
    """The records until `stop` is true, and always the first."""
    return (r for _, r in takewhile(lambda at: at[0] == 0 or not stop(), enumerate(records)))


class NothingDrawnError(TimeOverError):
    """E540: the time was over before anything was drawn. `records` are those of the current
    states; `nothing_begun`: there is no state, and no search for one was made."""

    def __init__(
        self, diagnostic: Diagnostic, records: Sequence[Json], nothing_begun: bool = False
    ) -> None:
        super().__init__(diagnostic)
        self.records, self.nothing_begun = records, nothing_begun


class SearchStoppedError(Exception):
    """A search for a state to start from was told to stop; its text says how far it came."""


class BlockStoppedError(Exception):
    """A block of slow steps was told to stop. It counts as never begun."""


#: The most steps in a block of quick steps, so that Ctrl-C does not wait long.
LONGEST_BLOCK = 500


@dataclass(frozen=True)
class Phase:
    """Where a run is: whether in warm-up, the number of the next step, from 1, how many threads
    the steps of one chain may use, and whether slow steps must end."""

    warm_up: bool
    step: int
    threads: int = 1
    stop: Stop = never


@dataclass(frozen=True)
class Info:
    """What some steps did."""

    tally: Tally


@dataclass(frozen=True)
class Weighted:
    """A draw: its record and its log weight. For a chain the log weight is 0. The weights of an
    island's draws sum to its unbiased estimate of the evidence."""

    record: Json
    log_weight: float = 0.0


class Stepper(Protocol[S]):
    """What the loop drives; its states are of type S. It holds no state itself, so several chains
    or islands may share it.

    Attributes
    ----------
    longest_block : the most steps in one block. A run can be stopped between two blocks.
    """

    @property
    def longest_block(self) -> int:
        """See above."""
        ...

    @property
    def identity(self) -> Mapping[str, str]:
        """What a run belongs to, such as `program` and `table`: short texts or digests by name. A
        checkpoint can be resumed only if all are equal."""
        ...

    def init(self, rng: np.random.Generator, stop: Stop = never) -> S:
        """A state to start from. A long search for one calls `stop` regularly.

        Raises
        ------
        SlpError
            There is no such state, or none was found.
        SearchStoppedError
            `stop` became true before one was found.
        """
        ...

    def advance(self, rng: np.random.Generator, state: S, n: int, phase: Phase) -> tuple[S, Info]:
        """The state after `n` steps, fewer where it is done, and what they did. All randomness
        comes from `rng`, and `state` is not changed. Tuning happens only in warm-up. Ends of blocks
        depend only on the schedule, so draws may depend on them.

        Raises
        ------
        BlockStoppedError
            `phase.stop` became true before the block was over.
        """
        ...

    def done(self, state: S) -> bool:
        """Whether no steps are left. A chain is never done."""
        ...

    def draws(self, state: S) -> Sequence[Weighted]:
        """The draws that a state stands for. Of an island that is not done they are its particles
        that are whole, which are trees of the program, and no sample."""
        ...

    def dump(self, state: S) -> Json:
        """The state as data, from which `load` makes the same state, bit for bit."""
        ...

    def load(self, data: Json) -> S:
        """See `dump`."""
        ...


class ChainStepper(ABC, Generic[S]):
    """A Markov chain: a `Stepper` that is never done, and each of whose states is one draw."""

    longest_block = LONGEST_BLOCK

    def done(self, state: S) -> bool:
        """Never."""
        return False

    @abstractmethod
    def record(self, state: S) -> Json:
        """The record of a state: what is kept of it as a draw."""

    def draws(self, state: S) -> Sequence[Weighted]:
        """The state itself."""
        return (Weighted(self.record(state)),)


class StepByStep(ChainStepper[S]):
    """A Markov chain whose blocks are single steps."""

    longest_block = 1

    def advance(self, rng: np.random.Generator, state: S, n: int, phase: Phase) -> tuple[S, Info]:
        """See `Stepper`."""
        tally: Tally = Counter()
        for i in range(n):
            state, moves = self.step(rng, state, Phase(phase.warm_up, phase.step + i))
            tally += moves
        return state, Info(tally)

    @abstractmethod
    def step(self, rng: np.random.Generator, state: S, phase: Phase) -> tuple[S, Tally]:
        """One transition, and the outcomes of its moves."""


class IslandStepper(ABC, Generic[S]):
    """An island of particles: a `Stepper` that makes single steps until it is done. Its states are
    data themselves where `dump` and `load` are left as they are."""

    longest_block = 1

    def advance(self, rng: np.random.Generator, state: S, n: int, phase: Phase) -> tuple[S, Info]:
        """See `Stepper`."""
        tally: Tally = Counter()
        randomness = RandomNumbers(rng)
        for _ in range(n):
            if not self.done(state):
                state = self.step(randomness, state, tally)
        return state, Info(tally)

    @abstractmethod
    def done(self, state: S) -> bool:
        """Whether no particle has anything left to decide."""

    @abstractmethod
    def step(self, randomness: Randomness, state: S, tally: Tally) -> S:
        """One step of an island that is not done; moves are counted in `tally`."""

    def dump(self, state: S) -> Json:
        """The state."""
        return state

    def load(self, data: Json) -> S:
        """The state."""
        return cast(S, data)
