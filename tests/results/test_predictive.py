"""Draws of what is predicted, quantiles, densities and probabilities up to an outcome."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import integrate, stats

import slp
from slp.errors import SlpWarning, UsageError

#: Seeds are fixed; a test by draws fails by chance once in 10,000 programs.
LEAST = 1e-4
N = 2000

LEAVES = {
    "classes": "dirichlet([0.5, 1, 2])",
    "numbers": "normal_inverse_gamma(0.5, 0.5, 3, 1)",
    "line": "normal_linear([a], 0.5, 0.5, 0.5, 3, 1)",
    "counts": "gamma_poisson(1, 0.5)",
    "durations": "gamma_exponential(3, 2)",
    "pieces": "piecewise_exponential(3, 2, [1])",
}
NUMBERS = [name for name in LEAVES if name != "classes"]


def frame() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 4, 12).astype(float), rng.choice(["p", "q"], 12)
    classes = np.array(["one", "three", "two"])[rng.integers(0, 3, 12)]
    numbers = {"numbers": a + rng.normal(size=12), "counts": rng.poisson(a + 1)}
    durations = rng.exponential(1 + a)
    columns = {**numbers, "line": numbers["numbers"], "durations": durations, "pieces": durations}
    return pl.DataFrame({"a": a, "b": b, "classes": classes, **columns})


def posterior(name: str, engine: str = "exact", draws: int = 0, **options: Any) -> slp.Posterior:
    text = f":- use(growtree). :- support(max_depth(2)). :- leaf({LEAVES[name]})."
    data = frame().select("a", "b", name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        program = slp.parse(text)
        if options.pop("prior", False):
            return program.prior(data, engine=engine, seed=1, draws=draws)
        return program.posterior(data, engine=engine, seed=1, draws=draws, **options)


def new() -> pl.DataFrame:
    return pl.DataFrame({"a": [0.0, 2.5], "b": ["p", "q"]})


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", LEAVES)
@pytest.mark.parametrize("prior", [False, True])
def test_outcomes_have_the_predictive_distribution(name: str, prior: bool) -> None:
    found = posterior(name, prior=prior)
    drawn = found.predict_draws(new(), "outcome", N, seed=2)
    assert drawn.shape == (N, 2)
    for i, row in enumerate(new().iter_slices(1)):
        own = drawn[:, i]
        if name == "classes":
            labels = found.table.leaf.classes
            want = N * np.array([found.density(row, label)[0] for label in labels])
            have = [(own == label).sum() for label in labels]
            assert stats.chisquare(have, want).pvalue > LEAST
        elif name == "counts":
            assert own.dtype == np.int64
            most = 6
            want = np.array([found.density(row, y)[0] for y in range(most)])
            have = np.bincount(np.minimum(own, most), minlength=most + 1)
            assert stats.chisquare(have, N * np.append(want, 1 - want.sum())).pvalue > LEAST
        else:
            # The distribution function at a row is uniform over its outcomes.
            reached = found.cdf(pl.concat([row] * 300), own[:300])
            assert stats.kstest(reached, "uniform").pvalue > LEAST


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", LEAVES)
def test_means_average_to_the_prediction(name: str) -> None:
    found = posterior(name)
    drawn = found.predict_draws(new(), n=N, seed=3)
    error = drawn.std(axis=0) / N**0.5
    if name == "classes":
        want = found.predict_proba(new())
    elif found.table.leaf.responses == "durations":
        want = found.contrast(new(), new().head(1), "mean", n=2).mean + drawn[:, 0].mean()
        error = np.hypot(error, error[0])
    else:
        want = found.predict(new())
    assert (np.abs(drawn.mean(axis=0) - want) < 4.5 * error).all()


def test_rows_in_one_leaf_share_its_parameters() -> None:
    same = pl.DataFrame({"a": [0.0, 0.0], "b": ["p", "p"]})
    for name in LEAVES:
        drawn = posterior(name).predict_draws(same, n=50, seed=1)
        np.testing.assert_array_equal(drawn[:, 0], drawn[:, 1])
    outcomes = posterior("numbers").predict_draws(same, "outcome", 50, seed=1)
    assert (outcomes[:, 0] != outcomes[:, 1]).all()


@pytest.mark.slow
def test_samplers_draw_from_their_draws() -> None:
    exact = posterior("classes")
    for engine, options in [("mh", {}), ("smc", {}), ("forward", {"prior": True})]:
        found = posterior("classes", engine, draws=1000, **options)
        base = exact if engine != "forward" else posterior("classes", prior=True)
        have = found.predict_draws(new(), n=2000, seed=4).mean(axis=0)
        want = base.predict_draws(new(), n=4000, seed=5).mean(axis=0)
        assert np.abs(have - want).max() < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("leaf", ["classes", "numbers"])
def test_soft_trees(leaf: str) -> None:
    data = frame().select("a", pl.col("durations").alias("c"), leaf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        found = slp.parse(":- use(rjhmc).").posterior(data, engine="rjhmc", seed=1, draws=100)
    rows = data.head(3)
    means = found.predict_draws(rows, n=2000, seed=1)
    outcomes = found.predict_draws(rows, "outcome", 2000, seed=1)
    if leaf == "classes":
        np.testing.assert_allclose(means.mean(axis=0), found.predict_proba(rows), atol=0.03)
        share = (outcomes == "one").mean(axis=0)
        np.testing.assert_allclose(share, found.predict_proba(rows)[:, 0], atol=0.05)
    else:
        np.testing.assert_allclose(means.mean(axis=0), found.predict(rows), atol=0.1)
        reached = np.array([found.cdf(rows, own) for own in outcomes[:300]])
        assert stats.kstest(reached[:, 0], "uniform").pvalue > LEAST


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("engine", ["exact", "enumerate", "mh"])
def test_quantiles_and_probabilities_agree(name: str, engine: str) -> None:
    found = posterior(name, engine, draws=200 if engine == "mh" else 0)
    levels = [0.05, 0.5, 0.95]
    at = found.quantile(new(), levels)
    assert at.shape == (2, 3)
    np.testing.assert_allclose(at[:, [0, 2]], found.predict_interval(new(), 0.9), rtol=1e-9)
    np.testing.assert_array_equal(found.quantile(new(), 0.5), at[:, 1])
    for q, y in zip(levels, at.T, strict=True):
        if name == "counts":
            assert (found.cdf(new(), y) >= q).all()
            assert (found.cdf(new(), y - 1) < q).all()
        else:
            np.testing.assert_allclose(found.cdf(new(), y), q, atol=1e-9)


@pytest.mark.parametrize("name", [n for n in NUMBERS if n != "counts"])
def test_a_density_integrates_to_the_distribution_function(name: str) -> None:
    found = posterior(name)
    row = new().head(1)
    for low, high in [(0.2, 0.8), (1.2, 3.0)]:
        have, _ = integrate.quad(lambda y: found.density(row, y)[0], low, high, epsabs=1e-7)
        want = found.cdf(row, high)[0] - found.cdf(row, low)[0]
        assert have == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("engine", ["exact", "forward"])
@pytest.mark.parametrize("name", LEAVES)
def test_a_prior_predicts_what_its_leaves_do_without_responses(name: str, engine: str) -> None:
    found = posterior(name, engine, draws=20, prior=True)
    want = {
        "classes": np.array([0.5, 1, 2]) / 3.5,
        "numbers": 0.5,
        "line": 0.5,
        "counts": 2.0,
        "durations": 2 * (2 ** (1 / 3) - 1),
        "pieces": 2 * (2 ** (1 / 3) - 1),  # before the next piece begins at 1
    }[name]
    have = found.predict_proba(new()) if name == "classes" else found.predict(new())
    np.testing.assert_allclose(have, np.stack([want, want]), rtol=1e-9)
    assert (found.predict_error(new()) == 0).all()
    if name != "classes":
        low, high = found.predict_interval(new(), 0.5).T
        np.testing.assert_allclose(found.quantile(new(), [0.25, 0.75]).T, [low, high])


def test_a_prior_under_numbers_of_the_response_says_so() -> None:
    prior = slp.parse(":- use(growtree).").prior(frame().select("a", "numbers"), draws=0)
    with pytest.warns(SlpWarning, match="W552"):
        prior.predict_draws(new(), n=3, seed=1)
    with pytest.warns(SlpWarning, match="W552"):
        prior.predict(new())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        posterior("numbers", prior=True).predict_draws(new(), n=3, seed=1)


def test_shapes_without_rows_or_draws() -> None:
    found = posterior("classes")
    assert found.predict_draws(new(), n=0).shape == (0, 2, 3)
    none = new().head(0)
    assert found.predict_draws(none, n=2).shape == (2, 0, 3)
    assert found.predict_draws(none, "outcome", 2).shape == (2, 0)
    assert posterior("numbers").quantile(none, 0.5).shape == (0,)
    assert posterior("numbers").density(none, 0.5).shape == (0,)


def test_faults() -> None:
    classes, numbers = posterior("classes"), posterior("numbers")
    with pytest.raises(UsageError, match="E556.*no order"):
        classes.quantile(new(), 0.5)
    with pytest.raises(UsageError, match="E556.*no order"):
        classes.cdf(new(), "one")
    with pytest.raises(UsageError, match="E556.*`four` is no outcome"):
        classes.density(new(), "four")
    with pytest.raises(UsageError, match="E556.*no outcome"):
        numbers.density(new(), "four")
    with pytest.raises(UsageError, match="E556.*3 outcomes"):
        numbers.density(new(), [1.0, 2.0, 3.0])
    with pytest.raises(UsageError, match="E508"):
        numbers.quantile(new(), 1.0)
    with pytest.raises(UsageError, match="E505"):
        numbers.predict_draws(new(), n=-1)
    with pytest.raises(UsageError, match="E556.*`median`"):
        numbers.predict_draws(new(), "median")  # type: ignore[arg-type]
