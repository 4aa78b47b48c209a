"""Averages of members stacked by prediction: what they tell of the prior, and which questions are
refused before members run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.cli.as_json import posterior_to_json
from slp.cli.pictures import KINDS
from slp.engines.stacked import run as stacking

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


#: Pictures of a stack, and of another question.
_OTHERS = {"calibration", "sensitivity"}


@pytest.mark.parametrize(
    "command",
    [
        "map {}",
        "query growtree tree(T),uses(T,a) --data data.csv",
        "predict {} data.csv --draws 3 --draws-to draws.csv",
        "compare {}",
        *(
            f"plot {kind} {{}} -o p.svg"
            for kind in KINDS
            if kind not in ("calibration", "sensitivity")
        ),
    ],
)
def test_commands_refuse_before_members_run(
    command: str, table: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: Any) -> None:
        raise AssertionError("members ran")

    monkeypatch.setattr(stacking, "_members", run)
    monkeypatch.chdir(tmp_path)
    table.write_csv("data.csv")
    words = command.replace("{}", "growtree data.csv").split()
    said = CliRunner().invoke(slp_command, [*words, "--engine", "stacked"])
    assert said.exit_code == 2 and said.output.startswith("error[E559]")


@pytest.mark.slow
def test_calibration_is_a_picture_of_predictions(
    table: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table.write_csv("data.csv")
    words = "plot calibration growtree data.csv -o p.svg --engine stacked --members 8 -n 16"
    said = CliRunner().invoke(slp_command, [*words.split(), "--effort", "quick", "--seed", "1"])
    assert said.exit_code == 0 and Path("p.svg").exists()
