"""Queries that a search does not end and tables do, against closed forms and the search."""

from __future__ import annotations

import math
from random import Random

import pytest

import slp
from slp.resolution import DEFAULT_LIMITS, Limits, Query
from slp.resolution.answers import queries, tabled
from slp.resolution.answers.found import ProofSearchResult
from slp.syntax import parse_term, term_to_text

#: Here a search has 2,000 inferences, and tables have 20,000.
FEW = Limits(20_000, 1_000)

#: Three nonterminals in Chomsky form, all 27 rules.
CNF = "".join(
    "".join(f"{0.4 / 9!r} :: {x}(X, Z) :- {y}(X, Y), {z}(Y, Z).\n" for y in "abc" for z in "abc")
    + f"0.35 :: {x}([u|R], R).\n0.25 :: {x}([v|R], R).\n"
    for x in "abc"
)

GRAMMAR = """
0.3 :: s([a|T], T).
0.3 :: s([b|T], T).
0.4 :: s(S, T) :- s(S, M), s(M, T).
"""


def searched(program: slp.Program, goal: str, best: int = 0) -> ProofSearchResult:
    """By the search alone."""
    query = Query(program.ir, parse_term(goal))
    return queries.answers_of_query(query, best=best, searcher=queries._search)


def by_tables(program: slp.Program, goal: str, best: int = 0) -> ProofSearchResult:
    query = Query(program.ir, parse_term(goal))
    found = tabled.answers_by_tables(
        query, best=best, tolerance=1e-12, limits=DEFAULT_LIMITS, progress=None
    )
    assert isinstance(found, ProofSearchResult), found
    return found


@pytest.mark.parametrize("word", ["uv", "uvu", "vvuvu"])
def test_a_grammar_with_recursion_on_both_sides(word: str) -> None:
    """By symmetry all nonterminals have one mass: a label for each letter, 0.4 for each rule, and
    as many trees as the Catalan number of the rules."""
    n = len(word) - 1
    trees = math.comb(2 * n, n) // (n + 1)
    want = 0.35 ** word.count("u") * 0.25 ** word.count("v") * 0.4**n * trees
    program, goal = slp.parse(CNF), f"a([{', '.join(word)}], [])"
    found = program.query(goal, limits=FEW)
    assert found.complete and found.reason is None and found.open == 0.0
    assert found.success == pytest.approx(want, rel=1e-12)
    assert found.upper is not None
    assert want * (1 - 1e-15) <= found.upper <= found.success * (1 + 1e-9)
    assert found.answers[0].lower == found.answers[0].upper == 1.0
    assert found.failure == pytest.approx(1 - want, rel=1e-12)
    if len(word) > 2:
        short = Query(program.ir, parse_term(goal))
        assert not queries.answers_of_query(short, limits=FEW, searcher=queries._search).complete


def test_a_recursion_in_both_goals_of_a_body() -> None:
    """A walk that goes up with 0.6 dies out with probability q = 0.4 + 0.6 q^2, so q = 2/3."""
    found = slp.parse("0.6 :: w :- w, w.\n0.4 :: w.").query("w", limits=FEW)
    assert found.complete and found.success == pytest.approx(2 / 3, rel=1e-12)


def test_a_critical_walk_has_bounds() -> None:
    """q = 1/2 + q^2/2 has the double root 1."""
    found = slp.parse("0.5 :: w :- w, w.\n0.5 :: w.").query("w", limits=FEW)
    assert not found.complete and found.reason == "tables bound the masses no closer"
    assert found.upper == 1.0 and 1 - 1e-6 < found.success < 1
    assert found.success + found.open == pytest.approx(1.0, rel=1e-15)


def test_a_sum_without_end_is_no_answer() -> None:
    found = slp.parse(":- weights.\n2 :: p :- p, p.\n1 :: p.").query("p", limits=FEW)
    assert not found.complete and found.upper is None and found.reason is not None
    assert found.reason.endswith("tables do not tell it: the sum over all proofs is infinite")


def test_answers_without_end_are_left_to_the_search() -> None:
    text = "0.98 :: n(s(X)) :- n(X).\n0.02 :: n(z)."
    found = slp.parse(text).query("n(X)", limits=Limits(2_000, 1_000))
    assert not found.complete and found.reason == "gave up after 2000 inferences"
    assert len(found.answers) > 10 and found.upper == pytest.approx(1.0)


@pytest.mark.parametrize("goal", ["s([a, b, a, b], R)", "s([X, b, Y], [])"])
def test_the_search_tells_the_same(goal: str) -> None:
    """Answers, failure, best proofs."""
    program = slp.parse(GRAMMAR)
    one, two = by_tables(program, goal, 5), searched(program, goal, 5)
    assert one.by_tables and one.best_certified and two.best_certified and two.answers
    _same(one, two)
    assert [p.mass.log for p in one.best] == pytest.approx([p.mass.log for p in two.best])
    counts = [sorted(len(p.fired) for p in own.best) for own in (one, two)]
    assert counts[0] == counts[1]
    for proof in one.best:
        logs = [math.log(fired.label) for fired in proof.fired]
        assert math.fsum(logs) == pytest.approx(proof.mass.log)


def _same(one: ProofSearchResult, two: ProofSearchResult) -> None:
    """Where a search ended, what it leaves open is all that they may differ by."""
    apart = max(1e-12, float(two.open))
    masses = [
        {tuple(map(term_to_text, a.terms)): float(a.mass) for a in own.answers}
        for own in (one, two)
    ]
    assert masses[0].keys() >= masses[1].keys()
    for answer, mass in masses[0].items():
        assert masses[1].get(answer, 0.0) == pytest.approx(mass, rel=1e-9, abs=apart)
    if one.failure is not None and two.failure is not None:
        assert float(one.failure) == pytest.approx(float(two.failure), rel=1e-9, abs=apart)


def random_program(rng: Random) -> str:
    """Predicates that call themselves and each other, on lists that grow shorter or not."""
    lines = []
    for p in "pqr":
        weights = [rng.randint(2, 5), rng.randint(1, 3), rng.randint(0, 2)]
        called = rng.choice("pqr"), rng.choice("pqr")
        bodies = [
            f"{p}(X, X)",
            f"{p}([{rng.choice('ab')}|T], R) :- {called[0]}(T, R)",
            f"{p}(S, R) :- {called[0]}(S, M), {called[1]}(M, R)",
        ]
        scale = sum(weights)
        lines += [f"{w / scale!r} :: {body}." for w, body in zip(weights, bodies, strict=True)]
    return "\n".join(lines)


def test_random_programs() -> None:
    """Tables lie between the bounds of a search, so where it closes them they say the same."""
    closed = 0
    for seed in range(30):
        text = random_program(Random(seed))
        program = slp.parse(text)
        query = Query(program.ir, parse_term("p([a, b], R)"))
        limits = Limits(4_000, 1_000)
        two = queries.answers_of_query(
            query, tolerance=1e-7, limits=limits, searcher=queries._search
        )
        one = by_tables(program, "p([a, b], R)")
        assert one.upper is not None and two.upper is not None
        assert float(one.upper) >= float(two.success) * (1 - 1e-9), text
        assert float(one.success) <= float(two.upper) * (1 + 1e-9), text
        _same(one, two)
        closed += float(two.open) < 1e-6
    assert closed >= 8


def test_labels_above_1_have_their_best_proofs_by_the_search() -> None:
    text = ":- weights.\n2 :: s([a|T], T).\n0.5 :: s(S, T) :- s(S, M), s(M, T)."
    program, goal = slp.parse(text), "s([a, a, a, a, a, a], [])"
    found = program.query(goal, best=1, limits=FEW)
    trees = math.comb(10, 5) // 6
    assert found.complete and found.success == pytest.approx(2**6 * 0.5**5 * trees, rel=1e-12)
    assert found.failure is None and not found.best_certified


def test_ctrl_c_while_tables_are_built_keeps_what_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tabled, "hypergraph_of_query", stop)
    found = slp.parse("0.6 :: w :- w, w.\n0.4 :: w.").query("w", limits=FEW)
    assert found.interrupted and found.reason == "interrupted" and 0.4 <= found.success < 2 / 3


def test_what_has_no_proof_fails_with_certainty() -> None:
    found = slp.parse(CNF).query("a([u, w, u, v], [])", limits=FEW)
    assert found.complete and not found.answers and found.success == found.open == 0.0
    assert found.failure == pytest.approx(1.0)


def test_free_variables_have_the_names_of_the_search() -> None:
    program = slp.parse("0.5 :: p(X, Y).\n0.3 :: p(X, X).\n0.2 :: p(a, Y).\n")
    asked = Query(program.ir, parse_term("p(X, Y)"))
    found = tabled.answers_by_tables(
        asked, best=3, tolerance=1e-12, limits=DEFAULT_LIMITS, progress=None
    )
    assert isinstance(found, ProofSearchResult)
    want = [("_A", "_B"), ("_A", "_A"), ("a", "_A")]
    assert [tuple(map(term_to_text, a.terms)) for a in found.answers] == want
    assert [tuple(map(term_to_text, p.terms)) for p in found.best] == want
