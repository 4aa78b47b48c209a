"""`slp cv` and `slp tune`: the pages, JSON objects and files."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

PAGE = Path(__file__).resolve().parents[2] / "docs" / "comparing.md"


def test_cross_validation(slp_run, table: Path, tmp_path: Path) -> None:
    file = tmp_path / "told.csv"
    done = slp_run("cv", "growtree", table, "--folds", 3, "--seed", 1, "-o", file)
    assert done.code == 0 and "scores    log predictive  -" in done.out
    assert done.out.count("  exact\n") == 3
    told = pl.read_csv(file)
    assert told.height == pl.read_csv(table).height
    assert told.columns[0] == "fold" and told["fold"].n_unique() == 3
    sums = told.select(pl.sum_horizontal([c for c in told.columns if c.startswith("P(")]))
    assert (sums.to_series() - 1).abs().max() < 1e-12
    found = json.loads(slp_run("cv", "growtree", table, "--folds", 3, "--seed", 1, "--json").out)
    assert f"{found['held_out']['log_predictive']:.4f}" in done.out
    assert [key for key in found if f"`{key}`" not in PAGE.read_text("utf-8")] == []


def test_tuning(slp_run, table: Path) -> None:
    words = ["tune", "growtree", table, "--grid", "alpha=0.5,0.95", "--grid", "beta=1", "--seed", 1]
    done = slp_run(*words)
    assert done.code == 0 and done.out.count(" exact *") == 1
    found = json.loads(slp_run(*words, "--json").out)
    assert [program["parameters"]["alpha"] for program in found["programs"]] == [0.5, 0.95]
    best = found["best"]
    again = f"--param alpha={best['alpha']:g} --param beta=1"
    assert f"next      slp-sample growtree {table} {again}\n" in done.out
    assert [key for key in found if f"`{key}`" not in PAGE.read_text("utf-8")] == []
    by_cv = slp_run(*words, "--by", "cv", "--folds", 2)
    assert by_cv.code == 0 and "log predictive" in by_cv.out and "2 folds" in by_cv.out


def test_faults(slp_run, table: Path) -> None:
    assert slp_run("tune", "growtree", table).code == 2
    done = slp_run("tune", "growtree", table, "--grid", "alpha=a")
    assert done.code == 2 and "is not NAME=VALUES, such as alpha=0.5,0.95" in done.err
    done = slp_run("tune", "growtree", table, "--grid", "alpha=")
    assert done.code == 2 and "error[E553]" in done.err
    done = slp_run("cv", "growtree", table, "-o", "/no/such/folder/x.csv")
    assert done.code == 2 and "error[E701]" in done.err
    assert slp_run("cv", "growtree", table, "--folds", 1).code == 2
