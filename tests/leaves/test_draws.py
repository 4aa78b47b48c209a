"""Draws of leaves' parameters and responses, densities and variances, of every leaf model: against
quadrature, the distribution function, and closed forms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from scipy import integrate, stats

from slp.errors import DataError
from slp.leaves import (
    MODELS,
    Dirichlet,
    GammaExponential,
    GammaPoisson,
    LeafModel,
    NormalInverseGamma,
    NormalLinear,
    NormalShared,
    OwnModel,
    PiecewiseExponential,
    SumNormal,
    SumProbit,
    register_leaf_model,
)
from slp.leaves.rates import RatesOfPieces
from slp.leaves.sum_numbers import SumNumbers

#: A Kolmogorov-Smirnov or chi-square test fails here by chance once in 10,000 runs; the seeds are
#: fixed, and there are about 40 tests.
LEAST = 1e-4
N = 4000

LINE = np.array([1.0, -0.7])
PAIRS = np.array([[2.1, 1.0], [0.4, 0.0], [3.3, 1.0], [7.0, 1.0], [1.5, 1.0]])
RESPONSES = np.array([0.4, 1.9, -0.3, 1.2])


def of_line() -> tuple[LeafModel, np.ndarray]:
    model = NormalLinear(
        ["x"], [0.5, 0.3, 0.2, 2.5, 1.5], np.array([1.0]), np.array([2.0]), ref=0.25
    )
    rows = np.column_stack([RESPONSES, [0.1, 2.0, -1.0, 3.0]])
    return model.at(LINE), model.statistics(rows).sum(axis=0)


def leaf(name: str) -> tuple[LeafModel, np.ndarray]:
    """A model, and the statistics of a leaf."""
    if name == "normal_linear":
        return of_line()
    models: Mapping[str, tuple[LeafModel, np.ndarray]] = {
        "dirichlet": (Dirichlet(("a", "b", "c"), [0.5, 1.0, 2.0]), np.array([0, 0, 1, 0, 1])),
        "normal_inverse_gamma": (NormalInverseGamma(0.5, 0.3, 2.5, 1.5, ref=0.2), RESPONSES),
        "normal_shared": (NormalShared(0, 1, 3, 1, ref=0.2), RESPONSES),
        "sum_normal": (SumNormal(SumNumbers({}, {"mean": 0, "tau": 1, "sigma": 1})), RESPONSES),
        "sum_probit": (
            SumProbit((False, True), SumNumbers({}, {"offset": 0, "tau": 1})),
            np.array([0, 1, 1]),
        ),
        "gamma_poisson": (GammaPoisson(1.5, 0.7), np.array([0.0, 3, 1])),
        "exposed": (GammaPoisson(1.5, 0.7, exposed=True), np.array([[0.0, 0.5], [3, 2]])),
        "gamma_exponential": (GammaExponential(1.2, 3.0), PAIRS),
        "piecewise_exponential": (PiecewiseExponential(1.2, 3.0, [1, 4]), PAIRS),
    }
    model, y = models[name]
    return model, model.statistics(y).sum(axis=0)


NAMES = [*MODELS, "exposed"]
NUMBERS = [name for name in NAMES if name not in ("dirichlet", "sum_probit")]


def drawn(name: str, seed: int = 0) -> tuple[LeafModel, np.ndarray, np.ndarray, np.ndarray]:
    """A model, its statistics, parameters of N draws and an outcome of each."""
    model, S = leaf(name)
    rng = np.random.default_rng(seed)
    parameters = model.draw_parameters(np.broadcast_to(S, (N, len(S))), rng)
    line = np.broadcast_to(LINE, (N, 2)) if name == "normal_linear" else None
    return model, S, parameters, model.draw_outcomes(parameters, rng, line)


@pytest.mark.parametrize("name", NUMBERS)
def test_outcomes_have_the_predictive_distribution(name: str) -> None:
    model, S, _, outcomes = drawn(name)
    if model.responses == "counts":
        y = np.arange(6.0)
        share = np.exp(model.log_density(S, y))
        want = N * np.append(share, 1 - share.sum())
        have = np.bincount(np.minimum(outcomes, 6).astype(int), minlength=7)
        assert stats.chisquare(have, want).pvalue > LEAST
    else:
        assert stats.kstest(outcomes, lambda y: model.cdf(S, np.array(y))).pvalue > LEAST


def test_outcomes_of_classes_are_as_likely_as_predicted() -> None:
    model, S, parameters, outcomes = drawn("dirichlet")
    want = N * model.predict_proba(S)
    assert stats.chisquare(np.bincount(outcomes, minlength=3), want).pvalue > LEAST
    for c in range(3):
        own = stats.beta(*(w := model.concentration + S)[[c]], w.sum() - w[c])
        assert stats.kstest(parameters[:, c], own.cdf).pvalue > LEAST
    np.testing.assert_allclose(np.exp(model.log_density(S, np.arange(3))), model.predict_proba(S))


def test_a_small_concentration_draws_no_nan() -> None:
    model = Dirichlet(("a", "b"), 1e-4)
    drawn = model.draw_parameters(np.zeros((500, 2)), np.random.default_rng(1))
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    assert 0.4 < drawn[:, 0].mean() < 0.6


@pytest.mark.parametrize("name", NUMBERS)
def test_densities_are_those_of_the_distribution_function(name: str) -> None:
    model, S = leaf(name)
    if model.responses == "counts":
        y = np.arange(8.0)
        steps = np.diff(model.cdf(S, np.append(-1.0, y)))
        np.testing.assert_allclose(np.exp(model.log_density(S, y)), steps, rtol=1e-9)
        assert np.isneginf(model.log_density(S, np.array([-1.0, 0.5, np.inf]))).all()
        return
    for low, high in [(0.3, 0.9), (1.1, 2.5), (4.2, 9.0)]:
        have, _ = integrate.quad(lambda y: np.exp(model.log_density(S, np.array(y))), low, high)
        want = float(np.diff(model.cdf(S, np.array([low, high])))[0])
        assert have == pytest.approx(want, rel=1e-8)
    if model.responses == "durations":
        at_0, below = model.log_density(S, np.array([0.0, -1.0]))
        assert np.isfinite(at_0) and np.isneginf(below)


@pytest.mark.parametrize("name", NAMES)
def test_values_given_parameters_have_the_mean_and_spread(name: str) -> None:
    """Means within four standard errors; fourth moments exist in these leaves."""
    model, S, parameters, _ = drawn(name, seed=3)
    values = model.values_of(parameters)
    want = model.values(S)
    if model.responses == "durations":
        want = model.mean(S)[..., None]
    error = values.std(axis=0) / N**0.5
    assert (np.abs(values.mean(axis=0) - want) <= 4 * error + 1e-12).all()
    spread = model.spread(S)
    if spread is None:
        assert name == "piecewise_exponential"
        return
    apart = values - values.mean(axis=0)
    squares = apart**2
    if name == "normal_linear":
        squares = apart[:, :, None] * apart[:, None, :]
    error = squares.std(axis=0) / N**0.5
    assert (np.abs(squares.mean(axis=0) - spread) <= 4 * error + 1e-12).all()


@pytest.mark.parametrize("name", ["gamma_exponential", "piecewise_exponential"])
def test_durations_given_their_rates(name: str) -> None:
    """Survival, restricted mean and median against integrals and each other."""
    model, S, rates, _ = drawn(name)
    assert isinstance(model, RatesOfPieces)
    times = np.array([0.0, 0.7, 2.0, 6.0])
    given = model.survival_of(rates, times)
    for i in range(3):
        for horizon in (0.5, 3.0, 9.0):
            points = [c for c in (1.0, 4.0) if c < horizon]
            want, _ = integrate.quad(
                lambda t, i=i: model.survival_of(rates[i], np.array([t]))[0],
                *(0, horizon),
                points=points or None,
            )
            have = model.restricted_mean_of(rates[i], horizon)
            assert have == pytest.approx(want, rel=1e-8)
        median = model.median_of(rates[i])
        assert model.survival_of(rates[i], median[None])[0] == pytest.approx(0.5)
    for power in (1, 2):
        error = (given**power).std(axis=0) / N**0.5
        apart = (given**power).mean(axis=0) - model.survival(S, times, power)
        assert (np.abs(apart) <= 4 * error + 1e-12).all()
    want, _ = integrate.quad(lambda t: 1 - model.cdf(S, np.array(t)), 0, 5, points=[1, 4])
    assert model.restricted_mean(S, 5.0) == pytest.approx(want, rel=1e-8)


@pytest.mark.parametrize("name", ["gamma_exponential", "piecewise_exponential"])
def test_a_mean_is_infinite_up_to_shape_one(name: str) -> None:
    few = {"gamma_exponential": GammaExponential(1.0, 2.0)}
    model = few.get(name, PiecewiseExponential(1.0, 2.0, [1.0]))
    S = np.zeros(model.n_statistics)
    assert model.mean(S) == np.inf
    assert np.isfinite(model.restricted_mean(S, 10.0))  # type: ignore[attr-defined]


class Exponential:
    """Rates with a gamma prior, as a model of the user's own."""

    def statistics(self, y: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(y)), y])

    def log_marginal(self, S: np.ndarray) -> np.ndarray:
        return GammaExponential(2.0, 1.0).log_marginal(S[:, [0, 0, 1]])

    def mean(self, S: np.ndarray) -> np.ndarray:
        return GammaExponential(2.0, 1.0).mean(S[:, [0, 0, 1]])

    def draw_parameters(self, S: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (rng.standard_gamma(2.0 + S[:, 0]) / (1.0 + S[:, 1]))[:, None]

    def mean_of(self, P: np.ndarray) -> np.ndarray:
        return 1 / P[:, 0]

    def draw_outcomes(self, P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return rng.standard_exponential(len(P)) / P[:, 0]


class Short(Exponential):
    draw_outcomes = None  # type: ignore[assignment]


def test_a_registered_model_draws_if_it_can() -> None:
    register_leaf_model("test_exponential", Exponential)
    model = OwnModel("test_exponential", ()).checked(y := np.array([0.5, 2.0]))
    S = model.statistics(y).sum(axis=0)
    rng = np.random.default_rng(4)
    parameters = model.draw_parameters(np.broadcast_to(S, (N, len(S))), rng)
    assert model.values_of(parameters).shape == (N, 1)
    outcomes = model.draw_outcomes(parameters, rng)
    same = GammaExponential(2.0, 1.0)
    want = same.statistics(y).sum(axis=0)
    assert stats.kstest(outcomes, lambda t: same.cdf(want, t)).pvalue > LEAST
    at = np.array([0.3, 2.0])
    np.testing.assert_allclose(model.log_density(S, at), same.log_density(want, at), rtol=1e-9)
    register_leaf_model("test_short", Short)
    with pytest.raises(DataError, match="E443.*does not draw"):
        OwnModel("test_short", ()).checked(y).draw_parameters(S, rng)
