"""Credible intervals of class probabilities: against all trees one by one, against draws of trees
and probabilities, and between engines."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import stats

import slp
from slp.errors import SlpWarning, UsageError

PRIOR = ":- use(growtree). :- support(max_depth(2)). :- leaf(dirichlet([0.5, 1, 2])). "


def frame(n: int = 9) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    a, b = rng.integers(0, 4, n), rng.choice(["p", "q", "r"], n)
    y = rng.choice(["one", "three", "two"], n, p=[0.5, 0.2, 0.3])
    return pl.DataFrame({"a": a, "b": b, "y": y})


def posterior_of(
    engine: str, data: pl.DataFrame, text: str = PRIOR, draws: int = 0
) -> slp.Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(text).posterior(data, engine=engine, seed=1, draws=draws)


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate"])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_ends_hold_their_mass_over_all_trees(engine: str, level: float) -> None:
    """Each tree with its probability, its leaf's counts, and the beta distribution by SciPy."""
    data = frame()
    posterior = posterior_of(engine, data)
    a = dict(zip(("one", "three", "two"), (0.5, 1.0, 2.0), strict=True))
    new = data.head(4)
    have = posterior.predict_interval(new, level)
    assert have.shape == (4, 3, 2)
    mass = np.zeros(have.shape)
    trees = posterior.k_best(10_000)
    assert 50 < len(trees) < 10_000
    for found in trees:
        assert found.log_posterior is not None
        leaves = found.tree.leaves()
        for row, leaf in enumerate(found.tree.apply(new)):
            counts = leaves[leaf].summary["counts"]
            for c, outcome in enumerate(a):
                own = a[outcome] + counts.get(outcome, 0)
                others = sum(a.values()) + sum(counts.values()) - own
                below = stats.beta.cdf(have[row, c], own, others)
                mass[row, c] += np.exp(found.log_posterior) * below
    tails = [(1 - level) / 2, (1 + level) / 2]
    np.testing.assert_allclose(mass, np.broadcast_to(tails, mass.shape), rtol=0, atol=1e-9)


@pytest.mark.slow
def test_against_draws_of_trees_and_probabilities() -> None:
    data = frame()
    posterior = posterior_of("exact", data)
    rng = np.random.default_rng(2)
    drawn = []
    for tree in posterior.sample(3000, seed=3):
        counts = tree.leaves()[tree.apply(data.head(1))[0]].summary["counts"]
        known = [counts.get(c, 0) for c in ("one", "three", "two")]
        drawn.append(rng.dirichlet(np.array(known) + [0.5, 1, 2]))
    want = np.quantile(drawn, [0.05, 0.95], axis=0).T
    np.testing.assert_allclose(posterior.predict_interval(data.head(1))[0], want, atol=0.03)


@pytest.mark.slow
def test_draws_agree_with_exact_sums() -> None:
    data = frame(14)
    exact = posterior_of("exact", data).predict_interval(data)
    drawn = posterior_of("mh", data, draws=1500)
    sampled = drawn.predict_interval(data)
    assert np.abs(exact - sampled).max() < 0.04
    np.testing.assert_allclose(drawn.predict_interval(data.head(1))[0], sampled[0], rtol=1e-9)


def test_two_classes_mirror_each_other_and_hold_the_mean() -> None:
    data = frame().with_columns(y=pl.when(pl.col("y") == "one").then(1).otherwise(0))
    posterior = posterior_of("exact", data, ":- use(growtree).")
    low, high = np.moveaxis(posterior.predict_interval(data), 2, 0)
    np.testing.assert_allclose(low[:, 0], 1 - high[:, 1], atol=1e-12)
    mean = posterior.predict_proba(data)
    assert ((low < mean) & (mean < high)).all()
    inner = posterior.predict_interval(data, 0.5)
    assert ((low < inner[..., 0]) & (inner[..., 1] < high)).all()


def test_an_only_class_is_certain() -> None:
    data = frame().with_columns(y=pl.lit("a"))
    with pytest.warns(SlpWarning, match="W402"):
        posterior = slp.parse(":- use(growtree).").posterior(data)
    np.testing.assert_allclose(posterior.predict_interval(data.head(2)), np.ones((2, 1, 2)))


def test_levels_are_checked_and_rows_may_be_none() -> None:
    data = frame()
    posterior = posterior_of("exact", data)
    assert posterior.predict_interval(data.head(0)).shape == (0, 3, 2)
    with pytest.raises(UsageError, match="E508"):
        posterior.predict_interval(data, 1.0)
