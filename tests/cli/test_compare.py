"""`slp compare`: the page, the JSON object, exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

KEYS = {"response", "n_rows", "programs", "reference", "folds", "seed", "version", "seconds"}
_NUMBERS = ("log_evidence", "log_bayes_factor", "mean_leaves")
OF_PROGRAM = {"name", "engine", "reason", "seed", "converged", "depends_on_clock", "held_out"}
OF_PROGRAM |= {"standing"}
OF_PROGRAM |= {"no_bayes_factor", "notes", "held_out_difference", "loo", "loo_difference", "no_loo"}
OF_PROGRAM |= {f"{name}{end}" for name in _NUMBERS for end in ("", "_error", "_kind")}
HELD_OUT = {"log_predictive", "accuracy", "rmse"}
HELD_OUT |= {f"{name}_error" for name in HELD_OUT} | {"by_fold", "standing", "survival"}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "comparing.md"


def test_json(slp_run, table: Path) -> None:
    done = slp_run("compare", "growtree", "denison", table, "--json", "--seed", 1, "--folds", 2)
    found = json.loads(done.out)
    assert done.code == 0 and found.keys() == KEYS
    for program in found["programs"]:
        assert program.keys() == OF_PROGRAM and program["log_evidence_kind"] == "exact"
        assert program["held_out"].keys() == HELD_OUT and program["held_out"]["rmse"] is None
    best = max(found["programs"], key=lambda program: program["log_evidence"])
    assert found["reference"] == best["name"] and best["log_bayes_factor"] == 0
    page = PAGE.read_text("utf-8")
    said = {key for key in KEYS | OF_PROGRAM if not key.endswith(("_error", "_kind"))}
    assert [key for key in said if f"`{key}`" not in page] == []


DIFFERENCE = {"against", "value", "standard_error", "monte_carlo_error"}
LOO = {"elpd", "standard_error", "monte_carlo_error", "kind", "bad_k", "standing", "notes"}


def test_differences_in_json(slp_run, table: Path) -> None:
    options = ["--json", "--seed", 1, "--folds", 2, "--loo"]
    found = json.loads(slp_run("compare", "growtree", "denison", table, *options).out)
    for program in found["programs"]:
        assert program["loo"].keys() == LOO and program["loo"]["kind"] == "exact"
        assert program["loo_difference"].keys() == DIFFERENCE
        assert program["held_out_difference"].keys() == DIFFERENCE and program["no_loo"] is None
    best = max(found["programs"], key=lambda program: program["loo"]["elpd"])
    assert {p["loo_difference"]["against"] for p in found["programs"]} == {best["name"]}
    page = PAGE.read_text("utf-8")
    assert [key for key in DIFFERENCE | LOO if f"`{key}`" not in page] == []


def test_leave_one_out_on_the_page(slp_run, table: Path, tmp_path: Path) -> None:
    prior = tmp_path / "m.slp"
    prior.write_text(":- use(growtree). box(b, age, 2, inf). :- constraint(majority(b, b)).")
    done = slp_run("compare", "growtree", "denison", prior, table, "--folds", 0, "--loo")
    assert done.code == 0
    lines = done.out.replace("\n  ", " ")
    assert re.search(r"^growtree .* exact +-\d+\.\d{4} \+- \d\.\d{4} ", done.out, re.M)
    assert len(re.findall(r"0, reference$", done.out, re.M)) == 1
    assert re.search(r"^/.*m\.slp .* -  +-$", done.out, re.M), done.out
    assert "no row can be left out: majority looks at the response" in lines
    assert "standard error over rows of the paired difference" in lines


def test_estimates_on_the_page(slp_run, table: Path) -> None:
    options = ["--engine", "smc", "--islands", 40, "--particles", 200, "--folds", 0, "--seed", 1]
    done = slp_run("compare", "growtree", "growtree", table, *options)
    assert done.code == 0
    row = re.search(r"^growtree \(2\) +(-\d+\.\d{4} \+- \d\.\d{4})  (-?\d.*)$", done.out, re.M)
    assert row is not None, done.out
    assert "+-: one Monte Carlo standard error, on the scale of the number" in done.out
    words = r"times less probable than under .* \(.* to .*\s+within two\s+standard"
    assert re.search(words, done.out)


def test_what_has_not_converged_has_no_bayes_factor_to_use(slp_run, table: Path) -> None:
    options = ["--engine", "smc", "--islands", 4, "--particles", 2, "--folds", 0, "--seed", 1]
    done = slp_run("compare", "growtree", "denison", table, *options)
    assert re.search(r"^(growtree|denison) +-\d+\.\d{4}\?", done.out, re.MULTILINE)
    assert "do not use its Bayes factor: a run has not converged" in done.out
    assert "W530" in done.err


def test_programs_that_look_at_the_response(slp_run, table: Path, tmp_path: Path) -> None:
    prior = tmp_path / "m.slp"
    prior.write_text(":- use(growtree). box(b, age, 2, inf). :- constraint(majority(b, b)).")
    done = slp_run("compare", "growtree", prior, table, "--folds", 0)
    assert done.code == 0
    assert "no Bayes factor: majority looks at the response" in done.out.replace("\n  ", " ")


def test_faults(slp_run, table: Path, tmp_path: Path) -> None:
    prior = tmp_path / "a.slp"
    prior.write_text(":- use(growtree). :- response(age).")
    done = slp_run("compare", "growtree", prior, table)
    assert done.code == 2 and "error[E550]" in done.err and "Traceback" not in done.err
    assert slp_run("compare", "growtree", prior, table, "-y", "dose", "--folds", 0).code == 0
    assert slp_run("compare", "growtree", table, "--folds", 1).code == 2
    assert slp_run("compare", "growtree", tmp_path / "none.csv").code == 1
    assert slp_run("compare", table).code == 2
    assert slp_run("compare", "growtree", table, "--checkpoint", "x").code == 2
    done = slp_run("compare", "growtree", table, "--engine", "exact", "--time", "0.001s")
    assert done.code == 1 and "E540" in done.err
