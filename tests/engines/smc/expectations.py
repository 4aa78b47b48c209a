"""The expected weight that an island gives to each derivation, by going through every outcome of
every random decision."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from slp.engines.mcmc.trees import MetropolisHastings
from slp.engines.smc.filter import ORDERS, FilterPlan, ParticleFilter
from slp.engines.smc.proposals import PROPOSALS
from slp.engines.smc.resampling import SCHEMES
from slp.engines.smc.result import FilterResult
from slp.ir.program import MaxFeatures
from slp.problem.tree_tests import AtMostFeatures
from slp.runner import Weighted
from tests.engines.mcmc.trees.every_outcome import EveryOutcome, outcomes
from tests.engines.mcmc.trees.matrices import Example

#: Every proposal with every order and every scheme.
WAYS = list(itertools.product(PROPOSALS, ORDERS, SCHEMES))

TOLERANCE = 1e-12


def plan(way: tuple[str, str, str], n: int = 2, kept: int = 2, ess: float = 1.0) -> FilterPlan:
    """Of so many particles; they are drawn anew before each step where `ess` is 1."""
    proposal, order, scheme = way
    return FilterPlan(n, kept, proposal, order, scheme, ess)


class BaseOf(MetropolisHastings):
    """What a filter is based on, with the target of an example."""

    def __init__(self, made: Example) -> None:
        process = made.target.process
        limits = [MaxFeatures(t.count) for t in made.target.tests if isinstance(t, AtMostFeatures)]
        super().__init__(process.grammar, process.geometry, limits, process=process)
        self._target = made.target


def plain_filter(made: Example, how: FilterPlan) -> ParticleFilter:
    """The plain filter of an example."""
    return ParticleFilter(BaseOf(made), how, FilterResult)


def expected_weights(made: Example, how: FilterPlan) -> dict[str, float]:
    """By record the expected weight that an island of the plain filter gives to it."""
    stepper = plain_filter(made, how)

    def island(randomness: EveryOutcome) -> list[Weighted]:
        state = stepper.init(np.random.default_rng(0))
        while not stepper.done(state):
            state = stepper.step(randomness, state, Counter())
        return list(stepper.draws(state))

    return sum_by_record((p, draws) for p, draws in outcomes(island))


def sum_by_record(found: Iterable[tuple[float, Sequence[Weighted]]]) -> dict[str, float]:
    """The expected weight of each record, from islands with their probabilities."""
    out: dict[str, float] = defaultdict(float)
    for probability, draws in found:
        for draw in draws:
            out[json.dumps(draw.record)] += probability * np.exp(draw.log_weight)
    return dict(out)


def wanted_weights(made: Example) -> dict[str, float]:
    """Weight times likelihood of each derivation in the support, by record."""
    return {
        json.dumps([list(pair) for pair in proof.key()]): float(
            np.exp(made.target.log_score(proof))
        )
        for proof in made.proofs
    }


def off(have: Mapping[str, float], want: Mapping[str, float]) -> float:
    """The largest difference of a weight, relative to the sum."""
    largest = max(abs(have.get(r, 0.0) - want.get(r, 0.0)) for r in {*have, *want})
    return largest / sum(want.values())


__all__ = [
    "TOLERANCE",
    "WAYS",
    "expected_weights",
    "off",
    "plain_filter",
    "plan",
    "sum_by_record",
    "wanted_weights",
]
