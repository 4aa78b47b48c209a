"""Reports of a run: progress, checkpoints that are due, and what is said where time is over."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from slp.budgets.seconds import format_seconds
from slp.errors import Diagnostic
from slp.messages.inference import NOTHING_BEGUN, NOTHING_DRAWN
from slp.messages.names import plural
from slp.messages.results import (
    OUT_OF_TIME,
    OUT_OF_TIME_IN_FURTHER_ROUND,
)
from slp.runner.chain import Chain
from slp.runner.checkpoint import Checkpoint, write_checkpoint
from slp.runner.stepper import NothingDrawnError, Tally

S = TypeVar("S")


@dataclass(frozen=True)
class RunProgress:
    """How far a run is: steps of all chains, how many of the chains or islands are done, acceptance
    rates by move (over all steps so far), and the seconds left at the present speed. `total` is
    that of the rounds begun; inf if the number of steps is not known, as of islands."""

    done: int
    total: float
    over: int
    chains: int
    acceptance: dict[str, float]
    seconds_left: float


class Watch(Generic[S]):
    """Reports progress and writes checkpoints."""

    def __init__(
        self,
        chains: Sequence[Chain[S]],
        identity: Mapping[str, str],
        progress: Callable[[RunProgress], None] | None,
        checkpoint: Checkpoint | None,
    ) -> None:
        self._chains, self._identity = chains, identity
        self._progress, self._checkpoint = progress, checkpoint
        self._started = self._written = time.monotonic()
        self._done_before = self._done

    @property
    def _done(self) -> int:
        return sum(int(min(chain.steps, chain.last)) for chain in self._chains)

    def tell(self) -> None:
        """Report progress."""
        if self._progress is None:
            return
        done, total = self._done, sum(chain.last for chain in self._chains)
        pace = (time.monotonic() - self._started) / max(1, done - self._done_before)
        tally = sum((c.warm_up_tally + c.tally for c in self._chains), Counter())
        over = sum(chain.over for chain in self._chains)
        left = pace * (total - done)
        told = RunProgress(done, total, over, len(self._chains), acceptance(tally), left)
        self._progress(told)

    def write_if_due(self) -> None:
        """Write the checkpoint if the last one is old enough."""
        if self._checkpoint and time.monotonic() - self._written >= self._checkpoint.every:
            self.write()

    def write(self) -> None:
        """Write the checkpoint."""
        if self._checkpoint is not None:
            chains = [chain.to_data() for chain in self._chains]
            write_checkpoint(self._checkpoint.path, self._identity, chains)
            self._written = time.monotonic()


def acceptance(tally: Tally) -> dict[str, float]:
    """The acceptance rate of each move, by name. Failures count as proposals; stays do not, because
    nothing was proposed. A move that never proposed has no rate."""
    proposed: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    for (name, outcome), count in tally.items():
        proposed[name] += count * (outcome != "stayed")
        accepted[name] += count * (outcome == "accepted")
    return {name: accepted[name] / n for name, n in sorted(proposed.items()) if n}


#: A run is not advised to take more than so many times its time.
_MOST_TIMES = 4.0


def out_of_time_in_words(seconds: float, kept: int, wanted: int) -> Diagnostic:
    """W541, with about twice the time that all draws would have taken at this pace, and four times
    the time at most: the pace of a few draws tells little."""
    more = math.ceil(seconds * min(_MOST_TIMES, 2 * max(1.0, wanted / max(1, kept))))
    if kept > wanted:
        return OUT_OF_TIME_IN_FURTHER_ROUND(time=format_seconds(seconds), kept=kept, more=more)
    return OUT_OF_TIME(time=format_seconds(seconds), kept=kept, wanted=wanted, more=more)


def nothing_in_time(
    seconds: float, chains: Sequence[Chain[S]], checkpoint: Checkpoint | None
) -> NothingDrawnError:
    """E540, which says what took the time."""
    if all(chain.state is None and chain.search is None for chain in chains):
        return NothingDrawnError(NOTHING_BEGUN(time=format_seconds(seconds)), [], True)
    search = next((chain.search for chain in chains if chain.search is not None), None)
    records = [w.record for c in chains if c.state is not None for w in c.stepper.draws(c.state)]
    schedule, done = chains[0].schedule, max(chain.steps for chain in chains)
    if search is not None:
        how_far, remedy = search, "looser constraints"
    elif schedule.thin is None:
        whole = "no particle is a whole tree"
        if records:
            whole = f"{plural(len(records), 'particle')} of those begun are whole trees"
        how_far = f"the furthest island made {done:,} steps and is not done, and {whole}"
        remedy = "fewer `particles` or `islands`"
    else:
        how_far = f"a chain made {done:,} steps"
        how_far += f", and its first draw comes after {schedule.warm_up + schedule.thin:,}"
        remedy = "smaller `warmup` and `thin` (of trees: by effort quick)"
    if checkpoint is not None:
        remedy += ", or go on from the checkpoint"
    found = NOTHING_DRAWN(time=format_seconds(seconds), how_far=how_far, remedy=remedy)
    return NothingDrawnError(found, records)
