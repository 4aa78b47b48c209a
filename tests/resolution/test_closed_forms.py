"""The programs with answers worked out by hand, under the Python interpreter."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from scipy.stats import chisquare

import slp
from tests.resolution.closed_forms import CASES, Case, program_text


@pytest.mark.parametrize("case", CASES, ids=str)
def test_masses(case: Case) -> None:
    found = slp.parse(program_text(case)).query(case.goal, given=case.given)
    have = {tuple(a.values()): a.mass for a in found.answers}
    assert have.keys() == case.masses.keys()
    for answer, want in case.masses.items():
        assert math.isclose(have[answer], want, rel_tol=1e-12)
    for answer in found.answers:
        want = case.probabilities[tuple(answer.values())]
        assert math.isclose(answer.probability, want, rel_tol=1e-12)
    if case.failure is not None:
        assert found.failure is not None
        assert math.isclose(found.failure, case.failure, rel_tol=1e-12, abs_tol=1e-12)


DRAWN = [c for c in CASES if c.single and len(c.masses) > 1 and c.program != "weights"]


@pytest.mark.slow
@pytest.mark.parametrize("case", DRAWN, ids=str)
def test_draws(case: Case) -> None:
    """By chi-square; each case errs once in a million, the seed is fixed."""
    draws = slp.parse(program_text(case)).draw(case.goal, 2000, given=case.given, seed=5)
    have = Counter(tuple(d.values()) for d in draws)
    assert have.keys() <= case.masses.keys()
    expected = {answer: 2000 * p for answer, p in case.probabilities.items()}
    counts = [have[a] for a in expected]
    assert chisquare(counts, list(expected.values())).pvalue > 1e-6
