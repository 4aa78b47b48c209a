"""Quantiles of values that have shares."""

from __future__ import annotations

import numpy as np
import pytest

from slp.results.averages.weighted_draws import weighted_quantiles


def test_quantiles_are_those_of_repeated_values() -> None:
    """Shares k / 20 weigh as k copies of the value."""
    rng = np.random.default_rng(4)
    copies = np.array([1, 7, 3, 0, 9])
    values = rng.normal(size=(5, 6))
    levels = (0.05, 0.32, 0.5, 0.95, 1.0)
    have = weighted_quantiles(values, copies / 20, levels)
    want = np.quantile(np.repeat(values, copies, axis=0), levels, axis=0, method="inverted_cdf")
    assert have == pytest.approx(want)
