"""Properties of both engines that sum over boxes which the comparison with enumeration does not
cover: closed forms, derivatives, draws, depth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chi2

from slp.data.table import Table
from slp.engines.chart.semirings import fold, log_sum
from slp.engines.enumeration.sums import Enumeration
from slp.ir.tree_grammar import OUTSIDE, LeafRule, Rule, SplitRule
from slp.problem.boxes import Geometry
from slp.results.averages.over_trees import TreeDistribution
from slp.trees import Tree
from tests.engines.cases import (
    cells,
    denison,
    growtree,
    make_grammar,
    make_table,
    numeric,
    random_grammar,
    random_table,
    split_rule,
)
from tests.engines.engines import plain

Engine = Callable[..., TreeDistribution]


def line(n: int) -> Table:
    """n distinct points on a line, classes in turn."""
    return make_table([numeric("x", n)], [[i] for i in range(n)], [i % 2 for i in range(n)])


def test_stump_by_hand(distribution_of: Engine) -> None:
    """Two rows of classes a, b: one leaf has likelihood B(2, 2) = 1/6, two leaves 1/2 * 1/2.

    Under denison with phi = 3 their weights are 1 and 1/3 (up to a common factor), so the posterior
    of the stump is (1/3 * 1/4) / (1/6 + 1/12) = 1/3, and the evidence 1/4 / (4/3).
    """
    table = make_table([numeric("x", 2)], [[0], [1]], [0, 1])
    chart = distribution_of(denison(table, 3.0), table)
    prior = chart.other(False)
    assert math.exp(chart.log_total) == pytest.approx(1 / 4, rel=1e-14)
    assert math.exp(chart.log_total - prior.log_total) == pytest.approx(3 / 16, rel=1e-14)
    np.testing.assert_allclose(chart.leaf_distribution(), [0, 2 / 3, 1 / 3], rtol=1e-14)
    np.testing.assert_allclose(chart.usage(), [1 / 3], rtol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_trees_on_a_line(distribution_of: Engine, n: int) -> None:
    """k of the n - 1 cuts as inner nodes, in any binary tree: sum over k of C(n-1, k)
    Catalan(k)."""
    table = line(n)
    want = sum(math.comb(n - 1, k) * math.comb(2 * k, k) // (k + 1) for k in range(n))
    have = distribution_of(denison(table, 2.0), table).tree_count()
    assert have == want if want < 2**53 else have == pytest.approx(want, rel=1e-13)


def test_full_trees_on_a_line_are_catalan_numbers(distribution_of: Engine) -> None:
    """With no leaf but single rows, the trees on n points are the binary trees: Catalan(n - 1)."""
    n = 9
    table = line(n)
    split = split_rule(cells(table), 0, 0)
    grammar = make_grammar(table, [[split, LeafRule(-40.0)]])
    chart = distribution_of(grammar, table, likelihood=False)
    assert chart.leaf_distribution()[n] == pytest.approx(1.0, rel=1e-12)
    every = distribution_of(denison(table, 1.0), table, likelihood=False)
    full = math.exp(every.log_total) * every.leaf_distribution()[n]
    assert full == pytest.approx(math.comb(2 * n - 2, n - 1) // n, rel=1e-12)


def test_growtree_sums_to_one(distribution_of: Engine) -> None:
    table = random_table(np.random.default_rng(3))
    grammar = growtree(table, 0.95, 1.0, len(table.counts))
    assert distribution_of(grammar, table, likelihood=False).log_total == pytest.approx(
        0.0, abs=1e-12
    )


@pytest.mark.parametrize("seed", range(0, 40))
def test_outside_is_the_derivative_of_inside(seed: int) -> None:
    """d log Q(0) / d log w(e) = outside(item) w(e) Q(left) Q(right) / Q(0), by central
    differences."""
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    chart = plain(random_grammar(rng, table), table)
    f = chart.forest
    if chart.log_total == -np.inf:
        return
    for e in rng.choice(f.n_edges, min(5, f.n_edges), replace=False):
        item = int(np.searchsorted(f.first_edge, e, side="right") - 1)
        below = chart.log_inside[f.left[e]] + chart.log_inside[f.right[e]]
        score = chart.log_outside[item] + chart.edge_weight[e] + below
        have = math.exp(score - chart.log_total)
        moved = []
        for step in (1e-5, -1e-5):
            weight = chart.edge_weight.copy()
            weight[e] += step
            moved.append(fold(f, log_sum(weight))[0])
        assert have == pytest.approx((moved[0] - moved[1]) / 2e-5, rel=1e-6, abs=1e-8)


@pytest.mark.slow
def test_draws_follow_the_posterior(distribution_of: Engine) -> None:
    """Chi-square over all trees; a sound sampler fails one seed in a million, and the seed is
    fixed."""
    rng = np.random.default_rng(5)
    rows = rng.integers(3, size=(6, 2)).tolist()
    table = make_table([numeric("x", 3), numeric("z", 3)], rows, [0, 1, 0, 1, 1, 0])
    grammar = growtree(table, 0.8, 0.5, 5)
    listed = Enumeration.of(grammar, Geometry(grammar, table), True)
    want: Counter[Tree] = Counter()
    for tree, p in zip(listed.trees, listed.probability, strict=True):
        want[tree] += p
    n = 20_000
    chart = distribution_of(grammar, table)
    have = Counter(s.tree for s in chart.draw(n, np.random.default_rng(11)))
    assert set(have) <= set(want)
    common = [t for t, p in want.items() if n * p >= 5]
    rare = 1.0 - sum(want[t] for t in common)
    cells_ = [(have[t], n * want[t]) for t in common]
    cells_.append((n - sum(h for h, _ in cells_), n * rare))
    statistic = sum((h - w) ** 2 / w for h, w in cells_)
    assert len(common) > 10
    assert statistic < chi2.isf(1e-6, len(common))


def test_same_seed_same_draws(distribution_of: Engine) -> None:
    table = line(8)
    chart = distribution_of(denison(table, 2.0), table)
    one, two, other = (
        [s.tree for s in chart.draw(50, np.random.default_rng(i))] for i in (1, 1, 2)
    )
    assert one == two != other


@pytest.mark.slow
def test_trees_may_be_deeper_than_the_stack(distribution_of: Engine) -> None:
    """A path of 1200 splits: state i only cuts off point i, whose leaf is forced."""
    n = 1200
    table = line(n)
    points = [[i + 0.5 for i in range(n - 1)]]
    states: list[list[Rule]] = []
    for i in range(n - 1):
        steps = np.full((2 * n - 1, 2), OUTSIDE, np.int32)
        steps[2 * i + 1] = (n, i + 1)
        states.append([SplitRule(0.0, "all", (steps,))])
    states += [[LeafRule(0.0)], [LeafRule(0.0)]]
    chart = distribution_of(make_grammar(table, states, breakpoints=points), table)
    best = next(chart.best())
    assert best.tree.n_leaves == n
    assert best.tree.depth == n - 1
    assert chart.draw(1, np.random.default_rng(0))[0].tree == best.tree
    assert chart.log_weight(best.tree) == pytest.approx(0.0, abs=1e-9)


def test_derivations_are_trees_where_leaves_are_owed(distribution_of: Engine) -> None:
    """State k owes k leaves and deals them out in every way: many rules for a split, one
    derivation."""
    table = line(5)
    sizes = cells(table)
    owe: list[list[Rule]] = [[], [LeafRule(0.0)]]
    for k in range(2, 6):
        owe.append([split_rule(sizes, j, k - j) for j in range(1, k)])
    owe[0] = [rule for k in range(1, 6) for rule in owe[k]]
    chart = distribution_of(make_grammar(table, owe, normalise=False), table)
    assert chart.derivations_are_trees
    assert chart.tree_count() == distribution_of(denison(table, 1.0), table).tree_count()
    twice = [*owe[:1], [LeafRule(0.0), LeafRule(-1.0)], *owe[2:]]
    assert not distribution_of(
        make_grammar(table, twice, normalise=False), table
    ).derivations_are_trees
