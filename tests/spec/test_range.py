"""The measure `range` in every engine of hard trees, against the enumeration of all derivations.

Every program of this file has it in all of its splits; in those of test_against_enumeration.py
some 7 of 100 have it.
"""

from __future__ import annotations

import math
import warnings

import pytest

from slp.engines import infer
from slp.errors import SlpWarning
from slp.results import Result
from tests.spec.cases import Case, random_case
from tests.spec.pipeline import key_of
from tests.spec.test_against_enumeration import RELATIVE, check, compare_totals

LIMIT = 4.5


def test_programs_have_the_measure() -> None:
    assert all(random_case(seed, ranges=True).measures <= {"range"} for seed in range(50))
    shares = [random_case(seed, ranges=True).measures == {"range"} for seed in range(50)]
    assert sum(shares) > 40


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(100))
def test_exact(seed: int) -> None:
    check(random_case(seed, ranges=True))


def satisfiable(seed: int) -> Case:
    """The first case from a seed on, in steps of 1000, that has trees."""
    while not (case := random_case(seed, ranges=True)).spec.derivations:
        seed += 1000
    return case


@pytest.mark.parametrize("engine", ["chart", "enumerate"])
@pytest.mark.parametrize("seed", range(100, 120))
def test_specifications(engine: str, seed: int) -> None:
    case = satisfiable(seed)
    compare_totals(case, infer(case.model, engine=engine, seed=1, draws=0))


def drawn(case: Case, engine: str, draws: int) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return infer(case.model, engine=engine, seed=1, draws=draws)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("engine", ["search", "modal"])
@pytest.mark.parametrize("seed", range(120, 150))
def test_trees_without_draws(engine: str, seed: int) -> None:
    """`search` finds the best tree; `modal` need not, but knows the weight of what it finds."""
    case = satisfiable(seed)
    best = drawn(case, engine, 0).map()
    scored = case.spec.log_scored()
    top = max(w for _, w in scored)
    if engine == "search":
        assert key_of(best.tree) in {d.tree for d, w in scored if w >= top - RELATIVE}, case
    if len({d.tree for d, _ in scored}) == len(scored):  # each tree has one derivation
        want = case.spec.log_probabilities(key_of(best.tree))[1]
        want += case.spec.log_evidence() + case.spec.log_prior_total()
        assert best.log_joint == pytest.approx(want, rel=0, abs=RELATIVE), case


@pytest.mark.thinned(5)
@pytest.mark.parametrize("engine", ["mh", "smc"])
@pytest.mark.parametrize("seed", range(150, 158))
def test_estimates_of_the_evidence(engine: str, seed: int) -> None:
    """Of a right engine one of the 16 is further off with a probability below 0.001."""
    case = satisfiable(seed)
    found = drawn(case, engine, 500)
    assert found.log_evidence is not None and found.log_evidence_error is not None
    apart = abs(found.log_evidence - case.spec.log_evidence())
    assert apart <= LIMIT * found.log_evidence_error + 1e-9, case
    for draw in found.draws[:20]:
        assert case.spec.tree_posterior().get(key_of(draw.tree), 0.0) > 0, case
        assert math.isfinite(draw.log_likelihood)
