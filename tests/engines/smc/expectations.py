"""The expected weight that an island gives to each derivation, by going through every outcome of
every random decision."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

import slp
from slp.constraints import MaxFeatures
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.engines.shared.filter_plan import ORDERS, PROPOSALS, SCHEMES, FilterPlan
from slp.engines.smc.compiled import core_filter
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.smc.filter import ParticleFilter
from slp.reference.tree_tests import AtMostFeatures, MonotonePredictions
from slp.runner import Weighted
from tests.reference.mh.core_matrices import choices_of, every_script
from tests.reference.mh.every_outcome import EveryOutcome, outcomes
from tests.reference.mh.matrices import Example, example

#: Every proposal with every order and every scheme.
WAYS = list(itertools.product(PROPOSALS, ORDERS, SCHEMES))

TOLERANCE = 1e-12


def plan(way: tuple[str, str, str], n: int = 2, kept: int = 2, ess: float = 1.0) -> FilterPlan:
    """Of so many particles; they are drawn anew before each step where `ess` is 1."""
    proposal, order, scheme = way
    return FilterPlan(n, kept, proposal, order, scheme, ess)


def of_program(text: str, data: pl.DataFrame) -> Example:
    """The example of a program on a table."""
    problem = slp.parse(text).compile(data)
    found = example(LocalProcess(problem.grammar, Geometry(problem.grammar, problem.table)))
    assert found is not None
    return found


class BaseOf(MetropolisHastings):
    """What a filter is based on, with the target of an example."""

    def __init__(self, made: Example) -> None:
        process = made.target.process
        limits = [MaxFeatures(t.count) for t in made.target.tests if isinstance(t, AtMostFeatures)]
        super().__init__(process.grammar, process.geometry, limits, process=process)
        self._target = made.target


def plain_filter(made: Example, how: FilterPlan) -> ParticleFilter:
    """The plain filter of an example."""
    return ParticleFilter(BaseOf(made), how)


def expected_weights(made: Example, how: FilterPlan) -> dict[str, float]:
    """By record the expected weight that an island of the plain filter gives to it."""
    stepper = plain_filter(made, how)

    def island(randomness: EveryOutcome) -> list[Weighted]:
        state = stepper.init(np.random.default_rng(0))
        while not stepper.done(state):
            state = stepper.step(randomness, state, Counter())
        return list(stepper.draws(state))

    return sum_by_record((p, draws) for p, draws in outcomes(island))


def core_base_of(made: Example) -> CompiledMetropolisHastings:
    """What the core's filter of an example is based on."""
    process = made.target.process
    own = [MaxFeatures(t.count) for t in made.target.tests if isinstance(t, AtMostFeatures)]
    return CompiledMetropolisHastings(process.grammar, process.geometry.table, own)


def core_sampler_of(made: Example, how: FilterPlan, room: int = 2**40) -> Any:
    """The core's filter of an example."""
    return core_filter(core_base_of(made), how, room, made.target.power)


def expected_core_weights(made: Example, how: FilterPlan) -> dict[str, float]:
    """The same of the core. Those that break a test are left out, as `draws` does."""
    base = core_base_of(made)
    sampler = core_filter(base, how, 2**40, made.target.power)
    start = sampler.start()
    supported = set(wanted_core_weights(made))

    def draws(island: Any) -> list[Weighted]:
        weights = island.log_weights() - np.log(how.n)
        records = [base.record_of(island.choices(i)) for i in range(len(weights))]
        pairs = zip(records, weights.tolist(), strict=True)
        return [Weighted(r, w) for r, w in pairs if json.dumps(r) in supported or not _tested(made)]

    found = every_script(lambda script: sampler.scripted(start, script))
    return sum_by_record((p, draws(island)) for p, island in found)


def _tested(made: Example) -> bool:
    return any(isinstance(t, MonotonePredictions) for t in made.target.tests)


def wanted_core_weights(made: Example) -> dict[str, float]:
    """As `wanted_weights`, by the choices as the core writes them."""
    geometry = made.target.process.geometry
    scores = [(choices_of(geometry, proof), made.target.log_score(proof)) for proof in made.proofs]
    return {json.dumps(choices): float(np.exp(score)) for choices, score in scores}


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
    "core_sampler_of",
    "expected_core_weights",
    "expected_weights",
    "of_program",
    "off",
    "plain_filter",
    "plan",
    "sum_by_record",
    "wanted_core_weights",
    "wanted_weights",
]
