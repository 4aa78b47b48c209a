"""What a run of modal writes for other programs: trees as JSON, lines of draws, summaries."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.trees import Leaf, Tree
from tests.engines.modal.test_run import frame, modal

GROWTREE = ":- use(growtree)."


def leaf_posteriors(tree: Tree) -> list[Any]:
    """What the leaves of a tree predict."""
    leaves = tree.leaves()
    assert all(leaf.predictive is not None for leaf in leaves)
    return [leaf.predictive() for leaf in leaves if leaf.predictive is not None]


@pytest.mark.parametrize("y", [pl.col("y"), pl.col("y") == "q"])
def test_the_posterior_of_smoothed_leaves_survives_json(y: pl.Expr) -> None:
    best = modal(GROWTREE, frame().with_columns(y=y), smoothing=0.5).map_tree()
    told = best.to_dict()
    copy = Tree.from_dict(json.loads(json.dumps(told)))
    assert copy == best and copy.n_leaves > 1
    assert leaf_posteriors(copy) == leaf_posteriors(best)
    assert copy.to_dict() == told and copy.to_dict(predictive=True) == best.to_dict(predictive=True)
    assert str(copy) == str(best)


def test_leaves_under_the_declared_prior_are_written_as_before() -> None:
    tree = modal(GROWTREE).map_tree()
    assert "concentrations" not in json.dumps(tree.to_dict())
    assert all(leaf.predictive is None for leaf in Tree.from_dict(tree.to_dict()).leaves())


def test_a_posterior_without_rows_is_read() -> None:
    leaf = Tree.from_dict({"concentrations": {"a": 1.0, "b": 3.0}}).root
    assert isinstance(leaf, Leaf) and leaf.predictive is not None
    told = leaf.predictive()
    assert told["probabilities"] == {"a": 0.25, "b": 0.75}
    assert told["intervals"]["a"] == pytest.approx([0.0169524, 0.6315969], rel=1e-5)


def answers(folder: Path, *words: str) -> dict[str, Any]:
    """What a command prints with `--json`, on the table."""
    table = folder / "t.csv"
    frame().write_csv(table)
    command = [words[0], "growtree", str(table), *words[1:], "--json"]
    done = CliRunner().invoke(slp_command, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("smoothing", ["0", "0.5"])
def test_each_tree_found_is_written_with_its_share(tmp_path: Path, smoothing: str) -> None:
    out = tmp_path / "trees.jsonl"
    run = ["--engine", "modal", "--roots", "3", "--smoothing", smoothing]
    told = answers(tmp_path, "sample", *run, "-o", str(out), "--seed", "1")
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    want = modal(GROWTREE, roots=3, smoothing=float(smoothing))
    shares = [draw.weight / 3 for draw in want.draws]
    assert [line["share"] for line in lines] == pytest.approx(shares)
    assert math.isclose(sum(shares), 1.0) and shares[0] > shares[1] > 0
    assert told["map"]["share"] == lines[0]["share"] and told["importances"] == want.importances()
    best = answers(tmp_path, "map", *run, "--best", "3")["best"]
    assert [tree["share"] for tree in best] == [line["share"] for line in lines]


def test_other_engines_have_no_shares(tmp_path: Path) -> None:
    told = answers(tmp_path, "sample", "--engine", "exact")
    assert told["map"]["share"] is None and told["importances"] is None


def test_smoothed_trees_tell_no_prior_and_no_likelihood(tmp_path: Path) -> None:
    out, saved = tmp_path / "trees.jsonl", tmp_path / "run.slpz"
    answers(tmp_path, "sample", "--engine", "modal", "--smoothing", "0.5", "-o", str(out))
    line = json.loads(out.read_text())
    assert line["log_prior"] is None and line["log_likelihood"] is None
    found = modal(GROWTREE, smoothing=0.5)
    found.save(saved)
    for posterior in (found, slp.load_posterior(saved)):
        (draw,) = posterior.draws
        assert draw.log_prior is None and math.isnan(draw.log_likelihood)


@pytest.mark.parametrize("engine", ["modal", "search"])
def test_a_comparison_says_that_leaves_are_of_trees_found(engine: str) -> None:
    program = slp.parse(GROWTREE)
    (told,) = slp.compare([program], frame(), folds=0, engine=engine, seed=1).programs
    assert told.expected_leaves.kind == "found" and told.to_dict()["mean_leaves_error"] is None
