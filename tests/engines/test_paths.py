"""Paths of rows down random trees have the distribution that they have in whole trees.

Each chi-square test fails by chance in 1e-6 of its runs; the seeds are fixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import slp
from slp.results.averages.over_trees import TreeDistribution
from slp.trees import Leaf, Split, Tree
from tests.engines.test_exact_against_enumeration import example

ERROR_RATE = 1e-6
N = 1000

TABLE = pd.DataFrame(
    {
        "x": [1, 2, 3, 4, 5, 6, 7, 8],
        "z": ["a", "b", "c", "a", "b", "c", "a", "b"],
        "y": ["no", "no", "yes", "no", "yes", "yes", "no", "yes"],
    }
)


def check_counts(found: Counter[Any], expected: Mapping[Hashable, float], df_scale: int) -> None:
    """Chi-square of counts against expected numbers; the rare outcomes are one. `df_scale` is 2
    where the expected numbers are counts of as many draws themselves."""
    assert set(found) <= {key for key, number in expected.items() if number > 0} or df_scale == 2
    common = [key for key, number in expected.items() if number >= 10]
    have = np.array([found[key] for key in common], np.float64)
    want = np.array([expected[key] for key in common], np.float64)
    rest = N - have.sum(), N - want.sum()
    if rest[1] >= 10:
        have, want = np.append(have, rest[0]), np.append(want, rest[1])
    assert rest[1] >= 10 or rest[0] < 60
    variance = want if df_scale == 1 else have + want
    statistic = ((have - want) ** 2 / variance).sum()
    assert chi2.sf(statistic, max(1, len(want) - 1)) > ERROR_RATE


@pytest.mark.thinned(5)
@pytest.mark.parametrize("place", range(12))
def test_leaves_are_as_the_list_of_all_trees_says(
    place: int, distribution_of: Callable[..., TreeDistribution]
) -> None:
    """Of many trees each; some of the rows have levels that the table lacks."""
    grammar, listed = example(place, 61)
    table = listed.geometry.table
    have = distribution_of(grammar, table, listed.likelihood)

    rng = np.random.default_rng(place)
    rows = np.empty((3, len(table.features)), object)
    for j, feature in enumerate(table.features):
        numbers = rng.integers(-1, 11, 3).astype(float).tolist()
        rows[:, j] = (
            numbers if not feature.kind.categorical else rng.choice([*feature.kind.names, "new"], 3)
        )
    paths = have.draw_paths(rows, N, rng)
    assert paths is not None
    for own, mixture in zip(paths, listed.leaf_mixtures(rows), strict=True):
        expected: dict[Hashable, float] = {}
        for p, statistics in zip(mixture.probability, mixture.statistics, strict=True):
            key = repr(Leaf.of(table.leaf, statistics).summary)
            expected[key] = expected.get(key, 0.0) + N * float(p)
        check_counts(Counter(repr(path.leaf.summary) for path in own), expected, 1)


def way_of(tree: Tree, row: Mapping[str, Any]) -> Hashable:
    """The tests that a row meets, its sides, and its leaf."""
    node, tests, sides = tree.root, [], []
    while isinstance(node, Split):
        value = row[node.feature]
        left = value == node.level if node.threshold is None else value < node.threshold
        tests.append(node.asked)
        sides.append(bool(left))
        node = node.left if left else node.right
    return tuple(tests), tuple(sides), repr(node.summary)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("engine", ["exact", "chart"])
@pytest.mark.parametrize("likelihood", [True, False])
def test_whole_paths_are_those_of_whole_trees(engine: str, likelihood: bool) -> None:
    posterior = slp.load("bcart_pcfg").posterior(TABLE, "y", engine=engine, draws=0)
    if not likelihood:
        posterior = posterior.prior()
    new = pd.DataFrame({"x": [2.5, 7.0], "z": ["c", "a"]})
    paths = posterior.sample_paths(new, N, seed=1)
    assert paths == posterior.sample_paths(new, N, seed=1)
    trees = posterior.sample(N, seed=2)
    for own, row in zip(paths, new.to_dict("records"), strict=True):
        have = Counter((p.tests, p.goes_left, repr(p.leaf.summary)) for p in own)
        check_counts(have, Counter(way_of(tree, row) for tree in trees), 2)


@pytest.mark.parametrize("engine", ["enumerate", "mh"])
def test_engines_of_whole_trees_refuse(engine: str) -> None:
    posterior = slp.load("growtree").posterior(TABLE[:4], "y", engine=engine, draws=10, seed=1)
    with pytest.raises(slp.SlpError, match=f"E535.*the engine {engine} has whole trees alone"):
        posterior.sample_paths(TABLE[:2])
