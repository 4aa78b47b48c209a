"""The search where trees have few levels, on tables of numbers: two levels are solved at once, and
cuts between two that were solved are bounded by these. So are those of lists of trees.

Many more cases: `python -m tests.engines.search.test_limited_depth 10000`.
Their result is in docs/design/search.md.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

import slp
from slp.columns import Nominal
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.engines.search.compiled import CompiledSearch
from slp.ir.program import Measure
from slp.ir.tree_grammar import LeafRule, Rule, TreeGrammar
from slp.leaves import Dirichlet, GammaPoisson, LeafModel, NormalInverseGamma
from slp.problem.problem import Problem
from tests.engines.cases import cells, make_grammar, make_problem, make_table, numeric, split_rule
from tests.engines.search.test_against_exact import compare, with_durations
from tests.engines.search.test_k_best import compare_lists

_MEASURES: tuple[Measure, ...] = ("all", "feature_then_cut", "per_feature", "each")
#: Bytes of searches that are stopped: the least do not hold the sorted columns.
_ROOMS = 20_000, 2**22


def case(seed: int) -> tuple[Problem, bool, np.random.Generator]:
    """A problem of at most three levels, and whether the likelihood counts."""
    rng = np.random.default_rng([50, seed])
    table = with_durations(random_table(rng))
    return make_problem(random_grammar(rng, table), table), bool(rng.integers(8)), rng


def random_table(rng: np.random.Generator) -> Table:
    """Up to 30 rows of up to three features, the first of three values or more."""
    n, d = int(rng.integers(3, 31)), int(rng.integers(1, 4))
    features, codes = [], []
    for f in range(d):
        k = int(rng.integers(2 + (f == 0), 9))
        levels = f > 0 and rng.integers(4) == 0
        features.append(
            Feature(f"f{f}", Nominal(tuple("pqrstuvw"[:k]))) if levels else numeric(f"f{f}", k)
        )
        codes.append(rng.integers(k, size=n))
    score = np.where(codes[0] > rng.integers(3), 1.0, -1.0) * np.where(codes[-1] > 1, 1.0, -0.5)
    score += rng.normal(scale=rng.choice([0.1, 1.0]), size=n)
    leaf: LeafModel
    which = rng.integers(6)
    if which == 0:
        leaf, y = NormalInverseGamma(0.5, 0.3, 2.0, 1.5), score
    elif which == 1:
        leaf, y = GammaPoisson(1.5, 0.5), rng.poisson(np.exp(score)).astype(float)
    else:
        c = int(rng.integers(2, 4))
        leaf = Dirichlet(("a", "b", "c")[:c], float(rng.uniform(0.3, 3.0)))
        y = np.digitize(score, [-0.3, 0.6][: c - 1]).astype(float)
    return make_table(features, np.stack(codes, axis=1).tolist(), y.tolist(), leaf)


def random_grammar(rng: np.random.Generator, table: Table) -> TreeGrammar:
    """Each state leads to deeper ones, the left side perhaps to another than the right side. There
    may be several leaf rules, or none above the last level."""
    depth, measure = int(rng.integers(1, 4)), _MEASURES[rng.integers(4)]
    any_level = any(feature.kind.categorical for feature in table.features)
    states: list[list[Rule]] = []
    for level in range(depth):
        left = right = level + 1
        if not any_level and rng.integers(3) == 0:
            left, right = (int(x) for x in rng.integers(level + 1, depth + 1, size=2))
        step = split_rule(cells(table), left, right, measure, float(rng.normal(scale=2)))
        leaves = [LeafRule(float(rng.normal(scale=2))) for _ in range(rng.integers(3))]
        states.append([*leaves, step] if level else [LeafRule(float(rng.normal())), step])
    states.append([LeafRule(float(rng.choice([0.0, -1.0])))])
    return make_grammar(
        table,
        states,
        normalise=bool(rng.integers(4)),
        min_leaf=int(rng.choice([1, 1, 1, 2, 3])),
        feature_weights=rng.uniform(0.5, 3.0, len(table.features)),
    )


def check(seed: int) -> int:
    """One case; the steps taken."""
    problem, likelihood, rng = case(seed)
    return compare(problem, likelihood, rng, _ROOMS, seed)


def check_lists(seed: int) -> int:
    """One case; the derivations compared."""
    return compare_lists(*case(seed), seed)


@pytest.mark.usefixtures("compiled_kernels")
def test_trees_of_few_levels_are_the_best_and_their_bounds_hold() -> None:
    assert max(check(seed) for seed in range(200)) > 100


@pytest.mark.usefixtures("compiled_kernels")
def test_lists_of_trees_of_few_levels_are_those_of_the_chart() -> None:
    assert sum(check_lists(seed) for seed in range(60)) > 1000


@pytest.mark.usefixtures("compiled_kernels")
def test_a_search_that_is_stopped_leaves_its_list_the_trees_below_each_cut() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(30, size=(300, 4))
    y = (codes[:, 0] + codes[:, 1] + rng.integers(20, size=300) > 40).astype(float)
    features = [numeric(f"f{f}", 30) for f in range(4)]
    table = make_table(features, codes.tolist(), y.tolist(), Dirichlet(("a", "b"), 1.0))
    half = float(np.log(0.5))
    states: list[list[Rule]] = [
        [LeafRule(half), split_rule(cells(table), level + 1, level + 1, "all", half)]
        for level in range(3)
    ]
    problem = make_problem(make_grammar(table, [*states, [LeafRule(0.0)]]), table)
    search = CompiledSearch(
        problem.core, problem.table, likelihood=True, room=2**24, most_steps=2000
    )
    assert search.run() == (False, False)
    ranking, values = search.ranking(known=True), list[float]()
    while len(values) < 1000 and (found := ranking.next()[1]) is not None:
        values.append(found.value)
    near = sum(value > max(values) - 2.5 for value in values)
    assert near > 30


@pytest.mark.parametrize("depth", [2, 3])
def test_sets_near_the_best_tree_are_those_of_exact_sums(depth: int) -> None:
    rng = np.random.default_rng(depth)
    X = rng.normal(size=(40, 3)).round(1)
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, "yes", "no")
    program = slp.load("growtree_all").with_max_depth(depth)
    found, exact = (program.posterior(X, y, engine=engine) for engine in ("search", "exact"))
    for factor in (0.1, 0.01):
        near, want = found.rashomon_set(factor, most=3), exact.rashomon_set(factor, most=3)
        assert near.complete and near.count == want.count > 3
        assert [t.log_joint for t in near.trees] == pytest.approx([t.log_joint for t in want.trees])


if __name__ == "__main__":
    cases = int(sys.argv[1])
    steps = [check(seed) for seed in range(cases)]
    print(f"{cases} cases agree; steps: {sum(steps)}, at most {max(steps)}")
    compared = sum(check_lists(seed) for seed in range(cases))
    print(f"lists of {cases} cases agree; derivations compared: {compared}")
