"""When a run of tempered chains has made enough rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slp.results.record.result import Result
from slp.results.trust.judgement import FEWEST_DRAWS
from slp.results.trust.tempering import Scan

#: Draws for each effective draw needed. Fewer show neither these nor a small R-hat, however long
#: the chains run, so then round trips are enough.
_DRAWS_FOR_EFFECTIVE = 2


@dataclass(frozen=True)
class EnoughRounds:
    """Whether a result needs no more rounds: its chains agree, with enough effective draws and
    round trips; or enough round trips, where too few draws are kept to tell more; or the next round
    would be too long.

    `most`, `nearly_there` : approximate seconds of one core for a whole run; and for one whose
    chains nearly agree.
    """

    most: float
    nearly_there: float

    def __call__(self, result: Result, scan: Scan | None) -> bool:
        found, schedule = result.diagnostics(), result.schedule
        assert found is not None and schedule is not None
        if found.out_of_time:
            return False
        if min(found.draws) < FEWEST_DRAWS or found.tempering is None or scan is None:
            return True
        few = sum(found.draws) < _DRAWS_FOR_EFFECTIVE * found.effective_needed
        if found.tempering.enough_round_trips and (few or found.standing != "not converged"):
            return True
        rungs = sum(len(ladder.powers) for ladder in found.tempering.ladders)
        scans = replace(schedule, rounds=schedule.rounds + 1).most_steps_of(0)
        most = self.nearly_there if found.nearly_agrees else self.most
        return bool(rungs * scans * scan.seconds > most)
