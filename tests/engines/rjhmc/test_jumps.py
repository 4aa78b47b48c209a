"""The distribution over topologies and parameters against quadrature, on one feature and few rows.

Seeds are fixed. Each share is compared within 4.5 of its standard errors, by means of batches; a
right sampler fails one of the 80 comparisons of this file by chance with a probability below 0.004.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.special import logsumexp
from scipy.stats import invgamma

from slp.engines.rjhmc.soft_data import SoftData
from slp.reference.rjhmc import log_density
from tests.engines.rjhmc.soft_cases import sampler_of

LIMIT = 4.5
SPLIT = 0.4
LEAF, STUMP = (-1,), (0, -1, -1)
LEFT, RIGHT = (0, 0, -1, -1, -1), (0, -1, 0, -1, -1)


def classes(h: float = 0.15) -> SoftData:
    values = np.array([[0.0], [0.3], [0.45], [0.7], [1.0]])
    counts = np.array([[2.0, 0.0], [1, 0], [0, 1], [0, 2], [1, 1]])
    return SoftData(values, h, counts, np.array([1.0, 0.7]))


def numbers(h: float = 0.15) -> SoftData:
    values = np.array([[0.0], [0.35], [0.6], [1.0]])
    mean = np.array([-0.9, -0.6, 0.4, 1.3])
    return SoftData(values, h, rows=np.ones(4), mean=mean, numbers=(0.1, 1.6, 2.0, 0.8))


def bits_of(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 2**64, 4, dtype=np.uint64)


def draws_of(sampler: Any, n: int, seed: int) -> list[tuple[tuple[int, ...], np.ndarray]]:
    rng = np.random.default_rng(seed)
    chain, _ = sampler.advance(sampler.start(bits_of(rng)), bits_of(rng), 300, True, True)
    out = []
    for _ in range(n):
        chain, _ = sampler.advance(chain, bits_of(rng), 1, False, True)
        out.append((tuple(chain.features(sampler).tolist()), chain.parameters()))
    return out


def agrees(values: np.ndarray, want: float) -> None:
    """The mean of a series, within its standard error by 50 batches."""
    batches = values[: len(values) // 50 * 50].reshape(50, -1).mean(axis=1)
    error = batches.std(ddof=1) / np.sqrt(50)
    assert abs(values.mean() - want) <= LIMIT * error + 1e-9, (values.mean(), want, error)


def grid(lo: float, hi: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of Gauss and Legendre."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (hi - lo) / 2 * x + (hi + lo) / 2, (hi - lo) / 2 * w


def log_mass_of_classes(data: SoftData, shape: tuple[int, ...]) -> float:
    """Log of the integral of the density over all thresholds, on a grid of tau."""
    m = (len(shape)) // 2
    if m == 0:
        return float(log_density(data, np.array(shape, np.int32), np.empty(0)))
    tau, weight = grid(0, 1, 60)
    logit = np.log(tau) - np.log1p(-tau)
    axes = np.meshgrid(*[np.arange(60)] * m)
    points = np.stack([a.ravel() for a in axes], axis=1)
    terms = [
        log_density(data, np.array(shape, np.int32), logit[p])
        + (np.log(weight[p]) - np.log(tau[p]) - np.log1p(-tau[p])).sum()
        for p in points
    ]
    return float(logsumexp(terms))


def log_prior_of(shape: tuple[int, ...], most: int) -> float:
    """Of a topology whose nodes split with the probability SPLIT; at most `most` leaves."""
    inner = sum(f >= 0 for f in shape)
    return inner * np.log(SPLIT) + (inner + 1) * np.log1p(-SPLIT) if inner < most else -np.inf


@pytest.mark.slow
@pytest.mark.parametrize("informed", [True, False])
def test_topologies_of_classes(informed: bool) -> None:
    data, shapes = classes(), (LEAF, STUMP, LEFT, RIGHT)
    log_mass = np.array([log_mass_of_classes(data, s) + log_prior_of(s, 3) for s in shapes])
    want = np.exp(log_mass - logsumexp(log_mass))
    sampler = sampler_of(data, lengths=(300, 1, 0, 3), informed=informed, split=SPLIT)
    draws = draws_of(sampler, 20_000, 1)
    assert set(Counter(s for s, _ in draws)) == set(shapes)
    for shape, share in zip(shapes, want, strict=True):
        agrees(np.array([s == shape for s, _ in draws], np.float64), share)


def log_mass_of_numbers(data: SoftData, shape: tuple[int, ...]) -> float:
    """mu is integrated in closed form, log sigma^2 and tau by quadrature."""
    assert data.rows is not None and data.mean is not None
    centre, spread, a, b = data.numbers
    n = len(data.mean)

    def density(tau: float, log_variance: float) -> float:
        left = 1 / (1 + np.exp(-(tau - data.values[:, 0]) / data.h))
        phi = np.stack([left, 1 - left], axis=1) if shape == STUMP else np.ones((n, 1))
        cov = np.exp(log_variance) * np.eye(n) + spread**2 * phi @ phi.T
        apart = data.mean - centre * phi.sum(axis=1)
        _, log_det = np.linalg.slogdet(cov)
        fit = apart @ np.linalg.solve(cov, apart)
        prior = invgamma.logpdf(np.exp(log_variance), a, scale=b) + log_variance
        return float(np.exp(prior - 0.5 * (n * np.log(2 * np.pi) + log_det + fit)))

    if shape == LEAF:
        return float(np.log(quad(lambda v: density(0.0, v), -6, 6)[0]))
    return float(np.log(dblquad(lambda t, v: density(t, v), -6, 6, 0, 1, epsabs=1e-9)[0]))


@pytest.mark.slow
@pytest.mark.parametrize("informed", [True, False])
def test_topologies_of_numbers(informed: bool) -> None:
    data, shapes = numbers(), (LEAF, STUMP)
    log_mass = np.array([log_mass_of_numbers(data, s) + log_prior_of(s, 2) for s in shapes])
    want = np.exp(log_mass - logsumexp(log_mass))
    sampler = sampler_of(data, lengths=(300, 1, 0, 2), informed=informed, split=SPLIT)
    draws = draws_of(sampler, 20_000, 2)
    agrees(np.array([s == STUMP for s, _ in draws], np.float64), want[1])


def draws_at(data: SoftData, shape: np.ndarray, size: int, leapfrogs: int) -> np.ndarray:
    """10,000 draws of the unconstrained parameters by HMC alone, shape (10,000, size)."""
    rng = np.random.default_rng(3)
    most = len(shape) // 2 + 1
    sampler = sampler_of(data, lengths=(300, 1, leapfrogs, most), split=SPLIT)
    chain = sampler.restore(shape, np.zeros(size), sampler.start(bits_of(rng)).tuning())
    chain, _ = sampler.advance(chain, bits_of(rng), 300, True, False)
    found = []
    for _ in range(10_000):
        chain, _ = sampler.advance(chain, bits_of(rng), 1, False, False)
        found.append(chain.parameters())
    return np.array(found)


def moments_agree(values: np.ndarray, points: np.ndarray, mass: np.ndarray) -> None:
    """Mean and mean square of a series against points with their unnormalised masses."""
    for power in (1, 2):
        agrees(values**power, float((mass * points**power).sum() / mass.sum()))


@pytest.mark.parametrize("leapfrogs", [0, 5])
def test_means_with_the_topology_fixed(leapfrogs: int) -> None:
    """HMC alone at a stump of classes: the mean of tau by quadrature."""
    data, shape = classes(), np.array(STUMP, np.int32)
    tau, weight = grid(0, 1, 200)
    logit = np.log(tau) - np.log1p(-tau)
    terms = np.array([log_density(data, shape, logit[i : i + 1]) for i in range(200)])
    mass = np.exp(terms - terms.max()) * weight / (tau * (1 - tau))
    found = draws_at(data, shape, 1, leapfrogs)
    moments_agree(1 / (1 + np.exp(-found[:, 0])), tau, mass)


@pytest.mark.slow
@pytest.mark.parametrize("leapfrogs", [0, 5])
def test_means_of_weights_with_the_topology_fixed(leapfrogs: int) -> None:
    """HMC alone at a stump of HMC-DFI with two features: tau, the weight of the first feature, and
    their product by quadrature over both."""
    base = classes()
    values = np.hstack([base.values, [[0.4], [1.0], [0.0], [0.2], [0.7]]])
    delta = np.array([1.5, 0.8])
    data = SoftData(values, 0.15, base.counts, base.concentration, delta=delta)
    shape = np.array([2, -1, -1], np.int32)
    # The weight has singular ends, as a concentration is below 1: so both are taken by logits.
    x, w = grid(-14, 14, 160)
    logits = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
    terms = np.array([log_density(data, shape, q) for q in logits])
    mass = np.exp(terms - terms.max()) * np.outer(w, w).ravel()
    tau, share = 1 / (1 + np.exp(-logits.T))
    found = 1 / (1 + np.exp(-draws_at(data, shape, 2, leapfrogs)))
    moments_agree(found[:, 0], tau, mass)
    moments_agree(found[:, 1], share, mass)
    moments_agree(found[:, 0] * found[:, 1], tau * share, mass)


@pytest.mark.slow
@pytest.mark.parametrize("leapfrogs", [0, 5])
def test_means_of_numbers_with_the_topology_fixed(leapfrogs: int) -> None:
    """HMC alone at a stump of numbers: tau, both mu and log sigma^2. mu is normal given the others,
    which are summed by quadrature."""
    data, shape = numbers(), np.array(STUMP, np.int32)
    assert data.mean is not None
    centre, spread, a, b = data.numbers
    n = len(data.mean)
    points, masses = [], []
    for tau, w_tau in zip(*grid(0, 1, 60), strict=True):
        left = 1 / (1 + np.exp(-(tau - data.values[:, 0]) / data.h))
        phi = np.stack([left, 1 - left], axis=1)
        for log_variance, w_variance in zip(*grid(-6, 6, 120), strict=True):
            cov = np.exp(log_variance) * np.eye(n) + spread**2 * phi @ phi.T
            gain = spread**2 * np.linalg.solve(cov, phi).T
            apart = data.mean - centre
            mu = centre + gain @ apart
            squares = mu**2 + spread**2 - spread**2 * (gain * phi.T).sum(axis=1)
            fit = apart @ np.linalg.solve(cov, apart) + np.linalg.slogdet(cov)[1]
            prior = invgamma.logpdf(np.exp(log_variance), a, scale=b) + log_variance
            masses.append(np.exp(prior - 0.5 * fit) * w_tau * w_variance)
            points.append([tau, log_variance, *mu, *squares])
    tau, log_variance, *of_mu = np.array(points).T
    mass = np.array(masses)
    found = draws_at(data, shape, 4, leapfrogs)
    moments_agree(1 / (1 + np.exp(-found[:, 0])), tau, mass)
    moments_agree(found[:, 3], log_variance, mass)
    for k in (0, 1):
        agrees(found[:, 1 + k], float(mass @ of_mu[k] / mass.sum()))
        agrees(found[:, 1 + k] ** 2, float(mass @ of_mu[2 + k] / mass.sum()))


def test_an_hmc_part_is_a_palindrome() -> None:
    """A sweep, trajectories, and the sweep again: two proposals of a feature for each node."""
    rng = np.random.default_rng(3)
    sampler = sampler_of(classes(), lengths=(0, 3, 0, 3))
    chain = sampler.restore(
        np.array(LEFT, np.int32), np.zeros(2), sampler.start(bits_of(rng)).tuning()
    )
    _, counts = sampler.advance(chain, bits_of(rng), 10, False, False)
    _, tried, trajectories, _, _ = counts[9:]
    assert (tried, trajectories) == (10 * 2 * 2, 10 * 3)


def test_the_prior_is_drawn() -> None:
    """Without the likelihood: topologies by their prior, tau uniform, mu and sigma^2 by theirs."""
    data = numbers()
    sampler = sampler_of(data, likelihood=False, lengths=(300, 1, 0, 3), split=SPLIT)
    draws = draws_of(sampler, 20_000, 4)
    shapes = (LEAF, STUMP, LEFT, RIGHT)
    weights = np.exp([log_prior_of(s, 3) for s in shapes])
    for shape, share in zip(shapes, weights / weights.sum(), strict=True):
        agrees(np.array([s == shape for s, _ in draws], np.float64), share)
    agrees(np.array([q[-2] for _, q in draws]), 0.1)
    agrees(np.array([(q[-2] - 0.1) ** 2 for _, q in draws]), 1.6**2)
    agrees(np.array([np.exp(-q[-1]) for _, q in draws]), 2.0 / 0.8)
    agrees(np.array([1 / (1 + np.exp(-q[0])) for s, q in draws if s != LEAF]), 0.5)


def test_shapes_of_four_leaves() -> None:
    """Without the likelihood the five shapes with four leaves have one share each. Of one of them
    two nodes can be pruned, of the others one."""
    sampler = sampler_of(classes(), likelihood=False, lengths=(0, 1, 0, 4), split=0.6)
    draws = draws_of(sampler, 40_000, 5)
    total = sum(n * 0.6**k * 0.4 ** (k + 1) for k, n in enumerate((1, 1, 2, 5)))
    shapes = {s for s, _ in draws if len(s) == 7}
    assert len(shapes) == 5
    for shape in shapes:
        agrees(np.array([s == shape for s, _ in draws], np.float64), 0.6**3 * 0.4**4 / total)


def sharp(split: float) -> tuple[SoftData, np.ndarray, float]:
    """Few thresholds fit well; the log odds of a leaf and a stump, and the mean log
    likelihood of stumps, by which jumps are accepted."""
    values = np.linspace(0, 1, 8)[:, None]
    left = np.array([2.0, 2, 0, 0, 0, 0, 0, 0])
    data = SoftData(values, 0.02, np.stack([left, 2 - left], axis=1), np.ones(2))
    tau, weight = grid(0, 1, 400)
    logit = np.log(tau) - np.log1p(-tau)
    shape = np.array(STUMP, np.int32)
    terms = np.array([log_density(data, shape, logit[i : i + 1]) for i in range(400)])
    log_mass = terms + np.log(weight / (tau * (1 - tau)))
    stump, leaf = logsumexp(log_mass), log_mass_of_classes(data, LEAF)
    odds = np.array([leaf, stump + np.log(split) + np.log1p(-split)])
    fits = terms - np.log(tau * (1 - tau))
    return data, odds, float(np.exp(log_mass - stump) @ fits)


@pytest.mark.slow
@pytest.mark.parametrize("informed", [True, False])
def test_a_sharp_likelihood(informed: bool) -> None:
    """Births that look at the likelihood differ much from the prior."""
    data, odds, fit = sharp(0.01)
    sampler = sampler_of(data, lengths=(300, 1, 0, 2), informed=informed, split=0.01)
    draws = draws_of(sampler, 20_000, 6)
    want = float(np.exp(odds[1] - logsumexp(odds)))
    assert 0.2 < want < 0.8
    agrees(np.array([s == STUMP for s, _ in draws], np.float64), want)
    stumps = [q for s, q in draws if s == STUMP]
    fits = [sampler.score(np.array(STUMP, np.int32), q)[2] for q in stumps]
    agrees(np.array(fits), fit)


def test_births_and_deaths_draw_mu_from_its_full_conditional() -> None:
    """With an index of HMC-DFI, which no sweep changes, and steps of HMC that move nothing, a step
    is its jump alone. mu of new leaves is in no ratio, so those of accepted jumps are
    drawn from the normal density given tau and sigma^2; whitened, they have the mean 0 and the
    covariance 1. Most rows lie on one side."""
    values = np.array([[0.0], [0.1], [0.15], [0.2], [0.9], [1.0]])
    mean, rows = np.array([0.3, -0.2, 0.5, 0.1, 0.4, 0.2]), np.array([9.0, 8, 7, 6, 1, 1])
    prior = (0.1, 0.9, 2.0, 0.8)
    data = SoftData(values, 0.1, rows=rows, mean=mean, numbers=prior, delta=np.ones(1))
    sampler = sampler_of(data, lengths=(0, 1, 1, 2), split=SPLIT)
    rng = np.random.default_rng(7)
    still = sampler.start(bits_of(rng)).tuning()
    of_sizes = still[2:].reshape(32, -1)  # log step, its average, centre, error, count, metric
    of_sizes[:, 1], of_sizes[:, 4] = -40.0, 10.0
    shapes = {True: np.array([-1], np.int32), False: np.array([1, -1, -1], np.int32)}
    starts = {True: np.array([0.2, np.log(0.6)]), False: np.array([0.4, 0.1, 0.3, np.log(0.6)])}
    for birth in (True, False):
        chain, white = sampler.restore(shapes[birth], starts[birth], still), []
        while len(white) < 3000:
            after, _ = sampler.advance(chain, bits_of(rng), 1, False, True)
            q, born = after.parameters(), len(after.parameters()) == 4
            if born != birth:
                continue
            gate = 1 / (1 + np.exp((values[:, 0] - 1 / (1 + np.exp(-q[0]))) / data.h))
            phi = np.stack([gate, 1 - gate], axis=1) if birth else np.ones((6, 1))
            precision = phi.T * rows @ phi / 0.6 + np.eye(phi.shape[1]) / prior[1] ** 2
            slope = phi.T * rows @ mean / 0.6 + prior[0] / prior[1] ** 2
            mu = q[1:3] if birth else q[:1]
            white.append(np.linalg.cholesky(precision).T @ (mu - np.linalg.solve(precision, slope)))
        z = np.array(white)
        for k in range(z.shape[1]):
            agrees(z[:, k], 0.0)
            agrees(z[:, k] ** 2, 1.0)
        agrees(z[:, 0] * z[:, -1], 0.0 if birth else 1.0)
