"""Tables built in the core against those that the machine builds: the same edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from random import Random

import pytest

import slp
from slp.budgets import Deadline, held
from slp.errors import TimeOverError
from slp.reference.tables.bounds import bounds_of
from slp.resolution import DEFAULT_LIMITS, Limits, Query
from slp.resolution.machine.faults import LimitError
from slp.resolution.tables.build import built_by_machine
from slp.resolution.tables.core_builder import CompiledHypergraph, compiled_graph
from slp.resolution.tables.hypergraph import NONE, Hypergraph
from slp.syntax import parse_term
from tests.reference.tables.test_masses import MARKOV, labels_of, random_clauses, text_of


def query(text: str, goal: str, given: str | None = None) -> Query:
    condition = None if given is None else parse_term(given)
    return Query(slp.parse(text).ir, parse_term(goal), condition)


def core(asked: Query) -> Hypergraph:
    found = compiled_graph(asked, DEFAULT_LIMITS, None)
    assert found is not None
    return found


def edges_of(graph: Hypergraph) -> Counter[Hashable]:
    """All edges, without the numbers that tables and variables have."""

    def name(i: int) -> Hashable:
        if i == NONE:
            return None
        variable = graph.variables[i]
        call = "query" if variable.table == 0 else graph.calls[variable.table]
        return variable.kind, call, variable.terms

    return Counter(
        (name(e.target), e.label, e.proofs, name(e.prefix), name(e.answer), id(e.clause))
        for e in graph.edges
    )


def assert_same(text: str, goal: str, given: str | None = None) -> Hypergraph:
    asked = query(text, goal, given)
    have, want = core(asked), built_by_machine(asked, Limits(10_000_000))
    assert isinstance(have, CompiledHypergraph)
    assert edges_of(have) == edges_of(want)
    assert Counter(map(str, have.calls)) == Counter(map(str, want.calls))
    assert Counter(v.kind for v in have.variables) == Counter(v.kind for v in want.variables)
    assert (have.branches, have.above_one) == (want.branches, want.above_one)
    assert (have.failure is None) == (want.failure is None)
    for graph in (have, want):
        assert all(graph.variables[i].table == 0 for i in graph.answers)
    masses = [
        {graph.variables[i].terms: bounds_of(graph)[i].value.log for i in graph.answers}
        for graph in (have, want)
    ]
    assert masses[0] == pytest.approx(masses[1], rel=1e-12, abs=1e-12)
    assert have.has_label_above_one == want.has_label_above_one
    assert [*have.edges] == [have.edges[i] for i in range(len(have.edges))]
    return have


GRAMMAR = """
0.4 :: s(X, Z) :- s(X, Y), s(Y, Z).
0.35 :: s([a | R], R).
0.25 :: s([b | R], R).
"""
COIN = "0.6 :: coin(h).\n0.4 :: coin(t).\n"

PROGRAMS: dict[str, tuple[str, str, str | None]] = {
    "grammar": (GRAMMAR, "s([a, b, a, a, b], [])", None),
    "open end": (GRAMMAR, "s([a, b, a, a], R)", None),
    "free letters": (GRAMMAR, "s([X, b, Y, Z], [])", None),
    "markov": (MARKOV, "seen([x, y, y, x])", None),
    "evidence": (COIN, "coin(X), coin(Y)", "X = Y"),
    "evidence that binds": (COIN + "pair(X, Y) :- coin(X), coin(Y).\n", "pair(X, Y)", "X = h"),
    "failure": (COIN + "same :- coin(X), coin(X), true.\nno :- coin(_), fail.\n", "same", None),
    "always fails": (COIN + "no :- coin(_), fail.\n", "no", None),
    "branches": (COIN + "two(X) :- coin(X).\ntwo(h).\ntwo(h).\n", "two(X), two(Y)", None),
    "shared variables": (
        "0.5 :: p(X, X, Y, Y).\n0.5 :: p(f(X), Y, X, g(Y)).\n",
        "p(A, B, C, A)",
        None,
    ),
    "occurs": ("0.5 :: p(X, X).\n0.5 :: p(X, f(X)).\n", "p(A, f(A))", None),
    "numbers": ('0.5 :: p(1).\n0.3 :: p(1.0).\n0.2 :: p("1").\n', "p(X)", None),
    "labels that sum to 1": ("".join(f"0.1 :: d({i}).\n" for i in range(10)), "d(X)", None),
    "two results": (
        COIN + "0.5 :: q(X, Y) :- coin(X), coin(Y).\n0.5 :: q(X, X).\n",
        "q(A, B)",
        None,
    ),
    "weights": (":- weights.\n3 :: w(a).\n2 :: w(X) :- w2(X).\n0.1 :: w2(b).\n", "w(X)", None),
    "a label of a parameter": (
        ":- param(k, 0.3).\nk :: r(a).\n1 - k :: r(b).\n",
        "r(X)",
        None,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    text, goal, given = PROGRAMS[name]
    graph = assert_same(text, goal, given)
    if name == "labels that sum to 1":
        assert graph.failure is None


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(400), marks=pytest.mark.slow)])
def test_random_recursive_programs(seeds: range) -> None:
    same = 0
    for seed in seeds:
        rng = Random(seed)
        clauses = random_clauses(rng)
        logical = {p for p in range(3) if rng.random() < 0.3}
        text = text_of(clauses, labels_of(clauses, logical), logical)
        asked = query(text, "p0(X, Y)")
        if compiled_graph(asked, DEFAULT_LIMITS, None) is not None:
            same += bool(assert_same(text, "p0(X, Y)"))
    assert same > len(seeds) / 2  # in the others a logical predicate meets no choice


@pytest.mark.parametrize(
    "more",
    [
        "p(X) :- coin(X), X \\= t.",
        "p(X) :- coin(X), !.",
        "p(X) :- coin(X), member(X, [h]).",
        "p(X) :- (coin(X) ; X = h).",
        "p(X) :- coin(X), G = coin(X), call(G).",
        "p(X) :- coin(X), q(X).\nq(h).",
        "N / 2 :: c(N).\np(X) :- coin(X), c(1).",
    ],
)
def test_what_the_core_cannot_run_is_left_to_the_machine(more: str) -> None:
    assert compiled_graph(query(COIN + more, "p(X)"), DEFAULT_LIMITS, None) is None


@pytest.mark.parametrize(
    "text", ["0.5 :: w([]).\n0.5 :: w([a | W]) :- w(W).\n", "1 :: w(X) :- w(f(X)).\n"]
)
def test_what_has_no_end_reaches_a_limit(text: str) -> None:
    with pytest.raises(LimitError, match="E214"):
        compiled_graph(query(text, "w(X)"), Limits(5_000), None)
    with held(Deadline.of(0.3)), pytest.raises(TimeOverError):
        compiled_graph(query(text, "w(X)"), Limits(10**12), None)


def test_progress_is_told() -> None:
    told: list[tuple[int, str]] = []
    asked = query("0.5 :: w([]).\n0.5 :: w([a | W]) :- w(W).\n", "w(X)")
    with pytest.raises(LimitError):
        compiled_graph(asked, Limits(100_000), lambda n, doing: told.append((n, doing)))
    assert told and told[0][1] == "tabling" and [n for n, _ in told] == sorted(n for n, _ in told)
