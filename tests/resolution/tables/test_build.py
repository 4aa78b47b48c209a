"""Tables against closed forms, and against the search where it ends: masses, failure, cuts and what
is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slp
from slp.errors import ProgramError
from slp.resolution import Limits
from slp.resolution.machine.faults import LimitError
from tests.reference.tables.solved import solved
from tests.resolution.answers.test_query_fuzz import all_answers, is_ground, programs
from tests.resolution.closed_forms import CASES, Case, program_text


@pytest.mark.parametrize("case", CASES, ids=str)
def test_closed_forms(case: Case) -> None:
    found = solved(slp.parse(program_text(case)), case.goal, case.given)
    have = sorted(float(b.value) for b in found.answers().values())
    assert have == pytest.approx(sorted(case.masses.values()), rel=1e-12)
    assert found.failure is not None or found.graph.branches or case.failure is None
    if case.failure is not None and found.failure is not None:
        assert found.failure == pytest.approx(case.failure, abs=1e-12)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(programs(), st.sampled_from(["p0(X, Y)", "p0(X, X)", "p0(a, X)", "p1(X, Y)"]))
def test_random_programs_without_recursion(text: str, goal: str) -> None:
    """An enumeration of all proofs, and the failure of the search."""
    program = slp.parse(text)
    want = all_answers(program, goal)
    found = solved(program, goal)
    have = [float(b.value) for b in found.answers().values()]
    assert math.isclose(math.fsum(have), math.fsum(want.values()), abs_tol=1e-12)
    if is_ground(want):
        assert sorted(have) == pytest.approx(sorted(want.values()), abs=1e-12)
    if not found.graph.branches:
        assert found.failure == pytest.approx(program.query(goal).failure, abs=1e-12)


COIN = "0.6 :: coin(h).\n0.4 :: coin(t).\n"

#: Programs in which it matters what is tabled and what is proved in place.
CUTS = {
    "the clauses of a goal before a cut": "p(X) :- q(X), !.\nq(1).\nq(2) :- coin(_).\n",
    "a cut at the end of a clause that chooses": "p(X) :- q(X).\nq(X) :- coin(X), !.\n",
    "a cut before the choice": "p(X) :- q(Y), r(Y, X).\nq(1). q(2).\n"
    "r(1, X) :- !, coin(X).\nr(_, none).\n",
    "once": "p(X) :- once(q(X)).\nq(1).\nq(2) :- coin(_).\n",
    "a condition without a choice": "p(X) :- ( q(1) -> coin(X) ; X = none ).\n"
    "q(1).\nq(2) :- coin(_).\n",
    "a negation": "p(X) :- coin(X), \\+ q(X).\nq(h).\nq(u) :- coin(_).\n",
    "a collection": "p(X) :- findall(Y, q(Y, 1), X).\nq(a, 1). q(b, 1).\nq(a, 2) :- coin(_).\n",
    "a called conjunction": "p(X) :- call((q(X), !)).\nq(1).\nq(2) :- coin(_).\n",
    "a disjunction behind": "p(X) :- q(X), ( X = 1 ; X = 2 ).\nq(1) :- coin(_).\nq(2).\n",
    "a cut in a disjunction behind": "p(X) :- q(X), ( true, ! ; fail ).\nq(1).\nq(2) :- coin(_).\n",
    "shared variables": "p(X) :- q(Y, Y, X), coin(Y).\nq(A, B, [A, B]) :- r(A).\n"
    "r(h). r(Z) :- coin(Z).\nr(_).\n",
    "free variables in answers": "p(X) :- q(X).\nq([A, B, A]) :- coin(B).\nq(f(_, C, C)).\n",
    "logical goals with several proofs": "p(X) :- member(Y, [1, 1, 2]), q(Y, X), r(X).\n"
    "q(_, X) :- coin(X).\nr(X) :- member(X, [h, h, u]).\n",
}


@pytest.mark.parametrize("why", CUTS)
def test_goals_with_and_without_tables(why: str) -> None:
    program = slp.parse(COIN + CUTS[why])
    want = program.query("p(X)")
    found = solved(program, "p(X)")
    assert want.complete
    have = sorted(float(b.value) for b in found.answers().values())
    assert have == pytest.approx(sorted(a.mass for a in want.answers), rel=1e-12)
    if not found.graph.branches:
        assert found.failure == pytest.approx(want.failure, abs=1e-12)


REFUSED = {
    "E240": "p(X) :- \\+ q(X).\nq(X) :- coin(X).\n",
    "E241": "p(X) :- q(X), !.\np(none).\nq(X) :- coin(X).\n",
    "E242": "p(X) :- q(_, X).\n0.6 :: q(1, _).\n0.4 :: q(1, _).\n1 :: q(2, _).\n",
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_a_search_refuses_is_refused_at_the_same_place(code: str) -> None:
    text = COIN + REFUSED[code]
    with pytest.raises(ProgramError) as have:
        solved(slp.parse(text), "p(X)")
    with pytest.raises(ProgramError) as want:
        slp.parse(text).query("p(X)")
    assert [(d.code, d.span) for d in have.value.diagnostics] == [
        (d.code, d.span) for d in want.value.diagnostics
    ]
    assert have.value.diagnostics[0].code == code


def test_recursion_on_the_left_ends() -> None:
    """Paths of length n >= 1 in a chain of three nodes: each step has probability 1/2."""
    program = slp.parse(
        "0.5 :: path(X, Y) :- path(X, Z), arc(Z, Y).\n0.5 :: path(X, Y) :- arc(X, Y).\n"
        "arc(a, b). arc(b, c). arc(c, a).\n"
    )
    found = solved(program, "path(a, X)").answers()
    whole = 1 / (1 - 0.5**3)
    for end, n in (("b", 1), ("c", 2), ("a", 3)):
        assert float(found[(end,)].value) == pytest.approx(0.5**n * whole, rel=1e-12)


def test_logical_predicates_on_the_way_to_choices_have_tables() -> None:
    """Recursion on the left through clauses without labels: m = 0.6 m + 0.4 and its answers."""
    program = slp.parse(f"{COIN}run(X) :- run(_), coin(h), X = again.\nrun(once) :- coin(t).\n")
    found = solved(program, "run(X)").answers()
    assert float(found[("once",)].value) == pytest.approx(0.4)
    assert float(found[("again",)].value) == pytest.approx(0.6)  # x = 0.6 (x + 0.4)


@pytest.mark.parametrize(
    "text",
    [
        "0.5 :: word([]).\n0.5 :: word([a | W]) :- word(W).\n",
        "1 :: word(X) :- word(f(X)).\n",
        f"{COIN}word(X) :- loop, coin(X).\nloop :- loop.\n",
    ],
    ids=["answers", "calls", "proofs of a logical goal"],
)
def test_what_has_no_end_reaches_a_limit(text: str) -> None:
    with pytest.raises(LimitError):
        solved(slp.parse(text), "word(X)", limits=Limits(5_000, 1_000))


def test_each_variant_of_a_call_has_one_table() -> None:
    """A dense grammar of three nonterminals over n letters: 3 (n + 1) calls, and the query's."""
    for n in (2, 5):
        found = solved(slp.parse(grammar()), f"a([{', '.join('u' * n)}], [])")
        calls = {call.args[1:] for call in found.graph.calls if call.args}  # type: ignore[union-attr]
        assert len(found.graph.calls) <= 3 * 2 * (n + 1) + 1
        assert len(calls) > 1


def grammar() -> str:
    """Three nonterminals in Chomsky form; each goes to each pair."""
    rules = (
        f"{0.4 / 9!r} :: {x}(X, Z) :- {y}(X, Y), {z}(Y, Z)."
        for x in "abc"
        for y in "abc"
        for z in "abc"
    )
    words = (f"0.35 :: {x}([u | R], R).\n0.25 :: {x}([v | R], R)." for x in "abc")
    return "\n".join([*rules, *words])


@pytest.mark.parametrize("letters", ["u", "uv", "uvvu", "vuuvuvvu"])
def test_a_grammar_with_recursion_on_both_sides(letters: str) -> None:
    """The rules treat the nonterminals alike, so the sum is over binary trees: Catalan(n - 1)
    trees, each inner node 0.4 and each letter its label."""
    n = len(letters)
    found = solved(slp.parse(grammar()), f"a([{', '.join(letters)}], [])").success
    trees = math.comb(2 * n - 2, n - 1) // n
    want = trees * 0.4 ** (n - 1) * math.prod({"u": 0.35, "v": 0.25}[x] for x in letters)
    assert float(found.value) == pytest.approx(want, rel=1e-12)
    assert found.upper is not None
    assert float(found.lower) <= want * (1 + 1e-12) and float(found.upper) >= want * (1 - 1e-12)
