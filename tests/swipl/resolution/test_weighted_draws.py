"""Weighted draws under SWI-Prolog."""

from __future__ import annotations

import pytest

import slp
from tests.resolution.answers.test_weighted_draws import MARKOV, METHODS


@pytest.mark.parametrize("method", METHODS)
def test_both_engines_draw_the_same(method: str) -> None:
    program = slp.parse(MARKOV)
    goal = "seen([wet, dry, X], States)"
    ours, theirs = (
        program.draw(goal, 60, failure=method, seed=1, engine=engine)
        for engine in ("python", "prolog")
    )
    assert ours == theirs and len(ours) == 60
    assert [draw.clauses for draw in ours] == [draw.clauses for draw in theirs]
