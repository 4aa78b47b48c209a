"""Means of weighted draws, and their errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from slp.results.averages.weighted_draws import WeightedDraws


def test_the_error_of_a_mean_over_islands() -> None:
    """Islands of equal weight are as many independent values; one alone tells no error."""
    means = np.random.default_rng(1).normal(size=(50, 2))
    chains = [np.full(n % 3 + 1, n) for n in range(50)]
    logs = [np.full(len(own), -math.log(len(own))) for own in chains]
    have = WeightedDraws(50, chains, logs).error(means)
    assert have == pytest.approx(means.std(axis=0, ddof=1) / math.sqrt(50), rel=1e-12)
    assert np.isnan(WeightedDraws(50, chains[:1], logs[:1]).error(means)).all()
