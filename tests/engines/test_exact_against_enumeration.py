"""Both engines that sum over boxes equal the sum over all derivations, in every quantity, on random
grammars and tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import count, islice

import numpy as np
import pytest

from slp.ir.tree_grammar import TreeGrammar
from slp.reference.boxes import Geometry
from slp.reference.enumeration.sums import Enumeration
from slp.results.averages.over_trees import TreeDistribution
from tests.engines.cases import random_grammar, random_table
from tests.engines.engines import plain

MOST = 600  # derivations of one example

Listed = tuple[TreeGrammar, Enumeration]


def made(seed: int) -> Listed | None:
    """A random grammar on a table and its derivations; None if they are too many or none."""
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    grammar = random_grammar(rng, table)
    likelihood = bool(rng.integers(4))
    # without the limit on leaves, which the list only applies in the end
    if plain(replace(grammar, max_leaves=None), table, False).tree_count() > MOST:
        return None
    listed = Enumeration.of(grammar, Geometry(grammar, table), likelihood)
    assert plain(grammar, table).tree_count() == listed.tree_count()
    return (grammar, listed) if listed.items else None


@cache
def example(place: int, least: int) -> Listed:
    """The first with so many trees; each place has seeds of its own."""
    found = (made(seed) for seed in count(place, 1000))
    return next(pair for pair in found if pair and pair[1].tree_count() >= least)


def least_of(place: int) -> int:
    return 1 if place % 3 else 11


#: Some examples are quick, with both engines.
QUICK = 60
PLACES = [pytest.param(i, marks=[pytest.mark.slow] if i >= QUICK else []) for i in range(320)]


@pytest.fixture(params=PLACES)
def grammar_and_list(request: pytest.FixtureRequest) -> Listed:
    return example(request.param, least_of(request.param))


@pytest.fixture
def want(grammar_and_list: Listed) -> Enumeration:
    """The specification of an example."""
    return grammar_and_list[1]


@pytest.fixture
def have(
    grammar_and_list: Listed,
    distribution_of: Callable[..., TreeDistribution],
) -> TreeDistribution:
    """The same by an engine that sums over boxes."""
    grammar, listed = grammar_and_list
    return distribution_of(grammar, listed.geometry.table, listed.likelihood)


def close(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-300)


def test_examples_are_varied() -> None:
    examples = [example(i, least_of(i)) for i in range(QUICK)]
    assert sum(listed.tree_count() > 50 for _, listed in examples) >= 5
    sure = [plain(g, listed.geometry.table).derivations_are_trees for g, listed in examples]
    assert 10 <= sum(sure) <= 50


def close_logs(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-11)


def test_total_and_best(want: Enumeration, have: TreeDistribution) -> None:
    assert have.tree_count() == want.tree_count()
    close_logs(have.log_total, want.log_total)
    close_logs(have.other(False).log_total, want.other(False).log_total)
    have_scores = [s.log_weight + want.likelihood * s.log_likelihood for s in have.best()]
    close_logs(have_scores, sorted(want.log_score, reverse=True))


def test_every_tree(want: Enumeration, have: TreeDistribution) -> None:
    by_tree: dict[object, list[float]] = {}
    for tree, item in zip(want.trees, want.items, strict=True):
        by_tree.setdefault(tree, []).append(item.log_weight)
    if have.derivations_are_trees:
        assert len(by_tree) == len(want.trees)
    for tree in islice(by_tree, 60):
        close_logs(have.log_weight(tree), want.log_weight(tree))


def test_summaries(want: Enumeration, have: TreeDistribution) -> None:
    close(have.usage(), want.usage())
    close(have.expected_splits(), want.expected_splits())
    leaves, depth = have.leaf_distribution(), have.depth_distribution()
    close(leaves, want.leaf_distribution())
    close(depth, want.depth_distribution())


def test_predictions(want: Enumeration, have: TreeDistribution) -> None:
    table = want.geometry.table
    rng = np.random.default_rng(0)
    rows = np.empty((5, len(table.features)), object)
    for j, feature in enumerate(table.features):
        numbers = rng.integers(-1, 11, 5).astype(float).tolist()
        rows[:, j] = (
            numbers if not feature.kind.categorical else rng.choice([*feature.kind.names, "new"], 5)
        )
    for a, b in zip(want.leaf_mixtures(rows), have.leaf_mixtures(rows), strict=True):
        close(b.probability.sum(), 1.0)
        if table.leaf.classes:
            predict = table.leaf.predict_proba
        else:
            predict = table.leaf.mean
        close(b.probability @ predict(b.statistics), a.probability @ predict(a.statistics))
