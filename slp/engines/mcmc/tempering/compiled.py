"""Scans of a ladder in the C++ core (`native/core/mcmc/ladder.hpp`): those of the specification,
many at a time. Each rung draws from its own stream, so results do not depend on the number of
threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.tempering.scans import MOST_TRIES
from slp.engines.mcmc.tempering.sums import PAIR_NUMBERS, ScanSums
from slp.engines.shared.core_chains import CoreChains, seeds
from slp.runner import Phase, Tally

if TYPE_CHECKING:
    from slp._core import EditLadder, MHLadder

#: The core's `MHLadder` or `EditLadder`; never changed.
CoreLadder: TypeAlias = "MHLadder | EditLadder"


class CompiledScans:
    """See `slp.engines.mcmc.tempering.scans.Scans`."""

    def __init__(self, base: CoreChains, n_steps: int, tries: int = MOST_TRIES) -> None:
        self.base, self.n_steps = base, n_steps
        self.tries = tries if base.draws_prior else 0

    @property
    def fresh(self) -> bool:
        """See `Scans`."""
        return self.tries > 0

    def rungs(self, states: Sequence[Any], ends: Sequence[int], scans: int) -> CoreLadder:
        """See `Scans`."""
        ladder: CoreLadder = self.base.ladder_type(list(states), list(ends), scans)
        return ladder

    def state(self, rungs: CoreLadder, j: int) -> Any:
        """See `Scans`."""
        return rungs.state(j % rungs.n)

    def marks(self, rungs: CoreLadder) -> tuple[list[int], int]:
        """See `Scans`."""
        return rungs.ends, rungs.scans

    def advance(
        self,
        rng: np.random.Generator,
        rungs: CoreLadder,
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
        n: int,
        phase: Phase,
    ) -> tuple[CoreLadder, ScanSums, Tally]:
        """See `Scans`."""
        self.base.check_room()
        asked, threads = self.base.predicate(phase.stop), phase.threads
        predicates: tuple[Callable[[Any], bool], ...] = ()
        if asked is not None:
            predicates, threads = (asked,), 1
        of = (self.n_steps, self.tries, threads, *predicates)
        scan: Any = self.base.sampler.scan  # of its own ladders; predicates are of `MHSampler`
        rungs, pairs, trips, fresh, moves = scan(rungs, powers, centres, seeds(rng), n, *of)
        sums = ScanSums(n, pairs.reshape(-1, PAIR_NUMBERS), trips, fresh)
        return rungs, sums, self.base.tally_of(moves)
