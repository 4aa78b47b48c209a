"""`slp map` and `slp predict`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars
import pytest

import slp
from slp.cli.summary import short_list_note

GROWTREE_UNTIDY = (
    "% mine\n0.5::tree-->leaf.  % stop\n0.5::tree-->split(_F,_V),tree,tree.\n:-start(tree).\n"
)


@pytest.mark.parametrize("best", [1, 3])
def test_map_exports_the_tree_or_the_average(slp_run, table: Path, best: int) -> None:
    """Standard output has the export alone."""
    found = slp.load("growtree").posterior(slp.data.read_columns(str(table)), engine="best")
    what = found.map_tree() if best == 1 else found.average(best, best=True)
    for form, text in (
        ("rules", what.to_rules()),
        ("markdown", what.to_rules("markdown")),
        ("sql", what.to_sql()),
        ("python", what.to_python()),
    ):
        said = slp_run("map", "growtree", table, "--best", best, "--export", form)
        assert said.code == 0 and said.out == text.rstrip("\n") + "\n"
        assert said.err.startswith("engine exact")
    said = slp_run("map", "growtree", table, "--export", "sql", "--json")
    assert said.code == 2 and "--json" in said.err


def test_map_lists_the_best_trees(slp_run, table: Path) -> None:
    result = slp_run("map", "growtree", table, "--best", 3, "--json")
    best = json.loads(result.out)["best"]
    scores = [tree["log_posterior"] for tree in best]
    assert len(best) == 3 and scores == sorted(scores, reverse=True)
    text = slp_run("map", "growtree", table, "--best", 3)
    assert text.code == 0 and text.out.count("posterior probability") == 3


def test_map_of_trees_of_a_depth_is_proven(slp_run, table: Path) -> None:
    columns = slp.data.read_columns(str(table))
    for depth in (1, 2):
        said = json.loads(slp_run("map", "growtree", table, "--depth", depth, "--json").out)
        want = slp.parse(f":- use(growtree). :- support(max_depth({depth})).")
        (best,) = said["best"]
        assert said["engine"] == "search" and best["certified"]
        exact = want.posterior(columns, engine="exact").map()
        assert best["log_joint"] == pytest.approx(exact.log_joint)
        assert best["n_leaves"] <= 2**depth
    text = slp_run("map", "growtree", table, "--depth", 1)
    assert text.code == 0 and "certified: none is better" in text.out
    assert slp_run("map", "growtree", table, "--depth", 1, "--engine", "exact").code == 0
    assert slp_run("map", "growtree", table, "--depth", 0).code == 2


def test_a_limit_of_depth_never_allows_more_than_the_program() -> None:
    shallow = slp.parse(":- use(growtree). :- support([min_leaf(2), max_depth(2)]).")
    assert shallow.with_max_depth(5).ir.support == shallow.ir.support
    assert shallow.with_max_depth(1).ir.support.max_depth == 1
    assert shallow.with_max_depth(1).ir.support.min_leaf == 2


def test_a_limit_of_depth_is_kept_by_all_that_reads_the_text(table: Path, tmp_path: Path) -> None:
    columns = slp.data.read_columns(str(table))
    program = slp.load("growtree").with_parameters(alpha=0.7).with_max_depth(1)
    posterior = program.posterior(columns, engine="exact")
    posterior.save(tmp_path / "run.slprun")
    again = slp.load_posterior(tmp_path / "run.slprun")
    assert again.log_evidence == posterior.log_evidence
    assert again.map().log_joint == posterior.map().log_joint
    learned = program.learn(columns, iterations=1).program
    for other in (program.with_parameters(beta=0.5), learned, slp.parse(program.text)):
        assert other.ir.support.max_depth == 1
    assert program.parameters["alpha"] == 0.7


@pytest.mark.parametrize("depth", [-1, 2.5])
def test_a_limit_of_depth_is_a_whole_number(depth: float) -> None:
    with pytest.raises(slp.ProgramError, match="E109"):
        slp.load("growtree").with_max_depth(depth)  # type: ignore[arg-type]


def test_truth_values_are_what_json_and_csv_have(slp_run, tmp_path: Path) -> None:
    data, draws = tmp_path / "t.csv", tmp_path / "draws.jsonl"
    data.write_text("a,y\n1,true\n2,true\n3,true\n4,false\n5,false\n6,false\n")
    said = slp_run("slp-sample", "growtree", data, "--json", "-n", 1, "-o", draws)
    assert json.loads(said.out)["map"]["tree"]["classes"] == [False, True]
    assert json.loads(draws.read_text())["tree"]["classes"] == [False, True]
    header, *rows = slp_run("predict", "growtree", data, data).out.splitlines()
    assert header == "y,P(false),P(true)"
    assert [row.split(",")[0] for row in rows] == ["true"] * 3 + ["false"] * 3


def test_predict_classes(slp_run, table: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.csv"
    new.write_text("dose,age\n5,1.5\n7,4.5\n")
    result = slp_run("predict", "growtree", table, new)
    assert result.code == 0
    have = polars.read_csv(io.StringIO(result.out))
    assert have.columns == ["y", "P(a)", "P(b)"]
    posterior = slp.load("growtree").posterior(polars.read_csv(table), draws=0)
    want = posterior.predict_proba(np.array([[1.5, 5], [4.5, 7]]))
    np.testing.assert_allclose(have.select("P(a)", "P(b)").to_numpy(), want, rtol=1e-12)


def test_predict_classes_with_credible_intervals(slp_run, table: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.csv"
    new.write_text("dose,age\n5,1.5\n7,4.5\n")
    result = slp_run("predict", "growtree", table, new, "--interval", 0.8)
    rows = [line.split(",") for line in result.out.splitlines()]
    assert rows[0][3:] == ["lower P(a)", "upper P(a)", "lower P(b)", "upper P(b)"]
    posterior = slp.load("growtree").posterior(polars.read_csv(table))
    want = posterior.predict_interval(np.array([[1.5, 5], [4.5, 7]]), 0.8)
    np.testing.assert_allclose(
        [[float(x) for x in row[3:]] for row in rows[1:]], want.reshape(2, 4)
    )
    assert "Monte Carlo error" in " ".join(slp_run("predict", "--help").out.split())


def test_predict_numbers(slp_run, tmp_path: Path) -> None:
    data, out = tmp_path / "d.csv", tmp_path / "out.csv"
    data.write_text("x,y\n1,0.1\n2,0.2\n3,5.3\n4,5.1\n")
    assert slp_run("predict", "growtree", data, data, "-o", out).code == 0
    have = polars.read_csv(out)
    assert have.columns == ["y", "lower", "upper"]
    assert (have["lower"] < have["y"]).all() and (have["y"] < have["upper"]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ("1,0.1\n2,0.2\n3,5.3\n", "y,lower,upper\n"),
        ("1,a\n2,b\n3,b\n", "y,P(a),P(b),lower P(a),upper P(a),lower P(b),upper P(b)\n"),
    ],
)
@pytest.mark.parametrize("end", [".csv", ".parquet"])
def test_predict_no_rows(slp_run, tmp_path: Path, rows: str, header: str, end: str) -> None:
    data, new = tmp_path / "d.csv", tmp_path / f"new{end}"
    data.write_text(f"x,y\n{rows}")
    if end == ".csv":
        new.write_text("x\n")
    else:
        polars.DataFrame({"x": []}, schema={"x": polars.Int64}).write_parquet(new)
    result = slp_run("predict", "growtree", data, new, "--interval", 0.9)
    assert (result.code, result.out) == (0, header)
    refused = slp_run("predict", "growtree", new, data)
    assert refused.code == 1 and "E404" in refused.err


def test_predict_a_level_that_the_table_lacks(slp_run, tmp_path: Path) -> None:
    data, new = tmp_path / "d.csv", tmp_path / "new.csv"
    data.write_text("arm,y\nA,0.1\nA,0.2\nB,5.3\nB,5.1\n")
    new.write_text("arm\nC\nA\n")
    result = slp_run("predict", "growtree", data, new)
    assert (result.code, len(result.out.splitlines())) == (0, 3)
    assert result.err.count("W440") == 1
    assert "`C` of `arm`" in result.err


def test_predict_column_that_is_missing(slp_run, table: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.csv"
    new.write_text("dose\n5\n")
    result = slp_run("predict", "growtree", table, new)
    assert result.code == 1 and "age" in result.err


@pytest.mark.parametrize(
    ("listed", "out_of_time", "told"), [(1, True, True), (3, True, False), (1, False, False)]
)
def test_a_list_that_time_cut_short_is_told(listed: int, out_of_time: bool, told: bool) -> None:
    posterior = SimpleNamespace(out_of_time=out_of_time)
    want = "the list was cut short by the end of its time: 1 of 3 trees" if told else None
    assert short_list_note(posterior, listed, 3) == want  # type: ignore[arg-type]
