"""The default leaf of numbers: its share of the variance, and what it tells of small tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp
from slp.leaves.declared import Observed
from slp.leaves.normal_defaults import moments, share_of_variance


def test_the_share_falls_from_three_to_a_tenth() -> None:
    sizes = np.arange(1, 2000)
    shares = share_of_variance(sizes)
    assert (np.diff(shares) < 0).all()
    assert shares[0] == pytest.approx(3, abs=0.01) and shares[-1] == pytest.approx(0.1, abs=1e-3)
    assert share_of_variance(50) == pytest.approx(1.55)


def test_a_weight_counts_as_so_many_rows() -> None:
    y, weights = np.array([1.0, 2.0, 5.0]), np.array([3, 1, 2])
    repeated = moments(Observed((), np.repeat(y, weights)))
    assert moments(Observed((), y, weights.astype(float))) == pytest.approx(repeated)


def table() -> pl.DataFrame:
    return pl.DataFrame({"x": [1, 2, 3, 4, 5, 6], "y": [0.1, 0.4, 0.2, 7.5, 8.1, 30.5]})


PROGRAM = ":- use(growtree). :- support(max_depth(2))."


@pytest.mark.parametrize("saved", [False, True])
def test_one_row_alone_shows_no_interval(saved: bool, tmp_path: Path) -> None:
    posterior = slp.parse(PROGRAM).posterior(table(), seed=1, draws=200)
    if saved:
        posterior.save(tmp_path / "run.slpz", table=True)
        posterior = slp.load_posterior(tmp_path / "run.slpz")
    leaves = [leaf for tree in posterior.sample(200) for leaf in tree.leaves()]
    told = {leaf.rows > 1: leaf.predictive() for leaf in leaves}
    assert told.keys() == {False, True}
    assert "mean_interval" in told[True] and told[False].keys() == {"mean"}


def test_one_row_under_a_declared_leaf_has_its_interval() -> None:
    program = slp.parse(PROGRAM + " :- leaf(normal_inverse_gamma(0, 0.1, 3, 1)).")
    leaves = [
        leaf for tree in program.posterior(table(), seed=1).sample(50) for leaf in tree.leaves()
    ]
    assert all("mean_interval" in leaf.predictive() for leaf in leaves)
    assert any(leaf.rows == 1 for leaf in leaves)


@pytest.mark.slow
def test_intervals_on_small_tables_of_noise_hold_their_share() -> None:
    """80 tables of 10 rows: 90 % intervals hold 84 % or more, and a feature is not used more often
    than under the prior (two standard errors each)."""
    program, held, used, prior = slp.load("default"), [], [], []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        x, y = rng.random(30).round(3), rng.normal(size=30)
        posterior = program.posterior(pl.DataFrame({"x": x[:10], "y": y[:10]}), draws=0)
        low, high = posterior.predict_interval(pl.DataFrame({"x": x[10:]}), level=0.9).T
        held.append(((low <= y[10:]) & (y[10:] <= high)).mean())
        used.append(posterior.split_probabilities()["x"].probability)
        prior.append(posterior.prior().split_probabilities()["x"].probability)
    assert np.mean(held) >= 0.84 - 2 * np.std(held) / 80**0.5
    assert np.mean(used) <= np.mean(prior) + 2 * np.std(used) / 80**0.5
