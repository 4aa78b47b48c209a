"""Weighted draws of proofs, for goals that draws of the program seldom prove.

Each run draws one of its alternatives in proportion to their weights, as chains do
(`slp.resolution.proofs.derivations`). So a proof x is drawn with probability q(x), and

    mass(x) / q(x) = product of Z over its runs,   Z = sum of the weights of a run's alternatives,

which is its weight. What the next goal rules out costs weight, and no try. A try that comes to a
dead end has weight 0. The mean of the weights of all tries is an unbiased estimate of the mass of
all proofs, and weighted shares of answers estimate their probabilities.

*Likelihood weighting* makes tries one by one: they are independent.

*Particle filter*: many proofs in progress go on by one run each, all together. Where the weights
have become unequal (effective size below half), proofs in progress are drawn anew in proportion to
their weights, by systematic resampling; those that have ended stay in the lot. So work goes to
those that explain what was seen so far. Proofs of one island share their beginnings; islands are
independent. The product of the means of weights between two resamplings is unbiased, too (Del
Moral, "Feynman-Kac formulae", Springer 2004, section 7.4.2). Proofs with the same `origin` come
from one first particle: what the draws tell varies as sums over origins do (Lee & Whiteley,
"Variance estimation in the particle filter", Biometrika 105, 2018).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.errors import Diagnostic
from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.best_first import check_budgets
from slp.resolution.proofs.derivations import ProofSpace, RunChoice, SLDDerivation
from slp.resolution.proofs.runs import RunsOneByOne
from slp.runner.randomness import RandomNumbers

#: Islands, that is independent filters, that share the draws.
_ISLANDS = 16

#: Share of the particles below which the effective size leads to resampling.
_LEAST_EFFECTIVE = 0.5

#: Share of the mean weight below which a proof in progress may end.
_LEAST_WEIGHT = 1e-3


class WeightedProof(NamedTuple):
    """A proof, its log weight, and the number of the try or first particle that it comes from."""

    proof: SLDDerivation
    log_weight: float
    origin: int


class WeightedSampler:
    """Weighted draws of a goal's proofs. `runs` opens runs, `limits` are those of one proof."""

    def __init__(self, runs: RunsOneByOne[Any, Any], limits: Limits) -> None:
        self._space = ProofSpace(runs, limits, lambda answer: 0.0)

    @property
    def stopped(self) -> Diagnostic | None:
        """A limit that some proof reached, which is left out then; None if none did."""
        return self._space.stopped

    def weighting(self, n: int, seed: int) -> Iterator[tuple[int, list[WeightedProof]]]:
        """`n` tries; of each that it was one, and its proof or none."""
        randomness = RandomNumbers(np.random.default_rng(seed))
        for i in range(n):
            check_budgets()
            found = self._space.grow(randomness)
            yield 1, [] if found is None else [WeightedProof(found, found.log_excess, i)]

    def filters(self, n: int, seed: int) -> Iterator[tuple[int, list[WeightedProof]]]:
        """Islands with `n` particles together; of each the number of its particles, and
        their proofs. Each island's mean weight estimates the mass of all proofs."""
        islands = min(_ISLANDS, n)
        begun = 0
        for stream, own in enumerate(np.random.SeedSequence(seed).spawn(islands)):
            size = n // islands + (stream < n % islands)
            proofs = _Filter(self._space, size, np.random.default_rng(own)).run()
            yield size, [proof._replace(origin=begun + proof.origin) for proof in proofs]
            begun += size


@dataclass(frozen=True, slots=True)
class _Particle:
    """A proof in progress: the alternative taken last, what was before it, and the inferences that
    all of its runs made."""

    last: RunChoice | None
    before: _Particle | None
    inferences: int

    @property
    def ended(self) -> bool:
        """Whether it is a whole proof."""
        return self.last is not None and self.last.alternative.start is None

    def steps(self) -> list[RunChoice]:
        """All alternatives taken, in order."""
        found = []
        particle: _Particle | None = self
        while particle is not None and particle.last is not None:
            found.append(particle.last)
            particle = particle.before
        return found[::-1]


class _Filter:
    """One filter. A particle without a proof is None and has log weight -inf."""

    def __init__(self, space: ProofSpace, size: int, rng: np.random.Generator) -> None:
        self._space, self._rng = space, rng
        self._randomness = RandomNumbers(rng)
        self._particles: list[_Particle | None] = [_Particle(None, None, 0)] * size
        self._log_weights = np.zeros(size)
        self._origins = np.arange(size)

    def run(self) -> list[WeightedProof]:
        """Whole proofs, whose weights hold what resampling has taken."""
        while any(particle is not None and not particle.ended for particle in self._particles):
            check_budgets()
            for i, particle in enumerate(self._particles):
                if particle is not None and not particle.ended:
                    self._particles[i] = self._advanced(i, particle)
            self._resample()
        return [
            WeightedProof(self._space.finished(particle.steps()), log_weight, origin)
            for particle, log_weight, origin in zip(
                self._particles, self._log_weights.tolist(), self._origins.tolist(), strict=True
            )
            if particle is not None
        ]

    def _advanced(self, i: int, particle: _Particle) -> _Particle | None:
        """A particle behind one more run; its weight takes the run's Z."""
        run = self._space.run_behind([] if particle.last is None else [particle.last])
        inferences = particle.inferences + run.inferences
        if not run.alternatives or not self._space.allows(inferences):
            self._log_weights[i] = -math.inf
            return None
        self._log_weights[i] += run.log_total
        taken = RunChoice(run, self._randomness.among(run.cumulative))
        return _Particle(taken, particle, inferences)

    def _resample(self) -> None:
        largest = self._log_weights.max()
        if largest == -math.inf:
            return
        weights = np.exp(self._log_weights - largest)
        n = len(weights)
        if effective_size(weights) >= _LEAST_EFFECTIVE * n:
            self._end_small_ones(weights)
            return
        chosen = _systematic(weights, self._rng.random())
        self._particles = [self._particles[i] for i in chosen]
        self._origins = self._origins[chosen]
        self._log_weights = np.full(n, largest + math.log(weights.mean()))

    def _end_small_ones(self, weights: NDArray[np.float64]) -> None:
        """Proofs in progress of little weight end, but for so many that are given the least weight:
        Russian roulette, which changes no mean. Else a loop that loses weight at each turn would
        never be left."""
        least = _LEAST_WEIGHT * weights.mean()
        for i, particle in enumerate(self._particles):
            if particle is None or particle.ended or weights[i] >= least:
                continue
            if self._randomness.happens(weights[i] / least):
                self._log_weights[i] += math.log(least / weights[i])
            else:
                self._particles[i], self._log_weights[i] = None, -math.inf


def effective_size(weights: NDArray[np.float64]) -> float:
    """The number of equal weights that estimate as well: (sum w)^2 / sum w^2."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def _systematic(weights: NDArray[np.float64], u: float) -> list[int]:
    """n indices, each drawn in proportion to its weight: at (u + k) / n of the sum."""
    n, running = len(weights), np.cumsum(weights)
    places = (u + np.arange(n)) / n * running[-1]
    last = np.flatnonzero(weights)[-1]  # for places beyond it by rounding
    found: list[int] = np.minimum(np.searchsorted(running, places, side="right"), last).tolist()
    return found
