"""Messages about a run of chains: progress, and warnings if it has not converged."""

from __future__ import annotations

import math
from collections.abc import Callable

from slp.budgets import format_seconds
from slp.errors import warn
from slp.messages.results import NOT_CONVERGED
from slp.results.diagnostics import Diagnostics
from slp.results.tempering import MORE_ROUNDS
from slp.runner import Progress, Schedule


def teller(progress: Callable[[int, str], None]) -> Callable[[Progress], None]:
    """A function that reports a run's steps to `progress`."""

    def tell(now: Progress) -> None:
        phase = "sampling"
        if now.acceptance:
            shares = ", ".join(f"{name} {share:.1%}" for name, share in now.acceptance.items())
            steps = f"{now.total:,} steps, " if math.isfinite(now.total) else ""
            phase = f"sampling, {steps}accepted: {shares}"
        if math.isfinite(now.seconds_left):
            phase += f"; {format_seconds(now.seconds_left)} left"
        progress(now.done, phase)

    return tell


#: Factor of the length of the run that is proposed after one that has not converged, and the least
#: number of its draws: the default.
_LONGER, _ENOUGH_DRAWS = 10, 1000


def longer_run(schedule: Schedule, draws: int, *, tempered: bool) -> tuple[dict[str, int], int]:
    """Options of the run to make after one that has not converged, by their names in Python, and
    how many times as long it takes: ten times the islands, or the steps of chains; of ladders two
    more rounds, so four times the scans; at least 1000 draws."""
    times = _LONGER
    if schedule.thin is None:
        options = {"islands": times * schedule.chains}
    elif tempered:
        options, times = {"rounds": schedule.rounds + MORE_ROUNDS}, 2**MORE_ROUNDS
    else:
        options = {"warmup": times * max(schedule.warm_up, schedule.thin)}
        options["thin"] = times * schedule.thin
    if draws < _ENOUGH_DRAWS:
        options["draws"] = _ENOUGH_DRAWS
    return options, times


def warn_of(diagnostics: Diagnostics, schedule: Schedule, draws: int) -> None:
    """One warning with all problems of a run (W530), and the options of a longer one."""
    faults = "; ".join(diagnostics.warnings)
    if faults:
        tempered = diagnostics.tempering is not None
        more = longer_run(schedule, draws, tempered=tempered)[0]
        flags = " ".join(f"--{name} {value}" for name, value in more.items())
        keywords = ", ".join(f"{name}={value}" for name, value in more.items())
        warn(NOT_CONVERGED(faults=faults, flags=flags, keywords=keywords))
