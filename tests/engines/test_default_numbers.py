"""The default leaf model of numbers: its intervals have the stated coverage, in any unit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import slp


def rows(seed: int, n: int) -> pl.DataFrame:
    """A step of 10 with normal noise of variance 1."""
    rng = np.random.default_rng(seed)
    x = rng.random(n).round(2)
    return pl.DataFrame({"x": x, "y": np.where(x < 0.4, 0.0, 10.0) + rng.normal(size=n)})


def interval(train: pl.DataFrame, test: pl.DataFrame) -> np.ndarray:
    program = slp.parse(":- use(growtree). :- feature(x, [bins(width, 20)]).")
    return program.posterior(train, engine="exact", draws=0).predict_interval(test, 0.9)


def test_intervals_hold_nine_of_ten_new_rows() -> None:
    """Of large tables. On small ones with so strong a signal they are too wide."""
    test = rows(100, 2000)
    y = test["y"].to_numpy()
    held = []
    for seed in range(5):
        low, high = interval(rows(seed, 300), test).T
        held.append(((low <= y) & (y <= high)).mean())
    assert 0.87 < np.mean(held) < 0.93


@pytest.mark.parametrize(("unit", "origin"), [(1000.0, 0.0), (0.01, 300.0)])
def test_intervals_follow_unit_and_origin(unit: float, origin: float) -> None:
    train, test = rows(0, 40), rows(1, 20)
    moved = train.with_columns(y=origin + unit * pl.col("y"))
    want = origin + unit * interval(train, test)
    np.testing.assert_allclose(interval(moved, test), want, rtol=1e-7)
