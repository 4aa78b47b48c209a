"""The time of a query is proportional to the number of its choices. Endless searches are
bounded."""

from __future__ import annotations

import pytest

import slp
from slp.resolution.machine.loop import Limits
from tests.growth import assert_linear

_COIN = "0.5 :: c(0).\n0.5 :: c(1).\n"
_HMM = """
0.9 :: next(a, a).  0.1 :: next(a, b).
0.3 :: next(b, a).  0.7 :: next(b, b).
run(0, _).
run(N, S) :- N > 0, next(S, T), M is N - 1, run(M, T).
"""


def _goals(n: int) -> tuple[str, str]:
    return _COIN + "p :- " + ", ".join(["c(_)"] * n) + ".", "p"


def _chained_goals(n: int) -> tuple[str, str]:
    goals = ", ".join(f"next(S{i}, S{i + 1})" for i in range(n))
    return _HMM + f"p :- S0 = a, {goals}.", "p"


def _goals_behind(n: int) -> tuple[str, str]:
    return _COIN + "f(0).\nf(N) :- N > 0, M is N - 1, f(M), c(_).", f"f({n})"


def _recursion(n: int) -> tuple[str, str]:
    return _HMM, f"run({n}, a)"


def _observed(n: int) -> tuple[str, str]:
    rule = "seen([], _).\nseen([X|Xs], S) :- next(S, X), seen(Xs, X).\n"
    return _HMM + rule, f"seen([{', '.join(['a'] * n)}], a)"


def _drawn(n: int) -> tuple[str, str]:
    return "1 :: c(a).\ng(0, []).\ng(N, [X|T]) :- N > 0, c(X), M is N - 1, g(M, T).\n", f"g({n}, L)"


def _clauses(n: int) -> tuple[str, str]:
    return "".join(f"1.0 :: s{i} :- s{i + 1}.\n" for i in range(n)) + f"1.0 :: s{n}.", "s0"


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [_goals, _chained_goals, _goals_behind, _recursion, _observed, _drawn, _clauses]
)
def test_time_grows_as_the_number_of_choices(case) -> None:  # type: ignore[no-untyped-def]
    def ask(n: int) -> None:
        text, goal = case(n)
        found = slp.parse(text).query(goal, tolerance=0.0)
        assert found.complete
        if case is _observed:
            assert found.success == pytest.approx(0.9**n, rel=1e-9)
        else:
            assert found.success == pytest.approx(1.0)

    # A search of a hundredth of the limits goes before tables: both sizes are beyond it.
    assert_linear(ask, 600 if case is _drawn else 150)


@pytest.mark.slow
@pytest.mark.parametrize("go_on", [0.5, 0.999])
def test_lists_of_growing_length_end_with_bounds(go_on: float) -> None:
    """Parts of terms count: without that these take minutes for each hundred thousand goals."""
    text = f"{1 - go_on} :: w([]).\n{go_on} :: w([X|L]) :- c(X), w(L).\n{_COIN}"
    found = slp.parse(text).query("w(L), length(L, 2)", limits=Limits(100_000))
    assert not found.complete
    assert found.reason == "gave up after 100000 inferences"
    exact = go_on**2 * (1 - go_on)
    assert found.success == pytest.approx(exact)
    assert found.upper is not None and found.upper >= exact
    assert found.failure is not None and found.failure > 0
    assert found.success + found.failure + found.open == pytest.approx(1.0)


@pytest.mark.parametrize("small", [0, 64])
def test_answers_are_the_same_however_they_are_bound(
    small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By shared, free and late variables; of one solution in two orders; whole and in pieces."""
    monkeypatch.setattr("slp.resolution.proofs.recorded._SMALL", small)
    text = _COIN + (
        "p(f(X, Y, _), Z, X) :- c(X), c(Z), Z = Y.\n"
        "0.5 :: o(X, Y) :- c(X), c(Y).\n0.5 :: o(X, Y) :- c(Y), c(X).\n"
        "l(0, []).\nl(N, [X-V|T]) :- N > 0, c(X), M is N - 1, l(M, T), V = N.\n"
    )
    program = slp.parse(text)
    found = program.query("p(A, B, C)").answers
    assert sorted((a["A"], a["B"], a["C"]) for a in found) == [
        (f"f({x}, {y}, _A)", y, x) for x in (0, 1) for y in (0, 1)
    ]
    assert [a.mass for a in program.query("o(X, Y)").answers] == [0.25] * 4
    found = program.query("l(5, L)").answers
    assert len({a["L"] for a in found}) == 32 and {a.mass for a in found} == {1 / 32}
    assert "[0-5, 1-4, 0-3, 0-2, 1-1]" in {a["L"] for a in found}


def test_goals_behind_are_told_apart_by_their_variables() -> None:
    """The third goal shares a variable with the first in one clause and not in the other."""
    text = _COIN + "p(X, Y) :- c(X), c(Y), c(X).\nq(X, Y) :- c(X), c(Y), c(_).\n"
    program = slp.parse(text)
    assert [a.mass for a in program.query("p(X, Y)").answers] == [0.125] * 4
    assert [a.mass for a in program.query("q(X, Y)").answers] == [0.25] * 4


def test_a_variable_bound_late_reaches_goals_far_behind() -> None:
    text = _COIN + "p(S) :- c(A), c(B), c(C), S is A + 10 * B + 100 * C.\n"
    answers = slp.parse(text).query("p(S)").answers
    assert sorted(a["S"] for a in answers) == [0, 1, 10, 11, 100, 101, 110, 111]


def test_a_cut_behind_stochastic_goals_is_told_apart_by_what_it_would_cut() -> None:
    """`p` cuts nothing, wherever it is called; the cut in `q` would take away member's choice."""
    text = _COIN + "p :- c(_), c(_), !.\nq :- member(_, [1, 2]), c(_), c(_), !.\n"
    program = slp.parse(text)
    assert program.query("c(_), p").success == pytest.approx(1.0)
    assert program.query("member(_, [1, 2]), p").success == pytest.approx(2.0)
    for goal in ("q", "member(_, [1, 2]), p, q"):
        with pytest.raises(slp.SlpError, match="E241"):
            program.query(goal)
