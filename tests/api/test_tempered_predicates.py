"""Chains whose trees code decides on are ladders: the evidence, what is asked again, the time."""

from __future__ import annotations

import time

import pytest

import slp
from slp.trees import Tree
from tests.api.tables import ROWS

pytestmark = pytest.mark.filterwarnings("ignore::slp.SlpWarning")


@pytest.mark.parametrize("failure", ["condition", "restrict"])
def test_code_has_the_evidence_of_the_constraint_that_it_repeats(failure: str) -> None:
    """Within 4.5 of its errors, and each tree asked about once."""
    asked: list[Tree] = []

    def small(tree: Tree) -> bool:
        asked.append(tree)
        return tree.n_leaves <= 3

    text = f":- use(growtree). :- failure({failure})."
    built_in = slp.parse(f"{text} :- constraint(max_leaves(3)).")
    exact = built_in.posterior(ROWS, engine="exact").log_evidence
    found = slp.parse(text).require(small).posterior(ROWS, seed=1, draws=200)
    assert found.engine == "mh" and found.diagnostics is not None
    assert found.diagnostics.tempering is not None
    assert exact is not None and found.log_evidence is not None
    error = found.log_evidence_error
    assert error is not None and 0 < error < 0.2
    assert abs(found.log_evidence - exact) < 4.5 * error
    assert len(asked) == len(set(asked)) == found.predicates[0].asked
    assert all(draw.tree.n_leaves <= 3 for draw in found.draws)


def test_the_time_of_a_run_is_heeded_within_a_scan() -> None:
    """A scan of so slow an answer would take longer than the time."""

    def slow(tree: Tree) -> bool:
        time.sleep(0.05)
        return True

    started = time.monotonic()
    with pytest.raises(slp.SlpError):
        slp.parse(":- use(growtree).").require(slow).posterior(ROWS, seed=1, time=1.0)
    assert time.monotonic() - started < 5
