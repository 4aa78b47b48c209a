"""What rows are asked, and whether they share a leaf: sums by both engines that have them against
the list of all trees, and averages over draws against the sums."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import slp
from slp.errors import UsageError
from slp.reference.boxes import Geometry
from slp.reference.enumeration.sums import Enumeration
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import TreeDistribution
from tests.engines.cases import random_grammar, random_table
from tests.engines.engines import plain

MOST = 600  # derivations of one example
NAMES = ("asked", "tests", "all_tests", "cost")


def example(seed: int) -> Enumeration | None:
    """All derivations of a random grammar on a random table; None if they are too many or none."""
    rng = np.random.default_rng([seed, 7])
    table = random_table(rng)
    grammar = random_grammar(rng, table)
    if not 0 < plain(grammar, table, False).tree_count() <= MOST:
        return None
    listed = Enumeration.of(grammar, Geometry(grammar, table), bool(seed % 4))
    return listed if np.isfinite(listed.log_total) else None


def new_rows(listed: Enumeration, m: int = 4) -> np.ndarray:
    table, rng = listed.geometry.table, np.random.default_rng(0)
    rows = np.empty((m, len(table.features)), object)
    for f, feature in enumerate(table.features):
        levels = feature.kind.names
        rows[:, f] = rng.choice([*levels], m) if levels else rng.uniform(-1, 10, m)
    return rows


def is_parted(listed: Enumeration, rows: np.ndarray) -> bool:
    """Whether some tree has a row in two leaves."""
    mixtures = listed.leaf_mixtures(rows)
    return any(len(mixture.probability) > len(listed.items) for mixture in mixtures)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(240))
def test_sums_are_those_over_all_trees(
    seed: int, distribution_of: Callable[..., TreeDistribution]
) -> None:
    listed = example(seed)
    if listed is None or listed._grammar.max_leaves is not None:
        return
    have = distribution_of(listed._grammar, listed.geometry.table, listed.likelihood)
    prices = np.random.default_rng(seed).uniform(0, 9, len(listed.geometry.table.features))
    rows = new_rows(listed)
    for of in (rows, None):
        a, b = have.features_asked(of, prices), listed.features_asked(of, prices)
        assert a.kind == "exact"
        for name in NAMES:
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), 1e-9, 1e-11)
        assert not a.cost_error.any()
        assert not a.asked_error.any()
    a, b = have.proximity(rows), listed.proximity(rows)
    assert b is not None
    if a is None:  # a row goes to both sides of a split
        assert is_parted(listed, rows)
        return
    np.testing.assert_allclose(a.value, b.value, 1e-9, 1e-11)


@pytest.mark.parametrize("seed", [3, 8, 21, 30])
def test_draws_tell_the_same_within_their_errors(seed: int) -> None:
    """20,000 independent draws: each number within 5 standard errors, which fails once in about
    1e6 numbers."""
    listed = example(seed)
    assert listed is not None
    table, rng = listed.geometry.table, np.random.default_rng(1)
    drawn = listed.draw(20_000, rng)
    first, chain = np.unique(drawn.first_alike(), return_inverse=True)
    draws = DrawnTrees(table, drawn.take(first), np.split(chain, 4))
    prices = rng.uniform(0, 9, len(table.features))
    rows = new_rows(listed)
    for of in (rows, None):
        a, b = draws.features_asked(of, prices), listed.features_asked(of, prices)
        assert a.kind == "estimate"
        for name in ("asked", "all_tests", "cost"):
            error = np.nan_to_num(getattr(a, f"{name}_error"))
            assert (np.abs(getattr(a, name) - getattr(b, name)) <= 5 * error + 1e-9).all()
    a, b = draws.proximity(rows), listed.proximity(rows)
    assert (np.abs(a.value - b.value) <= 5 * np.nan_to_num(a.error) + 1e-9).all()


def test_soft_trees_have_no_paths() -> None:
    X, y = np.arange(12.0)[:, None], np.arange(12) % 3 > 0
    posterior = slp.parse(":- use(rjhmc). :- cost(x0, 3).").posterior(
        X, y, engine="rjhmc", draws=4, seed=1, warmup=4
    )
    for ask in (posterior.expected_cost, lambda: posterior.explain(X[:1])):
        with pytest.raises(UsageError, match="E566"):
            ask()
    with pytest.raises(UsageError, match="E566"):
        posterior.proximity(X)
    with pytest.raises(UsageError, match="E566"):
        posterior.cost_of_tree(posterior.map_tree())
