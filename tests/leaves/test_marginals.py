"""Marginal likelihoods against the chain rule, numerical integration and exact arithmetic."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from slp.leaves import Dirichlet, GammaExponential, GammaPoisson, NormalInverseGamma
from slp.leaves.numbers import NumericModel
from slp.leaves.rising import LogRising, log_rising


def log_marginal(model, y):
    return float(model.log_marginal(model.statistics(np.asarray(y)).sum(axis=0)))


# --- dirichlet -----------------------------------------------------------------------------------


def test_dirichlet_of_two_classes_is_the_rule_of_succession():
    """Beta(1, 1), 3 of one and 2 of the other in order: 3! 2! / 6! = 1/60."""
    model = Dirichlet(("a", "b"), 1)
    assert log_marginal(model, [0, 0, 0, 1, 1]) == pytest.approx(math.log(1 / 60), rel=1e-14)


@pytest.mark.parametrize("concentration", [1, 0.3, (0.5, 2.0, 1.0)])
def test_dirichlet_sums_to_one_over_all_outcomes(concentration):
    model = Dirichlet(("a", "b", "c"), concentration)
    total = sum(math.exp(log_marginal(model, y)) for y in itertools.product(range(3), repeat=3))
    assert total == pytest.approx(1.0, rel=1e-13)


@pytest.mark.parametrize("concentration", [1, 0.3, (0.5, 2.0, 1.0)])
def test_dirichlet_is_the_product_of_its_predictives(concentration):
    model = Dirichlet(("a", "b", "c"), concentration)
    y = np.array([0, 2, 2, 1, 0, 2, 2, 2])
    rows = model.statistics(y)
    seen = np.cumsum(rows, axis=0) - rows
    chain = np.log(model.predict_proba(seen)[np.arange(len(y)), y]).sum()
    assert log_marginal(model, y) == pytest.approx(chain, rel=1e-13)


def test_dirichlet_with_a_list_of_equal_numbers_is_the_plain_one():
    S = np.array([[3.0, 0.0, 4.0], [0.0, 0.0, 0.0], [100.0, 2000.0, 3.0]])
    plain, listed = Dirichlet(("a", "b", "c"), 2), Dirichlet(("a", "b", "c"), (2, 2, 2))
    np.testing.assert_allclose(plain.log_marginal(S), listed.log_marginal(S), rtol=1e-15)
    assert plain.describe() == "dirichlet(2)"
    assert listed.describe() == "dirichlet([2, 2, 2])"


def test_intervals_of_classes_hold_nine_tenths_of_their_probabilities():
    """Draws of the Dirichlet posterior: with 20,000 an end lies within 4 standard errors, an error
    rate below 1e-3 over all of them. Of one class the probability is known."""
    model, counts = Dirichlet(("a", "b", "c"), (0.5, 2.0, 1.0)), np.array([3.0, 0.0, 14.0])
    drawn = np.random.default_rng(5).dirichlet(model.concentration + counts, 20_000)
    told = model.predictive(counts)
    for c, label in enumerate(model.classes):
        low, high = told["intervals"][label]
        assert low < told["probabilities"][label] < high
        below = np.mean(drawn[:, c, None] < [low, high], axis=0)
        np.testing.assert_allclose(below, [0.05, 0.95], atol=4 * (0.05 * 0.95 / 20_000) ** 0.5)
    assert Dirichlet(("a",), 1).predictive(np.array([4.0]))["intervals"] == {"a": [1.0, 1.0]}


def test_one_class_explains_itself():
    model = Dirichlet(("a",), 0.7)
    assert log_marginal(model, np.zeros(50, dtype=int)) == 0.0


# --- normal_inverse_gamma ------------------------------------------------------------------------


def exact_normal_marginal(y, mu, kappa, alpha, beta):
    """The formula of the docstring with beta' in exact arithmetic; alpha + n/2 must be whole."""
    y = [Fraction(v) for v in y]
    mu, kappa, beta = Fraction(mu), Fraction(kappa), Fraction(beta)
    n = len(y)
    ybar = sum(y) / n
    ss = sum((v - ybar) ** 2 for v in y)
    beta_n = beta + ss / 2 + kappa * n * (ybar - mu) ** 2 / (2 * (kappa + n))
    getcontext().prec = 50

    def ln(q):
        return Decimal(q.numerator).ln() - Decimal(q.denominator).ln()

    alpha_n = alpha + n // 2
    gammas = Decimal(math.factorial(alpha_n - 1)).ln() - Decimal(math.factorial(alpha - 1)).ln()
    pi = Decimal("3.14159265358979323846264338327950288419716939937511")
    return float(
        gammas
        + alpha * ln(beta)
        - alpha_n * ln(beta_n)
        + (ln(kappa) - ln(kappa + n)) / 2
        - (2 * pi).ln() * (n // 2)
    )


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_large_offsets_do_not_cancel(offset, scale):
    y = offset + scale * np.random.default_rng(1).normal(size=40)
    args = (float(y.mean()) + 0.25 * scale, 0.5, 3, 2 * scale**2)
    model = NormalInverseGamma(*args, ref=float(y.mean()))
    assert log_marginal(model, y) == pytest.approx(exact_normal_marginal(y, *args), rel=1e-10)


def test_the_offset_of_the_statistics_does_not_matter():
    y = np.random.default_rng(2).normal(3, 2, size=9)
    one, other = (NormalInverseGamma(1.0, 0.1, 2.0, 4.0, ref=r) for r in (0.0, 3.1))
    assert log_marginal(one, y) == pytest.approx(log_marginal(other, y), rel=1e-13)
    S, T = one.statistics(y).sum(axis=0), other.statistics(y).sum(axis=0)
    assert one.mean(S) == pytest.approx(other.mean(T), rel=1e-13)
    assert one.cdf(S, np.float64(2.0)) == pytest.approx(other.cdf(T, np.float64(2.0)), rel=1e-12)


def test_normal_by_integration():
    """Two responses, integrated over mean and variance."""
    mu, kappa, alpha, beta = 0.5, 2.0, 3.0, 1.5
    y = [0.1, 1.3]

    def density(mean, variance):
        prior = stats.invgamma.pdf(variance, alpha, scale=beta)
        prior = prior * stats.norm.pdf(mean, mu, np.sqrt(variance / kappa))
        return prior * math.prod(stats.norm.pdf(v, mean, np.sqrt(variance)) for v in y)

    # The trapezoidal rule over (z, log variance), where mean = mu + z sqrt(variance): the integrand
    # is smooth and vanishes at the ends, so the rule is exact to rounding.
    z, log_variance = np.linspace(-12, 12, 400), np.linspace(-8, 12, 400)
    variance = np.exp(log_variance)[:, np.newaxis]
    values = density(mu + z * np.sqrt(variance), variance) * variance**1.5
    have = values.sum() * (z[1] - z[0]) * (log_variance[1] - log_variance[0])
    want = math.exp(log_marginal(NormalInverseGamma(mu, kappa, alpha, beta), y))
    assert have == pytest.approx(want, rel=1e-10)


def predictive_density(model, S, y, step=1e-4):
    """Derivative of the predictive distribution function, to order step^4."""
    at = model.cdf(S, np.array([y - 2 * step, y - step, y + step, y + 2 * step]))
    return float((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step))


@pytest.mark.parametrize(
    "model",
    [
        NormalInverseGamma(1.0, 0.1, 2.0, 3.0, ref=0.7),
        NormalInverseGamma(1.0, 5.0, 0.3, 3.0, ref=0.7),
        GammaExponential(2.0, 3.0),
        GammaExponential(0.5, 1.0),
    ],
)
def test_predictive_density_is_the_ratio_of_marginals(model):
    rows = model.statistics(np.array([0.4, 2.5, 1.1, 0.2]))
    for k in range(len(rows)):
        S = rows[:k].sum(axis=0)
        ratio = math.exp(model.log_marginal(S + rows[k]) - model.log_marginal(S))
        y = [0.4, 2.5, 1.1, 0.2][k]
        assert predictive_density(model, S, y) == pytest.approx(ratio, rel=1e-8)


# --- gamma_poisson -------------------------------------------------------------------------------


def test_counts_are_the_product_of_their_predictives():
    model = GammaPoisson(1.5, 0.7)
    y = np.array([3, 0, 0, 7, 2, 1])
    rows = model.statistics(y)
    chain = 0.0
    for k, value in enumerate(y):
        S = rows[:k].sum(axis=0)
        mass = model.cdf(S, np.float64(value)) - model.cdf(S, np.float64(value - 1))
        chain += math.log(mass)
    assert log_marginal(model, y) == pytest.approx(chain, rel=1e-12)


def test_counts_by_integration():
    a, b, y = 2.0, 0.5, [3, 1, 4]

    def density(rate):
        return stats.gamma.pdf(rate, a, scale=1 / b) * np.prod(stats.poisson.pmf(y, rate))

    have, _ = integrate.quad(density, 0, 60)
    assert have == pytest.approx(math.exp(log_marginal(GammaPoisson(a, b), y)), rel=1e-9)


def test_counts_sum_to_one():
    model = GammaPoisson(1.0, 2.0)
    total = sum(math.exp(log_marginal(model, y)) for y in itertools.product(range(60), repeat=2))
    assert total == pytest.approx(1.0, rel=1e-9)


def test_negative_binomial_mean_and_distribution_function():
    model = GammaPoisson(1.5, 0.7)
    S = model.statistics(np.array([3.0, 5.0])).sum(axis=0)
    y = np.arange(-2, 30, dtype=float)
    want = stats.nbinom.cdf(y, 9.5, 2.7 / 3.7)
    np.testing.assert_allclose(model.cdf(S, y), want, rtol=1e-12)
    np.testing.assert_allclose(model.cdf(S, y + 0.5), want, rtol=1e-12)
    assert model.mean(S) == pytest.approx(9.5 / 2.7)


# --- gamma_exponential ---------------------------------------------------------------------------


def test_durations_with_censoring_by_integration():
    a, b = 2.0, 3.0
    data = np.array([[1.5, 1.0], [4.0, 0.0], [0.3, 1.0]])

    def density(rate):
        likelihood = np.prod(rate ** data[:, 1] * np.exp(-rate * data[:, 0]))
        return stats.gamma.pdf(rate, a, scale=1 / b) * likelihood

    have, _ = integrate.quad(density, 0, 40)
    assert have == pytest.approx(math.exp(log_marginal(GammaExponential(a, b), data)), rel=1e-9)


def test_durations_without_events_column_are_all_seen():
    model = GammaExponential(1.0, 1.0)
    y = np.array([2.0, 3.0])
    seen = np.stack([y, np.ones(2)], axis=-1)
    np.testing.assert_array_equal(model.statistics(y), model.statistics(seen))


def test_lomax_mean_is_infinite_without_enough_events():
    model = GammaExponential(0.5, 1.0)
    S = model.statistics(np.array([[2.0, 0.0], [3.0, 1.0]]))
    np.testing.assert_array_equal(model.mean(S), [np.inf, 4.0 / 0.5])
    assert GammaExponential(1.0, 1.0).mean(S)[0] == np.inf  # a + e = 1: still none


def test_counts_with_exposures_are_the_product_of_their_predictives():
    """The next count at exposure e is negative binomial with success (b + E) / (b + E + e)."""
    model = GammaPoisson(1.5, 0.7, exposed=True)
    y = np.array([[3, 0.5], [0, 2.0], [7, 4.5], [2, 1.0]])
    chain, a, b = 0.0, 1.5, 0.7
    for count, e in y:
        chain += stats.nbinom.logpmf(count, a, b / (b + e))
        a, b = a + count, b + e
    assert log_marginal(model, y) == pytest.approx(chain, rel=1e-9)
    S = model.statistics(y).sum(axis=0)
    assert model.mean(S) == pytest.approx(13.5 / 8.7)
    assert model.cdf(S, np.float64(2)) == pytest.approx(stats.nbinom.cdf(2, 13.5, 8.7 / 9.7))
    assert model.summary(S) == {"n": 4, "exposure": 8.0, "mean": 1.5}
    assert model.predictive(S)["count"] == 12


def test_exposures_of_one_change_nothing():
    y = np.array([3.0, 0, 0, 7])
    with_ones = log_marginal(GammaPoisson(1.5, 0.7, exposed=True), np.stack([y, y**0], axis=1))
    assert with_ones == pytest.approx(log_marginal(GammaPoisson(1.5, 0.7), y), rel=1e-14)


# --- all -----------------------------------------------------------------------------------------

MODELS = [
    Dirichlet(("a", "b", "c"), (0.5, 1.0, 2.0)),
    Dirichlet(("a", "b", "c"), 1),
    NormalInverseGamma(0.0, 0.1, 2.0, 1.0),
    GammaPoisson(1.0, 1.0),
    GammaExponential(1.0, 1.0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.describe())
def test_shapes_and_empty_leaves(model):
    y = np.array([0, 1, 2, 2]) if model.classes else np.array([1.0, 2.0, 2.0, 4.0])
    rows = model.statistics(y)
    assert rows.shape == (4, model.n_statistics)
    S = np.stack([np.zeros_like(rows[0]), rows[:2].sum(axis=0), rows.sum(axis=0)]).reshape(3, 1, -1)
    have = model.log_marginal(S)
    assert have.shape == (3, 1)
    assert have[0, 0] == 0.0  # no data have probability 1
    np.testing.assert_array_equal(have[:, 0], [model.log_marginal(s[0]) for s in S])
    predicted = model.predict_proba(S) if model.classes else model.mean(S)
    assert predicted.shape == ((3, 1, 3) if model.classes else (3, 1))


@pytest.mark.parametrize("model", MODELS[2:], ids=lambda m: m.describe())
def test_numeric_models_have_no_class_probabilities(model):
    with pytest.raises(TypeError, match="models numbers, which have no class probabilities"):
        model.predict_proba(np.zeros(3))


def test_classes_have_neither_mean_nor_distribution_function():
    with pytest.raises(TypeError, match="which have no mean"):
        MODELS[0].mean(np.zeros(3))
    with pytest.raises(TypeError, match="which have no distribution function"):
        MODELS[0].cdf(np.zeros(3), np.zeros(1))


def test_summaries():
    assert MODELS[0].summary(np.array([3.0, 0.0, 1.0])) == {"counts": {"a": 3, "c": 1}}
    normal = NormalInverseGamma(0.0, 0.1, 2.0, 1.0, ref=10.0)
    S = normal.statistics(np.array([9.0, 12.0])).sum(axis=0)
    assert normal.summary(S) == {"n": 2, "mean": 10.5}
    assert normal.summary(np.zeros(3)) == {"n": 0, "mean": None}
    assert MODELS[3].summary(np.array([2.0, 5.0, 0.0])) == {"n": 2, "mean": 2.5}
    S = MODELS[4].statistics(np.array([[2.0, 1.0], [5.0, 0.0]])).sum(axis=0)
    assert MODELS[4].summary(S) == {"n": 2, "events": 1, "mean": 3.5}


def tails(density, low, high, least, most):
    """Mass of a density, known up to its total, below `low` and above `high`."""
    parts = [integrate.quad(density, *p)[0] for p in ((least, low), (low, high), (high, most))]
    return [parts[0] / sum(parts), parts[2] / sum(parts)]


def test_intervals_of_a_rate_by_integration():
    y = np.array([2.0, 0.0, 3.0])

    def density(r):
        return stats.gamma.pdf(r, 1.5, scale=1 / 0.5) * np.prod(stats.poisson.pmf(y, r))

    model = GammaPoisson(1.5, 0.5)
    have = model.predictive(model.statistics(y).sum(axis=0))
    assert tails(density, *have["rate_interval"], 0, 50) == pytest.approx([0.05, 0.05], rel=1e-6)
    assert (have["rate"], have["count"]) == (6.5 / 3.5, 5)


def test_intervals_of_a_median_duration_by_integration():
    y = np.array([[2.0, 1.0], [3.0, 0.0], [4.0, 1.0]])

    def density(r):  # of the rate, so of log 2 / median: the tails change places
        seen = np.prod(np.where(y[:, 1] == 1, r, 1) * np.exp(-r * y[:, 0]))
        return stats.gamma.pdf(r, 1.5, scale=1 / 0.5) * seen

    model = GammaExponential(1.5, 0.5)
    have = model.predictive(model.statistics(y).sum(axis=0))
    low, high = np.array(have["median_interval"]) / np.log(2)
    assert tails(density, 1 / high, 1 / low, 0, 20) == pytest.approx([0.05, 0.05], rel=1e-6)
    assert (have["mean"], have["time"]) == (9.5 / 2.5, 9)
    assert have["median"] == pytest.approx(9.5 * (2 ** (1 / 3.5) - 1))  # Lomax: shape, scale
    never = GammaExponential(1e-4, 1.0)
    assert never.predictive(np.zeros(3))["median_interval"][1] is None
    assert never.predictive(np.zeros(3))["mean"] is None


def test_intervals_of_a_mean_by_integration():
    """The variance is integrated out numerically too."""
    y = np.array([101.0, 104.0, 102.5])
    mu, kappa, alpha, beta = 100.0, 0.5, 1.5, 2.0

    s2, m = np.geomspace(1e-2, 1e4, 600)[:, None], np.linspace(42, 162, 1201)
    density = stats.invgamma.pdf(s2, alpha, scale=beta) * stats.norm.pdf(m, mu, (s2 / kappa) ** 0.5)
    for x in y:
        density = density * stats.norm.pdf(x, m, s2**0.5)
    mass = integrate.simpson(density, x=s2.ravel(), axis=0)
    model = NormalInverseGamma(mu, kappa, alpha, beta, ref=102.0)
    have = model.predictive(model.statistics(y).sum(axis=0))
    low, high = have["mean_interval"]
    for beyond in (m < low, m > high):
        assert mass[beyond].sum() / mass.sum() == pytest.approx(0.05, abs=3e-3)
    assert have["mean"] == pytest.approx((mass * m).sum() / mass.sum(), abs=1e-3)


def test_numbers_are_described_as_prolog_reads_them():
    model = NormalInverseGamma(1e-5, 0.1, 2.0, 2.5e20)
    assert model.describe() == "normal_inverse_gamma(1.0e-5, 0.1, 2, 2.5e20)"


# --- the gamma function --------------------------------------------------------------------------


@pytest.mark.parametrize("a", [1e-3, 0.5, 1.0, 7.25, 1e6, 1e12])
def test_log_rising_is_a_sum_of_logarithms(a):
    have = LogRising(a)(np.array([0, 1, 2, 300, 5000]))
    want = [math.fsum(math.log(a + j) for j in range(i)) for i in (0, 1, 2, 300, 5000)]
    np.testing.assert_allclose(have, want, rtol=1e-14)


def test_log_rising_beyond_its_table():
    i = np.array([3, 2_000_000, 10**12])
    have = LogRising(1.0)(i)
    np.testing.assert_allclose(have, [math.lgamma(v + 1) for v in i.tolist()], rtol=1e-14)


@pytest.mark.parametrize("a", [0.1, 1.0, 63.9, 64.0, 1e3])
def test_half_a_step_of_log_gamma(a):
    want = math.lgamma(a + 0.5) - math.lgamma(a)
    assert float(log_rising(a, 0.5)) == pytest.approx(want, rel=1e-11, abs=1e-14)


def test_two_halves_of_a_step_are_a_step():
    """Gamma(a + 1) = a Gamma(a), also where the gamma function itself is far too large."""
    for a in (70.0, 1e10):
        steps = float(log_rising(a, 0.5) + log_rising(a + 0.5, 0.5))
        assert steps == pytest.approx(math.log(a), rel=1e-14)


def test_a_numeric_model_must_say_its_mean():
    class NoMean(NumericModel):
        name = "no_mean"

    with pytest.raises(TypeError, match="abstract.*mean"):
        NoMean()
