"""Leaf models of rows with weights: whole ones repeat rows; real ones by quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import dblquad, quad

from slp.leaves import Dirichlet, GammaExponential, GammaPoisson, NormalInverseGamma
from slp.leaves.base import LeafModel

CLASSES = np.array([0, 1, 1, 0])
NUMBERS = np.array([0.3, -1.2, 2.0, 0.9])
COUNTS = np.array([0.0, 3.0, 1.0, 12.0])
REAL = np.array([0.5, 1.7, 0.31, 2.25])


def weighted(model: LeafModel, y: np.ndarray, w: np.ndarray) -> float:
    """The log marginal likelihood that the model gives."""
    return float(model.log_marginal((model.statistics(y) * w[:, None]).sum(axis=0)))


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (Dirichlet(("a", "b"), [0.5, 2.0]), CLASSES),
        (NormalInverseGamma(0.5, 0.3, 1.5, 2.0), NUMBERS),
        (GammaPoisson(1.5, 0.7), COUNTS),
        (GammaExponential(1.5, 0.7), COUNTS + 0.5),
    ],
    ids=lambda m: getattr(m, "name", ""),
)
def test_whole_weights_repeat_rows(model: LeafModel, y: np.ndarray) -> None:
    w = np.array([3, 0, 2, 70])
    want = weighted(model, np.repeat(y, w), np.ones(75))
    assert weighted(model, y, w) == pytest.approx(want, rel=1e-13)


def integral(
    density: Callable[[float], float], prior: Callable[[float], float], top: float
) -> float:
    return math.log(quad(lambda p: density(p) * prior(p), 0, top, epsabs=0, limit=200)[0])


def test_real_weights_of_classes() -> None:
    """The integral of p^(weight of a) (1 - p)^(weight of b) under Beta(0.5, 2)."""
    a, b = REAL[CLASSES == 0].sum(), REAL[CLASSES == 1].sum()
    beta = math.gamma(0.5) * math.gamma(2) / math.gamma(2.5)
    want = integral(lambda p: p**a * (1 - p) ** b, lambda p: p**-0.5 * (1 - p) / beta, 1)
    assert weighted(Dirichlet(("a", "b"), [0.5, 2.0]), CLASSES, REAL) == pytest.approx(want)


def test_real_weights_of_rates() -> None:
    def prior(r: float) -> float:
        return 0.7**1.5 / math.gamma(1.5) * r**0.5 * math.exp(-0.7 * r)

    def counts(r: float) -> float:
        each = [k * math.log(r) - r - math.lgamma(k + 1) for k in COUNTS]
        return math.exp(REAL @ each)

    def times(r: float) -> float:
        return math.exp(REAL @ [math.log(r) - r * (k + 0.5) for k in COUNTS])

    want = integral(counts, prior, 60)
    assert weighted(GammaPoisson(1.5, 0.7), COUNTS, REAL) == pytest.approx(want)
    want = integral(times, prior, 60)
    assert weighted(GammaExponential(1.5, 0.7), COUNTS + 0.5, REAL) == pytest.approx(want)


@pytest.mark.parametrize("w", [REAL, np.array([0.2, 0.1, 0.3, 0.15])])
def test_real_weights_of_numbers(w: np.ndarray) -> None:
    """Also with a sum of weights below 1."""
    mu, kappa, alpha, beta = 0.5, 0.3, 1.5, 2.0

    def joint(m: float, v: float) -> float:
        prior = alpha * math.log(beta) - math.lgamma(alpha) - (alpha + 1) * math.log(v) - beta / v
        prior += 0.5 * math.log(kappa / (2 * math.pi * v)) - kappa * (m - mu) ** 2 / (2 * v)
        each = -0.5 * np.log(2 * np.pi * v) - (NUMBERS - m) ** 2 / (2 * v)
        return math.exp(prior + w @ each)

    inner = dblquad(lambda m, s: joint(m, math.exp(s)) * math.exp(s), -6, 12, -60, 60, epsabs=1e-11)
    model = NormalInverseGamma(mu, kappa, alpha, beta, ref=0.25)
    assert weighted(model, NUMBERS, w) == pytest.approx(math.log(inner[0]), abs=1e-5)


def test_large_concentrations_do_not_cancel() -> None:
    """log Gamma(a + x) - log Gamma(a) is x log a - x (1 - x) / (2 a) + O(1 / a^2)."""
    model = Dirichlet(("a",), 1e9)
    double = Dirichlet(("a", "b"), [1e9, 1e9])
    assert float(model.log_marginal(np.array([0.3]))) == 0
    want = 0.3 * math.log(0.5)
    assert float(double.log_marginal(np.array([0.3, 0.0]))) == pytest.approx(want, abs=1e-9)
