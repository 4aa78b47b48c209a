"""Draws in the core by the program, against exact probabilities and the machine's faults.

Chi-square tests at level 1e-4 with fixed seeds: of programs that are right, one test in 10,000
fails, and none here does.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import slp
from slp.errors import SlpError
from slp.resolution import Limits
from slp.resolution.answers import drawing
from slp.resolution.answers.goals import read_query
from slp.resolution.tables.encoder import encoded_query
from slp.resolution.tables.forward import ForwardSampler
from tests.resolution.answers.test_drawing import MARKOV, WORDS, assert_paths, fits, key

COIN = "0.6 :: coin(h).\n0.4 :: coin(t).\n"

PROGRAMS = {
    "symbols of a given length": (MARKOV, "seen([A, B, C], _)"),
    "hidden states": (MARKOV, "seen([wet, X, wet], States)"),
    "failure": (COIN + "same(X) :- coin(X), coin(X).\n", "same(X)"),
    "logical alternatives": (
        COIN + "p(X, N) :- coin(X), one(X, N), coin(X).\n"
        "one(h, 1) :- coin(h).\none(t, 2) :- coin(t), coin(t).\none(h, 3) :- coin(t), fail.\n",
        "p(X, N)",
    ),
    "alternatives behind which choices were made": (
        COIN + "p(X, Y) :- two(X), coin(Y), coin(X).\n"
        "two(X) :- coin(h), coin(X), coin(t), fail.\ntwo(X) :- coin(X), coin(h).\n",
        "p(X, Y)",
    ),
    "terms that share variables": (
        "0.5 :: p(f(X), X, Y).\n0.3 :: p(X, g(X), Y).\n0.2 :: p(Y, Z, [Y, W, Z | T]).\n",
        "p(A, B, C), p(A, _, C)",
    ),
    "equality": (COIN + "p(Z) :- coin(X), Y = f(X, W), W = X, Y = f(Z, h).\n", "p(Z)"),
    "labels that sum to less than 1 where they match": (
        "0.5 :: p(a, 1).\n0.2 :: p(a, 2).\n0.3 :: p(b, 3).\n",
        "p(a, X)",
    ),
}


@pytest.fixture(autouse=True)
def without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_ROUNDS", ())


@pytest.fixture(params=["core", "machine"])
def drawn_by(request: pytest.FixtureRequest) -> None:
    if request.param == "machine":
        request.getfixturevalue("without_core")


@pytest.mark.parametrize("name", PROGRAMS)
def test_draws_have_the_probabilities_of_the_query(name: str) -> None:
    text, goal = PROGRAMS[name]
    program = slp.parse(text)
    found = program.query(goal)
    draws = program.draw(goal, 3000, seed=1)
    assert draws.method == "rejection" and draws.success is not None
    error = draws.log_success_error or 0.0  # programs that cannot fail tell none
    assert abs(draws.success / found.success - 1) <= 4.5 * error + 1e-12
    assert fits(draws, {key(a): a.probability for a in found.answers})
    assert_paths(program, draws, goal)


def random_program(rng: Random) -> str:
    """Predicates p0 to p2, each of whose bodies calls later ones; p1 may call itself."""
    lines = []
    for i in range(3):
        parts = [rng.random() + 0.1 for _ in range(rng.randint(2, 4))]
        for part in parts:
            args = [", ".join(rng.choice("XYZab") for _ in range(2)) for _ in range(4)]
            later = [j for j in range(i + 1, 3) for _ in range(rng.randint(0, 1))]
            later += [1] if i == 1 and rng.random() < 0.2 else []
            calls = [f"p{j}({own})" for j, own in zip(later, args[1:], strict=False)]
            body = f" :- {', '.join(calls)}" if calls else ""
            lines.append(f"{part / sum(parts)!r} :: p{i}({args[0]}){body}.")
    return "\n".join(lines)


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 120), marks=pytest.mark.slow)])
def test_random_programs(seeds: range) -> None:
    """400 draws of each; of 120 right programs one fails with probability 0.012."""
    drawn = 0
    for seed in seeds:
        program = slp.parse(random_program(Random(seed)))
        found = program.query("p0(X, Y)")
        if not found.complete or found.success < 0.01:
            continue
        drawn += 1
        draws = program.draw("p0(X, Y)", 400, seed=seed)
        assert fits(draws, {key(a): a.probability for a in found.answers})
    assert drawn > len(seeds) / 2


def test_words_of_any_length() -> None:
    """Lists of ten thousand letters and more are drawn and written without recursion."""
    text = WORDS.replace("0.5", "0.0002").replace("0.3", "0.4999").replace("0.2", "0.4999")
    draws = slp.parse(text).draw("word(L)", 5, seed=3)
    lengths = [str(draw["L"]).count(",") + 1 for draw in draws]
    assert max(lengths) > 10_000
    assert [len(draw.clauses or ()) for draw in draws] == [n + 1 for n in lengths]


def fault(text: str, goal: str, **options: object) -> tuple[str, str]:
    with pytest.raises(SlpError) as caught:
        slp.parse(text).draw(goal, 20, seed=1, **options)  # type: ignore[arg-type]
    (found,) = caught.value.diagnostics
    return found.code, found.message


@pytest.mark.usefixtures("drawn_by")
def test_faults_are_those_of_the_machine() -> None:
    several = COIN + "p(X) :- coin(X).\np(X) :- coin(X), coin(Y).\n"
    assert fault(several, "p(X)")[0] == "E244"
    assert fault("0.5 :: m(a, b). 0.5 :: m(a, c). 1 :: m(b, a).", "m(X, Y)") == (
        "E242",
        "the labels of `m/2` that match here sum to 2, above 1",
    )
    lost = fault(COIN, "coin(x)", limits=Limits(inferences=1000))
    assert lost[0] == "E214" and "draws had no proof" in lost[1]
    endless = "1 :: p(X) :- p(f(X)).\n"
    assert fault(endless, "p(a)", limits=Limits(inferences=1000)) == (
        "E214",
        "gave up after 1000 inferences",
    )


@pytest.mark.usefixtures("drawn_by")
def test_the_occurs_check() -> None:
    """No term is part of itself, whatever variables stand for it."""
    text = """
    0.25 :: p(1, k(B), B).
    0.25 :: p(2, A, h(A)).
    0.25 :: p(3, h(A), A).
    0.25 :: p(4, A, B).
    """
    draws = slp.parse(text).draw("p(N, Y, h(Y))", 200, seed=1)
    assert fits(draws, {(("N", n), ("Y", "_A")): 0.5 for n in (2, 4)})
    assert draws.success == pytest.approx(0.5, abs=0.12)


def test_limits_are_those_of_one_draw_and_trials_end_within_them() -> None:
    program = slp.parse(COIN)
    query = read_query(program.ir, "coin(X)", None)
    encoded = encoded_query(query)
    assert encoded is not None
    sampler = ForwardSampler(query, encoded, Limits(inferences=100))
    seeds = np.array([1, 2, 3, 4], np.uint64)
    assert len(sampler.draw_many(4000, seeds).answers) == 4000
    assert 4000 * 3 / 10 <= sampler.inferences <= 4000
    again = ForwardSampler(query, encoded, Limits(inferences=100))
    accepted = again.accepted(4000, seeds)
    assert accepted is not None and 100 < accepted < 400 and again.inferences < 101
