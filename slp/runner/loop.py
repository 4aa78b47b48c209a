"""The loop: chains and islands of any engine, with warm-up, thinning, progress, interruption and
checkpoints.

Chain c, or island c, takes its random numbers from child c of the seed's `SeedSequence`, and chains
share nothing else. So draws do not depend on the number of threads or on when checkpoints are
written. They depend on the clock in one case: if half of the time is over during warm-up, a run
without a checkpoint ends warm-up there, and reduces `thin` by the same factor.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from slp.budgets.seconds import Deadline
from slp.cluster import tasks_at_once
from slp.errors import Diagnostic, warn
from slp.messages.results import (
    INTERRUPTED,
    KEPT_EVERY,
    WARM_UP_CUT,
)
from slp.runner.chain import Chain, Schedule
from slp.runner.checkpoint import Checkpoint, only_checkpoints, read_checkpoint
from slp.runner.cluster_tasks import Maker, Turns, turns_elsewhere
from slp.runner.stepper import Json, Stepper, Tally, never
from slp.runner.watch import RunProgress, Watch, nothing_in_time, out_of_time_in_words

S = TypeVar("S")

#: Steps of each chain, or blocks of them, between two reports of progress; fewer if they take long.
_TURNS = 100

#: The share of the time that warm-up may take.
_WARM_UP_SHARE = 1 / 2


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run gave, or has given up to the end of a round.

    Attributes
    ----------
    records : those of the draws of each chain, in order, as JSON: texts take little memory, and
        equal ones are equal.
    log_weights : of each record; 0 of a chain (see `Weighted`).
    tallies : the moves of each chain after warm-up.
    interrupted : whether it was stopped before its end; `out_of_time` whether by its time.
    warm_up_cut : the fewest steps that a chain made in a warm-up which the time ended early; None
        if it ended none.
    rounds : how many were begun.
    share : of the steps after warm-up, the last ones, which the draws are spread over.
    states : the last state of each chain; None where it has none.
    over : whether each chain or island made all of its steps.
    """

    records: list[list[str]]
    log_weights: list[list[float]]
    tallies: list[Tally]
    interrupted: bool
    out_of_time: bool = False
    warm_up_cut: int | None = None
    rounds: int = 1
    share: float = 1.0
    states: Sequence[Any] = ()
    over: Sequence[bool] = ()

    @property
    def draws(self) -> list[list[Json]]:
        """The records of each chain as data, made anew."""
        return [list(map(json.loads, texts)) for texts in self.records]


def run(
    stepper: Stepper[S],
    schedule: Schedule,
    seed: int,
    *,
    threads: int = 1,
    deadline: Deadline | None = None,
    progress: Callable[[RunProgress], None] | None = None,
    checkpoint: Checkpoint | None = None,
    say: Callable[[Diagnostic], None] = warn,
    check: Callable[[Iterable[Json]], object] = lambda records: None,
    room: float = math.inf,
    size_of: Callable[[Json], int] = lambda record: 0,
    enough: Callable[[RunResult], bool] = lambda found: False,
    elsewhere: Maker[S] | None = None,
) -> RunResult:
    """Run chains, or islands; where a cluster is at hand and `elsewhere` makes the stepper, as
    tasks there (`slp.runner.cluster_tasks`).

    Ctrl-C (KeyboardInterrupt) ends the run early, as does the `deadline`: the draws made so far are
    kept, with a warning (W510, W541) to `say`. If there are none, KeyboardInterrupt is raised
    again, and the deadline is an error. A resumed run gives the same draws as an uninterrupted one;
    it may be asked for more draws. Without a checkpoint, warm-up ends when half of the time left is
    over, with a warning (W543). `check` raises some error if records of a checkpoint are not the
    engine's. If draws take more than `room` bytes by `size_of`, every second, fourth, ... is kept,
    the same for all chains, with a warning (W544). A schedule of several rounds ends after the
    first round that gave `enough`.

    Raises
    ------
    UsageError, SlpError
        E511 to E515, from the checkpoint; what the engine raises.
    BudgetError
        E540: the time was over before anything was drawn.
    """
    deadline = deadline or Deadline()
    half = deadline.before(deadline.left() * (1 - _WARM_UP_SHARE))
    cut = half.over if checkpoint is None else never
    each = max(1, threads // schedule.chains)
    chains = [
        Chain(stepper, schedule, c, stream, cut, room / schedule.chains, size_of, each)
        for c, stream in enumerate(np.random.SeedSequence(seed).spawn(schedule.chains))
    ]
    identity = _identity(stepper, schedule, seed)
    resumed = checkpoint is not None and _resume(chains, checkpoint, identity, check)
    now = Watch(chains, identity, progress, checkpoint)
    if not resumed:
        now.write()  # find out before the work whether the file can be written
    turns: Turns[S] = partial(_turns, threads=threads)
    if elsewhere is not None and tasks_at_once() is not None:
        turns = turns_elsewhere(elsewhere, half if checkpoint is None else None)
    interrupted = _advance(chains, turns, deadline, now, schedule, enough)
    out_of_time = not interrupted and not all(chain.over for chain in chains)
    if out_of_time and not _n_kept(chains):
        assert deadline.seconds is not None
        raise nothing_in_time(deadline.seconds, chains, checkpoint)
    cuts = [c.schedule.warm_up for c in chains if c.schedule is not schedule]
    if cuts:
        say(WARM_UP_CUT(made=min(cuts), planned=schedule.warm_up))
    found = _found(chains, schedule, say)
    if interrupted:
        say(INTERRUPTED(kept=_n_kept(chains), wanted=schedule.draws))
    elif out_of_time:
        say(out_of_time_in_words(deadline.seconds or 0, _n_kept(chains), schedule.draws))
    return replace(
        found,
        interrupted=interrupted or out_of_time,
        out_of_time=out_of_time,
        warm_up_cut=min(cuts, default=None),
    )


def _identity(stepper: Stepper[S], schedule: Schedule, seed: int) -> dict[str, str]:
    """What a checkpoint must have been written by."""
    return {
        **stepper.identity,
        "seed": str(seed),
        f"number of {'islands' if schedule.thin is None else 'chains'}": str(schedule.chains),
        "warm-up": str(schedule.warm_up),
        "thinning": str(schedule.thin),
    }


def _advance(
    chains: Sequence[Chain[S]],
    turns: Turns[S],
    deadline: Deadline,
    now: Watch[S],
    schedule: Schedule,
    enough: Callable[[RunResult], bool],
) -> bool:
    """Advance all chains to their end, round after round until there is enough, or until the time
    is over. The result is whether Ctrl-C ended it; without any draw that is raised."""
    try:
        with _stopped_at(deadline) as stop:
            while True:
                for _ in turns(chains, stop):
                    now.tell()
                    now.write_if_due()
                now.write()
                if not schedule.draws or not all(chain.over for chain in chains):
                    return False
                if chains[0].rounds >= schedule.rounds:
                    return False
                if enough(_found(chains, schedule)):
                    return False
                for chain in chains:
                    chain.begin_next_round()
    except KeyboardInterrupt:
        if not _n_kept(chains):
            raise
        return True


def _resume(
    chains: Sequence[Chain[S]],
    checkpoint: Checkpoint,
    identity: Mapping[str, str],
    check: Callable[[Iterable[Json]], object],
) -> bool:
    """Whether the chains go on from a checkpoint; they are then as it has them."""
    kept = read_checkpoint(checkpoint, identity)
    if kept is None:
        return False
    with only_checkpoints(checkpoint.path):
        for chain, data in zip(chains, kept, strict=True):
            chain.go_on_from(data)
            check(draw.record for draw in chain.draws)
    return True


def _found(
    chains: Sequence[Chain[S]],
    schedule: Schedule,
    say: Callable[[Diagnostic], None] = lambda finding: None,
) -> RunResult:
    """What the chains have given so far: one in so many draws of all chains alike, as many as any
    of them had to drop; with a warning where memory was the reason (W544)."""
    every = max(chain.every for chain in chains)
    spread = [chain.spread_evenly(every) for chain in chains]
    kept = [draws for draws, _ in spread]
    if schedule.thin is not None:
        made = sum(min(chain.made, schedule.draws_of(chain.number)) for chain in chains)
        n = sum(map(len, kept))
        if n < made:
            one_in = -(-made // n)
            thin = schedule.thin * one_in
            say(KEPT_EVERY(every=one_in, kept=n, wanted=schedule.draws, thin=thin))
    return RunResult(
        [[draw.text for draw in draws] for draws in kept],
        [[draw.log_weight for draw in draws] for draws in kept],
        [chain.tally for chain in chains],
        interrupted=False,
        rounds=chains[0].rounds,
        share=min(share for _, share in spread),
        states=[chain.state for chain in chains],
        over=[chain.over for chain in chains],
    )


@contextmanager
def _stopped_at(deadline: Deadline) -> Iterator[threading.Event]:
    """An event that is set when the time is over."""
    stop = threading.Event()
    if deadline.seconds is None:
        yield stop
        return
    timer = threading.Timer(min(deadline.left(), threading.TIMEOUT_MAX), stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()


def _n_kept(chains: Sequence[Chain[S]]) -> int:
    return sum(len(chain.draws) for chain in chains)


def _turns(chains: Sequence[Chain[S]], stop: threading.Event, threads: int) -> Iterator[None]:
    """Advance all chains, and yield whenever each has had its turns; until told to stop.
    Islands are advanced one after the other, one for each thread at a time. If the time ends early,
    some islands are done."""
    islands = chains[0].schedule.thin is None
    with ThreadPoolExecutor(max(1, threads)) as pool:
        try:
            while not all(chain.over for chain in chains) and not stop.is_set():
                now = [chain for chain in chains if not chain.over]
                now = now[: max(1, threads)] if islands else now
                if threads <= 1:
                    for chain in now:
                        chain.advance(_TURNS, stop)
                else:
                    work = [pool.submit(chain.advance, _TURNS, stop) for chain in now]
                    for future in work:
                        future.result()
                yield
        except BaseException:  # after Ctrl-C or an error, the other threads finish their step
            stop.set()
            raise
