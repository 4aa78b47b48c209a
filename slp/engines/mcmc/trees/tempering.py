"""Parallel tempering: chains at powers of the likelihood that swap their proofs.

Rung j has the target pi_j(x), proportional to w(x) L(x)^b_j, with 1 = b_0 > b_1 > ... > 0; rung 0
has the target of the run. Steps of single rungs leave the product of all pi_j invariant, and so do
swaps of neighbours:

    ratio of the swap of x_j and x_j+1  =  [L(x_j+1) / L(x_j)]^(b_j - b_j+1)

Weights and tests on the finished tree cancel, because all rungs have the same ones.

The ladder is tuned in warm-up only, as in Miasojedow, Moulines & Vihola (2013), An adaptive
parallel tempering algorithm, JCGS 22: with b_j+1 = b_j exp(-exp(r_j)), a swap tried at step t moves
r_j by t^-0.6 (accepted - 0.234).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from slp.engines.mcmc.mixture import MixtureState
from slp.engines.mcmc.proposals import acceptance_probability
from slp.engines.mcmc.records import RecordsOf
from slp.engines.mcmc.trees.chains import MetropolisHastings
from slp.engines.mcmc.trees.proof import Proof
from slp.errors import UsageError
from slp.messages.inference import TOO_FEW_RUNGS
from slp.runner import Json, Move, Phase, StepByStep, Stop, Tally, never
from slp.runner.randomness import Randomness, RandomNumbers

if TYPE_CHECKING:
    from slp.results.drawn import TreeSampler

__all__ = [
    "Tempering",
    "TemperingState",
    "check_rungs",
    "first_spacing",
    "loaded_spacing",
    "log_swap_ratio",
]

_WANTED_SWAPS = 0.234
_DECAY = 0.6
#: r is kept above this, so that powers of rungs differ.
_LEAST_SPACING = -12.0

B = TypeVar("B", bound="TreeSampler[Any]")


@dataclass(frozen=True, eq=False)
class TemperingState:
    """The rungs' states, the coldest first; r of each step between rungs (module's docstring); and
    the last swap tried: the upper rung's number, and whether it was accepted."""

    rungs: tuple[MixtureState[Proof], ...]
    spacing: tuple[float, ...]
    tried: int = 0
    swapped: bool = False

    @property
    def powers(self) -> tuple[float, ...]:
        """b_j, falling from 1."""
        out = [1.0]
        for r in self.spacing:
            out.append(out[-1] * math.exp(-math.exp(r)))
        return tuple(out)


class OfRung0(RecordsOf[B]):
    """Tempered chains, whose records are those of their rung 0.

    Raises
    ------
    UsageError
        E518: fewer than two rungs.
    """

    def __init__(self, base: B, rungs: int) -> None:
        check_rungs(rungs)
        super().__init__(base)
        self._n_rungs = rungs

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return {**self.base.identity, "number of rungs": str(self._n_rungs)}


class Tempering(OfRung0[MetropolisHastings], StepByStep[TemperingState]):
    """Tempered chains: one step moves every rung, then tries one swap.

    Parameters
    ----------
    base : the chain of each rung.
    rungs : how many there are, two or more (E518); they begin with powers 1, 1/2, 1/4, ...
    """

    def init(self, rng: np.random.Generator, stop: Stop = never) -> TemperingState:
        """A start for each rung."""
        rungs = tuple(self.base.init(rng, stop) for _ in range(self._n_rungs))
        return TemperingState(rungs, first_spacing(self._n_rungs))

    def step(
        self, rng: np.random.Generator, state: TemperingState, phase: Phase
    ) -> tuple[TemperingState, Tally]:
        """Every rung moves, then a swap is tried; in warm-up the ladder is tuned. The tally counts
        the moves of rung 0, and the swap."""
        state, moves = self.transition(RandomNumbers(rng), state)
        return (self.tuned(state, phase.step) if phase.warm_up else state), Counter(moves)

    def transition(
        self, randomness: Randomness, state: TemperingState
    ) -> tuple[TemperingState, tuple[Move, ...]]:
        """The transition that `step` makes; the moves of rung 0, and the swap."""
        rungs, moves = [], []
        for rung, power in zip(state.rungs, state.powers, strict=True):
            target = replace(self.base.target, power=power * self.base.target.power)
            moved, move = self.base.mixture.step(randomness, target, rung)
            rungs.append(moved)
            moves.append(move)
        j = randomness.index(len(rungs) - 1)
        ratio = log_swap_ratio(state.powers, rungs, j) * self.base.target.power
        swapped = randomness.happens(acceptance_probability(ratio))
        if swapped:  # turns belong to the rungs, proofs move
            cold, hot = rungs[j], rungs[j + 1]
            rungs[j] = replace(cold, derivation=hot.derivation)
            rungs[j + 1] = replace(hot, derivation=cold.derivation)
        swap = Move(f"swap {j}-{j + 1}", "accepted" if swapped else "rejected")
        return TemperingState(tuple(rungs), state.spacing, j, swapped), (moves[0], swap)

    def tuned(self, state: TemperingState, step: int) -> TemperingState:
        """The powers of the last swap, moved apart if it was accepted, closer if not."""
        spacing = list(state.spacing)
        r = spacing[state.tried] + step**-_DECAY * (state.swapped - _WANTED_SWAPS)
        spacing[state.tried] = max(r, _LEAST_SPACING)
        return replace(state, spacing=tuple(spacing))

    def record(self, state: TemperingState) -> Json:
        """The proof of rung 0, as `MetropolisHastings.record`."""
        return self.base.record(state.rungs[0])

    def dump(self, state: TemperingState) -> Json:
        """See `Stepper`."""
        rungs = [self.base.dump(rung) for rung in state.rungs]
        return [rungs, list(state.spacing), state.tried, state.swapped]

    def load(self, data: Json) -> TemperingState:
        """See `Stepper`."""
        rungs, spacing, tried, swapped = data
        assert type(tried) is int and 0 <= tried < len(rungs) - 1 and isinstance(swapped, bool)
        states = tuple(self.base.load(rung) for rung in rungs)
        return TemperingState(states, loaded_spacing(spacing, len(states)), tried, swapped)


def check_rungs(rungs: int) -> None:
    """Raise UsageError E518 if there are fewer than two rungs."""
    if rungs < 2:
        raise UsageError(TOO_FEW_RUNGS(rungs=rungs))


def first_spacing(rungs: int) -> tuple[float, ...]:
    """r of each step between rungs at the start: powers 1, 1/2, 1/4, ..."""
    return (math.log(math.log(2)),) * (rungs - 1)


def loaded_spacing(spacing: Json, rungs: int) -> tuple[float, ...]:
    """The r of a dump, which are finite and one fewer than the rungs; else it is none."""
    assert len(spacing) == rungs - 1
    assert all(isinstance(r, float) and math.isfinite(r) for r in spacing)
    return tuple(spacing)


def log_swap_ratio(powers: tuple[float, ...], rungs: list[MixtureState[Proof]], j: int) -> float:
    """Log of the ratio in the module's docstring."""
    difference = rungs[j + 1].derivation.log_likelihood - rungs[j].derivation.log_likelihood
    return (powers[j] - powers[j + 1]) * difference
