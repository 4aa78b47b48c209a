"""Survival, restricted means and cumulative hazards of rows: against enumeration, closed forms of a
single leaf, and quadrature; and zero times."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import integrate, stats

import slp
from slp.engines import infer
from slp.errors import SlpWarning, UsageError
from slp.leaves import GammaExponential, GammaPoisson, PiecewiseExponential
from tests.results.test_predictive import new, posterior
from tests.spec.brute_force import ValueMissingError
from tests.spec.cases import Case, random_case
from tests.spec.leaf_formulas import ExponentialFormula

TIMES = (0.0, 0.4, 3.0)
HORIZON = 2.5
#: Of each comparison with draws, about 2e-5; the seeds are fixed.
Z = 4.5


# --- against enumeration --------------------------------------------------------------------------


def survival_by_hand(case: Case, row: Any, t: float) -> float:
    """The sum over derivations and leaves of P(leaf) (b / (b + t))^a, a and b after the leaf's
    rows."""
    y, weights = case.spec.example.y, case.spec.example.weights_of
    leaf: Any = getattr(case.spec.leaf, "leaf", case.spec.leaf)
    return math.fsum(
        p * share * (1 - leaf.reached(list(zip([y[r] for r in own], weights(own), strict=True)), t))
        for d, p in case.spec.posterior()
        for own, share, _ in case.spec._leaves_of(d.tree, d.leaves, row)
    )


def compare(case: Case, engine: str) -> None:
    leaf = getattr(case.spec.leaf, "leaf", case.spec.leaf)
    if not isinstance(leaf, ExponentialFormula) or not case.spec.derivations:
        return
    columns = {
        f: [case.table.shown(f, x) for x in column]
        for f, column in zip(case.table.features, zip(*case.new_rows, strict=True), strict=True)
    }
    try:
        want = [[survival_by_hand(case, row, t) for t in TIMES] for row in case.new_rows]
    except ValueMissingError:
        return
    found = infer(case.model, engine=engine, seed=1, draws=0)
    rows = pl.DataFrame(columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)  # of levels that the table lacks
        have = found.survival(rows, TIMES)
        np.testing.assert_allclose(have, want, rtol=1e-8, atol=1e-11)
        told = found.quantity(rows, "survival", times=TIMES, n=2, seed=1)
        np.testing.assert_allclose(told.mean, want, rtol=1e-8, atol=1e-11)
        mean = found.restricted_mean(rows, HORIZON)
    area, _ = integrate.quad(
        lambda t: survival_by_hand(case, case.new_rows[0], t), 0, HORIZON, epsabs=1e-7
    )
    assert mean[0] == pytest.approx(area, abs=1e-6)


@pytest.mark.thinned(20)
@pytest.mark.parametrize("engine", ["chart", "exact"])
@pytest.mark.parametrize("seed", range(100))
def test_survival_by_enumeration(seed: int, engine: str) -> None:
    compare(random_case(seed, limit=300, zeros=True), engine)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["weights", "missing_level", "missing_side", "subsets", "rows"])
@pytest.mark.parametrize("seed", range(20))
def test_survival_on_other_tables(kind: str, seed: int) -> None:
    compare(random_case(seed, limit=300, zeros=True, **{kind: True}), "exact")


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", ["durations", "pieces"])
@pytest.mark.parametrize("engine", ["exact", "enumerate", "smc"])
def test_methods_agree(name: str, engine: str) -> None:
    found = posterior(name, engine, draws=200 if engine == "smc" else 0)
    times = [0.0, 0.7, 1.0, 5.0]
    have = found.survival(new(), times)
    assert have.shape == (2, 4) and have[:, 0] == pytest.approx(1, abs=1e-12)
    for t, own in zip(times, have.T, strict=True):
        np.testing.assert_allclose(own, 1 - found.cdf(new(), t), atol=1e-12)
    told = found.quantity(new(), "survival", times=times, n=50, seed=1)
    np.testing.assert_allclose(told.mean, have, atol=1e-12)
    assert told.mean_kind == ("estimate" if engine == "smc" else "exact")
    mean = found.quantity(new(), "restricted_mean", horizon=HORIZON, n=50, seed=1).mean
    np.testing.assert_allclose(mean, found.restricted_mean(new(), HORIZON), rtol=1e-12)
    for i, row in enumerate(new().iter_slices(1)):
        area, _ = integrate.quad(
            lambda t, row=row: found.survival(row, [t])[0, 0], 0, HORIZON, points=[1.0]
        )
        assert found.restricted_mean(new(), HORIZON)[i] == pytest.approx(area, abs=1e-7)


# --- one leaf -------------------------------------------------------------------------------------

N = 4000


def one_leaf() -> slp.Posterior:
    """Rates from Gamma(2 + 3, 3 + 10.5): five durations, two of them censored."""
    text = ":- use(growtree, [alpha = 0.5]). :- support(min_leaf(3)). :- response(t, event(e))."
    data = pl.DataFrame(
        {"a": [1.0, 2.0, 3.0, 4.0, 5.0], "t": [1.0, 2.5, 0.0, 4.0, 3.0], "e": [1, 1, 1, 0, 0]}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.parse(f"{text} :- leaf(gamma_exponential(2, 3)).").posterior(data, seed=1)


RATE = stats.gamma(5, scale=1 / 13.5)


def test_intervals_of_one_leaf_are_those_of_its_rate() -> None:
    """S(t) = exp(-r t) falls in r. The number of draws below the true quantile is binomial: with
    four checks at 4.5 standard errors the test fails by chance once in 40,000 programs."""
    found = one_leaf()
    row = pl.DataFrame({"a": [2.0]})
    told = found.quantity(row, "survival", times=[2.0, 6.0], n=N, seed=3)
    np.testing.assert_allclose(told.mean[0], [(13.5 / 15.5) ** 5, (13.5 / 19.5) ** 5], rtol=1e-12)
    for i, t in enumerate([2.0, 6.0]):
        for q, end in zip((0.05, 0.95), np.exp(-RATE.ppf([0.95, 0.05]) * t), strict=True):
            below = (told._draws[:, 0, i] <= end).sum()
            assert abs(below - q * N) < Z * math.sqrt(N * q * (1 - q))
        low, high = told.interval(0.9)[0, i]
        assert low < told.mean[0, i] < high
    median = found.quantity(row, "median", n=N, seed=3)
    end = math.log(2) / RATE.ppf(0.5)
    assert abs((median._draws <= end).sum() - N / 2) < Z * math.sqrt(N / 4)
    assert repr(told) == f"<survival in 1 row, means exact, {N:,} draws>"
    assert told.labels == (2.0, 6.0) and told.of == "survival"


def test_a_cumulative_hazard_is_that_of_survival() -> None:
    found, row = one_leaf(), pl.DataFrame({"a": [2.0]})
    survival = found.quantity(row, "survival", times=[2.0, 6.0], n=500, seed=3)
    hazard = found.quantity(row, "cumulative_hazard", times=[2.0, 6.0], n=500, seed=3)
    np.testing.assert_allclose(hazard._draws, -np.log(survival._draws), rtol=1e-12)
    below = RATE.cdf(hazard.median[0] / [2.0, 6.0])
    assert (np.abs(below - 0.5) < Z * math.sqrt(1 / (4 * 500))).all()
    with pytest.raises(UsageError, match="E557"):
        hazard.mean  # noqa: B018
    ratio = found.contrast(row, row, "cumulative_hazard", times=[2.0], n=10, seed=1).ratio
    assert (ratio.median == 1).all()


def test_the_hazard_of_a_row_in_several_leaves_is_that_of_their_mixture() -> None:
    text = ":- use(growtree, [alpha = 1]). :- support(max_depth(1)). :- response(t)."
    text += " :- leaf(gamma_exponential(2, 3)). :- feature(a, [missing(side), new(average)])."
    data = pl.DataFrame({"a": [0.0] * 4 + [1.0] * 4, "t": [0.3, 0.5, 2, 0.7, 9, 8, 3, 7]})
    row = pl.DataFrame({"a": [None]}, schema={"a": pl.Float64})
    found = slp.parse(text).posterior(data, seed=1, draws=0)
    survival = found.quantity(row, "survival", times=[2.0], n=50, seed=3)
    hazard = found.quantity(row, "cumulative_hazard", times=[2.0], n=50, seed=3)
    np.testing.assert_allclose(hazard._draws, -np.log(survival._draws), rtol=1e-12)


# --- what it says of itself -----------------------------------------------------------------------


def test_averages_over_rows() -> None:
    found = posterior("durations")
    told = found.quantity(new(), "survival", times=TIMES, n=300, seed=2)
    np.testing.assert_allclose(told.average.mean, found.survival(new(), TIMES).mean(axis=0))
    np.testing.assert_allclose(told.average._draws, told._draws.mean(axis=1))
    assert told.average.mean_kind == "exact" and told.average.variance_kind == "estimate"
    assert told.variance_kind == "estimate"
    assert told.interval().shape == (2, 3, 2) and told.probability(0.5).shape == (2, 3)


def test_quantities_of_other_responses() -> None:
    classes = posterior("classes").quantity(new(), n=300, seed=1)
    np.testing.assert_allclose(classes.mean, posterior("classes").predict_proba(new()), atol=1e-12)
    assert classes.labels == ("one", "three", "two")
    for name in ("numbers", "line", "counts"):
        found = posterior(name)
        told = found.quantity(new(), n=1500, seed=1)
        np.testing.assert_allclose(told.mean, found.predict(new()), rtol=1e-12)
        spread = told._draws.std(axis=0) / math.sqrt(1500)
        assert (np.abs(told._draws.mean(axis=0) - told.mean) < Z * spread).all()


def test_a_prior_knows_no_outcomes() -> None:
    prior = posterior("durations", prior=True)
    np.testing.assert_allclose(prior.survival(new(), [1.0]), (2 / 3) ** 3, rtol=1e-12)
    assert prior.restricted_mean(new(), 1.0) == pytest.approx((1 - (2 / 3) ** 2), rel=1e-12)


def test_trees_found_say_so() -> None:
    told = posterior("durations", "modal", draws=1).quantity(
        new(), "survival", times=TIMES, n=9, seed=1
    )
    assert told.mean_kind == "found" and np.isnan(told.mean_error).all()


def test_shapes_without_rows() -> None:
    found = posterior("durations")
    assert found.survival(new().head(0), TIMES).shape == (0, 3)
    assert found.restricted_mean(new().head(0), 1.0).shape == (0,)


def test_faults() -> None:
    with pytest.raises(UsageError, match="E556.*`survival` is no quantity"):
        posterior("numbers").survival(new(), TIMES)
    with pytest.raises(UsageError, match="E556.*`restricted_mean` is no quantity"):
        posterior("classes").restricted_mean(new(), 1.0)
    found = posterior("durations")
    for times in ([], [-1.0], [math.nan], ["a"], None):
        with pytest.raises(UsageError, match="E556.*times"):
            found.survival(new(), times)  # type: ignore[arg-type]
    for horizon in (0, math.inf, None):
        with pytest.raises(UsageError, match="E556.*horizon"):
            found.restricted_mean(new(), horizon)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="E505"):
        found.quantity(new(), n=1)


# --- zero times and exposures ---------------------------------------------------------------------


@pytest.mark.parametrize("model", [GammaExponential(1.5, 4), PiecewiseExponential(1.5, 4, [1, 2])])
def test_a_duration_of_0(model: Any) -> None:
    """One that was censored tells nothing; an event has the density of the mean rate, a' / b'."""
    S = model.statistics(np.array([[1.5, 1], [3.0, 0]])).sum(axis=0)
    censored, ended = model.statistics(np.array([[0.0, 0], [0.0, 1]]))
    assert model.log_marginal(S + censored) == model.log_marginal(S)
    shape, rate = model.posterior(S)
    density = math.exp(model.log_marginal(S + ended) - model.log_marginal(S))
    assert density == pytest.approx(shape[..., 0] / rate[..., 0], rel=1e-12)
    assert float(model.cdf(S, np.array(0.0))) == 0


def test_a_count_without_exposure() -> None:
    """It is 0 for certain."""
    model = GammaPoisson(1.5, 4, exposed=True)
    S = model.statistics(np.array([[3.0, 2.0], [0.0, 0.5]])).sum(axis=0)
    none = model.statistics(np.array([[0.0, 0.0]]))[0]
    assert none.tolist() == [0, 0, 0, 1]
    assert model.log_marginal(S + none) == model.log_marginal(S)


@pytest.mark.parametrize("response", ["t, event(e)", "y, exposure(t)"])
@pytest.mark.parametrize("kind", ["subsets", "subsets(ordered)"])
def test_levels_without_time_or_exposure(response: str, kind: str) -> None:
    """They have no rate by which levels are ordered, and change no likelihood: engines agree."""
    events = response.startswith("t")
    leaf = "gamma_exponential(1, 2)" if events else "gamma_poisson(1, 2)"
    text = f":- use(growtree). :- support(max_depth(2)). :- response({response}). :- leaf({leaf})."
    text += f" :- feature(a, [{kind}])." + (" :- ignore(y)." if events else "")
    data = pl.DataFrame(
        {
            "a": list("uvwxyzuvwxyz"),
            "e": [0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1],
            "y": [0, 3, 0, 1, 0, 6, 0, 1, 2, 2, 0, 8],
            "t": [0.0, 2, 0, 1, 0, 3, 0, 0.5, 2, 4, 0, 1],
        }
    )
    program = slp.parse(text + (" :- ignore(e)." if not events else ""))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        want = program.posterior(data, engine="enumerate", seed=1, draws=0)
        have = program.posterior(data, engine="exact", seed=1, draws=0)
        best = program.posterior(data, engine="search", seed=1).map()
    assert have.log_evidence == pytest.approx(want.log_evidence, rel=1e-12)
    assert best.certified and best.log_joint == pytest.approx(want.map().log_joint, rel=1e-12)
