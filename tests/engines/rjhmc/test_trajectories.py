"""The core's trajectories on Gaussians and a funnel, beside those of Mici, a second implementation.

With the same step size, metric and limit both make the same transitions in distribution: so steps
and acceptance must agree, and squared jumps. Seeds are fixed. Means are compared within 4.5 of
their standard errors by 50 batches; of right samplers one of the 40 comparisons fails with a
probability below 0.001.
"""

from __future__ import annotations

from collections.abc import Callable

import mici
import numpy as np
import pytest

from slp.kernels.compiled import compiled_core
from tests.engines.rjhmc.soft_cases import random_data, random_tree, sampler_of
from tests.engines.rjhmc.test_jumps import LIMIT, bits_of

SD = np.array([0.1, 1.0, 10.0])
CORRELATED = np.linalg.inv(np.array([[1.0, 0.9], [0.9, 1.0]]))

#: Log density and gradient.
Density = Callable[[np.ndarray], tuple[float, np.ndarray]]


def normals(q: np.ndarray) -> tuple[float, np.ndarray]:
    slope = -q / SD**2
    return 0.5 * float(q @ slope), slope


def correlated(q: np.ndarray) -> tuple[float, np.ndarray]:
    slope = -CORRELATED @ q
    return 0.5 * float(q @ slope), slope


def funnel(q: np.ndarray) -> tuple[float, np.ndarray]:
    """Neal's, with v ~ Normal(0, 1) and two x | v ~ Normal(0, exp(v))."""
    v, x = q[0], q[1:]
    precision = np.exp(-v)
    far = 0.5 * float(x @ x) * precision
    return -0.5 * v * v - v - far, np.concatenate([[-v - 1 + far], -x * precision])


def of_the_core(
    density: Density, q: np.ndarray, step: float, variance: np.ndarray, leapfrogs: int, n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    core = compiled_core()
    assert core is not None
    seeds = bits_of(np.random.default_rng(n + leapfrogs))
    return core.trajectories(density, q, step, variance, leapfrogs, n, seeds)  # type: ignore[no-any-return]


def of_mici(
    density: Density, q: np.ndarray, step: float, variance: np.ndarray, leapfrogs: int, n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    def gradient(x: np.ndarray) -> tuple[np.ndarray, float]:
        value, slope = density(x)
        return -slope, -value

    system = mici.systems.EuclideanMetricSystem(
        lambda x: -density(x)[0],
        metric=mici.matrices.PositiveDiagonalMatrix(1 / variance),
        grad_neg_log_dens=gradient,
    )
    integrator = mici.integrators.LeapfrogIntegrator(system, step_size=step)
    rng = np.random.default_rng(5)
    if leapfrogs:
        sampler = mici.samplers.StaticMetropolisHMC(system, integrator, rng, n_step=leapfrogs)
        name = "metrop_accept_prob"
    else:
        sampler = mici.samplers.DynamicMultinomialHMC(system, integrator, rng, max_tree_depth=8)
        name = "av_metrop_accept_prob"
    found = sampler.sample_chains(0, n, [q], n_worker=1, display_progress=False, adapters=[])
    statistics = found.statistics
    return np.asarray(found.traces["pos"][0]), statistics[name][0], statistics["n_step"][0]


def same_mean(a: np.ndarray, b: np.ndarray) -> None:
    """Two series have one mean, by 50 batches of each."""
    means, errors = [], []
    for values in (a, b):
        batches = values[: len(values) // 50 * 50].astype(np.float64).reshape(50, -1).mean(axis=1)
        means.append(batches.mean())
        errors.append(batches.std(ddof=1) / np.sqrt(50))
    assert abs(means[0] - means[1]) <= LIMIT * np.hypot(*errors) + 1e-9, (means, errors)


TARGETS = {
    "normals": (normals, np.array([0.02, 1.5, 60.0]), 0.5),
    "correlated": (correlated, np.ones(2), 0.25),
    "funnel": (funnel, np.ones(3), 0.25),
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("leapfrogs", [0, 7])
@pytest.mark.parametrize("name", TARGETS)
def test_both_make_the_same_transitions(name: str, leapfrogs: int) -> None:
    density, variance, step = TARGETS[name]
    begin = np.full(len(variance), 0.3)
    ours = of_the_core(density, begin, step, variance, leapfrogs, 3000)
    theirs = of_mici(density, begin, step, variance, leapfrogs, 800)
    for mine, other in zip(ours[1:], theirs[1:], strict=True):
        same_mean(mine, other)
    scale = SD if name == "normals" else np.ones(len(variance))
    jumps = [(np.diff(q / scale, axis=0) ** 2).sum(axis=1) for q in (ours[0], theirs[0])]
    if name != "funnel":  # whose x have no fourth moments to speak of
        same_mean(*jumps)


@pytest.mark.parametrize("soft_index", [False, True])
def test_a_stump_by_mici(soft_index: bool) -> None:
    """Means of the parameters of one topology: the engine's HMC part, with the step size and metric
    that it has learned, beside Mici."""
    rng = np.random.default_rng(8)
    data = random_data(rng, 12, 2 if soft_index else 1, 0.2, False, soft_index)
    features, q = random_tree(rng, data, (1, 0, 0))
    sampler = sampler_of(data, lengths=(300, 1, 0, 2))
    chain = sampler.restore(features, q, sampler.start(bits_of(rng)).tuning())
    chain, _ = sampler.advance(chain, bits_of(rng), 300, True, False)
    ours = np.empty((6000, len(q)))
    for t in range(len(ours)):
        chain, _ = sampler.advance(chain, bits_of(rng), 1, False, False)
        ours[t] = chain.parameters()

    def density(x: np.ndarray) -> tuple[float, np.ndarray]:
        return sampler.density(features, x)  # type: ignore[no-any-return]

    theirs, _, _ = of_mici(density, ours[-1], 0.4, ours.var(axis=0), 0, 1200)
    for mine, other in zip(ours.T, theirs.T, strict=True):
        same_mean(mine, other)
        same_mean(np.tanh(mine), np.tanh(other))


def test_turns_across_the_halves_end_a_trajectory() -> None:
    """A normal of 200 coordinates: each step turns all of (q, p) by nearly the same angle, here
    0.93. Sums of momenta over 4 points and over 8 then go along with both ends, as those over 4
    have not turned, and those over 8 have gone round more than once. The sum over the first half
    and the next point has turned: so a trajectory has 8 points."""

    def density(q: np.ndarray) -> tuple[float, np.ndarray]:
        return -0.5 * float(q @ q), -q

    begin = np.random.default_rng(1).normal(size=200)
    _, _, steps = of_the_core(density, begin, 0.9, np.ones(200), 0, 200)
    assert steps.max() == 7 and np.mean(steps == 7) > 0.7
