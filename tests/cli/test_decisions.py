"""Decisions, costs and the mass of the prior in commands: `predict --loss`, summaries, JSON, the
report."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

import slp

PROGRAM = """:- use(growtree).
:- response(ill).
:- loss(yes, no, 5).
:- cost(mri, 120).
:- cost(age, 1).
:- constraint(max_cost(120)).
:- failure(condition).
"""
TABLE = "age,mri,ill\n30,0,no\n40,0,no\n50,1,yes\n60,1,no\n70,0,yes\n35,1,no\n"

Run = Callable[..., Any]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Program, table, new rows."""
    own = tmp_path / "own.slp", tmp_path / "table.csv", tmp_path / "new.csv"
    for path, text in zip(own, (PROGRAM, TABLE, "age,mri\n30,0\n65,1\n"), strict=True):
        path.write_text(text)
    return own


def predicted(out: str) -> polars.DataFrame:
    return polars.read_csv(io.StringIO(out))


def test_predict_decides(slp_run: Run, files: tuple[Path, Path, Path]) -> None:
    program, table, new = files
    found = predicted(slp_run("predict", program, table, new).out)
    assert found.columns == ["ill", "expected loss", "P(no)", "P(yes)"]
    p = found["P(yes)"].to_numpy()
    assert found["ill"].to_list() == ["no" if 5 * x < 1 - x else "yes" for x in p]
    want = [min(5 * x, 1 - x) for x in p]
    assert found["expected loss"].to_list() == pytest.approx(want)
    given = predicted(slp_run("predict", program, table, new, "--loss", "no,yes,9").out)
    assert given["ill"].to_list() == ["no", "no"]
    tied = slp_run("predict", program, table, new, "--loss", "no,yes,0", "--loss", "yes,no,0")
    assert "2 of 2 decisions are tied: the first class is given" in tied.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["yes,maybe,2"], "no class `maybe`"),
        (["yes,no"], "`yes,no` is no loss"),
        (["yes,no,much"], "is no loss"),
        (["yes,no,-1"], "is given the loss -1"),
        (["yes,no,1", "yes,no,2"], "given twice"),
    ],
)
def test_losses_that_do_not_fit(
    slp_run: Run, files: tuple[Path, Path, Path], given: list[str], said: str
) -> None:
    options = [word for text in given for word in ("--loss", text)]
    result = slp_run("predict", *files, *options)
    assert "error[E564]" in result.err
    assert said in result.err


def test_numbers_have_no_decisions(slp_run: Run, tmp_path: Path) -> None:
    table = tmp_path / "numbers.csv"
    table.write_text("age,y\n1,0.5\n2,1.5\n3,7.25\n")
    result = slp_run("predict", "growtree", table, table, "--loss", "yes,no,1")
    assert "error[E564]: the response `y` is numeric" in result.err


def test_a_class_may_have_commas(slp_run: Run, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text('a,y\n1,"x,y"\n2,z\n3,z\n4,"x,y"\n')
    result = slp_run("predict", "growtree", table, table, "--loss", "x,y,z,7")
    assert predicted(result.out)["y"].to_list() == ["x,y"] * 4


@pytest.mark.slow
def test_summaries_and_json_tell_it(slp_run: Run, files: tuple[Path, Path, Path]) -> None:
    program, table, _ = files
    posterior = slp.load(program).posterior(polars.read_csv(table))
    tree = posterior.map_tree()
    told = slp_run("sample", program, table).out
    cost = posterior.expected_cost()
    assert f"cost      {cost.value:.4f} a row on average over all trees" in told
    assert f"its predictions cost {posterior.cost_of_tree(tree).mean:.4g} a row" in told
    assert f"its decisions lose {posterior.loss_of_tree(tree):.4g} a row" in told
    assert f"a derivation fails with probability {posterior.failing_mass:.4g}" in told
    found = json.loads(slp_run("sample", program, table, "--json").out)
    assert found["loss"] == {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}
    assert found["costs"] == {"mri": 120, "age": 1}
    assert found["expected_cost"] == {
        "value": pytest.approx(cost.value),
        "error": 0.0,
        "kind": "exact",
    }
    holds = posterior.constraint_probability
    assert holds is not None
    assert found["failing_mass"] == pytest.approx(1 - holds.value)
    assert found["constraint_probability"]["value"] == pytest.approx(holds.value)
    assert found["map"]["cost"]["by_leaf"] == list(posterior.cost_of_tree(tree).by_leaf)
    best = json.loads(slp_run("map", program, table, "--json").out)["best"][0]
    assert best["expected_loss"] == pytest.approx(posterior.loss_of_tree(tree))
    report = program.with_name("report.html")
    posterior.report(report)
    text = report.read_text("utf-8")
    assert "to ask what a tree asks costs" in text
    assert "satisfies them with probability" in text


def test_nothing_is_told_where_nothing_is_declared(slp_run: Run, table: Path) -> None:
    told = slp_run("sample", "growtree", table).out
    assert not any(word in told for word in ("cost", "lose", "mass ", "decide"))
    found = json.loads(slp_run("sample", "growtree", table, "--json").out)
    assert not {"loss", "costs", "failing_mass", "constraint_probability"} & found.keys()
    assert "cost" not in found["map"]
