"""Simulation-based calibration of soft trees of numbers (Talts et al. 2018, arXiv 1804.06788).

    python -m tests.engines.rjhmc.test_calibration REPEATS THIN

A tree is drawn from the prior, and responses from the tree. Given these, the tree is a draw from
the posterior. It is put at a random place of a chain, which goes on from it in both directions: as
a step is reversible, the chain is stationary, and the rank of any quantity of the tree among all
its draws is uniform, however they depend on each other (Besag & Clifford 1989; Gandy & Scott 2020,
arXiv 2001.06465). What warm-up learns comes from another chain on the same responses. Ranks are
tested by Kolmogorov and Smirnov, as is their distance from the middle. (Of classes the likelihood
is no probability, so there is nothing to draw: see test_random_walk.py and test_jumps.py.)
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import kstest

from slp.engines.rjhmc.soft_data import SoftData
from slp.reference.rjhmc import log_density
from tests.engines.rjhmc.soft_cases import (
    log_variance_of,
    means_of,
    prior_tree,
    sampler_of,
    weights_and_taus,
)
from tests.engines.rjhmc.test_jumps import bits_of

SPLIT, MOST, DRAWS = 0.5, 4, 63
VALUES = np.random.default_rng(0).uniform(size=(10, 2))
NAMES = (
    "leaves",
    "log sigma^2",
    "mean of row 0",
    "mean of row 5",
    "weight",
    "tau",
    "density",
    "log h",
)


def quantities(data: SoftData, features: np.ndarray, q: np.ndarray) -> list[float]:
    """Of a tree, as `NAMES` says; weight of the first feature and tau at the root, -1 of a leaf."""
    weights, taus = weights_and_taus(data, features, q)
    first = (float(weights[0, 0]), float(taus[0])) if len(taus) else (-1.0, -1.0)
    means = means_of(data, features, q)
    fit = float(log_density(data, features, q))
    own = [len(features) // 2 + 1, log_variance_of(data, features, q), means[0], means[5]]
    return [*own, *first, fit, *([q[-1]] if data.spread > 0 else [])]


def p_values(repeats: int, thin: int, soft_index: bool, spread: float = 0.0) -> np.ndarray:
    """The smaller p-value of both tests of the ranks of each quantity; `spread`: of log h."""
    rng = np.random.default_rng(21)
    delta = np.array([1.0, 2.0]) if soft_index else None
    plain = SoftData(VALUES, 0.1, rows=np.ones(len(VALUES)), numbers=(0.2, 1.0, 4.0, 1.0))
    plain = replace(plain, delta=delta, spread=spread)
    ranks = []
    for _ in range(repeats):
        features, q = prior_tree(rng, plain, SPLIT, MOST)
        deviation = np.exp(log_variance_of(plain, features, q) / 2)
        noise = rng.normal(size=len(VALUES)) * deviation
        data = replace(plain, mean=means_of(plain, features, q) + noise)
        truth = quantities(data, features, q)
        sampler = sampler_of(data, lengths=(300, 1, 0, MOST), split=SPLIT)
        tuned, _ = sampler.advance(sampler.start(bits_of(rng)), bits_of(rng), 300, True, True)
        before, drawn = int(rng.integers(DRAWS + 1)), []
        for steps in (before, DRAWS - before):
            chain = sampler.restore(features, q, tuned.tuning())
            for _ in range(steps):
                chain, _ = sampler.advance(chain, bits_of(rng), thin, False, True)
                drawn.append(quantities(data, chain.features(sampler), chain.parameters()))
        below = (np.array(drawn) < truth).sum(axis=0)
        equal = (np.array(drawn) == truth).sum(axis=0)
        ranks.append((below + rng.uniform(size=len(truth)) * (equal + 1)) / (DRAWS + 1))
    found = np.array(ranks)
    both = np.stack([found, 2 * np.abs(found - 0.5)])
    return np.array([[kstest(r, "uniform").pvalue for r in own.T] for own in both]).min(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("soft_index", "spread"), [(False, 0.0), (True, 0.0), (False, 0.8), (True, 0.8)]
)
def test_ranks_are_uniform(soft_index: bool, spread: float) -> None:
    """14 or 16 p-values: below 3e-5 one is with a probability below 0.001."""
    assert p_values(100, 10, soft_index, spread).min() > 3e-5


if __name__ == "__main__":
    repeats, thin = sys.argv[1:]
    for soft_index, spread in product((False, True), (0.0, 0.8)):
        found = p_values(int(repeats), int(thin), soft_index, spread)
        words = ", ".join(f"{name} {p:.3g}" for name, p in zip(NAMES, found, strict=False))
        print(f"index {'soft' if soft_index else 'hard'}, spread {spread}: {words}", flush=True)
