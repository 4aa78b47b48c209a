"""What is said of a run whose numbers are not to be used, and the run to make in its place."""

from __future__ import annotations

from itertools import count

from slp.errors import Diagnostic
from slp.messages.results import NOT_CONVERGED, TOO_LITTLE_TO_TELL
from slp.results.trust.diagnostics import Diagnostics
from slp.runner import Schedule
from slp.runner.chain import length_of

#: Factors of the length of the run that is proposed after one that has not converged, of chains and
#: of ladders; and the least number of its draws: the default.
_LONGER, _LONGER_LADDERS, _ENOUGH_DRAWS = 10, 4, 2000
#: Chains in place of one, which has no other to agree with.
_CHAINS = 4


def longer_run(
    schedule: Schedule, draws: int, diagnostics: Diagnostics | None
) -> tuple[dict[str, int], int]:
    """Options of the run to make after one that has not converged, by their names in Python, and
    how many times as long it takes: ten times the islands, the steps of chains, or the independent
    draws; of ladders so many rounds that they make four times the scans; at least 2000 draws."""
    tempered = diagnostics is not None and diagnostics.tempering is not None
    independent = diagnostics is not None and (
        diagnostics.source == "independent" or set(diagnostics.moves) == {"backtrack"}
    )
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
    if schedule.thin is not None and schedule.chains == 1:
        options["chains"] = _CHAINS
    if draws < _ENOUGH_DRAWS:
        options["draws"] = _ENOUGH_DRAWS
    return options, times


def doubt_of(
    diagnostics: Diagnostics | None, schedule: Schedule | None, draws: int
) -> Diagnostic | None:
    """All that speaks against the numbers of a run, with the options of a longer one: that it has
    not converged (W530), or that too little is there to tell (W547); None if nothing does,
    or all is exact.

    `draws` : how many were asked for."""
    if diagnostics is None or schedule is None or diagnostics.converged:
        return None
    more = longer_run(schedule, draws, diagnostics)[0]
    wording = NOT_CONVERGED if diagnostics.standing == "not converged" else TOO_LITTLE_TO_TELL
    return wording(
        faults="; ".join(diagnostics.warnings),
        flags=" ".join(f"--{name} {value}" for name, value in more.items()),
        keywords=", ".join(f"{name}={value}" for name, value in more.items()),
    )
