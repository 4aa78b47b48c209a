"""What scans of a ladder are, by whatever they are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.tempering.sums import ScanSums
from slp.runner import Phase, Tally

R = TypeVar("R")

#: The end that a derivation was at last.
NEITHER, PRIOR, POSTERIOR = range(3)

#: Tries for an independent draw at power 0.
MOST_TRIES = 1000


class Scans(Protocol[R]):
    """Scans of ladders whose rungs are of type R.

    Attributes
    ----------
    base : the chain of each rung, whose states it has.
    n_steps : of a rung in a scan, the mean over the rungs: see `steps_of`.
    fresh : whether derivations at power 0 are drawn independently.
    """

    @property
    def base(self) -> Any: ...

    @property
    def n_steps(self) -> int: ...

    @property
    def fresh(self) -> bool: ...

    def rungs(self, states: Sequence[Any], ends: Sequence[int], scans: int) -> R:
        """Rungs with these states, from power 0 to 1, whose derivations were last at these ends,
        after so many scans."""
        ...

    def state(self, rungs: R, j: int) -> Any:
        """The state of rung j; the last one with -1."""
        ...

    def marks(self, rungs: R) -> tuple[list[int], int]:
        """The ends, and the number of scans, as `rungs` was given them."""
        ...

    def advance(
        self,
        rng: np.random.Generator,
        rungs: R,
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
        n: int,
        phase: Phase,
    ) -> tuple[R, ScanSums, Tally]:
        """The rungs after `n` scans; sums over them; the moves at power 1. `centres`: the guesses
        of the bridge (`slp.engines.mcmc.tempering.sums`)."""
        ...
