"""`to_arviz`: its groups, and that `arviz_stats` and `arviz_plots` work on them."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import SlpError, SlpWarning
from slp.results.averages.left_out import HeldRows

PRIOR = ":- use(growtree). :- support(max_depth(2)). "
GROUPS = ["posterior", "sample_stats", "log_likelihood", "posterior_predictive", "prior"]
GROUPS += ["prior_predictive", "observed_data"]


def frame() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    a = rng.integers(0, 5, 40)
    y = np.where(rng.random(40) < 0.2 + 0.15 * a, "yes", "no")
    return pl.DataFrame({"a": a, "b": rng.integers(0, 3, 40), "y": y})


def quietly(text: str, data: pl.DataFrame, **options: object) -> slp.Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(text).posterior(data, **{"seed": 1, **options})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def exact() -> slp.Posterior:
    return quietly(PRIOR, frame(), engine="exact", draws=1000)


def test_groups_and_their_shapes(exact: slp.Posterior) -> None:
    data = exact.to_arviz()
    assert sorted(data.children) == sorted(GROUPS)
    assert data.log_likelihood["y"].dims == ("chain", "draw", "row")
    assert data.log_likelihood["y"].shape == (1, 1000, 40)
    assert data.observed_data["y"].values.tolist() == [int(y == "yes") for y in frame()["y"]]
    assert data.prior["leaves"].shape == (1, 1000)
    assert data.prior["splits"].coords["feature"].values.tolist() == ["a", "b"]
    mean = float(data.prior["leaves"].mean())
    assert mean == pytest.approx(exact.prior().expected_leaves(), abs=0.3)
    assert list(exact.prior().to_arviz().children) == ["posterior", "sample_stats"]
    assert list(exact.to_arviz(["observed_data"]).children) == ["observed_data"]


def test_outcomes_of_rows_are_those_of_the_predictive_distributions() -> None:
    """Shares over 4,000 draws, within 4.5 of their standard errors: 40 rows twice."""
    found = quietly(PRIOR, frame(), engine="exact", draws=4000)
    data = found.to_arviz(["posterior_predictive", "prior_predictive"])
    for group, of in (("posterior_predictive", found), ("prior_predictive", found.prior())):
        drawn = data[group]["y"]
        assert drawn.dims == ("chain", "draw", "row") and drawn.shape == (1, 4000, 40)
        want = of.density(frame(), "yes")
        error = np.sqrt(want * (1 - want) / 4000)
        assert (np.abs(drawn.values[0].mean(axis=0) - want) < 4.5 * error).all()


def test_a_prior_predictive_that_has_seen_the_response_says_so() -> None:
    data = frame().with_columns(y=pl.col("a") + 0.5 * pl.col("b"))
    found = quietly(PRIOR, data, engine="exact", draws=20)
    with pytest.warns(SlpWarning, match="W552"):
        made = found.to_arviz(["prior_predictive"])
    assert np.isfinite(made.prior_predictive["y"].values).all()
    counts = data.with_columns(y=pl.col("a"), e=pl.lit(2.0))
    text = PRIOR + ":- response(y, exposure(e)). :- leaf(gamma_poisson(1, 1))."
    with pytest.raises(SlpError, match="E558.*exposures"):
        quietly(text, counts, engine="exact", draws=20).to_arviz(["posterior_predictive"])


def test_log_likelihood_is_that_given_the_other_rows(exact: slp.Posterior) -> None:
    data, table = frame(), exact.table
    have = exact.to_arviz(["log_likelihood"]).log_likelihood["y"].values[0]
    own = table.statistics_of_rows()
    for t in range(0, 1000, 97):
        where = exact.draws[t].tree.apply(data)
        sums = np.array([own[where == leaf].sum(axis=0) for leaf in where])
        want = table.leaf.log_marginal(sums) - table.leaf.log_marginal(sums - own)
        np.testing.assert_allclose(have[t], want, atol=2e-9)


def test_chains_and_weighted_draws() -> None:
    """Chains stay chains; weighted draws are resampled into one."""
    chains = quietly(PRIOR, frame(), engine="mh", draws=80, chains=2)
    data = chains.to_arviz(["posterior", "log_likelihood"])
    assert data.log_likelihood["y"].shape == (2, 40, 40)
    (_, log_q), *_ = chains._result.averages.drawn.log_given_others(HeldRows.of(chains.table))
    assert float(data.log_likelihood["y"].min()) == pytest.approx(log_q.min(), abs=1e-8)
    weighted = quietly(PRIOR, frame(), engine="smc", islands=10, draws=2000)
    leaves = weighted.to_arviz(["posterior"]).posterior["leaves"]
    assert leaves.shape[0] == 1
    assert float(leaves.mean()) == pytest.approx(weighted.expected_leaves(), abs=0.02)


@pytest.mark.slow
def test_what_cannot_be_told_is_left_out(exact: slp.Posterior, tmp_path: Path) -> None:
    with pytest.raises(SlpError, match="E558"):
        exact.to_arviz(["likelihood"])
    looks = PRIOR + "box(b, a, 1, inf). :- constraint(majority(b, yes))."
    posterior = quietly(looks, frame(), engine="mh", draws=20)
    with pytest.warns(SlpWarning, match="W554.*log_likelihood.*majority looks at the response"):
        data = posterior.to_arviz()
    assert "log_likelihood" not in data.children and "prior" in data.children
    with pytest.raises(SlpError, match="E555"):
        posterior.to_arviz(["log_likelihood"])
    drawn = quietly(PRIOR, frame(), engine="mh", draws=20)
    drawn.save(tmp_path / "run.slpz")
    with pytest.warns(SlpWarning, match="W554"):
        data = slp.load_posterior(tmp_path / "run.slpz").to_arviz()
    assert list(data.children) == ["posterior", "sample_stats"]


def test_a_response_with_the_name_of_something_else() -> None:
    data = frame().rename({"y": "leaves"})
    found = quietly(PRIOR + ":- response(leaves).", data, engine="exact", draws=20).to_arviz()
    assert found.log_likelihood["response leaves"].shape == (1, 20, 40)
    assert found.posterior["leaves"].shape == (1, 20)


def test_durations_have_their_events() -> None:
    rng = np.random.default_rng(0)
    data = pl.DataFrame(
        {"a": np.arange(20), "y": rng.exponential(3, 20), "seen": rng.integers(0, 2, 20)}
    )
    text = PRIOR + ":- leaf(gamma_exponential(1, 1)). :- response(y, event(seen))."
    found = quietly(text, data, engine="exact", draws=20).to_arviz().observed_data
    assert found["event"].values.tolist() == data["seen"].to_list()
    np.testing.assert_array_equal(found["y"].values, data["y"].to_numpy())


@pytest.mark.filterwarnings("ignore")
def test_arviz_stats_compares(exact: slp.Posterior) -> None:
    """Within 0.3 nats of the exact sum over 40 rows, from 1000 draws; and the paired difference."""
    stats = importlib.import_module("arviz_stats")
    data = exact.to_arviz()
    assert float(stats.loo(data).elpd) == pytest.approx(exact.loo().elpd, abs=0.3)
    leaf = quietly(":- start(t). 1 :: t --> leaf.", frame(), engine="exact", draws=1000)
    table = stats.compare({"tree": data, "leaf": leaf.to_arviz()})
    apart = abs(exact.loo().elpd - leaf.loo().elpd)
    assert float(table["elpd_diff"].abs().max()) == pytest.approx(apart, abs=0.3)


@pytest.mark.filterwarnings("ignore")
def test_arviz_plots_predictive_checks(exact: slp.Posterior) -> None:
    importlib.import_module("matplotlib.style.core")  # which arviz-plots 0.8 does not import
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    plots = importlib.import_module("arviz_plots")
    data = frame().with_columns(y=pl.col("a") + 0.5 * pl.col("b"))
    numbers = quietly(PRIOR, data, engine="exact", draws=100).to_arviz()
    for group in ("posterior_predictive", "prior_predictive"):
        assert plots.plot_ppc_dist(numbers, group=group, backend="matplotlib") is not None
