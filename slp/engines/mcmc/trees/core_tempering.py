"""Parallel tempering in the C++ core: the transitions of `slp.engines.mcmc.trees.tempering`, the
specification, many at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from slp.engines.mcmc.trees.core import CompiledMetropolisHastings, CoreState
from slp.engines.mcmc.trees.core_chains import seeds
from slp.engines.mcmc.trees.tempering import OfRung0, first_spacing
from slp.runner import Info, Json, Move, Outcome, Stop, never

__all__ = ["CompiledTempering", "Rungs"]


@dataclass(frozen=True, eq=False)
class Rungs:
    """The rungs' states, the coldest first, and r of each step between them."""

    states: tuple[CoreState, ...]
    spacing: tuple[float, ...]


class CompiledTempering(OfRung0[CompiledMetropolisHastings]):
    """Tempered chains (a `slp.runner.BlockEngine`), as `Tempering` with the same arguments."""

    def __init__(self, base: CompiledMetropolisHastings, rungs: int) -> None:
        super().__init__(base, rungs)
        self.longest_block = base.longest_block

    def init(self, rng: np.random.Generator, stop: Stop = never) -> Rungs:
        """A start for each rung."""
        states = tuple(self.base.init(rng, stop) for _ in range(self._n_rungs))
        return Rungs(states, first_spacing(self._n_rungs))

    def step(self, rng: np.random.Generator, state: Rungs) -> tuple[Rungs, Info]:
        """Every rung moves, then a swap is tried. Info is on rung 0 and the swap."""
        state, tally = self.advance(rng, state, 1, None)
        moves = tuple(Move(name, outcome) for name, outcome in tally)
        return state, Info(moves, self.base.log_score(state.states[0]))

    def advance(
        self, rng: np.random.Generator, state: Rungs, n: int, tuning_from: int | None
    ) -> tuple[Rungs, Counter[tuple[str, Outcome]]]:
        """See `BlockEngine`; the moves of rung 0, and the swaps."""
        states, spacing, moves, swaps = self.base.sampler.advance_tempered(
            list(state.states),
            list(state.spacing),
            seeds(rng),
            self.base.power,
            n,
            tuning_from or 0,
            self.base.predicate,
        )
        tally = self.base.tally_of(moves)
        for j, (rejected, accepted) in enumerate(swaps.reshape(-1, 2).tolist()):
            name = f"swap {j}-{j + 1}"
            tally += Counter({(name, "rejected"): rejected, (name, "accepted"): accepted})
        return Rungs(tuple(states), tuple(spacing)), tally

    def adapt(self, state: Rungs, info: Info, step: int) -> Rungs:
        """The core tunes by itself."""
        return state

    def record(self, state: Rungs) -> Json:
        """The proof of rung 0, as `CompiledMetropolisHastings.record`."""
        return self.base.record(state.states[0])

    def state_to_data(self, state: Rungs) -> Json:
        """See `Engine`."""
        return [[self.base.state_to_data(s) for s in state.states], list(state.spacing)]

    def state_from_data(self, data: Json) -> Rungs:
        """See `Engine`."""
        states, spacing = data
        return Rungs(tuple(self.base.state_from_data(s) for s in states), tuple(spacing))
