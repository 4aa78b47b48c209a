"""Intervals of numbers hold what they say where the program is true: on data drawn from its prior.

Then y is between the quantiles q and 1 - q of its own predictive distribution with probability
1 - 2 q, averaged over trees, leaves and tables; no choice of the leaf's numbers is needed.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import slp

KAPPA, ALPHA, BETA = 0.5, 3.0, 2.0
PROGRAM = f":- use(growtree). :- leaf(normal_inverse_gamma(1, {KAPPA}, {ALPHA}, {BETA}))."
TABLES, NEW_ROWS = 80, 50


@pytest.fixture(scope="module")
def held() -> dict[float, np.ndarray]:
    """Of each table the share of new rows that intervals hold, by level, shape (TABLES,)."""
    rng = np.random.default_rng(1)
    program = slp.parse(PROGRAM)
    values = pl.DataFrame({"a": range(6)})
    X = pl.concat([values] * 3)
    prior = program.prior(X, rng.normal(size=len(X)), engine="exact", draws=0)
    found: dict[float, list[float]] = {0.5: [], 0.9: []}
    for tree in prior.sample(TABLES, seed=2):
        variance = BETA / rng.gamma(ALPHA, size=tree.n_leaves)
        mean, sd = rng.normal(1, np.sqrt(variance / KAPPA)), np.sqrt(variance)
        of_rows, of_values = tree.apply(X), tree.apply(values)
        y = rng.normal(mean[of_rows], sd[of_rows])
        new = rng.normal(mean[of_values], sd[of_values], size=(NEW_ROWS, len(values)))
        posterior = program.posterior(X, y, engine="exact", draws=0)
        for level, shares in found.items():
            low, high = posterior.predict_interval(values, level).T
            shares.append(float(((low <= new) & (new <= high)).mean()))
    return {level: np.array(shares) for level, shares in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_intervals_hold_their_share_of_rows_of_the_model(
    held: dict[float, np.ndarray], level: float
) -> None:
    error = held[level].std() / np.sqrt(TABLES)
    assert error < 0.015
    assert abs(held[level].mean() - level) < 2.5 * error
