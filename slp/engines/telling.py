"""Messages about a run of chains: progress, and warnings if it has not converged."""

from __future__ import annotations

import math
from collections.abc import Callable

from slp.budgets import format_seconds
from slp.errors import warn
from slp.messages.inference import NOT_CONVERGED
from slp.results.diagnostics import Diagnostics
from slp.runner import Progress

__all__ = ["CHAINS", "ISLANDS", "teller", "warn_of"]


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


#: Options of a longer run, of chains and of islands of particles.
CHAINS, ISLANDS = "draws, thin, warmup", "islands, particles"


def warn_of(
    diagnostics: Diagnostics,
    remedies: str = "another proposal or tempering",
    longer: str = CHAINS,
) -> None:
    """One warning with all problems of a run (W530)."""
    if diagnostics.warnings:
        warn(
            NOT_CONVERGED(faults="; ".join(diagnostics.warnings), remedies=remedies, longer=longer)
        )
