"""The log density of soft trees in the core against its specification, whose complex step gives the
gradient; and the specification against formulas that share nothing with it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import beta, dirichlet, invgamma, norm

from slp.engines.rjhmc.soft_data import SoftData
from slp.reference.rjhmc import log_density
from tests.engines.rjhmc.soft_cases import TOPOLOGIES, random_data, random_tree, sampler_of

KINDS = list(itertools.product((True, False), (True, False)))


def complex_step(data: SoftData, features: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The gradient to rounding: Im f(q + i t) / t."""
    out = np.empty(len(q))
    for i in range(len(q)):
        moved = q.astype(np.complex128)
        moved[i] += 1e-200j
        out[i] = np.imag(log_density(data, features, moved)) / 1e-200
    return out


@pytest.mark.parametrize(("classes", "soft_index"), KINDS)
@pytest.mark.parametrize("h", [1.0, 0.1, 1e-2, 1e-4])
def test_the_core_is_the_specification(classes: bool, soft_index: bool, h: float) -> None:
    rng = np.random.default_rng(3)
    for n, topology in itertools.product((1, 2, 40, 1000), TOPOLOGIES):
        data = random_data(rng, n, 3, h, classes, soft_index)
        features, q = random_tree(rng, data, topology)
        have, gradient = sampler_of(data).density(features, q)
        assert have == pytest.approx(log_density(data, features, q), rel=1e-11, abs=1e-11)
        want = complex_step(data, features, q)
        assert gradient == pytest.approx(want, rel=1e-6, abs=1e-10 / h)


@pytest.mark.parametrize(("classes", "soft_index"), KINDS)
def test_saturated_gates(classes: bool, soft_index: bool) -> None:
    """Thresholds at the ends, and far gates: nothing overflows, and derivatives stay right."""
    rng = np.random.default_rng(4)
    data = random_data(rng, 30, 2, 1e-3, classes, soft_index)
    for shift in (-30.0, 30.0):
        features, q = random_tree(rng, data, TOPOLOGIES[2])
        q[:3] = shift
        have, gradient = sampler_of(data).density(features, q)
        assert np.isfinite(have) and np.isfinite(gradient).all()
        assert have == pytest.approx(log_density(data, features, q), rel=1e-11)
        assert gradient == pytest.approx(complex_step(data, features, q), rel=1e-6, abs=1e-8)


def test_the_prior_by_scipy() -> None:
    """Without rows' likelihood: the product of scipy's densities, times the Jacobians."""
    rng = np.random.default_rng(5)
    data = random_data(rng, 3, 3, 0.1, False, True)
    features, q = random_tree(rng, data, TOPOLOGIES[1])
    have, _ = sampler_of(data, likelihood=False).density(features, q)
    tau = 1 / (1 + np.exp(-q[0]))
    z = 1 / (1 + np.exp(-(q[1:3] - np.log([2, 1]))))
    delta = np.array([z[0], (1 - z[0]) * z[1], (1 - z[0]) * (1 - z[1])])
    want = np.log(tau * (1 - tau)) + beta.logpdf(tau, 1, 1)
    assert data.delta is not None
    want += dirichlet.logpdf(delta / delta.sum(), data.delta)
    want += np.log(z * (1 - z)).sum() + np.log1p(-z[0])
    want += norm.logpdf(q[3:5], 0.3, 1.5).sum()
    want += invgamma.logpdf(np.exp(q[5]), 2.5, scale=0.7) + q[5]
    assert have == pytest.approx(want, rel=1e-12)


def test_one_row_at_a_gate_of_one_half_by_hand() -> None:
    """The soft-count formula does not sum to 1 over the classes of the row: with dirichlet(1) and
    two classes each class has (Gamma(1.5) / Gamma(2.5) * Gamma(2))^2 = 4/9, together 0.889."""
    total = 0.0
    for counts in ([[1.0, 0.0]], [[0.0, 1.0]]):
        data = SoftData(np.array([[0.5]]), 0.1, np.array(counts), np.ones(2))
        features, q = np.array([0, -1, -1], np.int32), np.zeros(1)
        have, _ = sampler_of(data).density(features, q)
        total += np.exp(have - 2 * np.log(0.5))
    assert total == pytest.approx(8 / 9)
    assert np.exp(2 * (gammaln(1.5) + gammaln(2) - gammaln(2.5))) == pytest.approx(4 / 9)
