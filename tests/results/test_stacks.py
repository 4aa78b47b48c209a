"""Averages of members stacked by prediction: what they tell of the prior, and which questions are
refused before members run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.cli.as_json import posterior_to_json

QUICK: dict[str, Any] = {"engine": "stacked", "members": 8, "draws": 16, "effort": "quick"}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 2)).round(1)
    return pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": np.where(x[:, 0] > 0, "yes", "no")})


@pytest.mark.parametrize("constraints", ["", ":- constraint(forbid(b))."])
def test_what_is_told_of_the_constraints(
    constraints: str, table: pl.DataFrame, tmp_path: Path
) -> None:
    """`constraint_note` is empty where their probability is 1 alone."""
    program = slp.parse(f":- use(growtree). :- support(max_depth(1)). {constraints}")
    stack = program.posterior(table, seed=1, **QUICK)
    stack.save(tmp_path / "run.slpz")
    for found in (stack, slp.load_posterior(tmp_path / "run.slpz")):
        assert found.constraint_probability is None
        assert found.constraint_note == ("no posterior stands beside it" if constraints else "")
        told = posterior_to_json(found, {}, draws=0)
        assert told.get("constraint_note", "") == found.constraint_note
