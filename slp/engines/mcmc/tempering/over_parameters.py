"""Scans of ladders whose rungs have a node of the parameters, or feature weights, beside their
derivation: those of the specification (`slp.reference.mh.scans`), with steps in the core and a draw
of the node or the weights after the steps of each rung. A swap exchanges both: the likelihood
depends on no node and no weight, so the ratio is the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.proposals import acceptance_probability
from slp.engines.mcmc.tempering.scans import POSTERIOR, PRIOR
from slp.engines.mcmc.tempering.sums import PAIR_NUMBERS, ScanSums
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings, CoreState
from slp.runner import Phase, Tally


class WithDerivation(Protocol):
    """The state of a chain that also moves something else."""

    @property
    def own(self) -> CoreState:
        """The derivation."""
        ...


S = TypeVar("S", bound=WithDerivation)


class MovingChains(Protocol[S]):
    """`ChainsOverParameters`, or `ChainsOverWeights`."""

    base: CompiledMetropolisHastings

    def drawn(self, rng: np.random.Generator) -> S:
        """An independent draw of the prior."""
        ...

    def moved(
        self, rng: np.random.Generator, state: S, power: float, n: int
    ) -> tuple[S, NDArray[np.uint64]]:
        """The state after `n` steps at a power of the likelihood and a draw of what moves beside
        the tree, and the core's counts of the steps."""
        ...

    def turned(self, state: S, of: S) -> S:
        """A state with the turns of the proposals of another."""
        ...


@dataclass(frozen=True, eq=False)
class MovingRungs(Generic[S]):
    """See `Scans.rungs`."""

    states: tuple[S, ...]
    ends: tuple[int, ...]
    scans: int


class ScansOverParameters(Generic[S]):
    """See `slp.engines.mcmc.tempering.scans.Scans`. At power 0 all is drawn
    independently: a program whose weights sum to 1 runs forward without rejections."""

    fresh = True

    def __init__(self, base: MovingChains[S], n_steps: int) -> None:
        self.base, self.n_steps = base, n_steps

    def rungs(self, states: Sequence[S], ends: Sequence[int], scans: int) -> MovingRungs[S]:
        """See `Scans`."""
        return MovingRungs(tuple(states), tuple(ends), scans)

    def state(self, rungs: MovingRungs[S], j: int) -> S:
        """See `Scans`."""
        return rungs.states[j]

    def marks(self, rungs: MovingRungs[S]) -> tuple[list[int], int]:
        """See `Scans`."""
        return list(rungs.ends), rungs.scans

    def advance(
        self,
        rng: np.random.Generator,
        rungs: MovingRungs[S],
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
        n: int,
        phase: Phase,
    ) -> tuple[MovingRungs[S], ScanSums, Tally]:
        """See `Scans`."""
        self.base.base.check_room()
        tally: Tally = Counter()
        total: ScanSums | None = None
        for _ in range(n):
            rungs, sums, moves = self._scanned(rng, rungs, powers, centres)
            total = sums if total is None else total + sums
            tally += moves
        assert total is not None
        return rungs, total, tally

    def _scanned(
        self,
        rng: np.random.Generator,
        rungs: MovingRungs[S],
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
    ) -> tuple[MovingRungs[S], ScanSums, Tally]:
        """One scan."""
        n = len(powers)
        states = [self.base.turned(self.base.drawn(rng), rungs.states[0])]
        for j, state in enumerate(rungs.states[1:], start=1):
            # More steps at higher powers, where chains move less.
            steps = max(2 * self.n_steps * (j + 1) // (n + 1), 1)
            state, counts = self.base.moved(rng, state, float(powers[j]), steps)
            states.append(state)
        ends = list(rungs.ends)
        pairs = self._swapped(rng, states, ends, powers, centres, rungs.scans % 2)
        round_trips = int(ends[0] == POSTERIOR)
        ends[0] = PRIOR
        if ends[-1] == PRIOR:
            ends[-1] = POSTERIOR
        new = MovingRungs(tuple(states), tuple(ends), rungs.scans + 1)
        return new, ScanSums(1, pairs, round_trips, 1), self.base.base.tally_of(counts)

    def _swapped(
        self,
        rng: np.random.Generator,
        states: list[S],
        ends: list[int],
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
        parity: int,
    ) -> NDArray[np.float64]:
        """Swap every second pair of neighbours in place; the numbers of all pairs."""
        fits = [float(state.own.log_likelihood) for state in states]
        out = np.zeros((len(states) - 1, PAIR_NUMBERS))
        for j, (low, high) in enumerate(zip(fits[:-1], fits[1:], strict=True)):
            step = float(powers[j + 1] - powers[j])
            ratio = 0.0 if low == high else step * (low - high)
            accepted = acceptance_probability(ratio)
            up, down = step * low - centres[j], centres[j] - step * high
            tried = j % 2 == parity
            swapped = tried and rng.random() < accepted
            bridge = _logistic(up), _logistic(down)
            out[j] = (1 - accepted, step * low, -step * high, *bridge, tried, swapped)
            if swapped:  # turns belong to the rungs, derivations and nodes move
                hot, cold = states[j], states[j + 1]
                states[j] = self.base.turned(cold, hot)
                states[j + 1] = self.base.turned(hot, cold)
                ends[j], ends[j + 1] = ends[j + 1], ends[j]
        return out


def _logistic(x: float) -> float:
    """1 / (1 + exp(-x))."""
    return math.exp(x) / (1 + math.exp(x)) if x < 0 else 1 / (1 + math.exp(-x))
