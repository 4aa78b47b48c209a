"""`slp learn`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

DOUBLE = """% two throws
0.5 :: coin(h).   % heads
0.5 :: coin(t).
double(X) :- coin(X), coin(X).
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    program, goals = tmp_path / "double.slp", tmp_path / "seen.pl"
    program.write_text(DOUBLE)
    goals.write_text("36 :: double(h).\n16 :: double(t).\n")
    return program, goals


def test_labels_from_goals(slp_run, files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "learned.slp"
    result = slp_run("learn", *files, "-o", out)
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "failure-adjusted maximisation: 5 iterations, converged\n"
        "log-likelihood -36.043653 -> -32.096572\n"
        "coin(h): 0.5 -> 0.6\n"
        "coin(t): 0.5 -> 0.4\n"
    )
    want = DOUBLE.replace("0.5 :: coin(h)", "0.6 :: coin(h)")
    assert out.read_text() == want.replace("0.5 :: coin(t)", "0.4 :: coin(t)")
    assert slp_run("check", out).code == 0


def test_without_an_output_the_program_is_printed(slp_run, files: tuple[Path, Path]) -> None:
    result = slp_run("learn", *files, "--plain", "--only", "coin", "--goal", "double(X)")
    assert result.out == (
        "plain expectation-maximisation: 1 iteration, converged\n"
        "log-likelihood -72.087307 -> -64.193144\n"
        "coin(h): 0.5 -> 0.692308\n"
        "coin(t): 0.5 -> 0.307692\n\n"
    ) + DOUBLE.replace("0.5 :: coin(h)", "0.692308 :: coin(h)").replace(
        "0.5 :: coin(t)", "0.307692 :: coin(t)"
    )


def test_json(slp_run, files: tuple[Path, Path]) -> None:
    found = json.loads(slp_run("learn", *files, "--json", "--iterations", "2").out)
    assert (found["iterations"], found["converged"]) == (2, False)
    assert len(found["log_likelihoods"]) == 3
    assert [(c["kind"], c["name"], c["before"]) for c in found["learned"]] == [
        ("label", "coin(h)", 0.5),
        ("label", "coin(t)", 0.5),
    ]
    assert found["program"].startswith("% two throws\n0.5")


def test_parameters_from_tables(slp_run, table: Path, tmp_path: Path) -> None:
    program, out = tmp_path / "prior.slp", tmp_path / "learned.slp"
    program.write_text(":- use(growtree).  % as it comes\n:- constraint(max_leaves(2)).\n")
    arguments = ("learn", program, table, table, "-y", "y", "-o", out, "--tolerance", "1e-3")
    result = slp_run(*arguments, "--only", "alpha", "--param", "alpha=0.4")
    assert result.code == 0, result.err
    assert result.out.startswith("inside-outside on the chart: ")
    assert "\nparameter alpha: 0.4 -> " in result.out
    assert out.read_text().startswith(":- use(growtree, [alpha = ")
    assert out.read_text().endswith("]).  % as it comes\n:- constraint(max_leaves(2)).\n")


def test_a_fault_writes_nothing(slp_run, files: tuple[Path, Path], tmp_path: Path) -> None:
    program, goals = files
    goals.write_text("double(h).\ndouble(edge).\n")
    out = tmp_path / "learned.slp"
    result = slp_run("learn", program, goals, "-o", out)
    assert result.code == 1 and not out.exists()
    assert "error[E282]: this observation has no proof under the program\n" in result.err
    assert "2 | double(edge)." in result.err


def test_clauses_with_one_head_are_told_apart_by_their_lines(slp_run, tmp_path: Path) -> None:
    program, goals = tmp_path / "s.slp", tmp_path / "seen.pl"
    program.write_text("0.4 :: s(X) :- a(X).\n0.6 :: s(X) :- b(X).\na(1). b(2).\n")
    goals.write_text("s(1).\n3 :: s(2).\n")
    said = slp_run("learn", program, goals).out
    assert "\ns(X) in line 1: 0.4 -> 0.25\ns(X) in line 2: 0.6 -> 0.75\n" in said
