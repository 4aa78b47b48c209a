"""Both engines on the same programs: random ones, the conformity cases, faults."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slp
from slp.errors import SlpError
from slp.resolution import Limits, Query, answers_of_query
from slp.resolution.answers.queries import Searcher
from slp.swipl.prolog import PrologProgram
from slp.syntax import parse_term
from slp.terms import Number
from tests.resolution.answers.test_query_fuzz import programs
from tests.resolution.machine.test_conformity import GOALS, PROGRAM, SUMS

LIMITS = Limits(inferences=20_000)


def masses(found: slp.QueryResult) -> Mapping[tuple[object, ...], float]:
    return {tuple(a.values()): a.mass for a in found.answers}


def assert_same(have: slp.QueryResult, want: slp.QueryResult) -> None:
    assert masses(have).keys() == masses(want).keys()
    for key, mass in masses(want).items():
        assert math.isclose(masses(have)[key], mass, rel_tol=1e-12, abs_tol=1e-12)
    assert [p.mass for p in have.best] == pytest.approx([p.mass for p in want.best], rel=1e-12)
    assert have.success == pytest.approx(want.success, rel=1e-12)
    assert have.failure == pytest.approx(want.failure, rel=1e-12, abs=1e-12)
    assert (have.open, have.upper, have.complete) == (want.open, want.upper, want.complete)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(programs(), st.sampled_from(["p0(X, Y)", "p0(X, X)", "p0(a, X)", "p1(X, Y)"]))
def test_random_programs(text: str, goal: str) -> None:
    program = slp.parse(text)
    assert_same(program.query(goal, best=3, engine="prolog"), program.query(goal, best=3))


def answers(program: slp.Program, goal: str, engine: str) -> slp.QueryResult | None:
    """None for an error, which the two engines word differently."""
    try:
        return program.query(goal, engine=engine, limits=LIMITS)
    except SlpError:
        return None


@pytest.mark.parametrize("goal", GOALS)
def test_conformity(goal: str) -> None:
    program = slp.parse(PROGRAM)
    have, want = (answers(program, goal, engine) for engine in ("prolog", "python"))
    if have is None or want is None:
        assert have is want
    else:
        assert_same(have, want)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("first", range(5))
def test_arithmetic(first: int) -> None:
    """All functions on pairs of numbers, without the powers and logarithms that `differs` names;
    one pair in five at a time."""
    program = slp.parse("p.").ir
    wrong = []
    with PrologProgram(program) as loaded:
        for goal in SUMS[first::5]:
            query = Query(program, parse_term(goal))
            have, want = value(query, loaded.search), value(query, None)
            if have != want and not same_float(have, want):
                wrong.append((goal, have, want))
    assert wrong == []


def value(query: Query, searcher: Searcher | None) -> int | float | None:
    """What the goal says about its variable, None for an error."""
    try:
        (found,) = answers_of_query(query, searcher=searcher).answers
    except SlpError:
        return None
    (term,) = found.terms
    assert isinstance(term, Number)
    return term.value


def same_float(x: object, y: object) -> bool:
    both = isinstance(x, float) and isinstance(y, float)
    return both and math.isclose(x, y, rel_tol=1e-14)  # type: ignore[arg-type]


#: Predicates of SWI-Prolog that a program may define for itself.
OWN = """append/3 member/2 memberchk/2 select/3 last/2 reverse/3 random/1 random/3 succ/2 plus/3
    write/1 nl/0 halt/0 atom_codes/2 assertz/1 consult/1 print_message/2 nb_getval/2 table/1 apply/2
    portray/1 term_expansion/2 goal_expansion/2 exclude/3 foldl/4 permutation/2 subtract/3"""


@pytest.mark.parametrize("engine", ["python", "prolog"])
def test_a_program_that_defines_a_known_predicate_has_its_own(engine: str) -> None:
    wrong = []
    for name, arity in (key.split("/") for key in OWN.split()):
        head = f"{name}({', '.join(['own'] * int(arity))})" if arity != "0" else name
        goal = f"{name}({', '.join(['X'] * int(arity))})" if arity != "0" else name
        found = slp.parse(f"{head}.\np :- {goal}.\n").query(goal, engine=engine)
        inside = slp.parse(f"{head}.\np :- {goal}.\n").query("p", engine=engine)
        bound = [dict(a) for a in found.answers]
        want = [{"X": "own"}] if arity != "0" else [{}]
        if bound != want or inside.success != 1:
            wrong.append((name, arity, bound))
    assert wrong == []


@pytest.mark.parametrize("engine", ["python", "prolog"])
@pytest.mark.parametrize("own", ["member(own, own).", "append(own, own, own)."])
def test_own_predicates_do_not_change_the_library(own: str, engine: str) -> None:
    program = slp.parse(f"{own}\np(X) :- memberchk(X, [a, b]), select(X, [b, a], [b]).\n")
    assert [dict(a) for a in program.query("p(X)", engine=engine).answers] == [{"X": "a"}]
