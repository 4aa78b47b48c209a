"""Sums of trees by enumeration: every tuple of trees of a program on a tiny table, with the closed
form of the linear model that it is.

Given trees T_1, ..., T_M with indicator matrices A_m (n, K_m) of their leaves, the values of leaves
are Normal(0, tau^2), so y ~ Normal(mean, s2 W^-1 + tau^2 sum of A_m A_m'), with W the diagonal of
the weights of rows, but for the factor of the rows that s2^(-w/2) and s2^(-1/2) tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import slp
from slp.trees import Leaf, Tree

_Floats = NDArray[np.float64]


def trees_of(prior: str, frame: pl.DataFrame, y: Any) -> tuple[list[Tree], _Floats]:
    """All trees of a program on a table, with the logs of their probabilities."""
    found = slp.parse(prior).prior(frame, y, engine="enumerate").k_best(100_000)
    each = {
        str(one.tree): one for one in found
    }  # a tree of several derivations comes several times
    logs = np.array([one.log_posterior for one in each.values()], np.float64)
    assert abs(np.logaddexp.reduce(logs)) < 1e-9
    return [one.tree for one in each.values()], logs


def indicators(tree: Tree, frame: pl.DataFrame) -> _Floats:
    """The leaf of each row, shape (n, K), leaves from left to right."""
    columns: list[_Floats] = []

    def go(node: Any, rows: NDArray[np.bool_]) -> None:
        if isinstance(node, Leaf):
            columns.append(rows.astype(np.float64))
            return
        below = frame[node.feature].to_numpy() < node.threshold
        go(node.left, rows & below)
        go(node.right, rows & ~below)

    go(tree.root, np.ones(len(frame), np.bool_))
    return np.stack(columns, axis=1)


@dataclass(frozen=True)
class Known:
    """What a sum says exactly: the mean of the sum at each row, the probability that any tree
    splits on each feature, and the mean of the standard deviation of the noise."""

    means: _Floats
    usage: dict[str, float]
    noise: float


def sums_by_enumeration(
    prior: str,
    frame: pl.DataFrame,
    y: _Floats,
    *,
    trees: int,
    mean: float,
    tau: float,
    variances: _Floats,
    log_prior: _Floats,
    weights: _Floats | None = None,
    allowed: Callable[[tuple[Tree, ...]], bool] = lambda _: True,
) -> Known:
    """The posterior of a sum, with the variance of the noise on a grid that has a log prior."""
    w = np.ones(len(y)) if weights is None else weights
    every, logs = trees_of(prior, frame, y)
    features = [set(tree.features) for tree in every]
    shared = [tau**2 * (A @ A.T) for A in (indicators(tree, frame) for tree in every)]
    root = np.sqrt(w)
    log_weight, means, noise, used = [], [], [], []
    for own in combinations_with_replacement(range(len(every)), trees):
        if not allowed(tuple(every[u] for u in own)):
            continue
        K = sum(shared[u] for u in own)
        # V = K + variance / W has the inverse root U (lengths + variance)^-1 U' root, with U and
        # lengths the eigenvectors and eigenvalues of root K root
        lengths, U = np.linalg.eigh(root[:, None] * K * root)
        spread = np.maximum(lengths, 0.0) + variances[:, None]
        turned = U.T @ (root * (y - mean))
        fit = -0.5 * ((turned**2 / spread).sum(axis=1) + np.log(spread).sum(axis=1))
        # sigma^(-w) for each row, where the closed form has sigma^(-1)
        fit += 0.5 * np.log(variances) * (len(y) - w.sum())
        orders = len(set(permutations(own)))
        log_weight += list(logs[list(own)].sum() + np.log(orders) + log_prior + fit)
        means += list(mean + (root[:, None] * (U @ (turned / spread).T)).T @ K)
        noise += list(variances**0.5)
        used += [set().union(*(features[u] for u in own))] * len(variances)
    share = np.exp(np.array(log_weight) - np.logaddexp.reduce(log_weight))
    usage = {
        name: float(sum(p for p, own in zip(share, used, strict=True) if name in own))
        for name in frame.columns
    }
    return Known(share @ np.array(means), usage, float(share @ np.array(noise)))


def inverse_chi_square(nu: float, scale: float) -> tuple[_Floats, _Floats]:
    """A grid of variances with the log of its weights, by the density of nu scale / chi^2(nu) in
    the log of the variance: evenly spaced there, so only the density counts."""
    grid = np.exp(np.linspace(np.log(scale) - 5, np.log(scale) + 7, 160))
    log_density = -(nu / 2) * np.log(grid) - nu * scale / (2 * grid)
    return grid, log_density - np.logaddexp.reduce(log_density)


def table_of(n: int, seed: int, levels: int = 3, d: int = 2) -> tuple[pl.DataFrame, _Floats]:
    """A tiny table of whole numbers, and a response of numbers."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n, d))
    frame = pl.DataFrame({f"x{j}": X[:, j].astype(np.float64) for j in range(d)})
    y = X[:, 0] - 1.5 * (X[:, 1] > 0) + 0.6 * rng.standard_normal(n)
    return frame, np.round(y, 3)


def agree(posterior: slp.Posterior, frame: pl.DataFrame, want: Known) -> None:
    """Means, use of features and noise are within 4.5 of their Monte Carlo errors: the chance that
    one of some twenty numbers is not is below 2e-4."""
    for have, exact, error in _numbers(posterior, frame, want):
        assert error < 0.05, "the run is too short to tell anything"
        # no draw tells of what is rarer than 1e-3
        assert abs(have - exact) < 4.5 * error + 1e-3, (have, exact, error)


def _numbers(
    posterior: slp.Posterior, frame: pl.DataFrame, want: Known
) -> Iterator[tuple[float, float, float]]:
    yield from zip(
        posterior.predict(frame), want.means, posterior.predict_error(frame), strict=True
    )
    for name, use in posterior.split_probabilities().items():
        yield use.probability, want.usage[name], use.probability_error
    averages: Any = posterior._result.averages
    noise = np.sqrt(averages.sums.variance)
    if noise.std() > 0:
        yield float(averages.mean(noise)), want.noise, float(averages.error(noise))
