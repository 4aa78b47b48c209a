"""Draws with the probabilities of the query: by tables, by the program, and with what they tell.

Chi-square tests at level 1e-4 with fixed seeds: of programs that are right, one test in 10,000
fails, and none here does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from scipy.stats import chi2

import slp
from slp.errors import SlpError
from slp.resolution.answers import batches, drawing
from tests.reference.tables.test_masses import labels_of, random_clauses, text_of

COIN = "0.6 :: coin(h).\n0.4 :: coin(t).\n"

#: Left recursion, a logical goal with two proofs, and failure.
GRAMMAR = """
0.4 :: s(X, Z) :- s(X, Y), s(Y, Z).
0.35 :: s([a | R], R).
0.25 :: s([b | R], R) :- member(_, [1, 1]).
"""

#: Hidden states behind symbols.
MARKOV = """
seen(Symbols, States) :- start(State), from(State, Symbols, States).
from(State, [], [State]).
from(State, [Symbol | More], [State | States]) :-
    shows(State, Symbol), next(State, Then), from(Then, More, States).
0.6 :: start(rain).      0.4 :: start(sun).
0.7 :: next(rain, rain). 0.3 :: next(rain, sun).
0.4 :: next(sun, rain).  0.6 :: next(sun, sun).
0.9 :: shows(rain, wet). 0.1 :: shows(rain, dry).
0.2 :: shows(sun, wet).  0.8 :: shows(sun, dry).
"""

#: Words without end: the length is not bounded, and no word is too long.
WORDS = """
0.5 :: word([]).
0.3 :: word([a | L]) :- word(L).
0.2 :: word([b | L]) :- word(L).
"""


@pytest.fixture
def by_rejection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_ROUNDS", ())


def key(bindings: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(bindings.items()))


def fits(draws: slp.Draws, want: Mapping[Any, float]) -> bool:
    """Whether frequencies of answers are those wanted. Answers that are expected less than five
    times are one cell, with those that are not listed."""
    have = Counter(key(draw) for draw in draws)
    n = len(draws)
    cells = {k: p * n for k, p in want.items() if p * n >= 5}
    counts, expected = [have[k] for k in cells], [*cells.values()]
    if n - sum(expected) > 1e-3:
        counts, expected = [*counts, n - sum(counts)], [*expected, n - sum(expected)]
    statistic = sum((k - m) ** 2 / m for k, m in zip(counts, expected, strict=True))
    return sum(counts) == n and bool(statistic <= chi2.isf(1e-4, max(len(counts) - 1, 1)))


def assert_paths(program: slp.Program, draws: slp.Draws, goal: str) -> None:
    """Labels multiply to masses, and the path leads to the answer: with its clauses alone, each in
    a program of its own call, the goal has a proof with this mass."""
    for draw in draws:
        assert draw.log_mass == pytest.approx(
            math.fsum(math.log(clause.label) for clause in draw.clauses), rel=1e-13, abs=1e-13
        )
        if draws.success is not None and draws.method == "tables":
            assert draw.log_probability == pytest.approx(
                draw.log_mass - math.log(draws.success), rel=1e-12
            )
    proofs = {
        (key(p.bindings), tuple(c.text for c in p.clauses), round(p.log_mass, 9))
        for p in program.query(goal, best=4000).best
    }
    drawn = {(key(d), tuple(c.text for c in d.clauses), round(d.log_mass, 9)) for d in draws}
    assert drawn and drawn <= proofs


CASES = {
    "two coins": (COIN + "same(X) :- coin(X), coin(X).\n", "same(X)"),
    "hidden states": (MARKOV, "seen([wet, dry, dry, wet], States)"),
    "a given symbol": (MARKOV, "seen([wet, X, dry], States)"),
    "left recursion": (GRAMMAR, "s([a, b, a, a], R)"),
    "logical goals with several proofs": (COIN, "coin(X), member(X, [h, h, t])"),
    "weights": (":- weights.\n3 :: p(a).\n1 :: p(b).\n", "p(X), p(Y)"),
    "free variables": ("0.5 :: p(a, X, X).\n0.5 :: p(Y, b, Z).\n", "p(X, Y, Z)"),
    "sums to less than 1": (
        "0.3 :: p(a, 1).\n0.7 :: p(b, 2).\nq(X) :- p(X, 1).\nq(X) :- p(X, Y), Y > 1.\n",
        "q(X)",
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_tables_draw_what_the_query_says(
    case: str, backend: str, request: pytest.FixtureRequest
) -> None:
    if backend == "reference":
        request.getfixturevalue("without_core")
    text, goal = CASES[case]
    program = slp.parse(text)
    found = program.query(goal)
    draws = program.draw(goal, 2000, seed=3)
    assert draws.method == "tables" and draws.untabled is None
    assert draws.success == pytest.approx(found.success, rel=1e-12)
    if found.failure is not None and draws.failed is not None:
        assert draws.failed == pytest.approx(found.failure, abs=1e-12)
    assert fits(draws, {key(a): a.probability for a in found.answers})
    assert_paths(program, draws, goal)


@pytest.mark.parametrize("case", ["two coins", "a given symbol"])
@pytest.mark.usefixtures("by_rejection")
def test_rejection_draws_the_same(case: str) -> None:
    text, goal = CASES[case]
    program = slp.parse(text)
    draws = program.draw(goal, 400, seed=4)
    assert draws.method == "rejection" and draws.tries > 400
    assert fits(draws, {key(a): a.probability for a in program.query(goal).answers})
    assert_paths(program, draws, goal)


def test_the_condition_is_drawn_with_the_goal() -> None:
    program = slp.parse(MARKOV)
    goal, given = "seen([A, B, C], S)", "A = wet, C = wet"
    draws = program.draw(goal, 2000, given=given, seed=1)
    want = program.query(goal, given=given)
    assert draws.method == "tables"
    assert fits(draws, {key(a): a.probability for a in want.answers})


@pytest.mark.usefixtures("by_rejection")
@pytest.mark.parametrize("failure", ["rejection", "backtracking"])
def test_paths_of_draws_that_went_back(failure: str) -> None:
    """Alternatives of logical goals behind which a draw failed leave nothing in the path."""
    text = COIN + "p(X, I) :- member(I, [1, 2, 3]), coin(X), I > 2, coin(Y), Y == X.\n"
    for draw in slp.parse(text).draw("p(X, I)", 30, failure=failure, seed=1):
        label = {"h": 0.6, "t": 0.4}[draw["X"]]
        assert [c.text for c in draw.clauses] == [f"{label} :: coin({draw['X']})."] * 2
        assert draw.log_mass == pytest.approx(2 * math.log(label))


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 60), marks=pytest.mark.slow)])
def test_random_recursive_programs(seeds: range) -> None:
    """600 draws of each; of 60 right programs one fails with probability 0.006."""
    drawn = 0
    for seed in seeds:
        rng = Random(seed)
        clauses = random_clauses(rng)
        logical = {p for p in range(3) if rng.random() < 0.3}
        program = slp.parse(text_of(clauses, labels_of(clauses, logical), logical))
        found = program.query("p0(X, Y)")
        if not found.complete or not found.answers:
            continue
        draws = program.draw("p0(X, Y)", 600, seed=seed)
        if draws.method == "tables":
            drawn += 1
            assert fits(draws, {key(a): a.probability for a in found.answers})
    assert drawn > len(seeds) / 4


def test_where_tables_do_not_end_draws_are_rejected_and_say_why() -> None:
    draws = slp.parse(WORDS).draw("word(L)", 500, seed=2)
    assert draws.method == "rejection" and draws.untabled == "gave up after 10000 inferences"
    found = slp.parse(WORDS).query("word(L)", tolerance=1e-2)
    assert fits(draws, {key(a): a.mass for a in found.answers})


def test_tables_are_asked_again_where_few_tries_are_accepted() -> None:
    """A string of 40 letters: no try is accepted, and a hundredth of the limits is too little."""
    text = GRAMMAR.replace(" :- member(_, [1, 1])", "")
    draws = slp.parse(text).draw(f"s([{', '.join('ab' * 20)}], [])", 5, seed=1)
    assert draws.method == "tables"
    assert {len(d.clauses) for d in draws} == {79}


def test_faults_of_goals_that_no_draw_meets_do_not_matter() -> None:
    """Tables meet all goals, draws of a program those that they come to."""
    program = slp.parse("0.001 :: p(X) :- q(Y), X is Y + 1.\n0.999 :: p(1).\n1 :: q(a).\n")
    draws = program.draw("p(X)", 10, seed=1)
    assert draws.method == "rejection" and draws.untabled is not None
    assert "`a`" in draws.untabled


def test_there_is_no_draw_without_a_proof() -> None:
    with pytest.raises(SlpError) as caught:
        slp.parse(COIN).draw("coin(x)")
    assert caught.value.diagnostics[0].code == "E245"


def test_no_draws() -> None:
    draws = slp.parse(COIN).draw("coin(X)", 0, seed=1)
    assert len(draws) == 0 and draws.frequencies() == []


def test_the_seed_alone_decides() -> None:
    program = slp.parse(MARKOV)
    goal = "seen([wet, dry, dry], States)"
    first, again, other = (program.draw(goal, 300, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert program.draw(goal, 100, seed=1)[:64] == first[:64]


def test_a_draw_is_a_mapping_with_its_proof() -> None:
    (draw,) = slp.parse(COIN).draw("coin(X)", 1, seed=1, given="X = h")
    assert draw == {"X": "h"} and dict(draw) == {"X": "h"}
    assert [(c.text, c.label) for c in draw.clauses] == [("0.6 :: coin(h).", 0.6)]
    assert draw.log_mass == math.log(0.6)
    assert draw.log_probability == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("late", ["_SECONDS_LATER", "_BYTES_LATER"])
@pytest.mark.parametrize(
    ("text", "goal", "method"),
    [
        (COIN, "coin(X)", "tables"),
        ("0.5 :: w([]).\n0.5 :: w([x | L]) :- w(L).\n", "w(L)", "rejection"),
    ],
)
def test_what_draws_take_later_is_kept(
    text: str, goal: str, method: str, late: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One batch leaves too little of the budget to turn another into answers and to write them."""
    monkeypatch.setattr(batches, late, 1e7)
    with pytest.warns(slp.SlpWarning, match="W243"):
        drawn = slp.parse(text).draw(goal, 20_000, seed=1, time=900.0, memory="1GiB")
    assert drawn.method == method and len(drawn) == 4096
