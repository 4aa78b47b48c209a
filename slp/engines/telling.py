"""Messages about a run of chains: progress, and warnings if it has not converged."""

from __future__ import annotations

import math
from collections.abc import Callable

from slp.budgets import format_seconds
from slp.errors import warn
from slp.messages.results import NOT_CONVERGED, TOO_FEW_ROUNDS
from slp.results.diagnostics import Diagnostics
from slp.results.tempering import MORE_ROUNDS
from slp.runner import Progress


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
    rounds: int = 1,
) -> None:
    """One warning with all problems of a run (W530). Of ladders it says how many rounds to make
    after so many."""
    faults = "; ".join(diagnostics.warnings)
    if not faults:
        return
    if diagnostics.tempering is not None:
        warn(TOO_FEW_ROUNDS(faults=faults, rounds=rounds + MORE_ROUNDS))
    else:
        warn(NOT_CONVERGED(faults=faults, remedies=remedies, longer=longer))
