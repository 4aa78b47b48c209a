"""Geweke's joint test (2004, Getting it right) for numbers: a chain that in turn draws the
responses given the tree, and moves the tree given the responses, draws the tree from its prior.

Seeds are fixed. Means are compared within 4.5 of their standard errors, by 50 batches; the 30
comparisons fail of a right sampler with a probability below 0.001.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from slp.engines.rjhmc.soft_data import SoftData
from tests.engines.rjhmc.soft_cases import means_of, sampler_of, weights_and_taus
from tests.engines.rjhmc.test_jumps import agrees, bits_of

SPLIT, MOST = 0.4, 3
VALUES = np.array([[0.0, 0.4], [0.3, 1.0], [0.6, 0.0], [1.0, 0.7]])
NUMBERS = (0.2, 1.0, 4.0, 2.0)


@pytest.mark.slow
@pytest.mark.parametrize(("soft_index", "leapfrogs"), [(False, 0), (True, 0), (False, 1)])
def test_the_joint_distribution(soft_index: bool, leapfrogs: int) -> None:
    """With 1 leapfrog step, which is short, jumps alone move the chain."""
    for values, want in joint(soft_index, leapfrogs, 8000).values():
        agrees(values, want)


def joint(
    soft_index: bool, leapfrogs: int, steps: int, tuning: str = "frozen"
) -> dict[str, tuple[np.ndarray, float]]:
    """Series of the chain, with their means under the prior."""
    rng = np.random.default_rng(11)
    delta = np.array([1.0, 2.0]) if soft_index else None
    data = SoftData(VALUES, 0.2, rows=np.ones(4), mean=np.zeros(4), numbers=NUMBERS, delta=delta)
    kind: dict[str, Any] = {"lengths": (300, 1, leapfrogs, MOST), "split": SPLIT, "tuning": tuning}
    kind["informed"] = tuning == "frozen"
    # Tuned on one response; then fixed.
    sampler = sampler_of(replace(data, mean=rng.normal(size=4)), **kind)
    chain = sampler.start(bits_of(rng))
    if leapfrogs == 0 and tuning == "frozen":
        chain, _ = sampler.advance(chain, bits_of(rng), 300, True, True)
    learned = chain.tuning()
    leaves, weights, taus, precisions, mus, squares = [], [], [], [], [], []
    for _ in range(steps):
        features, q = chain.features(sampler), chain.parameters()
        noise = rng.normal(size=4) * np.exp(q[-1] / 2)
        now = replace(data, mean=means_of(data, features, q) + noise)
        sampler = sampler_of(now, **kind)
        chain = sampler.restore(features, q, learned)
        chain, _ = sampler.advance(chain, bits_of(rng), 1, False, True)
        features, q = chain.features(sampler), chain.parameters()
        leaves.append(len(features) // 2 + 1)
        precisions.append(np.exp(-q[-1]))
        mus.append(q[-2])
        squares.append(
            float(((now.mean - means_of(data, features, q)) ** 2).sum() * np.exp(-q[-1]))
        )
        if len(features) > 1:
            of_nodes, thresholds = weights_and_taus(data, features, q)
            weights.append(of_nodes[0, 0])
            taus.append(thresholds[0])
    sizes = np.array([0.6, 0.4 * 0.6**2, 2 * 0.4**2 * 0.6**3])
    sizes /= sizes.sum()
    mu = np.array(mus)
    # delta_1 is Beta(1, 2), or 0 or 1 with probability 1/2; squares are of four rows, by sigma^2.
    return {
        **{f"leaves = {k}": (np.array(leaves) == k, share) for k, share in enumerate(sizes, 1)},
        "1 / sigma^2": (np.array(precisions), 4.0 / 2.0),
        "mu": (mu, 0.2),
        "(mu - 0.2)^2": ((mu - 0.2) ** 2, 1.0),
        "squares / sigma^2": (np.array(squares), 4.0),
        "tau": (np.array(taus), 0.5),
        "weight": (np.array(weights), 1 / 3 if soft_index else 0.5),
        "weight^2": (np.array(weights) ** 2, 1 / 6 if soft_index else 0.5),
    }
