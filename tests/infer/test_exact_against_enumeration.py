"""The chart equals the sum over all derivations, in every quantity, on random grammars and
tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from slp.infer.boxes import Geometry
from slp.infer.enumeration import Enumeration
from slp.infer.exact import Chart, build_forest
from tests.infer.cases import random_grammar, random_table

GIB = 2**30
MOST = 600  # derivations of one example


def example(seed: int) -> tuple[Enumeration, Chart] | None:
    """A random example by both engines; None if it is too large or nothing is derived."""
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    grammar = random_grammar(rng, table)
    chart = Chart(build_forest(grammar, Geometry(grammar, table), GIB), bool(rng.integers(4)))
    # without the limit on leaves, which the list only applies in the end
    free = replace(grammar, max_leaves=None)
    unlimited = Chart(build_forest(free, Geometry(free, table), GIB), False)
    if unlimited.tree_count() > MOST:
        return None
    listed = Enumeration.of(grammar, Geometry(grammar, table), chart.likelihood)
    assert chart.tree_count() == listed.tree_count()
    return (listed, chart) if listed.items else None


EXAMPLES = [(seed, found) for seed in range(400) if (found := example(seed)) is not None]
BY_SEED = pytest.mark.parametrize(
    ("want", "have"), [e for _, e in EXAMPLES], ids=[str(s) for s, _ in EXAMPLES]
)


def close(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-300)


def test_examples_are_many_and_varied() -> None:
    assert len(EXAMPLES) > 250
    sizes = [want.tree_count() for _, (want, _) in EXAMPLES]
    assert sum(s > 10 for s in sizes) > 70
    assert 50 < sum(have.derivations_are_trees for _, (_, have) in EXAMPLES) < 300


def close_logs(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-11)


@BY_SEED
def test_total_and_best(want: Enumeration, have: Chart) -> None:
    close_logs(have.log_total, want.log_total)
    close_logs(have.other(False).log_total, want.other(False).log_total)
    have_scores = [s.log_weight + have.likelihood * s.log_likelihood for s in have.best()]
    close_logs(have_scores, sorted(want.log_score, reverse=True))


@BY_SEED
def test_every_tree(want: Enumeration, have: Chart) -> None:
    by_tree: dict[object, list[float]] = {}
    for tree, item in zip(want.trees, want.items, strict=True):
        by_tree.setdefault(tree, []).append(item.log_weight)
    if have.derivations_are_trees:
        assert len(by_tree) == len(want.trees)
    for tree in islice(by_tree, 60):
        close_logs(have.log_weight(tree), want.log_weight(tree))


@BY_SEED
def test_summaries(want: Enumeration, have: Chart) -> None:
    close(have.usage(), want.usage())
    close(have.expected_splits(), want.expected_splits())
    leaves, depth = have.leaf_distribution(), have.depth_distribution()
    close(leaves, want.leaf_distribution())
    close(depth, want.depth_distribution())


@BY_SEED
def test_predictions(want: Enumeration, have: Chart) -> None:
    table = have.forest.geometry.table
    rng = np.random.default_rng(0)
    rows = np.empty((5, len(table.features)), object)
    for j, feature in enumerate(table.features):
        numbers = rng.integers(-1, 11, 5).astype(float).tolist()
        rows[:, j] = numbers if feature.levels is None else rng.choice([*feature.levels, "new"], 5)
    for a, b in zip(want.leaf_mixtures(rows), have.leaf_mixtures(rows), strict=True):
        close(b.probability.sum(), 1.0)
        if table.leaf.classes:
            predict = table.leaf.predict_proba
        else:
            predict = table.leaf.mean
        close(b.probability @ predict(b.statistics), a.probability @ predict(a.statistics))
