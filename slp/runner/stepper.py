"""What an engine that goes step by step must offer.

State is what the next step needs, Info what a person reads. An MCMC engine's state is a tree; that
of a particle filter is its particles with their weights, and a step of it advances them by one
level: both fit, as nothing here says what a state is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from slp.errors import Diagnostic, TimeOverError

__all__ = [
    "LONGEST_BLOCK",
    "BlockEngine",
    "Engine",
    "Info",
    "Json",
    "Move",
    "NothingDrawnError",
    "Outcome",
    "SearchStoppedError",
    "Stop",
    "never",
    "until",
]

#: What `json` writes and reads back unchanged; infinities and NaN included.
Json: TypeAlias = Any

#: `failed`: what was proposed derives no tree, or breaks a constraint. `stayed`: nothing could be
#: proposed. Both leave the state as it was, as `rejected` does, and count as steps.
Outcome = Literal["accepted", "rejected", "failed", "stayed"]

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
    """E540: the time was over before a chain had kept a draw. `records` are of the states that the
    chains were in then."""

    def __init__(self, diagnostic: Diagnostic, records: Sequence[Json]) -> None:
        super().__init__(diagnostic)
        self.records = records


class SearchStoppedError(Exception):
    """A search for a state to start from was told to stop; its text says how far it came."""


#: Steps that a block has at most where they are quick, so that Ctrl-C does not wait for long.
LONGEST_BLOCK = 500


@dataclass(frozen=True)
class Move:
    """Something that a step tried, by the name that people know it by, and what became of it."""

    name: str
    outcome: Outcome


@dataclass(frozen=True)
class Info:
    """What a step did. `score` is the log posterior weight of the new state, up to a constant."""

    moves: tuple[Move, ...]
    score: float


class Engine(Protocol[S]):
    """An engine whose states are of type S. It holds no state itself, so chains may share it."""

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

    def step(self, rng: np.random.Generator, state: S) -> tuple[S, Info]:
        """One transition. It takes all its randomness from `rng` and does not change `state`."""
        ...

    def adapt(self, state: S, info: Info, step: int) -> S:
        """The state after tuning, called during warm-up only, behind step `step` (from 1)."""
        ...

    def record(self, state: S) -> Json:
        """What is kept of a state as a draw."""
        ...

    def state_to_data(self, state: S) -> Json:
        """The state as data that `state_from_data` makes the same state of, bit for bit."""
        ...

    def state_from_data(self, data: Json) -> S:
        """See `state_to_data`."""
        ...


@runtime_checkable
class BlockEngine(Engine[S], Protocol[S]):
    """An engine that makes many steps at once, faster than one by one. The loop then calls
    `advance` alone, and neither `step` nor `adapt`; where blocks end depends on the schedule alone,
    so their draws may depend on it.

    Attributes
    ----------
    longest_block : steps at most that are made at once. Between two blocks a run can be stopped.
    """

    longest_block: int

    def advance(
        self, rng: np.random.Generator, state: S, n: int, tuning_from: int | None
    ) -> tuple[S, Counter[tuple[str, Outcome]]]:
        """The state after `n` steps, and how many moves of each name had which outcome. It takes
        all its randomness from `rng` and does not change `state`. `tuning_from` is the number (from
        1) of the first of these steps if they are warm-up steps, after which it may tune, else
        None."""
        ...
