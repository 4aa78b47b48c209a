"""Durations on the command line: `slp predict --times`, and the scores of `slp cv` and `slp
compare`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp

Run = Callable[..., Any]
PROGRAM = (
    ":- use(growtree). :- support(max_depth(2)). :- response(t, event(e)). "
    ":- leaf(gamma_exponential(1, 5))."
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    a, y, c = rng.integers(0, 4, 30), rng.exponential(5, 30), rng.exponential(9, 30)
    data = pl.DataFrame({"a": a, "t": np.minimum(y, c), "e": (y <= c).astype(int)})
    data.write_csv(tmp_path / "data.csv")
    data.select("a").head(3).write_csv(tmp_path / "new.csv")
    (tmp_path / "p.slp").write_text(PROGRAM)
    return tmp_path


def test_survival_at_times_is_that_of_python(files: Path, slp_run: Run) -> None:
    names = [files / name for name in ("p.slp", "data.csv", "new.csv")]
    found = slp_run("predict", *names, "--times", "2,6.5", "-o", files / "out.csv")
    assert found.code == 0, found.err
    have = pl.read_csv(files / "out.csv")
    assert have.columns == ["t", "lower", "upper", "P(> 2)", "P(> 6.5)"]
    posterior = slp.load(files / "p.slp").posterior(pl.read_csv(names[1]))
    want = posterior.survival(pl.read_csv(names[2]), [2, 6.5])
    np.testing.assert_allclose(have.select("P(> 2)", "P(> 6.5)").to_numpy(), want, rtol=1e-12)
    posterior.save(files / "run.slpz")
    found = slp_run("predict", files / "run.slpz", names[2], "--times", "2")
    assert found.code == 0 and "P(> 2)" in found.out


@pytest.mark.parametrize("times", ["6,x", "-1", "nan", "1,,2,inf"])
def test_times_are_numbers(files: Path, slp_run: Run, times: str) -> None:
    names = [files / name for name in ("p.slp", "data.csv", "new.csv")]
    found = slp_run("predict", *names, f"--times={times}")
    assert found.code == 2 and "numbers from 0 up" in found.err


def test_times_are_of_durations(files: Path, slp_run: Run) -> None:
    names = [files / name for name in ("data.csv", "new.csv")]
    pl.read_csv(names[0]).drop("t").write_csv(names[0])
    found = slp_run("predict", "growtree", *names, "--times", "2")
    assert found.code == 2 and "E556" in found.err


def test_scores_of_durations(files: Path, slp_run: Run) -> None:
    names = [files / name for name in ("p.slp", "data.csv")]
    found = slp_run("cv", *names, "--folds", 2, "--seed", 1)
    assert found.code == 0, found.err
    lines = {line.split()[0]: line for line in found.out.splitlines() if line.strip()}
    assert "concordance" in lines and "Brier" in found.out
    assert "up to " in found.out and "weights for censoring" in " ".join(found.out.split())
    told = json.loads(slp_run("cv", *names, "--folds", 2, "--seed", 1, "--json").out)
    survival = told["held_out"]["survival"]
    assert f"{survival['concordance']:.4f}" in lines["concordance"]
    assert f"{survival['brier']:.4f}" in found.out
    compared = slp_run("compare", *names, "--folds", 2, "--seed", 1)
    assert "concordance" in compared.out and "Brier" in compared.out


def test_curves_of_rows_and_groups(files: Path, slp_run: Run) -> None:
    names = [files / name for name in ("p.slp", "data.csv")]
    for option, name, label in (("--feature", "a", "a = 3"), ("--new", files / "new.csv", "row 3")):
        run = ("plot", "survival", *names, "-o", files / "p.svg", "--seed", 1, "-n", 50)
        found = slp_run(*run, option, name)
        assert found.code == 0, found.err
        assert f">{label}<" in (files / "p.svg").read_text()
    both = ["--feature", "a", "--new", files / "new.csv"]
    found = slp_run("plot", "survival", *names, "-o", files / "p.svg", *both)
    assert found.code == 2 and "--feature" in found.err
