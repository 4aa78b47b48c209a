"""The search against exact sums on random grammars and tables: the same optimum, and bounds that
hold at every moment.

Many more cases: `python -m tests.engines.search.test_against_exact 10000`.
Their result is in docs/design/search.md.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest

from slp.columns import Nominal, Numeric, Sided, Subsets
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.engines.search.compiled import CompiledSearch, FoundTree
from slp.ir.program import MEASURES
from slp.ir.tree_grammar import CallRule, LeafRule, Rule, TreeGrammar
from slp.leaves import Dirichlet, GammaExponential, GammaPoisson
from slp.problem.problem import Problem
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.search import PlainSearch
from tests.engines.cases import (
    cells,
    make_grammar,
    make_problem,
    make_table,
    numeric,
    random_grammar,
    random_table,
    split_rule,
    with_groups,
)

#: The pass of the core for the best derivation (`native/core/exact/engine.hpp`, `Quantity`).
_BEST = 1
#: Bytes that suffice for every case, and bytes that do not hold all items of the larger ones.
_ROOM, _LITTLE = 2**24, (12_000, 200_000)
#: Items that suffice for every case: a fault may keep the search from its end.
_MOST = 200_000


def best_by_exact_sums(problem: Problem, likelihood: bool) -> float:
    """Log of the largest value of a derivation."""
    of = (likelihood, True, 0, 2, 2**28, 1)
    found = problem.core.make_pass(_BEST, *of)  # type: ignore[union-attr]
    assert found.run(None) == 0
    return float(max(problem.core.root_values(found)))  # type: ignore[union-attr]


def case(seed: int) -> tuple[Problem, bool, np.random.Generator]:
    """A problem, and whether the likelihood counts. Of even seeds the grammar has any rules,
    measures and constraints. Of odd seeds it is `growtree` under some measure, half of them on
    tables whose best trees have many leaves: there two levels are bounded at once. Every 16th has
    few levels, and splits by subsets: there the last split is bounded."""
    rng = np.random.default_rng(seed)
    if seed % 16 == 11:
        table = with_durations(by_subsets(rng))
        grammar = growing(rng, table, int(rng.integers(1, 4)))
    elif seed % 2:
        table = random_table(rng, 14) if seed % 4 == 1 else blocks(rng)
        grammar = growing(rng, table)
    else:
        table = with_durations(random_table(rng, 8))
        grammar = random_grammar(rng, table)
    return make_problem(grammar, table), bool(rng.integers(8)), rng


def with_durations(table: Table) -> Table:
    """A table of counts as one of durations, some of them censored, if its rows are few."""
    if not isinstance(table.leaf, GammaPoisson) or len(table.counts) % 2:
        return table
    n, total, _ = table.statistics.T
    own = np.stack([n, np.minimum(n, total // 2), total + 0.5], axis=1)
    return replace(table, leaf=GammaExponential(1.5, 0.5), statistics=own)


def blocks(rng: np.random.Generator) -> Table:
    """100 rows whose class is that of a block of codes, with some noise."""
    features, codes = [], []
    for f in range(int(rng.integers(1, 4))):
        k = int(rng.integers(2, 6))
        of_levels = rng.integers(3) == 0
        values = np.arange(k, dtype=np.float64)
        features.append(
            Feature(f"f{f}", Nominal(tuple("pqrst"[:k])) if of_levels else Numeric(values))
        )
        codes.append(rng.integers(k, size=100))
    rows = np.stack(codes, axis=1)
    block = rng.integers(2, size=(5, 5, 5))
    y = block[tuple(np.pad(rows, ((0, 0), (0, 3 - rows.shape[1]))).T)]
    y = np.where(rng.random(100) < rng.choice([0.0, 0.05]), 1 - y, y)
    leaf = Dirichlet(("a", "b"), 0.5)
    return make_table(features, rows.tolist(), y.astype(float).tolist(), leaf)


def by_subsets(rng: np.random.Generator) -> Table:
    """A feature that splits by subsets of up to six levels, one of thresholds with missing values
    that take a side, and one of tests on levels; of two classes or of counts."""
    k, n = int(rng.integers(2, 7)), int(rng.integers(6, 31))
    features = (
        Feature("group", Subsets(tuple("pqrstu"[:k]))),
        Feature("x", Sided(Numeric(np.arange(4.0)), holes=True)),
        Feature("level", Nominal(("a", "b", "c"))),
    )
    codes = np.stack([rng.integers(k, size=n), rng.integers(5, size=n), rng.integers(3, size=n)])
    codes[:, :6] = np.arange(6) % np.array([[k], [5], [3]])  # every code occurs
    score = rng.normal(size=k)[codes[0]] + 0.3 * rng.normal(size=5)[codes[1]]
    if rng.integers(2):
        y, leaf = (score + 0.3 * rng.normal(size=n) > 0).astype(float), Dirichlet(("a", "b"), 0.7)
    else:
        y, leaf = rng.poisson(np.exp(score)).astype(float), GammaPoisson(1.5, 0.5)
    return make_table(features, codes.T.tolist(), y.tolist(), leaf)


def growing(rng: np.random.Generator, table: Table, depths: int | None = None) -> TreeGrammar:
    """Split with probability alpha (1 + depth)^-beta, under a random measure, down to a depth."""
    measure = MEASURES[rng.integers(len(MEASURES))]
    if any(feature.kind.values is None for feature in table.features):
        measure = "gap" if measure == "range" else measure
    alpha, beta = rng.uniform(0.5, 0.99), rng.uniform(0.0, 1.5)
    states: list[list[Rule]] = []
    depths = depths or len(table.counts)
    for depth in range(depths):
        p = alpha * (1 + depth) ** -beta
        step = split_rule(cells(table), depth + 1, depth + 1, measure, float(np.log(p)))
        states.append([LeafRule(float(np.log1p(-p))), step])
    states.append([LeafRule(0.0)])
    weights = rng.uniform(0.5, 3.0, len(table.features)) if rng.integers(2) else None
    if weights is None:
        return make_grammar(table, states, normalised=True)
    return make_grammar(table, states, normalised=True, feature_weights=weights)


def value_of(problem: Problem, found: FoundTree, likelihood: bool) -> float:
    """The best value among the derivations of the tree found, taken over by a fresh search."""
    search = CompiledSearch(
        problem.core, problem.table, likelihood=likelihood, room=_ROOM, most_steps=1
    )
    assert search.seed(found.cuts)
    search.run()
    return search.found().low


def check(seed: int) -> int:
    """One case; the items opened."""
    problem, likelihood, rng = case(seed)
    return compare(problem, likelihood, rng, _LITTLE, seed)


def compare(
    problem: Problem,
    likelihood: bool,
    rng: np.random.Generator,
    little: tuple[int, int],
    seed: int,
) -> int:
    """The search of a problem, whole and stopped at random with `little` memory (from, below)
    against exact sums; the items opened."""
    want = best_by_exact_sums(problem, likelihood)
    margin = 1e-8 * (1 + abs(want)) if math.isfinite(want) else 0.0

    def close(x: float) -> bool:
        return x == want or abs(x - want) <= margin

    search = CompiledSearch(
        problem.core, problem.table, likelihood=likelihood, room=_ROOM, most_steps=_MOST
    )
    assert search.run() == (True, False), seed
    whole = search.found()
    assert whole.certified and close(whole.low), (seed, whole.low, want)
    assert (want > -math.inf) == (len(whole.cuts) > 0)
    if want > -math.inf:
        assert close(value_of(problem, whole, likelihood)), seed
    # Stopped at random, and then going on from there.
    for _ in range(3):
        steps, room = int(rng.integers(1, whole.steps + 2)), int(rng.integers(*little))
        part = CompiledSearch(
            problem.core, problem.table, likelihood=likelihood, room=room, most_steps=steps
        )
        part.run()
        found = part.found()
        assert found.low <= want + margin and found.high >= want - margin, (seed, steps)
        assert not found.certified or close(found.low), (seed, steps)
    return whole.steps


@pytest.mark.usefixtures("compiled_kernels")
def test_the_core_finds_the_best_and_its_bounds_hold() -> None:
    # 500: leaves of several rows, so that not every cut is a split
    steps = [check(seed) for seed in (*range(300), 500)]
    assert max(steps) > 50


@pytest.mark.usefixtures("compiled_kernels")
def test_groups_of_features() -> None:
    for seed in range(80):
        problem, likelihood, rng = case(seed)
        grammar = with_groups(rng, problem.grammar, problem.table)
        compare(make_problem(grammar, problem.table), likelihood, rng, _LITTLE, seed)


@pytest.mark.usefixtures("compiled_kernels")
def test_groups_of_features_of_two_values() -> None:
    """Without groups no split of a box of n cuts is more probable than 1 / n there."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        features = [numeric(f"f{i}", 2) for i in range(6)]
        codes = rng.integers(2, size=(16, 6))
        y = np.where(rng.random(16) < 0.1, 1 - codes[:, 5], codes[:, 5]).astype(float)
        leaf = Dirichlet(("a", "b"), 0.5)
        table = make_table(features, codes.tolist(), y.tolist(), leaf)
        states: list[list[Rule]] = [
            [
                LeafRule(float(np.log1p(-0.9))),
                split_rule(cells(table), i + 1, i + 1, "feature_then_cut", float(np.log(0.9))),
            ]
            for i in range(4)
        ]
        states.append([LeafRule(0.0)])
        groups = np.array([0, 0, 0, 0, 0, 1])
        problem = make_problem(make_grammar(table, states, normalised=True, groups=groups), table)
        compare(problem, True, rng, _LITTLE, seed)


@pytest.mark.usefixtures("compiled_kernels")
def test_items_that_made_way_in_the_table_are_opened_again() -> None:
    """Of these the branches may be kept, but not those that were worth less than the best tree."""
    problem, likelihood, _ = case(399)
    search = CompiledSearch(
        problem.core, problem.table, likelihood=likelihood, room=100_000, most_steps=50_000
    )
    assert search.run() == (True, False)
    found = search.found()
    assert found.lost > 0 and found.certified
    assert found.low == pytest.approx(best_by_exact_sums(problem, likelihood), rel=1e-8)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
def test_the_specification_finds_the_best_and_its_bounds_hold_at_every_step() -> None:
    for seed in range(60):
        problem, likelihood, _ = case(seed)
        want = best_by_exact_sums(problem, likelihood)
        margin = 1e-8 * (1 + abs(want)) if math.isfinite(want) else 0.0
        search = PlainSearch(
            LocalProcess(problem.grammar, Geometry(problem.grammar, problem.table)), likelihood
        )
        while not search.run(lambda: True):
            assert search.low <= want + margin and search.high >= want - margin, seed
            search.step()
        assert search.low == want or abs(search.low - want) <= margin, seed
        cuts = search.cuts()
        assert (len(cuts) > 0) == (want > -math.inf)
        if len(cuts):
            again = CompiledSearch(
                problem.core, problem.table, likelihood=likelihood, room=_ROOM, most_steps=1
            )
            assert again.seed(cuts)
            again.run()
            assert abs(again.found().low - want) <= margin, seed


@pytest.mark.usefixtures("compiled_kernels")
def test_a_search_that_has_begun_takes_more_trees() -> None:
    better = 0
    for seed in range(1, 200, 2):  # odd seeds: every tree has one derivation
        problem, likelihood, _ = case(seed)
        want = best_by_exact_sums(problem, likelihood)
        trees = [found_at(problem, likelihood, steps) for steps in (1, 4, 1000)]
        search = CompiledSearch(
            problem.core, problem.table, likelihood=likelihood, room=_ROOM, most_steps=_MOST
        )
        search.run(lambda *_: False)
        for tree in trees:
            begun = search.found()
            if len(tree.cuts):
                assert search.seed(tree.cuts)
                search.run(lambda *_: False)
                better += search.found().low > begun.low
                assert search.found().low >= max(begun.low, tree.low) - 1e-9
        assert search.run() == (True, False)
        found = search.found()
        assert found.certified
        assert found.low == want or found.low == pytest.approx(want, rel=1e-8), seed
    assert better > 5


def found_at(problem: Problem, likelihood: bool, steps: int) -> FoundTree:
    """What a search has found after so many steps."""
    search = CompiledSearch(
        problem.core, problem.table, likelihood=likelihood, room=_ROOM, most_steps=steps
    )
    search.run()
    return search.found()


@pytest.mark.usefixtures("compiled_kernels")
def test_a_tree_that_is_better_by_less_than_a_thousandth_is_found() -> None:
    """The start calls one of forty states. The later a state, the less is its leaf worth. In growth
    the 24th costs more than departures may, so no tree to begin with comes of the last states.
    Splits of the first 39 are worth a quarter of their bound, as there are four of a gap each; that
    of the last is worth more than all leaves."""
    table = make_table([numeric("f", 5)], [[i] for i in range(5)], [0, 1, 0, 1, 0])
    called: list[list[Rule]] = [
        [LeafRule(-1e-3 - 1e-4 * i), split_rule(cells(table), 41, 41, "gap", -4e-4)]
        for i in range(1, 40)
    ]
    called.append([LeafRule(-6e-3), split_rule(cells(table), 41, 41, "each", -5e-4)])
    start: list[Rule] = [CallRule(0.0, i) for i in range(1, 41)]
    grammar = make_grammar(table, [start, *called, [LeafRule(0.0)]], normalise=False)
    core = make_problem(grammar, table).core
    begun = CompiledSearch(core, table, likelihood=False, room=_ROOM, most_steps=12)
    begun.run()
    assert begun.found().low == pytest.approx(-1.1e-3) and not begun.found().certified
    search = CompiledSearch(core, table, likelihood=False, room=_ROOM, most_steps=1000)
    assert search.run() == (True, False)
    assert search.found().certified and search.found().low == pytest.approx(-5e-4)


if __name__ == "__main__":
    cases = int(sys.argv[1])
    opened = [check(seed) for seed in range(cases)]
    print(f"{cases} cases agree; items opened: {sum(opened)}, at most {max(opened)}")
