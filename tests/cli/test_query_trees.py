"""`slp query --data`: goals about trees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slp
from slp.budgets import time_left


@pytest.fixture
def asked(slp_run: Any, tmp_path: Path) -> Any:
    prior, rows = tmp_path / "prior.slp", tmp_path / "rows.csv"
    prior.write_text(":- use(growtree, [alpha = 0.5]).\nsmall(T) :- leaves(T, N), N =< 2.\n")
    rows.write_text("age,dose,y\n1,5,a\n2,5,a\n3,6,b\n4,6,b\n")

    def ask(goal: str, *more: object) -> Any:
        return slp_run("query", prior, goal, "--data", rows, "--seed", 1, *more)

    return ask


def test_posterior_and_prior_stand_side_by_side(asked: Any) -> None:
    result = asked("tree(T), root(T, F)")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "0.4254  (prior 0.2500)  F = dose",
        "0.2842  (prior 0.2500)  F = age",
        "0.7096  (prior 0.5000)  any answer",
        "exact: all 25 trees asked",
        "prior: exact: all 25 trees asked",
        "engine exact: the program has a finite tree grammar, so its trees can be summed exactly; "
        "seed 1",
    ]


def test_as_json(asked: Any) -> None:
    found = json.loads(asked("tree(T), small(T)", "--json").out)
    (answer,) = found["answers"]
    assert answer == found["holds"]
    assert (answer["kind"], answer["error"], answer["prior_kind"]) == ("exact", 0, "exact")
    assert 0 < answer["prior_probability"] < 1
    assert (found["engine"], found["seed"], found["sound"]) == ("exact", 1, True)


def test_draws_have_errors(asked: Any) -> None:
    result = asked("tree(T), small(T)", "--engine", "smc")
    assert "+-" in result.out and "2000 draws of the engine smc" in result.out


def test_the_time_is_that_of_proofs_too(asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[float] = []
    plain = slp.Posterior.query

    def query(self: slp.Posterior, goal: str) -> Any:
        left.append(time_left())
        return plain(self, goal)

    monkeypatch.setattr(slp.Posterior, "query", query)
    assert asked("tree(T), small(T)", "--time", "500").code == 0
    assert 0 < left[0] < 500


def test_options_of_proofs_are_refused(asked: Any) -> None:
    result = asked("tree(T), small(T)", "--given", "true")
    assert result.code == 2 and "a goal about trees does not take --given" in result.err


def test_the_response_needs_a_table(slp_run: Any, tmp_path: Path) -> None:
    result = slp_run("query", "growtree", "true", "-y", "y")
    assert result.code == 2 and "with --data" in result.err


def test_a_tree_needs_a_table(slp_run: Any, tmp_path: Path) -> None:
    (tmp_path / "p.slp").write_text("p(T) :- uses(T, age).\n")
    result = slp_run("query", tmp_path / "p.slp", "p(t)")
    assert result.code == 1 and "E270" in result.err and "--data DATA" in result.err
