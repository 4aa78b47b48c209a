"""`slp certify`, and `slp-sample --certify`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import slp
from slp.trees import CHECKER

PROGRAM = """
:- use(growtree).
:- constraint(first(age)).
:- constraint(max_leaves(2)).
:- constraint(python("os:getcwd")).
:- support(min_leaf(2)).
"""
TREE = {"feature": "age", "threshold": 3.5, "left": {}, "right": {}}


@pytest.fixture
def files(tmp_path: Path, table: Path) -> tuple[Path, Path]:
    program, tree = tmp_path / "p.slp", tmp_path / "t.json"
    program.write_text(PROGRAM)
    tree.write_text(json.dumps(TREE))
    return tree, program


def verified(path: Path) -> int:
    command = [sys.executable, "-I", str(CHECKER), str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode


def test_a_certificate_is_printed_and_verified(slp_run, files, table: Path, tmp_path: Path) -> None:
    tree, program = files
    for data, last in ((), "not checked"), ((table,), "holds"):
        result = slp_run("certify", tree, program, *data)
        assert result.code == 0
        found = json.loads(result.out)
        claims = [claim["claim"] for claim in found["claims"]]
        assert claims == ["holds", "holds", "not checked", last]
        assert [line.partition(":")[0] for line in result.err.splitlines()] == claims
        (tmp_path / "c.json").write_text(result.out)
        assert verified(tmp_path / "c.json") == 0


def test_the_checker_is_named(slp_run) -> None:
    result = slp_run("certify", "--checker")
    assert (result.code, result.out) == (0, f"{CHECKER}\n")


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"feature": 1e999}', "\x00", "{}" * 2])
def test_a_file_without_a_tree_is_a_fault(slp_run, files, text: str) -> None:
    tree, program = files
    tree.write_text(text)
    result = slp_run("certify", tree, program)
    assert result.code in (1, 2) and result.out == ""
    assert result.err.startswith("error[E6")


def test_a_table_without_a_column_of_the_tree_is_a_fault(slp_run, files, table: Path) -> None:
    tree, program = files
    tree.write_text(json.dumps({**TREE, "feature": "agee"}))
    result = slp_run("certify", tree, program, table)
    assert (result.code, result.err.split(":")[0]) == (1, "error[E606]")


def test_each_draw_has_its_certificate(slp_run, table: Path, tmp_path: Path) -> None:
    program, draws = tmp_path / "p.slp", tmp_path / "d.jsonl"
    program.write_text(":- use(growtree).\n:- constraint(first(age)).\n:- support(min_leaf(2)).\n")
    result = slp_run("sample", program, table, "-n", 20, "--seed", 1, "-o", draws, "--certify")
    assert result.code == 0
    lines = [json.loads(line) for line in draws.read_text().splitlines()]
    assert len(lines) == 20
    for line in lines:
        certificate = line["certificate"]
        assert certificate["tree"] == line["tree"]
        assert [claim["claim"] for claim in certificate["claims"]] == ["holds", "holds"]
    assert verified(draws) == 0


def test_soft_trees_have_the_certificates_of_their_topology(tmp_path: Path) -> None:
    program = slp.load("rjhmc")
    rows = [[x, 0.3 * x] for x in range(12)]
    posterior = program.posterior(
        rows, [x > 5 for x, _ in rows], engine="rjhmc", draws=3, seed=1, chains=1, warmup=5, thin=1
    )
    tree = posterior.draws[0].tree
    certificate = tree.skeleton().certificate(
        slp.parse(":- use(growtree). :- constraint(max_leaves(1)).")
    )
    assert certificate["claims"][0]["claim"] == ("broken" if tree.n_leaves > 1 else "holds")


def test_certify_needs_an_output(slp_run, table: Path) -> None:
    result = slp_run("sample", "growtree", table, "--certify")
    assert result.code == 2 and "--certify needs --output" in result.err


def test_a_byte_order_mark_and_numbers_that_are_none(slp_run, files, monkeypatch) -> None:
    tree, program = files
    tree.write_text("\ufeff" + json.dumps(TREE), encoding="utf-8")
    assert slp_run("certify", tree, program).code == 0
    for number in ("NaN", "1e999"):
        tree.write_text(f'{{"counts": {{"a": {number}}}}}')
        result = slp_run("certify", tree, program)
        assert (result.code, result.err.split(":")[0]) == (2, "error[E619]")
    monkeypatch.setattr("slp.trees.files._MOST_CHARACTERS", 10)
    tree.write_text(json.dumps(TREE))
    assert "more than 10 characters" in slp_run("certify", tree, program).err
