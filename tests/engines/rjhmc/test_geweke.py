"""Geweke's joint test (2004, Getting it right) for numbers: a chain that in turn draws the
responses given the tree, and moves the tree given the responses, draws the tree from its prior.

Seeds are fixed. Means are compared within 4.5 of their standard errors, by 50 batches; the 14
comparisons fail of a right sampler with a probability below 0.001.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from slp.engines.rjhmc.plain import SoftData
from tests.engines.rjhmc.soft_cases import means_of, sampler_of
from tests.engines.rjhmc.test_jumps import agrees, bits_of

SPLIT, MOST = 0.4, 3
VALUES = np.array([[0.0, 0.4], [0.3, 1.0], [0.6, 0.0], [1.0, 0.7]])
NUMBERS = (0.2, 1.0, 4.0, 2.0)


@pytest.mark.parametrize("soft_index", [False, True])
def test_the_joint_distribution(soft_index: bool) -> None:
    rng = np.random.default_rng(11)
    delta = np.array([1.0, 2.0]) if soft_index else None
    data = SoftData(VALUES, 0.2, rows=np.ones(4), mean=np.zeros(4), numbers=NUMBERS, delta=delta)
    lengths = (300, 1, 0, MOST)
    # Tuned on one response; then fixed.
    sampler = sampler_of(replace(data, mean=rng.normal(size=4)), lengths=lengths, split=SPLIT)
    tuned, _ = sampler.advance(sampler.start(bits_of(rng)), bits_of(rng), 300, True, True)
    tuning, chain = tuned.tuning(), tuned
    leaves, roots, taus, precisions, mus = [], [], [], [], []
    for _ in range(8000):
        features, q = chain.features(sampler), chain.parameters()
        noise = rng.normal(size=4) * np.exp(q[-1] / 2)
        now = replace(data, mean=means_of(data, features, q) + noise)
        sampler = sampler_of(now, lengths=lengths, split=SPLIT)
        chain = sampler.restore(features, q, tuning)
        chain, _ = sampler.advance(chain, bits_of(rng), 1, False, True)
        features, q = chain.features(sampler), chain.parameters()
        leaves.append(len(features) // 2 + 1)
        precisions.append(np.exp(-q[-1]))
        mus.append(q[-2])
        if len(features) > 1:
            roots.append(features[0])
            taus.append(1 / (1 + np.exp(-q[0])))
    weights = np.array([0.6, 0.4 * 0.6**2, 2 * 0.4**2 * 0.6**3])
    for k, share in enumerate(weights / weights.sum(), 1):
        agrees(np.array(leaves) == k, share)
    agrees(np.array(precisions), 4.0 / 2.0)
    agrees(np.array(mus), 0.2)
    agrees((np.array(mus) - 0.2) ** 2, 1.0)
    agrees(np.array(taus), 0.5)
    if not soft_index:
        agrees(np.array(roots), 0.5)
