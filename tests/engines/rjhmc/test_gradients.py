"""Gradients of the core against automatic differentiation, and the complex step of the
specification: all parameters, both variants, both responses.

The density is written once more, for `autograd`; it shares nothing with the specification.

    python -m tests.engines.rjhmc.test_gradients [REPEATS]     more trees, rows and widths
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from autograd import grad
from autograd import numpy as anp
from autograd.scipy.special import gammaln

from slp.engines.rjhmc.soft_data import SoftData
from tests.engines.rjhmc.soft_cases import TOPOLOGIES, random_data, random_tree, sampler_of
from tests.engines.rjhmc.test_density import KINDS, complex_step

#: A component may be wrong by this share of itself, or by this much.
RELATIVE, ABSOLUTE = 1e-6, 1e-10
WIDTHS = (1.0, 0.1, 1e-2, 1e-3, 1e-4)


def soft_log_density(data: SoftData, features: np.ndarray) -> Callable[[Any], Any]:
    """Equations 10 and 12 with priors and Jacobians, as a function of unconstrained parameters."""
    m, d = int((features >= 0).sum()), data.values.shape[1]

    def log_logistic(t: Any) -> Any:
        return -anp.logaddexp(0.0, -t)

    def paths() -> list[list[tuple[int, float]]]:
        """Of each leaf, the inner nodes above it with +1 for left, -1 for right."""
        out, waiting, inner = [], [[]], 0  # type: ignore[var-annotated]
        for feature in features.tolist():
            path = waiting.pop()
            if feature < 0:
                out.append(path)
                continue
            waiting += [[*path, (inner, -1.0)], [*path, (inner, 1.0)]]
            inner += 1
        return out

    inner_features = [f for f in features.tolist() if f >= 0]

    def density(q: Any) -> Any:
        tau = anp.exp(log_logistic(q[:m]))
        out = anp.sum(log_logistic(q[:m]) + log_logistic(-q[:m]))
        scores, at = [], m
        for j in range(m):
            if data.delta is None:
                x = data.values[:, inner_features[j]]
            else:
                # Sticks as logits of Beta variables: log delta_k = log z_k + sum of log(1 - z).
                t = q[at : at + d - 1] - np.log(np.arange(d - 1, 0, -1))
                at += d - 1
                logs = anp.concatenate([log_logistic(t), np.zeros(1)])
                left = anp.concatenate([np.zeros(1), anp.cumsum(log_logistic(-t))])
                log_delta = logs + left
                c = data.delta
                out = out + anp.sum((c - 1) * log_delta) + gammaln(c.sum()) - gammaln(c).sum()
                out = out + anp.sum(logs[:-1] + log_logistic(-t) + left[:-1])
                x = anp.dot(data.values, anp.exp(log_delta))
            scores.append((tau[j] - x) / data.h)
        none = np.zeros(len(data.values))
        phi = [
            anp.exp(sum((log_logistic(side * scores[j]) for j, side in path), none))
            for path in paths()
        ]
        if data.counts is not None and data.concentration is not None:
            a = data.concentration
            for reached in phi:
                soft = anp.dot(reached, data.counts)
                out = out + anp.sum(gammaln(a + soft)) - gammaln(a).sum()
                out = out + gammaln(a.sum()) - gammaln(a.sum() + anp.sum(soft))
            return out
        assert data.rows is not None and data.mean is not None
        mu, log_variance = q[at:-1], q[-1]
        centre, spread, shape, scale = data.numbers
        out = out + anp.sum(
            -0.5 * ((mu - centre) / spread) ** 2 - np.log(spread) - 0.5 * np.log(2 * np.pi)
        )
        out = out + shape * np.log(scale) - gammaln(shape)
        out = out - shape * log_variance - scale * anp.exp(-log_variance)
        mean = sum(mu[k] * reached for k, reached in enumerate(phi))
        squares = anp.sum(data.rows * (data.mean - mean) ** 2) + data.within
        n = data.rows.sum()
        return (
            out
            - 0.5 * n * (np.log(2 * np.pi) + log_variance)
            - 0.5 * squares * anp.exp(-log_variance)
        )

    return density


def errors_of(have: np.ndarray, want: np.ndarray) -> float:
    """The largest error of a component, 1 where it is as large as it may be."""
    allowed = np.maximum(RELATIVE * np.abs(want), ABSOLUTE)
    return float((np.abs(have - want) / allowed).max(initial=0.0))


def cases(
    rng: np.random.Generator, sizes: tuple[int, ...], widths: tuple[float, ...]
) -> list[tuple[SoftData, np.ndarray, np.ndarray]]:
    """Trees with parameters, some of them far out, so that gates are saturated."""
    out = []
    for (classes, soft_index), n, h in itertools.product(KINDS, sizes, widths):
        d = 3 + 4 * (len(out) % 2)  # four features are summed at once, the others one by one
        data = random_data(rng, n, d, h, classes, soft_index)
        features, q = random_tree(rng, data, TOPOLOGIES[rng.integers(1, len(TOPOLOGIES))])
        m = int((features >= 0).sum())
        if rng.uniform() < 0.3:
            q[:m] += rng.choice([-30.0, 30.0], m)
        out.append((data, features, q))
    return out


def worst(found: list[tuple[SoftData, np.ndarray, np.ndarray]]) -> tuple[float, float]:
    """The largest errors against automatic differentiation, and against the complex step."""
    by_autograd, by_step = 0.0, 0.0
    for data, features, q in found:
        _, gradient = sampler_of(data).density(features, q)
        by_autograd = max(
            by_autograd, errors_of(gradient, grad(soft_log_density(data, features))(q))
        )
        by_step = max(by_step, errors_of(gradient, complex_step(data, features, q)))
    return by_autograd, by_step


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 31, 257, 1000])
def test_gradients(n: int) -> None:
    found = cases(np.random.default_rng(n), (n,), WIDTHS)
    for data, features, q in found:
        have, _ = sampler_of(data).density(features, q)
        assert have == pytest.approx(soft_log_density(data, features)(q), rel=1e-11, abs=1e-11)
    assert max(worst(found)) < 1


if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rng = np.random.default_rng(1)
    largest, n_cases = [0.0, 0.0], 0
    for _ in range(repeats):
        sizes = tuple(np.exp(rng.uniform(0, np.log(1000), 5)).round().astype(int).tolist())
        widths = tuple((10 ** rng.uniform(-4, 0, 5)).tolist())
        found = cases(rng, (1, 1000, *sizes), (1.0, 1e-4, *widths))
        n_cases += len(found)
        largest = np.maximum(largest, worst(found)).tolist()
    print(f"{n_cases} trees: errors {largest[0]:.3g} and {largest[1]:.3g} of what is allowed")
