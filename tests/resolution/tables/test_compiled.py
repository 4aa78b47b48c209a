"""The compiled solver of tables against the specification, on random hypergraphs and programs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

import slp
from slp.budgets import Deadline, held
from slp.errors import TimeOverError
from slp.reference.tables import best, bounds
from slp.reference.tables.weighing import PlainWeighing
from slp.resolution.proofs.masses import ONE, ZERO
from slp.resolution.tables import compiled
from slp.resolution.tables.hypergraph import NONE, Edge, Hypergraph, Variable
from slp.resolution.tables.solved import Bounds, roots_of_success
from tests.reference.tables.solved import solved
from tests.reference.tables.test_masses import labels_of, random_clauses, text_of

SEEDS = np.array([1, 2, 3, 4], np.uint64)


def graph_of(edges: Sequence[Edge], n: int, answers: Sequence[int], above_one: bool) -> Hypergraph:
    variables = [Variable("answer", 0)] * n
    return Hypergraph([], variables, edges, answers, None, False, above_one)


def random_graph(seed: int) -> Hypergraph:
    """Up to 12 variables, of masses far below 1 or above it, which need each other or do not."""
    rng = Random(seed)
    n = rng.randint(1, 12)
    size = rng.choice([0.2, 0.5, 1.0, 4.0]) / n
    powers = [rng.choice([0, 0, -300, 250]) for _ in range(n)]  # of two: near the masses
    ahead = rng.random() < 0.3  # no variable needs itself
    edges = []
    for target in range(n):
        for _ in range(rng.randint(1, 4)):
            first, second = rng.randrange(n), rng.randrange(n)
            if ahead:
                first, second = (rng.randrange(target + 1) - 1 for _ in range(2))
            label, power = rng.random() * size, powers[target]
            if rng.random() < 0.4 or min(first, second) < 0:
                label = math.ldexp(label, power)
                edges.append(Edge(target, label, 1, NONE, NONE, None))
            else:
                label = math.ldexp(label, power - powers[first] - powers[second])
                edges.append(Edge(target, label, rng.randint(1, 2), first, second, None))
    return graph_of(edges, n, [0], True)


def width(bounds: Bounds) -> float:
    assert bounds.upper is not None
    return float(bounds.upper.over(bounds.lower)) - 1 if bounds.lower else math.inf


def assert_alike(have: Sequence[Bounds], want: Sequence[Bounds]) -> None:
    """The same claims; bounds that meet, about as wide."""
    for a, b in zip(have, want, strict=True):
        assert (a.infinite, a.upper is None) == (b.infinite, b.upper is None)
        assert a.lower <= a.value and b.lower <= b.value
        if a.upper is None or b.upper is None or not b.value:
            assert bool(a.value) == bool(b.value)
            continue
        assert a.lower <= b.upper and b.lower <= a.upper and a.value <= a.upper
        assert width(a) <= 4 * width(b) + 1e-12
        assert abs(float(a.value.over(b.value)) - 1) <= 1e-13 + 4 * width(b)


def own_labels(graph: Hypergraph) -> NDArray[np.float64]:
    """The labels of a hypergraph in the order of their numbers."""
    labels = graph.labels
    assert labels is not None
    own = [float(outcome.label.value) for outcome in labels.outcomes]
    lost = (1 - sum(own[i] for i in members) for members in labels.exits)
    return np.array([*own, *lost], np.float64)


def test_random_hypergraphs() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(300):
        graph = random_graph(seed)
        want = bounds.bounds_of(graph)
        assert_alike(compiled.bounds_of(graph), want)
        assert_alike([compiled.success_of(graph, want)], [bounds.success_of(graph, want)])
        kinds["infinite" if any(b.infinite for b in want) else "finite"] += 1
    assert min(kinds["infinite"], kinds["finite"]) > 20


@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 1000), marks=pytest.mark.slow)]
)
def test_random_recursive_programs(seeds: range) -> None:
    for seed in seeds:
        rng = Random(seed)
        clauses = random_clauses(rng)
        logical = {p for p in range(3) if rng.random() < 0.3}
        text = text_of(clauses, labels_of(clauses, logical), logical)
        found = solved(slp.parse(text), "p0(X, Y)")
        assert_alike(compiled.bounds_of(found.graph), found.masses)
        if any(b.infinite or b.upper is None for b in found.masses) or not found.graph.answers:
            continue
        roots = roots_of_success(found.graph, found.masses)
        used = []
        for weighing in compiled.CompiledWeighing(found.graph), PlainWeighing(found.graph):
            assert weighing.weigh(own_labels(found.graph), []) == []
            used.append(weighing.expected_uses(roots))
        have, want = used
        assert (have is None) == (want is None)
        if want is not None:
            assert have == pytest.approx(want, rel=1e-7)


def test_a_critical_program() -> None:
    found = solved(slp.parse(":- weights.\n0.4 :: s :- s, s.\n0.625 :: s.\n"), "s")
    (have,) = (compiled.bounds_of(found.graph)[i] for i in found.graph.answers)
    assert have.upper is None and not have.infinite
    assert 1.25 - 1e-5 < float(have.lower) < 1.25


@pytest.mark.parametrize("grid", [1, 25])
def test_large_components(grid: int) -> None:
    """A walk on a line of 6,000 places, and on a grid of 25 by 400, that ends with 0.1 at each."""
    length = 6000 if grid == 1 else 400
    n = length * grid
    edges = [Edge(i, 0.1, 1, NONE, NONE, None) for i in range(n)] + [
        Edge(n, 1, 1, NONE, NONE, None)
    ]
    for i in range(n):
        x, y = divmod(i, grid)
        steps = [((x + d) % length, y) for d in (1, -1)]
        steps += [(x, (y + d) % grid) for d in (1, -1)] if grid > 1 else []
        edges += [Edge(i, 0.9 / len(steps), 1, n, u * grid + v, None) for u, v in steps]
    found = compiled.bounds_of(graph_of(edges, n + 1, [0], True))
    for one in found[:n]:  # from each place it ends
        assert (
            one.upper is not None and 1 - 1e-10 < float(one.lower) <= float(one.upper) < 1 + 1e-10
        )
        assert float(one.lower) <= 1 + 1e-12 and float(one.upper) >= 1 - 1e-12


GRAMMAR = """
0.4 :: s(X, Z) :- s(X, Y), s(Y, Z).
0.35 :: s([a | R], R).
0.25 :: s([b | R], R) :- member(_, [1, 1]).
"""


@pytest.mark.parametrize("k", [1, 2, 7, 60])
def test_best_proofs(k: int) -> None:
    """The same proofs in the same order, equal masses included."""
    found = solved(slp.parse(GRAMMAR), "s([a, b, a, b, a], R)")
    want, have = best.best_proofs(found.graph, k), compiled.best_proofs(found.graph, k)
    assert len(want) > min(k, 20) - 1
    assert [(p.mass, p.root, p.begun()) for p in have] == [
        (p.mass, p.root, p.begun()) for p in want
    ]
    with pytest.raises(ValueError, match="above 1"):
        compiled.best_proofs(solved(slp.parse(":- weights.\n2 :: s.\n"), "s").graph, 1)


def test_draws() -> None:
    """Frequencies of all proofs against their masses: fails of 10,000 seeds one."""
    found = solved(slp.parse(GRAMMAR), "s([a, b, a, b, a], R)")
    graph, n = found.graph, 40_000
    roots = roots_of_success(graph, found.masses)
    number = {id(edge): i for i, edge in enumerate(graph.edges)}
    proofs = best.best_proofs(graph, 10_000)
    want: Counter[tuple[int, ...]] = Counter()
    for proof in proofs:
        want[proof.root, *(number[id(e)] for e in proof.begun())] += float(proof.mass)  # type: ignore[assignment]
    drawn = compiled.CoreSampler(graph, found.masses, roots).draw_many(n, SEEDS, threads=2)
    have: Counter[tuple[int, ...]] = Counter()
    for i, root in enumerate(drawn.answers.tolist()):
        begun = drawn.begun[drawn.first[i] : drawn.first[i + 1]].tolist()
        have[root, *begun] += 1
        log_mass = math.fsum(math.log(graph.edges[e].label) for e in begun)
        assert drawn.log_masses[i] == pytest.approx(log_mass, rel=1e-14)
    whole = sum(want.values())
    assert set(have) <= set(want)
    statistic = sum((have[key] - n * p / whole) ** 2 / (n * p / whole) for key, p in want.items())
    assert statistic < chi2.ppf(1 - 1e-4, len(want) - 1)


def test_threads_do_not_change_draws() -> None:
    found = solved(slp.parse(GRAMMAR), "s([a, b, a], R)")
    roots = roots_of_success(found.graph, found.masses)
    sampler = compiled.CoreSampler(found.graph, found.masses, roots)
    one, two = (sampler.draw_many(1000, SEEDS, threads) for threads in (1, 2))
    assert np.array_equal(one.begun, two.begun) and np.array_equal(one.first, two.first)
    other = sampler.draw_many(1000, SEEDS + np.uint64(1))
    assert not np.array_equal(one.begun[:500], other.begun[:500])


def test_roots_without_proofs_are_refused() -> None:
    graph = graph_of([Edge(0, 1.0, 1, 0, 0, None)], 1, [0], True)
    with pytest.raises(ValueError, match="no root"):
        compiled.CoreSampler(graph, [Bounds(ZERO, ZERO, ZERO)], {0: 1.0})


def test_a_draw_without_end_keeps_the_budget() -> None:
    """A loop whose way out has share 2^-60."""
    edges = [Edge(1, 1, 1, NONE, NONE, None), Edge(0, 2.0**-60, 1, NONE, NONE, None)]
    edges.append(Edge(0, 1.0, 1, 1, 0, None))
    graph = graph_of(edges, 2, [0], True)
    sampler = compiled.CoreSampler(graph, [Bounds(ONE, ONE, ONE)] * 2, {0: 1.0})
    with held(Deadline.of(0.3)), pytest.raises(TimeOverError):
        sampler.draw_many(1, SEEDS)
