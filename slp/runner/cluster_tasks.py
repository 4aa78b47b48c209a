"""Chains and islands as tasks of a cluster.

A task gets the data of a chain as a checkpoint has them, and gives them back some seconds later.
Draws do not depend on where a chain is cut into blocks, so they are those of a run on one machine,
and a task that is lost can be made again.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar
from uuid import uuid4

import numpy as np

from slp.budgets.seconds import Deadline
from slp.cluster import in_tasks, tasks_at_once
from slp.runner.chain import Chain, Schedule
from slp.runner.stepper import Json, Stepper

S = TypeVar("S")

#: Seconds that a task takes at most, so that progress, checkpoints and Ctrl-C do not wait long.
_SECONDS = 5.0

#: Tasks of islands for each that runs at a time.
_GROUPS = 4

_TURNS = 100


#: Advances chains until told to stop, and yields now and then.
Turns: TypeAlias = Callable[[Sequence[Chain[S]], threading.Event], Iterator[None]]


class Maker(Protocol[S]):
    """Makes the stepper of a run on another machine; it can be pickled."""

    def __call__(self) -> tuple[Stepper[S], Callable[[Json], int]]:
        """The stepper, and the bytes of a record (see `slp.runner.run`)."""
        ...


@dataclass(frozen=True)
class _ChainSoFar:
    """A chain between two tasks. `data` is None before the first, `cut_in` the seconds after which
    warm-up must end."""

    number: int
    stream: np.random.SeedSequence
    schedule: Schedule
    last: float
    room: float
    cut_in: float
    data: Json
    search: str | None = None


def turns_elsewhere(maker: Maker[S], half: Deadline | None) -> Turns[S]:
    """A function that advances all chains on the cluster, and yields whenever each has had its
    turns; until told to stop. `half` is the time at which warm-up must end."""
    key = uuid4().hex

    def turns(chains: Sequence[Chain[S]], stop: threading.Event) -> Iterator[None]:
        while not all(chain.over for chain in chains) and not stop.is_set():
            now = [chain for chain in chains if not chain.over]
            groups = _groups(now, tasks_at_once() or 1)
            cut_in = math.inf if half is None else half.left()
            work = [(key, maker, [_part_of(chain, cut_in) for chain in own]) for own in groups]
            for own, parts in zip(groups, in_tasks(_advanced, work), strict=True):
                for chain, part in zip(own, parts, strict=True):
                    _take(chain, part)
            yield

    return turns


def _groups(chains: Sequence[Chain[S]], at_once: int) -> list[Sequence[Chain[S]]]:
    """Chains one by one; islands, which may be many and short, in groups."""
    islands = chains[0].schedule.thin is None
    size = math.ceil(len(chains) / (_GROUPS * at_once)) if islands else 1
    return [chains[i : i + size] for i in range(0, len(chains), size)]


def _part_of(chain: Chain[S], cut_in: float) -> _ChainSoFar:
    data = chain.to_data() if chain.steps or chain.state is not None else None
    where = chain.number, chain.stream, chain.schedule, chain.last, chain.room
    return _ChainSoFar(*where, cut_in, data, chain.search)


def _take(chain: Chain[S], part: _ChainSoFar) -> None:
    """Go on from what a task gave."""
    chain.schedule, chain.last, chain.search = part.schedule, part.last, part.search
    if part.data is not None:
        chain.go_on_from(part.data)


# --- on a worker ---------------------------------------------------------------------------------

_made: dict[str, tuple[Stepper[Any], Callable[[Json], int]]] = {}
_making = threading.Lock()


def _stepper_of(key: str, maker: Maker[Any]) -> tuple[Stepper[Any], Callable[[Json], int]]:
    """The stepper of a run, made once; that of the run before is dropped."""
    with _making:
        if key not in _made:
            made = maker()
            _made.clear()
            _made[key] = made
        return _made[key]


def _advanced(key: str, maker: Maker[Any], parts: Sequence[_ChainSoFar]) -> list[_ChainSoFar]:
    """Advance chains, one after the other, until they are over or some seconds have passed for
    each."""
    stepper, size_of = _stepper_of(key, maker)
    return [_one_advanced(stepper, size_of, part) for part in parts]


def _one_advanced(
    stepper: Stepper[Any], size_of: Callable[[Json], int], part: _ChainSoFar
) -> _ChainSoFar:
    began = time.monotonic()
    chain = Chain(
        stepper,
        part.schedule,
        part.number,
        part.stream,
        lambda: time.monotonic() - began >= part.cut_in,
        part.room,
        size_of,
    )
    chain.last = part.last
    if part.data is not None:
        chain.go_on_from(part.data)
    stop = threading.Event()
    timer = threading.Timer(_SECONDS, stop.set)
    timer.start()
    try:
        while not chain.over and not stop.is_set():
            chain.advance(_TURNS, stop)
    finally:
        timer.cancel()
    return _part_of(chain, part.cut_in)
