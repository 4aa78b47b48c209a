"""Soft trees with random data, for tests: a core sampler beside its specification."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.rjhmc.soft_data import SoftData
from slp.kernels.compiled import compiled_core
from slp.reference.rjhmc import _leaves, _simplex

#: Topologies in preorder: 1 for an inner node, 0 for a leaf.
TOPOLOGIES = ((0,), (1, 0, 0), (1, 1, 0, 0, 1, 0, 0), (1, 0, 1, 0, 1, 1, 0, 0, 0))


def random_data(
    rng: np.random.Generator,
    n: int,
    d: int,
    h: float,
    classes: bool,
    soft_index: bool,
    spread: float = 0.0,
) -> SoftData:
    values = rng.uniform(size=(n, d))
    values[0], values[-1] = 0.0, 1.0
    delta = rng.uniform(0.5, 2.0, d) if soft_index else None
    if classes:
        counts = rng.integers(0, 3, (n, 3)).astype(np.float64)
        concentration = rng.uniform(0.5, 2.0, 3)
        return SoftData(values, h, counts, concentration, delta=delta, spread=spread)
    rows = rng.integers(1, 4, n).astype(np.float64)
    numbers = (0.3, 1.5, 2.5, 0.7)
    mean = rng.normal(size=n)
    of_numbers: dict[str, Any] = {"rows": rows, "mean": mean, "within": 0.8, "numbers": numbers}
    return SoftData(values, h, **of_numbers, delta=delta, spread=spread)


def problem_of_one_state(d: int, split: float = 0.5, max_leaves: int = 0) -> Any:
    """The core's grammar of one state that splits with a probability, with all of d features."""
    core = compiled_core()
    assert core is not None
    problem = core.ExactProblem()
    problem.set_rows(np.ones(2, np.uint32))
    for _ in range(d):
        codes = np.array([0, 1], np.uint32)
        problem.add_feature(0, 2, np.array([0.0, 1.0]), np.empty(0), codes)
    problem.set_grammar(0, True, False, 1, max_leaves, np.ones(d), np.empty(0, np.uint32))
    rules = core.ExactRules(1)
    rules.add_leaf_rule(np.log1p(-split), [])
    rules.add_split_rule(np.log(split), 0, np.zeros(2 * d, np.int32), 0.0, np.empty(0))
    problem.add_state(rules)
    return problem


def sampler_of(
    data: SoftData,
    *,
    likelihood: bool = True,
    lengths: tuple[int, int, int, int] = (0, 1, 0, 0),
    informed: bool = True,
    split: float = 0.5,
    tuning: str = "frozen",
    first_h: float | None = None,
) -> Any:
    """The core's sampler: warm-up, trajectories, leapfrogs and leaves in `lengths`. h falls from
    `first_h`, where it is given."""
    core = compiled_core()
    assert core is not None
    n, d = data.values.shape
    problem = problem_of_one_state(d, split)
    problem.set_rows(np.ones(n, np.uint32))
    none = np.empty(0)
    numbers = none if data.counts is not None else np.array([*data.numbers, data.within])
    if data.counts is not None:
        responses = np.ascontiguousarray(data.counts.T).ravel()
    else:
        assert data.rows is not None and data.mean is not None
        responses = np.concatenate([data.rows, data.mean])
    return core.SoftSampler(
        problem,
        np.ascontiguousarray(data.values.T).ravel(),
        responses,
        none if data.concentration is None else data.concentration,
        numbers,
        none if data.delta is None else data.delta,
        likelihood,
        [data.h, data.h if first_h is None else first_h, data.spread],
        list(lengths),
        informed,
        tuning == "paper",
    )


def random_tree(
    rng: np.random.Generator, data: SoftData, topology: tuple[int, ...]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Features of the nodes, and unconstrained parameters."""
    d = data.values.shape[1]
    drawn = np.full(len(topology), d) if data.delta is not None else None
    drawn = rng.integers(0, d, len(topology)) if drawn is None else drawn
    features = np.where(np.array(topology) == 1, drawn, -1).astype(np.int32)
    m = sum(topology)
    size = m * (d if data.delta is not None else 1) + (0 if data.counts is not None else m + 2)
    q = rng.normal(size=size)
    if data.spread > 0:
        q = np.append(q, rng.normal(np.log(data.h), data.spread))
    return features, q


def weights_and_taus(
    data: SoftData, features: NDArray[np.int32], q: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of the inner nodes in preorder: the weights of the features, shape (m, d), and tau."""
    inner, d = features[features >= 0], data.values.shape[1]
    m = len(inner)
    taus = 1 / (1 + np.exp(-q[:m]))
    if data.delta is None:
        return np.eye(d)[inner], taus
    weights, _ = _simplex(q[m : m * d].reshape(m, d - 1), data.delta)
    return np.asarray(weights), taus


def prior_tree(
    rng: np.random.Generator, data: SoftData, split: float, most: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """A tree of numbers whose nodes split with a probability, given at most `most` leaves, and
    unconstrained parameters from their priors."""
    d = data.values.shape[1]
    while True:
        features, open_nodes = [], 1
        while open_nodes and len(features) < 2 * most:
            splits = rng.uniform() < split
            features.append(rng.integers(d) if splits else -1)
            open_nodes += 1 if splits else -1
        if not open_nodes:
            break
    shape = np.array(features, np.int32)
    m = int((shape >= 0).sum())
    tau = rng.uniform(size=m)
    q = [np.log(tau) - np.log1p(-tau)]
    if data.delta is not None:
        shape = np.where(shape >= 0, d, -1).astype(np.int32)
        for delta in rng.dirichlet(data.delta, m):
            left = 1 - np.concatenate([[0.0], np.cumsum(delta[:-2])])
            z = delta[:-1] / left
            q.append(np.log(z) - np.log1p(-z) + np.log(np.arange(d - 1, 0, -1)))
    centre, spread, a, b = data.numbers
    q += [rng.normal(centre, spread, m + 1), [np.log(b / rng.gamma(a))]]
    if data.spread > 0:
        q.append([rng.normal(np.log(data.h), data.spread)])
    return shape, np.concatenate(q)


def means_of(
    data: SoftData, features: NDArray[np.int32], q: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean of each row under a tree of numbers."""
    m = int((features >= 0).sum())
    sticks = 0 if data.delta is None else data.values.shape[1] - 1
    weights, taus = weights_and_taus(data, features, q)
    delta = None if data.delta is None else weights
    first = m + m * sticks
    h = np.exp(q[-1]) if data.spread > 0 else data.h
    phi = _leaves(data, features, taus, delta, h)
    return np.asarray(phi @ q[first : first + m + 1])


def log_variance_of(data: SoftData, features: NDArray[np.int32], q: NDArray[np.float64]) -> float:
    """log sigma^2 of a tree of numbers."""
    return float(q[-1 if data.spread == 0 else -2])
