"""Tempered chains as an engine of the run loop: each chain is a ladder, and each step a scan.

Warm-up is a sequence of rounds, each twice as long as the one before. After each, powers are spaced
anew by the rejections of the round, and the number of rungs follows from the barrier. After warm-up
nothing changes any more, and draws are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.tempering.powers import (
    FIRST_RUNGS,
    first_powers,
    nearest,
    respaced,
    rungs_for,
)
from slp.engines.mcmc.tempering.scans import NEITHER, Scans
from slp.engines.mcmc.tempering.sums import Batches, ScanSums, figures_of, log_ratios
from slp.engines.shared.records import RecordsOf
from slp.results.trust.tempering import LadderFigures, Scan, TemperingFigures
from slp.runner import ChainStepper, Info, Json, Phase, Stop, Tally, never
from slp.trees import Tree

#: Scans of the first round of warm-up.
FIRST_ROUND = 4

R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Ladder(Generic[R]):
    """The state of a ladder of N rungs, of which the last two have power 1.

    Attributes
    ----------
    rungs : as of `Scans`.
    powers : from 0 to 1, float64, shape (N,).
    centres : guesses of the log ratios of neighbours' normalisers, float64, shape (N - 1,).
    round : sums of the present round of warm-up; None at its beginning, and after warm-up.
    batches : sums of the scans after warm-up.
    """

    rungs: R
    powers: NDArray[np.float64]
    centres: NDArray[np.float64]
    round: ScanSums | None = None
    batches: Batches = Batches()


class Tempering(RecordsOf[Any], ChainStepper[Ladder[R]], Generic[R]):
    """Tempered chains.

    Parameters
    ----------
    scans : makes the scans.
    rungs : how many different powers; None is by the barrier, up to `most_rungs`.
    longest_block : the most scans in one block.
    seconds : approximate, of one core, for a scan of one rung.
    """

    def __init__(
        self,
        scans: Scans[R],
        *,
        rungs: int | None = None,
        most_rungs: int = 100,
        longest_block: int = 1,
        seconds: float = 0.0,
    ) -> None:
        super().__init__(scans.base)
        assert rungs is None or rungs >= 2
        self.scans, self._rungs, self._most_rungs = scans, rungs, most_rungs
        self.longest_block, self._seconds = longest_block, seconds

    @property
    def given(self) -> Tree:
        """See `slp.results.record.edits.EditSampler`: of chains over edits."""
        given: Tree = self.base.given
        return given

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        own = {"number of rungs": str(self._rungs), "steps in a scan": str(self.scans.n_steps)}
        return {**self.base.identity, **own}

    @property
    def scan(self) -> Scan:
        """See `TreeSampler`."""
        return Scan(self.scans.n_steps, self._seconds)

    def init(self, rng: np.random.Generator, stop: Stop = never) -> Ladder[R]:
        """All rungs begin with one state."""
        n = min(FIRST_RUNGS, self._most_rungs) if self._rungs is None else self._rungs
        states = [self.base.init(rng, stop)] * n
        rungs = self.scans.rungs([*states, states[0]], [NEITHER] * (n + 1), 0)
        return Ladder(rungs, first_powers(n), np.zeros(n))

    def advance(
        self, rng: np.random.Generator, state: Ladder[R], n: int, phase: Phase
    ) -> tuple[Ladder[R], Info]:
        """`n` scans; in warm-up the ladder is adapted where rounds end."""
        tally: Tally = Counter()
        made = 0
        while made < n:
            number = phase.step + made
            piece = n - made
            if phase.warm_up:
                piece = min(piece, end_of_round(number) - number + 1)
            state, moves = self._scanned(rng, state, piece, phase)
            tally += moves
            made += piece
            if phase.warm_up and end_of_round(number) < phase.step + made:
                state = self._adapted(state)
        return state, Info(tally)

    def _scanned(
        self, rng: np.random.Generator, state: Ladder[R], n: int, phase: Phase
    ) -> tuple[Ladder[R], Tally]:
        powers, centres = state.powers, state.centres
        rungs, sums, tally = self.scans.advance(rng, state.rungs, powers, centres, n, phase)
        if phase.warm_up:
            sums = sums if state.round is None else state.round + sums
            return Ladder(rungs, powers, centres, sums), tally
        return Ladder(rungs, powers, centres, None, state.batches.and_then(sums)), tally

    def _adapted(self, state: Ladder[R]) -> Ladder[R]:
        """The ladder at the beginning of the next round. A new rung begins with the state of the
        old one whose power is nearest."""
        assert state.round is not None
        old, rejections = state.powers, state.round.rejections
        n = self._rungs
        if n is None:
            n = rungs_for(float(rejections.sum()), self._most_rungs)
        powers = respaced(old, rejections, n)
        ratios = log_ratios(state.round, state.centres)
        log_normalisers = np.interp(powers, old, np.concatenate([[0.0], np.cumsum(ratios)]))
        rungs = state.rungs
        if len(powers) != len(old):
            kept = [self.scans.state(rungs, j) for j in nearest(old, powers)]
            rungs = self.scans.rungs(kept, [NEITHER] * (n + 1), self.scans.marks(rungs)[1])
        return Ladder(rungs, powers, np.diff(log_normalisers))

    def record(self, state: Ladder[R]) -> Json:
        """The derivation at power 1, as of the chain of each rung."""
        return self.base.record(self.scans.state(state.rungs, -1))

    def dump(self, state: Ladder[R]) -> Json:
        """See `Stepper`."""
        ends, scans = self.scans.marks(state.rungs)
        states = (self.scans.state(state.rungs, j) for j in range(len(ends)))
        return {
            "rungs": [self.base.dump(s) for s in states],
            "ends": ends,
            "scans": scans,
            "powers": state.powers.tolist(),
            "centres": state.centres.tolist(),
            "round": None if state.round is None else state.round.to_data(),
            "batches": [s.to_data() for s in state.batches.sums],
            "length": state.batches.length,
        }

    def load(self, data: Json) -> Ladder[R]:
        """See `Stepper`."""
        powers, centres = np.array(data["powers"], float), np.array(data["centres"], float)
        n = len(powers)
        assert len(data["rungs"]) == len(data["ends"]) == n == len(centres) + 1 >= 2
        assert np.isfinite(centres).all() and (np.diff(powers) >= 0).all()
        assert powers[0] == 0.0 and powers[-1] == 1.0 and set(data["ends"]) <= {0, 1, 2}
        round_ = None if data["round"] is None else ScanSums.from_data(data["round"])
        sums = tuple(map(ScanSums.from_data, data["batches"]))
        assert all(len(s.pairs) == n - 1 for s in sums)
        states = [self.base.load(s) for s in data["rungs"]]
        rungs = self.scans.rungs(states, data["ends"], int(data["scans"]))
        return Ladder(rungs, powers, centres, round_, Batches(sums, int(data["length"])))

    def tempering(
        self, states: Sequence[Ladder[R] | None], share: float
    ) -> TemperingFigures | None:
        """See `TreeSampler`."""
        found = [self._figures(state, share) for state in states if state is not None]
        known = tuple(f for f in found if f is not None)
        return TemperingFigures(known) if known else None

    def _figures(self, state: Ladder[R], share: float) -> LadderFigures | None:
        kept = state.batches.last(share)
        return figures_of(kept, state.powers, state.centres, fresh=self.scans.fresh)


def end_of_round(scan: int) -> int:
    """The last scan of the round of warm-up that a scan is in, from 1: rounds have 4, 8, 16, ...
    scans."""
    end, length = FIRST_ROUND, FIRST_ROUND
    while end < scan:
        length *= 2
        end += length
    return end
