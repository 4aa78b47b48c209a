"""Messages about a run of chains: progress, and warnings if it has not converged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from slp.budgets import format_seconds
from slp.engines.contract import Progress
from slp.errors import Diagnostic, warn
from slp.messages.results import NOT_CONVERGED
from slp.results.diagnostics import Diagnostics
from slp.runner import RunProgress, Schedule
from slp.runner.chain import length_of


def teller(progress: Progress) -> Callable[[RunProgress], None]:
    """A function that reports a run's steps to `progress`."""

    def tell(now: RunProgress) -> None:
        phase = "sampling"
        if now.acceptance:
            shares = ", ".join(f"{name} {share:.1%}" for name, share in now.acceptance.items())
            steps = f"{now.total:,} steps, " if math.isfinite(now.total) else ""
            phase = f"sampling, {steps}accepted: {shares}"
        if math.isfinite(now.seconds_left):
            phase += f"; {format_seconds(now.seconds_left)} left"
        progress(now.done, phase)

    return tell


#: Factors of the length of the run that is proposed after one that has not converged, of chains and
#: of ladders; and the least number of its draws: the default.
_LONGER, _LONGER_LADDERS, _ENOUGH_DRAWS = 10, 4, 2000


def longer_run(
    schedule: Schedule, draws: int, diagnostics: Diagnostics | None
) -> tuple[dict[str, int], int]:
    """Options of the run to make after one that has not converged, by their names in Python, and
    how many times as long it takes: ten times the islands, the steps of chains, or the independent
    draws; of ladders so many rounds that they make four times the scans; at least 2000 draws."""
    tempered = diagnostics is not None and diagnostics.tempering is not None
    independent = diagnostics is not None and set(diagnostics.moves) == {"backtrack"}
    times = _LONGER
    if schedule.thin is None:
        options = {"islands": times * schedule.chains}
    elif tempered:
        times = _LONGER_LADDERS
        scans = times * length_of(schedule.rounds)
        options = {"rounds": next(r for r in count(1) if length_of(r) >= scans)}
    elif independent:
        return {"draws": max(times * draws, _ENOUGH_DRAWS)}, times
    else:
        options = {"warmup": times * max(schedule.warm_up, schedule.thin)}
        options["thin"] = times * schedule.thin
    if draws < _ENOUGH_DRAWS:
        options["draws"] = _ENOUGH_DRAWS
    return options, times


def warn_of(diagnostics: Diagnostics, schedule: Schedule, draws: int) -> None:
    """Warn of all problems of a run in one warning, if there are any."""
    found = not_converged(diagnostics, schedule, draws)
    if found is not None:
        warn(found)


def not_converged(diagnostics: Diagnostics, schedule: Schedule, draws: int) -> Diagnostic | None:
    """All problems of a run (W530), and the options of a longer one; None if it has none."""
    faults = "; ".join(diagnostics.warnings)
    if not faults:
        return None
    more = longer_run(schedule, draws, diagnostics)[0]
    flags = " ".join(f"--{name} {value}" for name, value in more.items())
    keywords = ", ".join(f"{name}={value}" for name, value in more.items())
    return NOT_CONVERGED(faults=faults, flags=flags, keywords=keywords)


def told_by_cause(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The same findings, but one for all that a limit of time has caused, with the remedy of the
    first of them by code."""
    of_time = [d for d in found if d.of_time in ("ended", "shortened")]
    if not of_time:
        return list(found)
    of_time.sort(key=lambda d: d.code)
    caused = [*of_time, *(d for d in found if d.of_time == "perhaps")]
    whole = replace(of_time[0], message="; ".join(d.message for d in caused))
    return [*(d for d in found if d not in caused), whole]
