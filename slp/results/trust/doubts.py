"""What is said of a run whose numbers are not to be used, and the run to make in its place."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, NamedTuple

from slp.data.row_part import FEWEST_ROWS
from slp.errors import Diagnostic
from slp.messages.results import NOT_CONVERGED, TOO_LITTLE_TO_TELL
from slp.results.trust.diagnostics import Diagnostics
from slp.runner import Schedule
from slp.runner.chain import length_of
from slp.runner.effort import level_in, next_level

#: Factors of the length of the run that is proposed after one that has not converged, of chains and
#: of ladders; and the least number of its draws: the default.
_LONGER, _LONGER_LADDERS, _ENOUGH_DRAWS = 10, 4, 2000
#: Chains in place of one, which has no other to agree with.
_CHAINS = 4
#: Members stacked by prediction: the share of the seconds of one core that a level allows chains
#: without tempering that they take on two cores, and the seconds behind that.
_OF_LEVEL, _AFTER_STEPS = 0.4, 3.0
#: A barrier from which ladders that made no round trip will not mix in a run that is any longer.
_LARGE_BARRIER = 10.0
_STACKED = (
    "; for predictions alone, and no posterior, take --engine stacked (in Python: engine='stacked')"
)
#: Options that set the length of ladders in place of effort.
_OF_LENGTH = ("rounds", "warmup", "thin")


class LongerRun(NamedTuple):
    """The run to make after one that has not converged.

    `options` : by their names in Python. `times` : how many times as long it takes. `seconds` : of
    two cores by an estimate, where a level of effort sets its length; else None.
    """

    options: dict[str, object]
    times: int
    seconds: float | None = None


def longer_run(
    schedule: Schedule,
    draws: int,
    diagnostics: Diagnostics | None,
    given: Mapping[str, Any] | None,
) -> LongerRun:
    """Ten times the islands, the steps of chains, or the independent draws; of ladders the next
    level of effort, or so many rounds that they make four times the scans; at least 2000 draws.

    `given` : the options that the run was given; None of one that has no effort."""
    by_effort = _by_effort(draws, diagnostics, given or {})
    if by_effort is not None and given is not None:
        return by_effort
    options: dict[str, object]
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
        return LongerRun({"draws": max(times * draws, _ENOUGH_DRAWS)}, times)
    else:
        options = {"warmup": times * max(schedule.warm_up, schedule.thin)}
        options["thin"] = times * schedule.thin
    if schedule.thin is not None and schedule.chains == 1:
        options["chains"] = _CHAINS
    if draws < _ENOUGH_DRAWS:
        options["draws"] = _ENOUGH_DRAWS
    return LongerRun(options, times)


def _by_effort(
    draws: int, diagnostics: Diagnostics | None, given: Mapping[str, Any]
) -> LongerRun | None:
    """The next level of effort for ladders that no other option and no time ended; None where it
    makes no longer run."""
    if diagnostics is None or diagnostics.tempering is None or diagnostics.out_of_time:
        return None
    if any(given.get(name) is not None for name in _OF_LENGTH) or given.get("chains") == 1:
        return None
    level = level_in(given)
    further = next_level(level)
    if further is None or (
        diagnostics.nearly_agrees and further.nearly_there <= level.nearly_there
    ):
        return None
    times = max(1, round(further.run / level.run))
    options: dict[str, object] = {"effort": further.name}
    if draws < _ENOUGH_DRAWS:
        options["draws"] = _ENOUGH_DRAWS
    return LongerRun(options, times, further.run / 2)


def stacking_is_offered(diagnostics: Diagnostics | None, n_rows: int) -> bool:
    """Whether members stacked by prediction are offered in place of a longer run: ladders made no
    round trip over a large barrier, so that a longer one is no remedy, there are rows to set aside,
    and no tree is edited, which members do not take."""
    tempering = None if diagnostics is None else diagnostics.tempering
    if diagnostics is None or tempering is None or diagnostics.standing != "not converged":
        return False
    stuck = tempering.fewest_round_trips == 0 and tempering.barrier >= _LARGE_BARRIER
    return stuck and n_rows >= FEWEST_ROWS and "edits" not in diagnostics.convergence


def seconds_of_stacking(given: Mapping[str, Any]) -> float:
    """Approximate seconds of two cores of members stacked by prediction at the level of effort of
    these options: measured on tables of 6,000 to 25,000 rows, where they differ by a factor of
    two (docs/design/stacking.md)."""
    return _OF_LEVEL * level_in(given).untempered + _AFTER_STEPS


def doubt_of(
    diagnostics: Diagnostics | None,
    schedule: Schedule | None,
    draws: int,
    given: Mapping[str, Any] | None,
    n_rows: int = 0,
) -> Diagnostic | None:
    """All that speaks against the numbers of a run, with the options of a longer one: that it has
    not converged (W530), or that too little is there to tell (W547); None if nothing does,
    or all is exact.

    `draws` : how many were asked for. `given` : as of `longer_run`. `n_rows` : of the table, by
    which members stacked by prediction are offered too."""
    if diagnostics is None or schedule is None or diagnostics.converged:
        return None
    more = longer_run(schedule, draws, diagnostics, given).options
    offered = stacking_is_offered(diagnostics, n_rows)
    wording = NOT_CONVERGED if diagnostics.standing == "not converged" else TOO_LITTLE_TO_TELL
    return wording(
        faults="; ".join(diagnostics.warnings),
        flags=" ".join(f"--{name} {value}" for name, value in more.items()),
        keywords=", ".join(f"{name}={value!r}" for name, value in more.items()),
        instead=_STACKED if offered else "",
    )
