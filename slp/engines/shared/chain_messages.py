"""Messages about a run of chains: progress, and what a limit of time has caused."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from slp.budgets import format_seconds
from slp.engines.contract import Progress
from slp.errors import Diagnostic
from slp.messages.names import plural
from slp.runner import RunProgress


def teller(progress: Progress) -> Callable[[RunProgress], None]:
    """A function that reports a run's steps to `progress`."""

    def tell(now: RunProgress) -> None:
        phase = f"sampling, {now.over} of {plural(now.chains, 'island')} done"
        if math.isfinite(now.total):
            phase = f"sampling, of {now.total:,.0f} steps"
        if now.acceptance:
            shares = ", ".join(f"{name} {share:.1%}" for name, share in now.acceptance.items())
            phase += f", accepted: {shares}"
        if math.isfinite(now.seconds_left):
            phase += f"; {format_seconds(now.seconds_left)} left"
        progress(now.done, phase)

    return tell


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
