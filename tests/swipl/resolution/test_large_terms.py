"""Terms that share their parts: by n bindings a program makes a term of 2^n parts. SWI-Prolog
copies nothing that is too large, and gives bounds as the engine in Python does."""

from __future__ import annotations

import pytest

import slp
from slp.resolution import Limits

TEXT = """
0.5 :: coin(h).
0.5 :: coin(t).
0.75 :: either(a).
0.25 :: either(b) :- d(30, X), coin(_), X = f(_, _).
d(0, a).
d(N, f(X, X)) :- N > 0, M is N - 1, d(M, X).
stored(X) :- d(26, X), coin(_).
answer(X) :- coin(_), d(30, X).
collected :- d(26, X), findall(X, true, _).
many(N) :- findall(X, (between(1, 1000, _), d(N, X)), L), length(L, _).
"""


@pytest.mark.parametrize("goal", ["stored(X)", "answer(X)", "d(26, X)", "collected"])
def test_a_large_term_gives_bounds_as_in_python(goal: str) -> None:
    have = slp.parse(TEXT).query(goal, engine="prolog")
    assert (have.success, have.open, have.upper) == (0.0, 1.0, 1.0)
    assert have.reason == "a term has more than 5000000 parts"
    assert [d.code for d in have.failed] == ["W241"]


@pytest.mark.parametrize("engine", ["python", "prolog"])
def test_other_answers_stay(engine: str) -> None:
    found = slp.parse(TEXT).query("either(X)", engine=engine)
    assert [a["X"] for a in found.answers] == ["a"]
    assert (found.success, found.open, found.upper) == (0.75, 0.25, 1.0)


def test_many_copies_are_bounded_together() -> None:
    found = slp.parse(TEXT).query("many(20)", engine="prolog")
    assert found.reason == "gave up after 1000000 inferences" and found.open == 1.0


def test_the_memory_bounds_a_term() -> None:
    found = slp.parse(TEXT).query("d(20, X)", engine="prolog", memory="100MiB")
    assert found.reason == "a term has more than 262144 parts"
    small = slp.parse(TEXT).query("d(10, X)", engine="prolog", memory="100MiB")
    assert small.complete and small.success == 1.0


def test_shared_parts_are_counted_as_often_as_they_occur() -> None:
    """d(N, X) has 2^(N+1) - 1 parts. The stored goal is left as it was."""
    text = TEXT + "twice(X, Y) :- d(3, X), coin(Y), X = f(_, _).\n"
    program = slp.parse(text)
    have, want = (program.query("twice(X, h)", engine=e) for e in ("prolog", "python"))
    assert have.answers == want.answers and have.success == 0.5


def test_the_time_ends_prolog_within_a_run() -> None:
    text = "0.75 :: p(a).\n0.25 :: p(b) :- between(1, inf, _), fail.\n"
    found = slp.parse(text).query("p(X)", engine="prolog", time=1, limits=Limits(10**9))
    assert (found.success, found.open, found.upper) == (0.75, 0.25, 1.0)
    assert found.reason == "the time of 1 s is over while proofs were searched for"


def test_small_masses_are_those_of_python() -> None:
    text = "0.00000001 :: rare(yes).\n0.99999999 :: rare(no).\ntwo :- rare(yes), rare(yes).\n"
    have, want = (slp.parse(text).query("two", engine=e) for e in ("prolog", "python"))
    assert have == want and have.complete and have.success == pytest.approx(1e-16, rel=1e-12)
