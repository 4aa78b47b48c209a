"""Small h: the distribution over (topology, feature, interval of threshold) against an enumeration.

In the limit every gate is that of a hard tree, and a split that parts no rows stays: all rows go to
one side, the state moves on, and the empty side weighs 1. With `max_depth(2)` a tree is a leaf, or
a root with two sides, each a leaf or a split with two leaves. tau is uniform, so an interval
between neighbouring values of a feature has its length as its share.

At h > 0 the same shares come from quadrature over the thresholds: given the root, both sides are
independent, and each side takes one integral.
"""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.special import gammaln

import slp
from slp.errors import SlpWarning
from slp.trees.soft import SoftSplit

SPLIT = 0.6
VALUES = np.array([[0.0, 0.35], [0.3, 1.0], [0.55, 0.0], [0.8, 0.6], [1.0, 0.35]])
COUNTS = np.array([[2.0, 0.0], [1, 0], [0, 1], [0, 2], [1, 0]])
D = VALUES.shape[1]
#: Ends of the intervals of each feature.
EDGES = [np.unique(VALUES[:, f]) for f in range(D)]

#: A side of the root: None for a leaf, else (feature, interval). A tree: None for a leaf, else
#: (feature, interval, left side, right side).
Shares = dict[Any, float]


def weight(counts: np.ndarray) -> np.ndarray:
    """The Dirichlet-multinomial formula under dirichlet(1), of counts of shape (..., 2)."""
    return np.asarray(np.exp(gammaln(1 + counts).sum(axis=-1) - gammaln(2 + counts.sum(axis=-1))))


def points(f: int, h: float | None, n: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thresholds of a feature with their weights and intervals. With h None one for each interval,
    else those of Gauss and Legendre on parts that are narrow near the values."""
    x, w = np.polynomial.legendre.leggauss(n)
    taus, weights, intervals = [], [], []
    for k, (low, high) in enumerate(itertools.pairwise(EDGES[f])):
        if h is None:
            taus.append([(low + high) / 2])
            weights.append([high - low])
        else:
            near = min(12 * h, (high - low) / 3)
            parts = list(itertools.pairwise([low, low + near, high - near, high]))
            taus.append(np.concatenate([(b - a) / 2 * x + (a + b) / 2 for a, b in parts]))
            weights.append(np.concatenate([(b - a) / 2 * w for a, b in parts]))
        intervals += [k] * len(taus[-1])
    return np.concatenate(taus), np.concatenate(weights), np.array(intervals)


def left_gates(tau: np.ndarray, f: int, h: float | None) -> np.ndarray:
    """The probability of going left, shape (thresholds, n)."""
    apart = tau[:, None] - VALUES[:, f]
    return (apart > 0).astype(float) if h is None else 1 / (1 + np.exp(-apart / h))


def sides(reached: np.ndarray, h: float | None) -> dict[Any, np.ndarray]:
    """Of sides that rows reach with these probabilities, shape (roots, n): their weights by what
    they are, each of shape (roots,)."""
    out = {None: (1 - SPLIT) * weight(reached @ COUNTS)}
    for f in range(D):
        tau, w, interval = points(f, h)
        left = reached[:, None, :] * left_gates(tau, f, h)
        both = weight(left @ COUNTS) * weight((reached[:, None, :] - left) @ COUNTS)
        for k in range(len(EDGES[f]) - 1):
            at = interval == k
            out[f, k] = SPLIT / D * both[:, at] @ w[at]
    return out


def shares(h: float | None) -> Shares:
    """The posterior probability of each (topology, features, intervals)."""
    out: Shares = {None: (1 - SPLIT) * float(weight(COUNTS.sum(axis=0)))}
    for f in range(D):
        tau, w, interval = points(f, h)
        left = left_gates(tau, f, h)
        below, above = sides(left, h), sides(1 - left, h)
        for (a, p), (b, q) in itertools.product(below.items(), above.items()):
            mass = np.bincount(interval, weights=SPLIT / D * w * p * q)
            out |= {(f, k, a, b): float(own) for k, own in enumerate(mass)}
    total = sum(out.values())
    return {key: mass / total for key, mass in out.items()}


def apart(a: Shares, b: Shares) -> float:
    """Total variation."""
    return 0.5 * sum(abs(a.get(key, 0.0) - b.get(key, 0.0)) for key in {*a, *b})


def test_the_difference_shrinks_in_proportion() -> None:
    hard = shares(None)
    assert len(hard) == 1 + sum(len(e) - 1 for e in EDGES) * (1 + 7) ** 2
    differences = [apart(shares(h), hard) for h in (0.008, 0.004, 0.002)]
    assert 0.002 < differences[0] < 0.1
    for larger, smaller in itertools.pairwise(differences):
        assert smaller / larger == pytest.approx(0.5, abs=0.03)


def kind_of(tree: Any) -> Any:
    """What a drawn tree is, as in `shares`."""

    def of(split: SoftSplit) -> tuple[int, int]:
        f = "ab".index(split.feature)
        return f, int(np.searchsorted(EDGES[f], split.threshold)) - 1

    nodes = list(tree.nodes)

    def below() -> Any:
        node = nodes.pop(0)
        if not isinstance(node, SoftSplit):
            return None
        left, right = below(), below()
        return (*of(node), left, right)

    found = below()
    if found is None:
        return None
    f, k, left, right = found
    return f, k, left and left[:2], right and right[:2]


@pytest.mark.slow
@pytest.mark.parametrize("h", [0.02, 0.01, 0.005])
def test_draws_have_these_shares(h: float) -> None:
    """The shares of topologies, of features, of the root's intervals, and of all three together
    where these have a share of 0.01, in 5,000 draws: each within 4.5 of its standard errors by 50
    batches. A right engine fails one of the some 120 comparisons of all h with a probability below
    0.006."""
    rows = [i for i, own in enumerate(COUNTS) for _ in range(int(own.sum()))]
    response = [
        "p" if c == 0 else "q" for own in COUNTS for c in (0, 1) for _ in range(int(own[c]))
    ]
    frame = pl.DataFrame({"a": VALUES[rows, 0], "b": VALUES[rows, 1], "y": response})
    text = (
        f":- start(t). :- param(h, {h}). :- support(max_depth(2)). :- leaf(dirichlet(1)). "
        f"{SPLIT} :: t --> split(F, V, range), t, t. {1 - SPLIT} :: t --> leaf."
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        found = slp.parse(text).posterior(frame, seed=1, draws=5000, warmup=500, chains=1)
    kinds = [kind_of(draw.tree) for draw in found.draws]
    want = shares(h)

    def topology(kind: Any) -> Any:
        return kind and (kind[2] is None, kind[3] is None)

    def features(kind: Any) -> Any:
        return kind and (kind[0], kind[2] and kind[2][0], kind[3] and kind[3][0])

    def root(kind: Any) -> Any:
        return kind and kind[:2]

    def together(kind: Any) -> Any:
        return kind if want[kind] >= 0.01 else "rare"

    for part in (topology, features, root, together):
        expected: Counter[Any] = Counter()
        for kind, share in want.items():
            expected[part(kind)] += share
        have = [part(kind) for kind in kinds]
        for what, share in expected.items():
            hits = np.array([own == what for own in have], np.float64).reshape(50, -1).mean(axis=1)
            error = hits.std(ddof=1) / np.sqrt(50)
            assert abs(hits.mean() - share) < 4.5 * error + 1e-4, (h, what, hits.mean(), share)
