"""The weights of stacking, beside closed forms and a grid."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from slp.results.averages.member_weights import TOLERANCE, mean_log_density, stacking_weights


@pytest.mark.parametrize(("ones", "n"), [(3, 10), (7, 10), (1, 2)])
def test_two_members_in_closed_form(ones: int, n: int) -> None:
    """Member 1 gives rows of kind 1 the density a, others b, member 2 the other way round. Then a
    row of kind 1 has q = w a + (1 - w) b, of kind 2 a + b - q, and k log q + (n - k) log(a + b - q)
    is largest at q = (a + b) k / n, where the simplex reaches that."""
    a, b = 0.9, 0.1
    first = np.where(np.arange(n) < ones, a, b)
    have = stacking_weights(np.log([first, a + b - first]))
    want = ((a + b) * ones / n - b) / (a - b)
    assert have == pytest.approx([want, 1 - want], abs=0.02)
    best = mean_log_density(np.log([first, a + b - first]), np.array([want, 1 - want]))
    found = mean_log_density(np.log([first, a + b - first]), have)
    assert best - TOLERANCE <= found <= best + 1e-12


def test_a_member_that_is_always_better_has_all_the_weight() -> None:
    logs = np.log([np.full(20, 0.8), np.full(20, 0.4), np.linspace(0.1, 0.7, 20)])
    assert stacking_weights(logs)[0] > 1 - 1e-3


def on_grid(
    logs: NDArray[np.float64], row_weights: NDArray[np.float64] | None, steps: int
) -> float:
    """The best value over a grid of the simplex of three members."""
    best = -math.inf
    for i, j in itertools.product(range(steps + 1), repeat=2):
        if i + j <= steps:
            own = np.array([i, j, steps - i - j]) / steps
            best = max(best, mean_log_density(logs, own, row_weights))
    return best


@pytest.mark.parametrize("seed", range(4))
def test_three_members_beside_a_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    logs = rng.normal(size=(3, 30)) * rng.uniform(0.2, 3) - 2
    row_weights = rng.uniform(0.1, 3, 30) if seed % 2 else None
    weights = stacking_weights(logs, row_weights)
    assert weights.sum() == pytest.approx(1) and (weights >= 0).all()
    have = mean_log_density(logs, weights, row_weights)
    assert have >= on_grid(logs, row_weights, 60) - TOLERANCE
    # No member that is mixed in makes it better by more than the tolerance, to the first order.
    shares = np.ones(30) if row_weights is None else row_weights
    densities = np.exp(logs)
    gradient = densities @ (shares / (weights @ densities)) / shares.sum()
    assert gradient.max() <= 1 + TOLERANCE


def test_a_weight_is_repetition() -> None:
    logs = np.random.default_rng(5).normal(size=(4, 12))
    times = np.arange(12) % 3 + 1
    have = stacking_weights(logs, times.astype(np.float64))
    assert have == pytest.approx(stacking_weights(np.repeat(logs, times, axis=1)), abs=1e-9)


def test_small_densities_and_impossible_rows() -> None:
    logs = np.log([[0.9, 0.2, 0.5], [0.3, 0.6, 0.5]])
    far = logs - 2000.0  # below the smallest float
    assert stacking_weights(far) == pytest.approx(stacking_weights(logs), abs=1e-9)
    impossible = np.hstack([logs, np.full((2, 1), -np.inf)])
    assert stacking_weights(impossible) == pytest.approx(stacking_weights(logs), abs=1e-9)
    assert stacking_weights(np.full((3, 2), -np.inf)) == pytest.approx([1 / 3] * 3)
    assert stacking_weights(np.zeros((2, 0))) == pytest.approx([0.5, 0.5])
