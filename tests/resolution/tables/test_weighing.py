"""Hypergraphs under labels that change: the core against the specification, and both against the
hypergraph that is built under these labels."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

import slp
from slp.reference.tables.bounds import bounds_of
from slp.reference.tables.uses import expected_uses
from slp.reference.tables.weighing import PlainWeighing
from slp.resolution.proofs.query import Query
from slp.resolution.tables.build import built_by_machine, hypergraph_of_query
from slp.resolution.tables.compiled import CompiledWeighing
from slp.resolution.tables.hypergraph import Hypergraph
from slp.syntax import parse_term

HMM = """
{} :: initial(a). {} :: initial(b).
{} :: moves(a, a). {} :: moves(a, b).
{} :: moves(b, a). {} :: moves(b, b).
{} :: emits(a, x). {} :: emits(a, y).
{} :: emits(b, x). {} :: emits(b, y).
hmm(W) :- initial(S), run(S, W).
run(S, [O]) :- emits(S, O).
run(S, [O, P|Os]) :- emits(S, O), moves(S, T), run(T, [P|Os]).
"""
#: Recursion on both sides, and a symbol that may fail.
GRAMMAR = """
{} :: s(X, Y) :- s(X, Z), s(Z, Y).
{} :: s([a|X], X).
{} :: t(a). {} :: t(b).
{} :: u(x, a). {} :: u(x, b).
p :- s([a, a, a], []), t(X), u(x, X), t(X).
"""
#: Loops, linear and not, and labels lost at an argument that is bound.
LOOPS = """
{} :: walk(N) :- step(N).
{} :: walk(N) :- other(N), walk(N), walk(N).
{} :: step(1). {} :: step(2).
{} :: other(1). {} :: other(2).
p :- walk(1), step(2).
"""
PROGRAMS = {"hmm": (HMM, "hmm([x, y, y, x, x])"), "grammar": (GRAMMAR, "p"), "loops": (LOOPS, "p")}


def text_of(form: str, random: Random) -> str:
    """Labels in pairs that sum to 1. Loops are kept from being critical."""
    values: list[float] = []
    for _ in range(form.count("{}") // 2):
        first = random.uniform(0.3, 0.7) if form is HMM else random.uniform(0.05, 0.45)
        values += [first, 1 - first]
    if form is LOOPS:
        values[:2] = values[1::-1]
    return form.format(*map(repr, values))


def built(text: str, goal: str, build: Callable[..., Hypergraph]) -> Hypergraph:
    return build(Query(slp.parse(text).ir, parse_term(goal)))


def values_under(graph: Hypergraph, text: str) -> np.ndarray:
    """The labels of a program in the numbers of another's hypergraph."""
    labels = graph.labels
    assert labels is not None
    value = {(c.head, c.body): c.label for c in slp.parse(text).ir.clauses}
    own = [float(value[o.clause.head, o.clause.body].value) for o in labels.outcomes]
    lost = [1 - sum(own[i] for i in e) for e in labels.exits]
    return np.array([*own, *np.maximum(lost, 0.0)])


@pytest.mark.parametrize("build", [hypergraph_of_query, built_by_machine])
@pytest.mark.parametrize("weighing", [PlainWeighing, CompiledWeighing])
@pytest.mark.parametrize("name", PROGRAMS)
def test_other_labels(name: str, weighing: type, build: Callable[..., Hypergraph]) -> None:
    form, goal = PROGRAMS[name]
    random = Random(name)
    graph = built(text_of(form, random), goal, build)
    own = weighing(graph)
    for _ in range(4):
        text = text_of(form, random)
        other = built(text, goal, built_by_machine)
        want = bounds_of(other)
        values = values_under(graph, text)
        roots = [graph.answers[0]] + ([] if graph.failure is None else [graph.failure])
        theirs = [other.answers[0]] + ([] if other.failure is None else [other.failure])
        masses = own.weigh(values, roots)
        assert [m.log for m in masses] == pytest.approx([want[i].value.log for i in theirs])
        for root, their in zip(roots, theirs, strict=True):
            uses = own.expected_uses({root: 2.5})
            expected = {(c.head, c.body): n for c, n in expected_uses(other, want, {their: 2.5})}
            keys = [(o.clause.head, o.clause.body) for o in graph.labels.outcomes]
            found = dict(zip(keys, uses, strict=False))
            assert {key: found[key] for key in expected} == pytest.approx(expected)


@pytest.mark.parametrize("weighing", [PlainWeighing, CompiledWeighing])
def test_what_is_lost_is_counted_by_exit(weighing: type) -> None:
    """p(a) takes 0.3 of 0.3 and 0.2; q fails in half of its proofs."""
    text = "0.3 :: p(a). 0.2 :: p(b). 0.5 :: p(c). 0.5 :: q(x). 0.5 :: q(y).\nr :- p(a), q(x).\n"
    graph = built(text, "r", hypergraph_of_query)
    labels = graph.labels
    assert labels is not None and graph.failure is not None
    names = [o.clause.head for o in labels.outcomes]
    own = weighing(graph)
    values = {"p(a)": 0.4, "q(x)": 0.9}
    given = np.zeros(labels.size)
    for i, head in enumerate(map(slp.syntax.term_to_text, names)):
        given[i] = values.get(head, 0.1)
    for k, members in enumerate(labels.exits):
        given[len(names) + k] = 1 - sum(given[i] for i in members)
    (failure,) = own.weigh(given, [graph.failure])
    assert float(failure) == pytest.approx(0.6 + 0.4 * 0.1)
    uses = own.expected_uses({graph.failure: 1.0})
    lost = {
        slp.syntax.term_to_text(names[members[0]]): uses[len(names) + k]
        for k, members in enumerate(labels.exits)
    }
    assert lost == pytest.approx({"p(a)": 0.6 / 0.64, "q(x)": 0.04 / 0.64})


@pytest.mark.parametrize("weighing", [PlainWeighing, CompiledWeighing])
def test_a_label_that_becomes_0(weighing: type) -> None:
    graph = built(text_of(HMM, Random(1)), "hmm([x, y])", hypergraph_of_query)
    labels = graph.labels
    assert labels is not None
    given = np.full(labels.size, 0.5)
    given[len(labels.outcomes) :] = 0.0
    heads = [slp.syntax.term_to_text(o.clause.head) for o in labels.outcomes]
    own = weighing(graph)
    for zero, want in (("initial(a)", 1 / 8), ("moves(b, a)", 3 / 16), ("", 1 / 4)):
        now = given.copy()
        for i, head in enumerate(heads):
            now[i] = 0.0 if head == zero else now[i]
        (mass,) = own.weigh(now, [graph.answers[0]])
        assert float(mass) == pytest.approx(want)
        uses = own.expected_uses({graph.answers[0]: 1.0})
        assert uses.sum() == pytest.approx(4.0)


@pytest.mark.parametrize("weighing", [PlainWeighing, CompiledWeighing])
def test_sums_that_are_not_finite(weighing: type) -> None:
    text = ":- weights.\n0.5 :: p :- p, p.\n0.25 :: p.\n"
    graph = built(text, "p", hypergraph_of_query)
    own = weighing(graph)
    assert graph.labels is not None
    lost = [0.0] * len(graph.labels.exits)
    (mass,) = own.weigh(np.array([0.5, 0.25, *lost]), [graph.answers[0]])
    assert float(mass) == pytest.approx(1 - 0.5**0.5)
    assert own.weigh(np.array([0.9, 0.5, *lost]), [graph.answers[0]]) is None
