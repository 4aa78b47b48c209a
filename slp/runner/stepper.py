"""`Stepper`: what the loop drives.

The state of a Markov chain is a tree, and the chain goes on for ever. The state of an island of a
particle filter is its particles with their weights; it is done when every particle is a whole tree.
Nothing here says what a state is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from slp.errors import Diagnostic, TimeOverError

__all__ = [
    "LONGEST_BLOCK",
    "ChainStepper",
    "Info",
    "Json",
    "Move",
    "NothingDrawnError",
    "Outcome",
    "Phase",
    "SearchStoppedError",
    "StepByStep",
    "Stepper",
    "Stop",
    "Tally",
    "Weighted",
    "never",
    "until",
]

#: What `json` writes and reads back unchanged; infinities and NaN included.
Json: TypeAlias = Any

#: `failed`: what was proposed derives no tree, or breaks a constraint. `stayed`: nothing could be
#: proposed. Both leave the state as it was, as `rejected` does, and count as steps.
Outcome = Literal["accepted", "rejected", "failed", "stayed"]


class Move(NamedTuple):
    """Something that a step tried, by the name that people know it by, and what became of it."""

    name: str
    outcome: Outcome


#: How often each move was tried, by what became of it.
Tally: TypeAlias = Counter[Move]

R = TypeVar("R")
S = TypeVar("S")

#: Whether a search is to end before it has found anything.
Stop: TypeAlias = Callable[[], bool]


def never() -> bool:
    """The `Stop` of a search that may take its time."""
    return False


def until(stop: Stop, records: Iterable[R]) -> Iterator[R]:
    """The records up to when `stop` says so, the first in any case."""
    return (r for _, r in takewhile(lambda at: at[0] == 0 or not stop(), enumerate(records)))


class NothingDrawnError(TimeOverError):
    """E540: the time was over before anything was drawn. `records` are of the states that there
    were then."""

    def __init__(self, diagnostic: Diagnostic, records: Sequence[Json]) -> None:
        super().__init__(diagnostic)
        self.records = records


class SearchStoppedError(Exception):
    """A search for a state to start from was told to stop; its text says how far it came."""


#: Steps that a block has at most where they are quick, so that Ctrl-C does not wait for long.
LONGEST_BLOCK = 500


@dataclass(frozen=True)
class Phase:
    """Where a run is: whether in warm-up, and the number of the next step, from 1."""

    warm_up: bool
    step: int


@dataclass(frozen=True)
class Info:
    """What some steps did."""

    tally: Tally


@dataclass(frozen=True)
class Weighted:
    """A draw: what is kept of it, and its log weight. Of a chain that is 0. The weights of the
    draws of an island sum to its estimate of the evidence, which has no bias."""

    record: Json
    log_weight: float = 0.0


class Stepper(Protocol[S]):
    """What the loop drives; its states are of type S. It holds no state itself, so several chains
    or islands may share it.

    Attributes
    ----------
    longest_block : steps at most that are made at once. Between two blocks a run can be stopped.
    """

    @property
    def longest_block(self) -> int:
        """See above."""
        ...

    @property
    def identity(self) -> Mapping[str, str]:
        """What a run belongs to, such as `program` and `table`: short texts or digests by what
        they are called. A checkpoint goes on only where all are equal."""
        ...

    def init(self, rng: np.random.Generator, stop: Stop = never) -> S:
        """A state to start from. A search for one that may take long asks `stop` now and then.

        Raises
        ------
        SlpError
            There is none, or none was found.
        SearchStoppedError
            None was found before `stop` said so.
        """
        ...

    def advance(self, rng: np.random.Generator, state: S, n: int, phase: Phase) -> tuple[S, Info]:
        """The state after `n` steps, fewer where it is done, and what they did. It takes all its
        randomness from `rng` and does not change `state`. It tunes itself in warm-up alone. Where
        blocks end depends on the schedule alone, so draws may depend on it."""
        ...

    def done(self, state: S) -> bool:
        """Whether there is nothing more to do. A chain never is done."""
        ...

    def draws(self, state: S) -> Sequence[Weighted]:
        """The draws that a state stands for."""
        ...

    def dump(self, state: S) -> Json:
        """The state as data that `load` makes the same state of, bit for bit."""
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
        """What is kept of a state as a draw."""

    def draws(self, state: S) -> Sequence[Weighted]:
        """The state itself."""
        return (Weighted(self.record(state)),)


class StepByStep(ChainStepper[S]):
    """A Markov chain that makes one step at a time."""

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
        """One transition, and what became of its moves."""
