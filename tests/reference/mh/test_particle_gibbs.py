"""Particle Gibbs leaves the target invariant, by exact transition matrices of the code that runs:
every outcome of two particles, on tables of few distinct splits. The core's matrices are the plain
ones. Planted faults are found. (Beyond two particles: `test_long_runs.py`.)

All ways with all examples are run by `SLP_PG_CASES=100000 pytest` on this file; see
`docs/design/moves.md`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import slp
from slp.engines.shared.core_chains import of_filter
from slp.engines.shared.filter_plan import ORDERS, PROPOSALS, SCHEMES, FilterPlan
from slp.reference.mh.particle_gibbs import ParticleGibbs
from slp.reference.smc import particles, proposals, resampling
from slp.runner import Checkpoint, Schedule, run
from slp.runner.randomness import RandomNumbers
from tests.engines.smc.expectations import of_program
from tests.reference.mh.core_matrices import CoreExample
from tests.reference.mh.every_outcome import EveryOutcome, outcomes
from tests.reference.mh.matrices import TOLERANCE, Example, random_examples
from tests.reference.mh.test_compiled import chains
from tests.reference.mh.zoo import CONSTRAINTS, PRIORS, of_three_splits

WAYS = list(itertools.product(PROPOSALS, ORDERS, SCHEMES))
POWERS = (1.0, 0.5, 0.0)


@cache
def random() -> list[Example]:
    return [made for _, made in random_examples(12, least=3, most=8)]


@cache
def small() -> list[Example]:
    """Those that the plain move goes through in little time."""
    return [made for made in random() if len(made.proofs) <= 5]


#: Every prior with every constraint that leaves splits on three rows; and random examples.
THREE_SPLITS = [*itertools.product(PRIORS, (c for c in CONSTRAINTS if c != "support"))]
NAMES = [*map(", ".join, THREE_SPLITS), *(f"random {i}" for i in range(12))]


def example(i: int) -> Example:
    """That of `NAMES[i]`."""
    if i < len(THREE_SPLITS):
        return of_three_splits(*THREE_SPLITS[i], POWERS[i % 3])
    return random()[i - len(THREE_SPLITS)]


def plan(way: tuple[str, str, str], n: int = 2, ess: float = 1.0) -> FilterPlan:
    return FilterPlan(n, n, *way, ess)


#: Each way with each example: the ways go round first, then the examples.
ALL = [
    (way, (shift + 7 * i) % len(NAMES)) for shift in range(len(NAMES)) for i, way in enumerate(WAYS)
]
CASES = ALL[: int(os.environ.get("SLP_PG_CASES", "216"))]


def cases_of(way: tuple[str, str, str]) -> list[tuple[str, Example]]:
    return [(NAMES[i], example(i)) for other, i in CASES if other == way]


def smallest(way: tuple[str, str, str]) -> list[tuple[str, Example]]:
    """One in six of the cases of a way, for the plain move, which takes longer."""
    own = sorted(cases_of(way), key=lambda case: len(case[1].proofs))
    return own[: len(own) // 6]


@pytest.mark.slow
def test_examples_are_varied() -> None:
    made = [example(i) for i in range(len(NAMES))]
    assert sum(3 <= len(example.proofs) <= 20 for example in made) >= 80
    assert all(map(smallest, WAYS))
    grammars = [example.target.process.grammar for example in made]
    assert {g.normalise for g in grammars} == {True, False}
    assert {g.failure for g in grammars} == {"restrict", "condition"}
    assert {example.target.power for example in made} == {0.0, 0.5, 1.0}
    assert {len(cuts_of(example)) for example in made[: len(THREE_SPLITS)]} == {3}


def cuts_of(made: Example) -> list[Any]:
    geometry = made.target.process.geometry
    return geometry.splits(geometry.root)


def drift(made: Example, matrix: NDArray[np.float64]) -> float:
    """How far a step carries the target away from itself; no row may lose probability."""
    lost = np.abs(matrix.sum(axis=1) - 1).max()
    return float(max(lost, np.abs(made.probability @ matrix - made.probability).max()))


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.thinned(5)
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_two_particles_of_the_core(way: tuple[str, str, str]) -> None:
    for i, (name, made) in enumerate(cases_of(way)):
        how = plan(way, ess=(1.0, 0.8)[i % 2])
        assert drift(made, CoreExample(made).matrix(of_filter(how, 1.0))) < TOLERANCE, name


@pytest.mark.thinned(2)
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_two_particles(way: tuple[str, str, str]) -> None:
    """The plain move, and that the core's is the same."""
    for i, (name, made) in enumerate(smallest(way)):
        how = plan(way, ess=(1.0, 0.8)[i % 2])
        matrix = made.matrix(ParticleGibbs(how))
        assert drift(made, matrix) < TOLERANCE, name
        core = CoreExample(made).matrix(of_filter(how, 1.0))
        np.testing.assert_allclose(core, matrix, rtol=0, atol=TOLERANCE, err_msg=name)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("scheme", ["residual", "stratified", "systematic"])
def test_three_particles(scheme: str) -> None:
    """The order of the particles matters to most schemes where they are three or more."""
    how = plan(("prior", "layer", scheme), n=3, ess=0.7)
    for made in [made for made in small() if len(made.proofs) >= 4][2:]:
        assert drift(made, CoreExample(made).matrix(of_filter(how, 1.0))) < TOLERANCE


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("order", ORDERS)
def test_trees_with_too_many_leaves(order: str) -> None:
    """Three distinct splits make trees of four leaves, and two are allowed."""
    rows = pl.DataFrame({"a": [1, 2, 3, 4], "y": ["p", "q", "q", "p"]})
    made = of_program(":- use(growtree). :- constraint(max_leaves(2)).", rows)
    assert len(made.proofs) == 4
    how = plan(("optimal", order, "systematic"))
    matrix = CoreExample(made).matrix(of_filter(how, 1.0))
    assert drift(made, matrix) < TOLERANCE
    np.testing.assert_allclose(matrix, made.matrix(ParticleGibbs(how)), rtol=0, atol=TOLERANCE)


@pytest.mark.usefixtures("compiled_kernels")
def test_moves_go_to_other_trees() -> None:
    for made in random():
        how = plan(("optimal", "breadth", "systematic"))
        matrix = CoreExample(made).matrix(of_filter(how, 1.0))
        assert (matrix > 0).all()
        assert (made.probability @ np.diag(matrix)) < 0.99


# --- the conditional law of each scheme -----------------------------------------------------------


Law = dict[tuple[tuple[int, ...], int], float]


def law(n: int, run: Callable[[EveryOutcome], tuple[list[int], int]]) -> Law:
    """The probabilities of the particles drawn, with the place of the survivor."""
    out: Law = {}
    for probability, (drawn, at) in outcomes(run):
        assert len(drawn) == n
        out[tuple(drawn), at] = out.get((tuple(drawn), at), 0.0) + probability
    return out


def error_of_law(scheme: str) -> float:
    """How far the law given that a particle survives is from r(a) [a[j] = b] / m, with r the law of
    the scheme itself."""
    rng = np.random.default_rng(2)
    worst = 0.0
    for n, k in ((2, 2), (3, 3), (4, 4), (3, 5)):
        weights = np.exp(rng.normal(scale=1.5, size=k))
        weights[2:3] *= k < 5  # one of five weighs nothing
        with np.errstate(divide="ignore"):
            logs = np.log(weights).tolist()
        free = law(n, lambda r, w=logs, n=n: resampling.resampled(r, scheme, w, n))
        expected = n * weights / weights.sum()
        for b in np.flatnonzero(weights).tolist():
            have = law(n, lambda r, w=logs, n=n, b=b: particles.resampled(r, scheme, w, n, b))
            want = {
                (a, j): p / expected[b] for (a, _), p in free.items() for j in range(n) if a[j] == b
            }
            keys = {*have, *want}
            worst = max(worst, *(abs(have.get(key, 0.0) - want.get(key, 0.0)) for key in keys))
    return worst


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_law_given_that_a_particle_survives(scheme: str) -> None:
    assert error_of_law(scheme) < TOLERANCE


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_weight_that_rounding_loses(scheme: str) -> None:
    """A particle of hardly any weight survives."""
    random = RandomNumbers(np.random.default_rng(1))
    for n in (2, 10, 100):
        for b in (0, n // 2, n - 1):
            log_weights = np.zeros(n)
            log_weights[b] = -1e4
            drawn, at = resampling.resampled(random, scheme, log_weights.tolist(), n, b)
            assert drawn[at] == b and len(drawn) == n


# --- planted faults -----------------------------------------------------------------------------


def worst_drift(scheme: str = "systematic", way: tuple[str, str] = ("prior", "breadth")) -> float:
    move = ParticleGibbs(plan((*way, scheme)))
    return max(made.drift(move) for made in small()[:5])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_free_outcome_with_the_survivor_put_in(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheme as ever, and the survivor in one of the places: right under `multinomial` alone,
    and of two particles the law of `multinomial`, so no matrix of two shows it."""

    def put_in(random: Any, name: str, weights: Any, n: int, kept: int) -> Any:
        drawn, _ = resampling.resampled(random, name, weights, n)
        at = random.index(n)
        drawn[at] = kept
        return drawn, at

    monkeypatch.setattr(particles, "resampled", put_in)
    assert (error_of_law(scheme) > 1e-2) == (scheme != "multinomial")


@pytest.mark.parametrize("scheme", ["residual", "stratified", "systematic"])
def test_all_places_of_the_survivor_alike(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its place is drawn among those that it can have, each with the same probability."""

    def alike(random: Any, kept: int, probabilities: Any) -> int:
        able = np.cumsum([float(c > 0) for c in probabilities])
        return -1 if kept < 0 else int(random.among(able.tolist()))

    monkeypatch.setattr(resampling, "_place", alike)
    assert worst_drift(scheme) > 1e-4


def changed_choice(change: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    right = proposals.DECIDED_BY[name]
    monkeypatch.setitem(
        proposals.DECIDED_BY, name, lambda *given: change(right(*given), given[-1] is not None)
    )


@pytest.mark.parametrize("name", PROPOSALS)
def test_the_weight_of_the_given_choice_left_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed_choice(
        lambda found, given: found._replace(log_factor=0.0) if given else found, monkeypatch, name
    )
    assert worst_drift(way=(name, "breadth")) > 1e-3


def test_likelihood_without_the_power(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ParticleGibbs._steps
    monkeypatch.setattr(
        ParticleGibbs, "_steps", lambda self, target: replace(right(self, target), power=1.0)
    )
    assert worst_drift() > 1e-3


# --- runs ---------------------------------------------------------------------------------------


def test_threads_and_checkpoints_do_not_change_draws(tmp_path: Any) -> None:
    def engine() -> Any:
        return chains(":- use(growtree).", "q_uc:4,q_pg(4 optimal)")

    schedule = Schedule(draws=20, chains=3, warm_up=100, thin=10)
    one, many = run(engine(), schedule, seed=5), run(engine(), schedule, seed=5, threads=3)
    assert (many.draws, many.tallies) == (one.draws, one.tallies)
    assert {name for name, _ in one.tallies[0]} == {"q_uc", "q_pg(4 optimal)"}
    file = tmp_path / "run.json"
    fewer = replace(schedule, draws=5)
    run(engine(), fewer, seed=5, checkpoint=Checkpoint(file))
    resumed = run(engine(), schedule, seed=5, checkpoint=Checkpoint(file, resume=True))
    assert resumed.draws == one.draws


def test_evidence_of_tempered_chains() -> None:
    """Within four errors of the exact one: by chance once in 15,000 (fixed seed)."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"a": rng.normal(size=12), "b": rng.integers(0, 3, 12)})
    frame = frame.with_columns(y=pl.Series((frame["a"] > 0.2).to_numpy() ^ (rng.random(12) < 0.2)))
    program = slp.parse(":- use(pinball).")
    posterior = program.posterior(
        frame, engine="mh", proposal="q_uc:4,q_pg(5)", seed=1, rungs=3, rounds=2, draws=40, thin=5
    )
    assert set(posterior.diagnostics.moves) == {"q_uc", "q_pg(5)"}  # type: ignore[union-attr]
    exact = program.posterior(frame, engine="exact").log_evidence
    assert posterior.log_evidence is not None and exact is not None
    assert abs(posterior.log_evidence - exact) < 4 * (posterior.log_evidence_error or 0.0)
