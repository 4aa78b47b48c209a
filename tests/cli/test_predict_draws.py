"""`slp predict --draws N --draws-to FILE`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp

Run = Callable[..., Any]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    data = pl.DataFrame({"a": [1, 2, 3, 4] * 4, "y": ["no", "no", "yes", "yes"] * 4})
    data.write_csv(tmp_path / "data.csv")
    data.select("a").head(3).write_csv(tmp_path / "new.csv")
    return tmp_path


def test_draws_are_those_of_python(files: Path, slp_run: Run) -> None:
    names = [files / name for name in ("data.csv", "new.csv")]
    run = ("predict", "growtree", *names, "--seed", 3, "--draws", 20)
    for kind, name in [("mean", "draws.parquet"), ("outcome", "draws.csv")]:
        found = slp_run(*run, "--draws-to", files / name, "--kind", kind)
        assert found.code == 0, found.err
        assert f"{name} written" in found.err
    posterior = slp.load("growtree").posterior(pl.read_csv(names[0]), seed=3)
    new = pl.read_csv(names[1])
    means = pl.read_parquet(files / "draws.parquet")
    assert means.columns == ["draw", "row", "P(no)", "P(yes)"]
    want = posterior.predict_draws(new, n=20, seed=3)
    np.testing.assert_array_equal(means["P(yes)"].to_numpy().reshape(20, 3), want[:, :, 1])
    outcomes = pl.read_csv(files / "draws.csv")
    assert outcomes["row"].to_list()[:4] == [0, 1, 2, 0]
    want = posterior.predict_draws(new, "outcome", 20, seed=3)
    assert outcomes["y"].to_list() == want.ravel().tolist()


def test_a_response_with_the_name_of_a_column(files: Path, slp_run: Run) -> None:
    pl.read_csv(files / "data.csv").rename({"y": "row"}).write_csv(files / "named.csv")
    draws = ("--draws", 2, "--draws-to", files / "draws.csv", "--kind", "outcome")
    found = slp_run("predict", "growtree", files / "named.csv", files / "new.csv", *draws)
    assert found.code == 0, found.err
    assert pl.read_csv(files / "draws.csv").columns == ["draw", "row", "response row"]
    assert found.out.startswith("response row,")


def test_a_saved_run_draws(files: Path, slp_run: Run) -> None:
    posterior = slp.load("growtree").posterior(pl.read_csv(files / "data.csv"), seed=3)
    posterior.save(files / "run.slpz")
    draws = ("--draws", 5, "--draws-to", files / "draws.parquet", "--seed", 1)
    found = slp_run("predict", files / "run.slpz", files / "new.csv", *draws)
    assert found.code == 0, found.err
    assert len(pl.read_parquet(files / "draws.parquet")) == 15


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--draws", 5), "go together"),
        (("--draws-to", "x.csv"), "go together"),
        (("--draws", 5, "--draws-to", "x.csv", "-o", "./x.csv"), "the same file"),
        (("--kind", "mean"), "--draws N"),
        (("--draws", 5, "--draws-to", "x.json"), "ends in .parquet or .csv"),
    ],
)
def test_wrong_usage(options: tuple[object, ...], said: str, files: Path, slp_run: Run) -> None:
    found = slp_run("predict", "growtree", files / "data.csv", files / "new.csv", *options)
    assert found.code == 2
    assert said in found.err
