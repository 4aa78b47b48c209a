"""Parallel tempering in the C++ core: the transitions of `slp.engines.mcmc.trees.tempering`, the
specification, many at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from slp.engines.mcmc.trees.compiled import CompiledMetropolisHastings, CoreState
from slp.engines.mcmc.trees.core_chains import seeds
from slp.engines.mcmc.trees.tempering import OfRung0, first_spacing, loaded_spacing
from slp.runner import ChainStepper, Info, Json, Move, Phase, Stop, never

__all__ = ["CompiledTempering", "Rungs"]


@dataclass(frozen=True, eq=False)
class Rungs:
    """The rungs' states, the coldest first, and r between neighbouring rungs."""

    states: tuple[CoreState, ...]
    spacing: tuple[float, ...]


class CompiledTempering(OfRung0[CompiledMetropolisHastings], ChainStepper[Rungs]):
    """Tempered chains, as `Tempering` with the same arguments."""

    def __init__(self, base: CompiledMetropolisHastings, rungs: int) -> None:
        super().__init__(base, rungs)
        self.longest_block = base.longest_block

    def init(self, rng: np.random.Generator, stop: Stop = never) -> Rungs:
        """A start for each rung."""
        states = tuple(self.base.init(rng, stop) for _ in range(self._n_rungs))
        return Rungs(states, first_spacing(self._n_rungs))

    def advance(
        self, rng: np.random.Generator, state: Rungs, n: int, phase: Phase
    ) -> tuple[Rungs, Info]:
        """In each step every rung moves, then a swap is tried. The tally counts the moves of rung
        0, and the swaps."""
        states, spacing, moves, swaps = self.base.sampler.advance_tempered(
            list(state.states),
            list(state.spacing),
            seeds(rng),
            self.base.power,
            n,
            phase.step if phase.warm_up else 0,
            self.base.predicate,
        )
        tally = self.base.tally_of(moves)
        for j, (rejected, accepted) in enumerate(swaps.reshape(-1, 2).tolist()):
            name = f"swap {j}-{j + 1}"
            tally += Counter({Move(name, "rejected"): rejected, Move(name, "accepted"): accepted})
        return Rungs(tuple(states), tuple(spacing)), Info(tally)

    def record(self, state: Rungs) -> Json:
        """The proof of rung 0, as `CompiledMetropolisHastings.record`."""
        return self.base.record(state.states[0])

    def dump(self, state: Rungs) -> Json:
        """See `Stepper`."""
        return [[self.base.dump(s) for s in state.states], list(state.spacing)]

    def load(self, data: Json) -> Rungs:
        """See `Stepper`."""
        states, spacing = data
        return Rungs(tuple(self.base.load(s) for s in states), loaded_spacing(spacing, len(states)))
