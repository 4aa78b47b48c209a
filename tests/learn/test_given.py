"""Observations that are conditional on a goal: truncated data by closed forms and by gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slp

#: The number of tails before the first head, at most four.
TAILS = """
:- param(p, 0.5).
p :: stop(yes). 1 - p :: stop(no).
tails(N) :- stop(S), rest(S, N).
rest(yes, 0).
rest(no, N) :- tails(M), more(M, N).
more(0, 1). more(1, 2). more(2, 3). more(3, 4).
"""

DIE = """
0.5 :: die(1). 0.3 :: die(2). 0.2 :: die(3).
"""


def after(result: slp.LearnResult) -> dict[str, float]:
    return {c.name: c.after for c in result.changes}


def test_a_die_whose_ones_are_not_seen() -> None:
    """Given that X is above 1, labels 2 and 3 stand as 7 to 3; nothing is said of label 1."""
    found = slp.parse(DIE).learn("7 :: die(2)", "3 :: die(3)", goal="die(X)", given="X > 1")
    have = after(found)
    assert have["die(2)"] / have["die(3)"] == pytest.approx(7 / 3, rel=1e-4)
    assert have["die(1)"] == pytest.approx(0.5, abs=1e-5)
    want = 7 * math.log(0.7) + 3 * math.log(0.3)
    assert found.log_likelihoods[-1] == pytest.approx(want)
    assert found.log_likelihoods[0] == pytest.approx(7 * math.log(0.6) + 3 * math.log(0.4))


def truncated(p: float, seen: dict[int, int]) -> float:
    """log P(N = n | 0 < N < 5), for P(n) = (1 - p)^n p."""
    q = 1 - p
    whole = sum(p * q**n for n in range(1, 5))
    return sum(k * math.log(p * q**n / whole) for n, k in seen.items())


def test_a_truncated_geometric_distribution() -> None:
    seen = {1: 9, 2: 4, 3: 2, 4: 1}
    goals = [f"{k} :: tails({n})" for n, k in seen.items()]
    found = slp.parse(TAILS).learn(*goals, goal="tails(N)", given="N > 0")
    assert found.log_likelihoods[0] == pytest.approx(truncated(0.5, seen))
    grid = np.linspace(0.01, 0.99, 981)
    best = max(grid, key=lambda p: truncated(p, seen))
    assert after(found)["p"] == pytest.approx(best, abs=1.1e-3)
    path = found.log_likelihoods
    assert all(b >= a - 1e-10 for a, b in zip(path, path[1:], strict=False))


def test_the_condition_is_as_that_of_a_query() -> None:
    """The likelihood is the probability of the answer in a query with the condition."""
    text = DIE + "0.6 :: coin(h). 0.4 :: coin(t). pair(X, Y) :- die(X), coin(Y).\n"
    text += "odd(1). odd(3). as(h, 3). as(t, 1). as(t, 3).\n"
    program = slp.parse(text)
    options = {"goal": "pair(X, Y)", "given": "odd(X), as(Y, X)"}
    answers = program.query(options["goal"], given=options["given"]).answers
    for answer in answers:
        goal = f"pair({answer['X']}, {answer['Y']})"
        found = program.learn(goal, iterations=0, **options)
        assert found.log_likelihoods == (pytest.approx(math.log(answer.probability)),)
    assert len(answers) == 3


def test_variables_of_the_condition_alone() -> None:
    """An observation with a variable of the same name is not touched by it."""
    text = DIE + "pair(X, Y) :- die(X), die(Y).\nnext(1, 2). next(2, 3).\n"
    options = {"goal": "pair(X, _)", "given": "next(X, Z)", "iterations": 0}
    found = slp.parse(text).learn("pair(1, Z)", "pair(_, 3)", **options)
    want = math.log(0.5 / 0.8) + math.log(0.2)
    assert found.log_likelihoods[0] == pytest.approx(want)


@pytest.mark.parametrize(
    "options",
    [
        {"given": "X > 1"},
        {"goal": "die(X)", "given": "Y > 1"},
        {"goal": "die(X)", "given": "X > 1", "failures": False},
    ],
)
def test_a_condition_that_cannot_be_used(options: dict[str, object]) -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(DIE).learn("die(2)", **options)
    assert caught.value.diagnostics[0].code == "E291"


@pytest.mark.parametrize("options", [{"goal": 5}, {"goal": "die(X)", "given": 5}])
def test_goals_that_are_no_text(options: dict[str, object]) -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(DIE).learn("die(2)", **options)
    (found,) = caught.value.diagnostics
    assert found.code == "E726" and found.message.startswith(f"`{[*options][-1]}` cannot be 5")


def test_an_observation_that_breaks_the_condition() -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(DIE).learn("die(1)", "die(2)", goal="die(X)", given="X > 1")
    (found,) = caught.value.diagnostics
    assert found.code == "E282"
    assert found.message == "no proof of this observation satisfies the condition `X > 1`"
