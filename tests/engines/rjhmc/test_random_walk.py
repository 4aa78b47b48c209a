"""Chains for classes beside a plain random-walk sampler at the same response: births and deaths
from the prior, new splits from the prior, small steps of a threshold. It shares nothing with the
engine.

Seeds are fixed. Means are compared within 4.5 of their standard errors by 50 batches of each; of
right samplers one of the 18 comparisons fails with a probability below 0.001.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln

from slp.engines.rjhmc.soft_data import SoftData
from tests.engines.rjhmc.soft_cases import sampler_of, weights_and_taus
from tests.engines.rjhmc.test_jumps import draws_of
from tests.engines.rjhmc.test_trajectories import same_mean

SPLIT, MOST, H = 0.5, 4, 0.1
VALUES = np.array([[0.0, 0.4], [0.2, 1.0], [0.45, 0.0], [0.6, 0.7], [0.8, 0.3], [1.0, 0.6]])
COUNTS = np.array([[2.0, 0], [1, 0], [0, 2], [1, 1], [0, 3], [0, 1]])
CONCENTRATION, DELTA = np.array([1.0, 0.5]), np.array([1.0, 2.0])

#: A tree: None for a leaf, else [weights of features, threshold, left, right].
Walked = Any


class RandomWalk:
    """Trees with a prior that splits with SPLIT at every node, and has at most MOST leaves."""

    def __init__(self, soft_index: bool, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.soft_index, self.tree = soft_index, None
        self.now = self.log_likelihood(None)

    def log_likelihood(self, tree: Walked) -> float:
        def below(node: Walked, reached: np.ndarray) -> float:
            if node is None:
                soft = reached @ COUNTS
                total = CONCENTRATION.sum()
                of_all = gammaln(total) - gammaln(total + soft.sum())
                return float(
                    (gammaln(CONCENTRATION + soft) - gammaln(CONCENTRATION)).sum() + of_all
                )
            left = reached / (1 + np.exp((VALUES @ node[0] - node[1]) / H))
            return below(node[2], left) + below(node[3], reached - left)

        return below(tree, np.ones(len(VALUES)))

    def weights(self) -> np.ndarray:
        if self.soft_index:
            return self.rng.dirichlet(DELTA)
        return np.eye(2)[self.rng.integers(2)]

    def places(self, node: Walked, at: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Any]]:
        if node is None:
            return [(at, None)]
        return [(at, node), *self.places(node[2], (*at, 2)), *self.places(node[3], (*at, 3))]

    def with_node(self, node: Walked, at: tuple[int, ...], new: Walked) -> Walked:
        if not at:
            return new
        out = list(node)
        out[at[0]] = self.with_node(node[at[0]], at[1:], new)
        return out

    def step(self) -> None:
        """Births and deaths draw from the prior, so their ratio has the number of places, and the
        prior probability of the topology, alone."""
        rng, places = self.rng, self.places(self.tree)
        leaves = [at for at, node in places if node is None]
        inner = [at for at, node in places if node is not None]
        pairs = [at for at, n in places if n is not None and n[2] is None and n[3] is None]
        move, ratio = rng.integers(4), 0.0
        odds = np.log(SPLIT * (1 - SPLIT))
        if move == 0:
            if len(leaves) == MOST:
                return
            at = leaves[rng.integers(len(leaves))]
            new = self.with_node(self.tree, at, [self.weights(), rng.uniform(), None, None])
            later = [n for _, n in self.places(new) if n is not None]
            n_pairs = sum(n[2] is None and n[3] is None for n in later)
            ratio = odds + np.log(len(leaves) / n_pairs)
        elif move == 1:
            if not pairs:
                return
            at = pairs[rng.integers(len(pairs))]
            new = self.with_node(self.tree, at, None)
            ratio = -odds + np.log(len(pairs) / (len(leaves) - 1))
        else:
            if not inner:
                return
            at = inner[rng.integers(len(inner))]
            weights, tau, left, right = dict(places)[at]
            tau = rng.uniform() if move == 2 else tau + 0.1 * rng.normal()
            if not 0 < tau < 1:
                return
            own = self.weights() if move == 2 else weights
            new = self.with_node(self.tree, at, [own, tau, left, right])
        then = self.log_likelihood(new)
        if np.log(rng.uniform()) < then - self.now + ratio:
            self.tree, self.now = new, then

    def look(self) -> tuple[float, ...]:
        """Whether it has 1 leaf, 2 or 3; the weight of the first feature at the root and its
        threshold (of a leaf 0); the log likelihood."""
        places = self.places(self.tree)
        n = len(places) // 2 + 1
        first = (0.0, 0.0) if self.tree is None else (float(self.tree[0][0]), float(self.tree[1]))
        return (*(float(n == k) for k in (1, 2, 3)), *first, self.now)


@pytest.mark.slow
@pytest.mark.parametrize(("informed", "soft_index"), [(True, False), (False, False), (False, True)])
def test_both_samplers_agree(informed: bool, soft_index: bool) -> None:
    delta = DELTA if soft_index else None
    data = SoftData(VALUES, H, COUNTS, CONCENTRATION, delta=delta)
    sampler = sampler_of(data, lengths=(300, 1, 0, MOST), informed=informed, split=SPLIT)
    ours = []
    for features, q in draws_of(sampler, 8000, 7):
        n = len(features) // 2 + 1
        weights, taus = weights_and_taus(data, np.array(features, np.int32), q)
        first = (0.0, 0.0) if n == 1 else (float(weights[0, 0]), float(taus[0]))
        fit = sampler.score(np.array(features, np.int32), q)[2]
        ours.append((*(float(n == k) for k in (1, 2, 3)), *first, fit))
    walk = RandomWalk(soft_index, 9)
    theirs = []
    for t in range(25_000):
        walk.step()
        if t >= 1000:
            theirs.append(walk.look())
    for mine, other in zip(np.array(ours).T, np.array(theirs).T, strict=True):
        same_mean(mine, other)
