"""The experiment of Angelopoulos & Cussens (2005) on reproducibility, small: runs with two seeds
predict the same, within their Monte Carlo errors.

Each difference over its error is about normal, so the largest of 40 is above 5 with a probability
below 3e-5 (the seeds are fixed).
"""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import slp

RNG = np.random.default_rng(2)
N = 40
X = RNG.integers(0, 8, (N, 3))
FRAME = pl.DataFrame(
    {
        **{f"x{j}": X[:, j] for j in range(3)},
        "y": np.where((X[:, 0] > 3) ^ (RNG.random(N) < 0.2), "yes", "no"),
    }
)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("proposal", ["q_uc", "q_n(20)", "q_ind"])
def test_two_seeds_predict_the_same(proposal: str) -> None:
    program = slp.parse(":- use(growtree).")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        first, second = (
            program.posterior(
                FRAME, engine="mh", seed=seed, draws=1000, thin=60, warmup=2000, proposal=proposal
            )
            for seed in (1, 2)
        )
    apart = first.predict_proba(FRAME)[:, 0] - second.predict_proba(FRAME)[:, 0]
    error = np.hypot(first.predict_error(FRAME)[:, 0], second.predict_error(FRAME)[:, 0])
    assert np.abs(apart).max() > 0
    assert (np.abs(apart) < 5 * error).all()
