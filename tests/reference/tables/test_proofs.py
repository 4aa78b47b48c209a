"""Expected uses, best proofs and draws against derivatives, the search and frequencies."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest

import slp
from slp.reference.tables.best import best_proofs
from slp.reference.tables.draws import ProofSampler
from slp.reference.tables.uses import expected_uses
from slp.resolution.tables.solved import roots_of_success
from slp.syntax import term_to_text
from tests.reference.tables.solved import Solved, solved

#: Recursion on both sides, a logical goal with several proofs, and failure.
GRAMMAR = """
{0} :: s(X, Z) :- s(X, Y), s(Y, Z).
{1} :: s([a | R], R).
{2} :: s([b | R], R) :- member(_, [1, 1]).
"""
STRING, OPEN = "s([a, b, a, a], [])", "s([a, b, a, a], R)"


def grammar(*labels: float) -> slp.Program:
    return slp.parse(":- weights.\n" + GRAMMAR.format(*map(repr, labels)))


def uses(found: Solved, roots: dict[int, float]) -> list[float]:
    """The uses of the three clauses of the grammar, in their order."""
    counts = expected_uses(found.graph, found.masses, roots)
    assert counts is not None
    lines = {clause.span.start: n for clause, n in counts if clause.span is not None}
    return [lines[start] for start in sorted(lines)]


def test_expected_uses_are_derivatives() -> None:
    """The expected uses of a clause are the derivative of log Z by its log label."""
    labels, step = [0.4, 0.35, 0.25], 1e-4
    found = solved(grammar(*labels), STRING)
    have = uses(found, roots_of_success(found.graph, found.masses))
    assert have == pytest.approx([3, 3, 1], rel=1e-12)  # four letters
    found = solved(grammar(*labels), OPEN)
    have = uses(found, roots_of_success(found.graph, found.masses))
    for i in range(3):
        logs = []
        for sign in (1, -1):
            moved = [x * math.exp(sign * step * (i == j)) for j, x in enumerate(labels)]
            logs.append(solved(grammar(*moved), OPEN).success.value.log)
        assert have[i] == pytest.approx((logs[0] - logs[1]) / (2 * step), rel=1e-6)


def test_expected_uses_in_loops() -> None:
    """s = 0.3 s s + 0.7: a derivation has m leaves and m - 1 pairs, E m = 1 / (1 - 0.6) 0.7."""
    found = solved(slp.parse("0.3 :: s :- s, s.\n0.7 :: s.\n"), "s")
    counts = expected_uses(found.graph, found.masses, roots_of_success(found.graph, found.masses))
    assert counts is not None
    have = sorted(n for _, n in counts)
    assert have == pytest.approx([0.3 / 0.4, 0.7 / 0.4], rel=1e-9)


def test_expected_uses_in_failure() -> None:
    """Two throws that differ: each face is thrown once in expectation."""
    text = "0.6 :: coin(h).\n0.4 :: coin(t).\ndouble :- coin(X), coin(Y), X = Y.\n"
    found = solved(slp.parse(text), "double")
    assert found.graph.failure is not None and found.failure == pytest.approx(0.48)
    counts = expected_uses(found.graph, found.masses, {found.graph.failure: 1.0})
    assert counts is not None
    assert [n for _, n in counts] == pytest.approx([1.0, 1.0], rel=1e-12)


def test_infinite_expected_uses_are_not_given() -> None:
    found = solved(slp.parse(":- weights.\n2 :: s :- s, s.\n1 :: s.\n"), "s")
    assert expected_uses(found.graph, found.masses, {found.graph.answers[0]: 1.0}) is None


PROGRAMS = {
    "grammar": (GRAMMAR.format(0.4, 0.35, 0.25), "s([a, b, a], [])"),
    "answers": (
        "0.6 :: coin(h).\n0.4 :: coin(t).\n"
        "pair(X, Y) :- coin(X), either(X, Y), member(Y, [h, h, t]).\n"
        "either(X, X).\neither(_, Y) :- coin(Y).\n",
        "pair(X, Y)",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_best_proofs_are_those_of_the_search(name: str) -> None:
    text, goal = PROGRAMS[name]
    program = slp.parse(text)
    want = program.query(goal, best=4)
    assert want.complete and want.best_certified
    have = best_proofs(solved(program, goal).graph, 4)
    assert [p.mass.log for p in have] == pytest.approx([p.log_mass for p in want.best], abs=1e-12)
    for mine, other in zip(have, want.best, strict=True):
        # Proofs of equal mass have no order, but here they use the same clauses.
        labels = sorted(edge.label for edge in mine.begun())
        assert labels == sorted(fired.label for fired in other.clauses)


def test_best_proofs_of_a_loop() -> None:
    """w: 0.5, 0.5^2, ..., one proof each."""
    found = solved(slp.parse("0.5 :: w :- w.\n0.5 :: w.\n"), "w")
    have = [float(p.mass) for p in best_proofs(found.graph, 6)]
    assert have == pytest.approx([0.5**k for k in range(1, 7)])


def test_an_answer_that_is_proved_late_joins_all_proofs_of_its_prefix() -> None:
    found = solved(
        slp.parse("s :- q, r(a).\n0.7 :: q.\n0.3 :: q.\n0.1 :: r(a).\n0.9 :: r(b).\n"), "s"
    )
    have = [float(p.mass) for p in best_proofs(found.graph, 3)]
    assert have == pytest.approx([0.07, 0.03], rel=1e-15)


def test_best_proofs_need_labels_up_to_one() -> None:
    found = solved(slp.parse(":- weights.\n2 :: w.\n"), "w")
    with pytest.raises(ValueError, match="above 1"):
        best_proofs(found.graph, 1)


@pytest.mark.parametrize("name", PROGRAMS)
def test_draws_have_the_probabilities_of_proofs(name: str) -> None:
    """4,000 draws; each frequency within 4.5 standard errors: wrong by chance once in 10^5 each."""
    text, goal = PROGRAMS[name]
    found = solved(slp.parse(text), goal)
    proofs = best_proofs(found.graph, 100)
    whole = math.fsum(float(p.mass) for p in proofs)
    assert whole == pytest.approx(float(found.success.value))
    want: dict[tuple[object, ...], float] = {}
    for proof in proofs:
        key = (proof.edge.target, *map(str, proof.begun()))
        want[key] = want.get(key, 0.0) + float(proof.mass) / whole
    sampler = ProofSampler(found.graph, found.masses, roots_of_success(found.graph, found.masses))
    rng, n = Random(3), 4000
    draws = [sampler.draw(rng) for _ in range(n)]
    have = Counter((d.answer, *map(str, d.begun)) for d in draws)
    assert set(have) <= set(want)
    for key, p in want.items():
        assert abs(have[key] / n - p) < 4.5 * math.sqrt(p * (1 - p) / n) + 1e-9
    for d in draws[:50]:
        assert d.log_mass == pytest.approx(math.fsum(math.log(e.label) for e in d.begun))


def test_draws_given_an_answer() -> None:
    text, goal = PROGRAMS["answers"]
    found = solved(slp.parse(text), goal)
    for i in found.graph.answers:
        drawn = ProofSampler(found.graph, found.masses, {i: 1.0}).draw(Random(1))
        first = found.graph.variables[i].terms[0]
        clause = drawn.begun[0].clause
        assert clause is not None
        assert term_to_text(clause.head) == f"coin({term_to_text(first)})"
