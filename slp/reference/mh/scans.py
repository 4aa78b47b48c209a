"""A scan of a ladder in Python: the specification.

Rung j of N has the target

    pi_j(x)  proportional to  w(x) L(x)^b_j [tests hold for x],   0 = b_0 < b_1 < ... < b_N-1 = 1

A scan first moves each rung by itself, so that pi_j stays invariant: by some steps of the chain at
its power, or, at power 0 where the program can be run forward, by a draw that does not depend on
the state. That draw is by rejection: if all tries fail, the state stays as it is. A success does
not depend on the state either, so pi_0 stays invariant too.

Then neighbours swap their derivations: those of rungs 0-1, 2-3, ... after an even number of scans,
those of rungs 1-2, 3-4, ... after an odd one. A swap is accepted with the probability

    min(1, ratio),   ratio = [L(x_j) / L(x_j+1)]^(b_j+1 - b_j)

in which weights and tests cancel, as all rungs have the same ones. Each scan leaves the product of
all pi_j invariant, but scans in turn are not reversible: a derivation that was swapped goes on in
its direction, so it comes to the other end in a number of scans proportional to N, not N^2.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.mixture import MixtureState, MixtureWithPower
from slp.engines.mcmc.proposals import acceptance_probability
from slp.engines.mcmc.tempering.scans import MOST_TRIES, POSTERIOR, PRIOR
from slp.engines.mcmc.tempering.sums import PAIR_NUMBERS, ScanSums
from slp.runner import Phase, Tally
from slp.runner.randomness import Randomness, RandomNumbers


@dataclass(frozen=True, eq=False)
class Rungs:
    """See `Scans.rungs`."""

    states: tuple[MixtureState[Any], ...]
    ends: tuple[int, ...]
    scans: int = 0


class PlainScans:
    """Scans in Python, of `n_steps` steps of each rung; `tries` for an independent draw."""

    def __init__(
        self, base: MixtureWithPower[Any, Any], n_steps: int, tries: int = MOST_TRIES
    ) -> None:
        self.base, self.n_steps = base, n_steps
        self.tries = tries if base.draws_prior else 0

    @property
    def fresh(self) -> bool:
        """See `Scans`."""
        return self.tries > 0

    def rungs(self, states: Sequence[MixtureState[Any]], ends: Sequence[int], scans: int) -> Rungs:
        """See `Scans`."""
        return Rungs(tuple(states), tuple(ends), scans)

    def state(self, rungs: Rungs, j: int) -> MixtureState[Any]:
        """See `Scans`."""
        return rungs.states[j]

    def marks(self, rungs: Rungs) -> tuple[list[int], int]:
        """See `Scans`."""
        return list(rungs.ends), rungs.scans

    def advance(
        self,
        rng: np.random.Generator,
        rungs: Rungs,
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
        n: int,
        phase: Phase,
    ) -> tuple[Rungs, ScanSums, Tally]:
        """See `Scans`."""
        randomness, tally = RandomNumbers(rng), Counter[Any]()
        total: ScanSums | None = None
        for _ in range(n):
            rungs, sums = self.scan(randomness, rungs, powers, centres, tally)
            total = sums if total is None else total + sums
        assert total is not None
        return rungs, total, tally

    def scan(
        self,
        randomness: Randomness,
        rungs: Rungs,
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
        tally: Tally,
    ) -> tuple[Rungs, ScanSums]:
        """One scan; `tally` counts the moves at power 1."""
        states, fresh = [], 0
        for j, state in enumerate(rungs.states):
            if j == 0 and self.fresh:
                state, drawn = self._drawn_anew(randomness, state)
                fresh = int(drawn)
            else:
                last = tally if j == len(rungs.states) - 1 else Counter()
                n_steps = steps_of(self.n_steps, j, len(rungs.states))
                state = self._moved(randomness, float(powers[j]), state, n_steps, last)
            states.append(state)
        ends = list(rungs.ends)
        pairs = self._swapped(randomness, states, ends, powers, centres, rungs.scans % 2)
        round_trips = int(ends[0] == POSTERIOR)
        ends[0] = PRIOR
        if ends[-1] == PRIOR:
            ends[-1] = POSTERIOR
        new = Rungs(tuple(states), tuple(ends), rungs.scans + 1)
        return new, ScanSums(1, pairs, round_trips, fresh)

    def _drawn_anew(
        self, randomness: Randomness, state: MixtureState[Any]
    ) -> tuple[MixtureState[Any], bool]:
        """An independent draw at power 0, and True; or the same state, if all tries fail."""
        target = self.base.at_power(0.0)
        for _ in range(self.tries):
            drawn = target.fresh(randomness)
            if drawn is not None:
                return replace(state, derivation=drawn), True
        return state, False

    def _moved(
        self,
        randomness: Randomness,
        power: float,
        state: MixtureState[Any],
        n_steps: int,
        tally: Tally,
    ) -> MixtureState[Any]:
        """The state of a rung after some steps."""
        target = self.base.at_power(power)
        for _ in range(n_steps):
            state, move = self.base.mixture.step(randomness, target, state, power)
            tally[move] += 1
        return state

    def _swapped(
        self,
        randomness: Randomness,
        states: list[MixtureState[Any]],
        ends: list[int],
        powers: NDArray[np.float64],
        centres: NDArray[np.float64],
        parity: int,
    ) -> NDArray[np.float64]:
        """Swap every second pair of neighbours in place; the numbers of all pairs."""
        fits = [self.base.log_likelihood(state.derivation) for state in states]
        out = np.zeros((len(states) - 1, PAIR_NUMBERS))
        for j in range(len(states) - 1):
            step = float(powers[j + 1] - powers[j])
            low, high = fits[j], fits[j + 1]
            accepted = acceptance_probability(log_swap_ratio(step, low, high))
            up, down = step * low - centres[j], centres[j] - step * high
            tried = j % 2 == parity
            swapped = tried and randomness.happens(accepted)
            bridge = _logistic(up), _logistic(down)
            out[j] = (1 - accepted, step * low, -step * high, *bridge, tried, swapped)
            if swapped:  # turns belong to the rungs, derivations move
                cold, hot = states[j + 1], states[j]
                states[j] = replace(hot, derivation=cold.derivation)
                states[j + 1] = replace(cold, derivation=hot.derivation)
                ends[j], ends[j + 1] = ends[j + 1], ends[j]
        return out


def steps_of(mean: int, j: int, n: int) -> int:
    """The steps of rung j of n in a scan, `mean` in the mean, at least one if it is not 0. There
    are more at higher powers, where chains move less."""
    return max(2 * mean * (j + 1) // (n + 1), min(mean, 1))


def log_swap_ratio(step: float, low: float, high: float) -> float:
    """Log of the ratio in the module's docstring, of neighbours `step` apart in power with these
    log likelihoods."""
    return 0.0 if low == high else step * (low - high)


def _logistic(x: float) -> float:
    """1 / (1 + exp(-x))."""
    return math.exp(x) / (1 + math.exp(x)) if x < 0 else 1 / (1 + math.exp(-x))
