"""`slp query`."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from slp.resolution import METHODS

PAIR = "0.5 :: coin(h).\n0.5 :: coin(t).\npair(X, Y) :- coin(X), coin(Y), X \\= Y.\n"


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    path = tmp_path / "pair.slp"
    path.write_text(PAIR)
    return path


def test_answers(slp_run, pair: Path) -> None:
    result = slp_run("query", pair, "pair(X, Y)")
    assert (result.code, result.err) == (0, "")
    assert result.out == ("0.5  X = h, Y = t\n0.5  X = t, Y = h\nsuccess 0.5; failure 0.5\n")


def test_answers_as_json(slp_run, pair: Path) -> None:
    found = json.loads(slp_run("query", pair, "pair(X, Y)", "--json").out)
    half = {"probability": 0.5, "log_probability": math.log(0.5)}
    quarter = {"mass": 0.25, "log_mass": math.log(0.25)}
    assert found["answers"] == [
        {"X": "h", "Y": "t", **half, **quarter},
        {"X": "t", "Y": "h", **half, **quarter},
    ]
    assert (found["log_success"], found["log_open"]) == (math.log(0.5), None)
    assert (found["success"], found["failure"], found["open"]) == (0.5, 0.5, 0.0)
    assert (found["complete"], found["reason"], found["upper"]) == (True, None, 0.5)


def test_several_conditions(slp_run, pair: Path) -> None:
    both = slp_run("query", pair, "pair(X, Y)", "--given", "X = h ; X = t", "--given", "X = t").out
    assert both == slp_run("query", pair, "pair(X, Y)", "--given", "X = t").out
    assert both.startswith("1  X = t, Y = h\n")
    none = slp_run("query", pair, "pair(X, Y)", "--given", "X = h", "--given", "X = t").out
    assert "success 0" in none


def test_best_proofs_and_a_condition(slp_run, pair: Path) -> None:
    result = slp_run("query", pair, "pair(X, Y)", "--given", "X = t", "--best", "1")
    assert result.out == (
        "1  X = t, Y = h\n"
        "success 0.25; failure 0.75\n"
        "\n1. probability 1, mass 0.25: X = t, Y = h\n"
        f"   0.5  0.5 :: coin(t).  % {pair}:2:1\n"
        f"   0.5  0.5 :: coin(h).  % {pair}:1:1\n"
    )
    found = json.loads(slp_run("query", pair, "pair(X, Y)", "--best", "1", "--json").out)
    assert [c["text"] for c in found["best"][0]["clauses"]] == [
        "0.5 :: coin(h).",
        "0.5 :: coin(t).",
    ]
    assert found["best_certified"] is True


def test_draws_say_what_failure_does(slp_run, pair: Path) -> None:
    result = slp_run("query", pair, "pair(X, Y)", "--draws", "2", "--seed", "1")
    assert result.out.splitlines()[2:] == [
        "tables, independent draws with the probabilities of the query, none of which fails",
        "success 0.5, seed 1",
    ]
    result = slp_run(
        "query", pair, "pair(X, Y)", "--draws", "2", "--seed", "1", "--failure", "backtracking"
    )
    assert result.out.splitlines()[2:] == [
        "backtracking, a draw that fails goes on from its last choice: other probabilities",
        "seed 1",
    ]


def test_draws_as_json(slp_run, pair: Path) -> None:
    found = json.loads(
        slp_run("query", pair, "coin(X)", "--draws", "4", "--seed", "1", "--json").out
    )
    assert found["semantics"] == "tables" and found["seed"] == 1
    assert (found["success"], found["failure"], found["tries"]) == (1.0, 0.0, 4)
    assert len(found["draws"]) == 4
    assert sum(a["probability"] for a in found["answers"]) == 1.0


def test_draws_have_their_clauses(slp_run, pair: Path) -> None:
    found = json.loads(
        slp_run("query", pair, "pair(X, Y)", "--draws", "3", "--seed", "1", "--json").out
    )
    assert found["untabled"] is None and found["effective"] == 3
    for draw in found["draws"]:
        texts = [found["clauses"][i]["text"] for i in draw["clauses"]]
        assert texts == [f"0.5 :: coin({draw[name]})." for name in "XY"]
        assert draw["log_mass"] == pytest.approx(math.log(0.25), rel=1e-14)
        assert draw["log_probability"] == pytest.approx(math.log(0.5), rel=1e-14)
        assert draw["weight"] == pytest.approx(1 / 3)


def test_why_tables_do_not_draw(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "words.slp"
    program.write_text("0.5 :: word([]).\n0.5 :: word([a | L]) :- word(L).\n")
    result = slp_run("query", program, "word(L)", "--draws", "2", "--seed", "1")
    assert result.out.splitlines()[2:] == [
        "rejection, draws that fail are thrown away: answers have the probabilities of the query",
        "tables do not draw it: gave up after 10000 inferences",
        "0 of 2 rejected, seed 1",
    ]


@pytest.mark.parametrize("failure", ["weighting", "filter"])
def test_weighted_draws(slp_run, pair: Path, failure: str) -> None:
    """Draws of equal coins fail, and have weight 0."""
    options = ("--draws", "400", "--seed", "1", "--failure", failure)
    result = slp_run("query", pair, "pair(X, Y)", *options)
    *shares, how, said = result.out.splitlines()
    assert len(shares) == 2
    for line in shares:
        found = re.fullmatch(r"(\S+) \+- (\S+)  X = ., Y = .", line)
        assert found and abs(float(found[1]) - 0.5) < 4.5 * float(found[2])
    assert how == f"{failure}, {METHODS[failure]}"
    assert re.fullmatch(
        r"\d+ of 400 draws have a proof, \d+ effective, success 0\.\d+ \+- \d\.\d+%, seed 1", said
    )
    found = json.loads(slp_run("query", pair, "pair(X, Y)", *options, "--json").out)
    assert found["semantics"] == failure and found["failure"] is None
    assert abs(found["log_success"] - math.log(0.5)) < 4.5 * found["log_success_error"]
    assert sum(draw["weight"] for draw in found["draws"]) == pytest.approx(1)


def test_draws_that_agree_have_a_question_mark(slp_run, pair: Path) -> None:
    options = ("--draws", "40", "--seed", "1", "--failure", "filter")
    result = slp_run("query", pair, "coin(h), X = a", *options)
    assert result.out.startswith("1 +- ?  X = a\n")
    sure = slp_run("query", pair, "coin(X)", "--draws", "1", *options[2:])
    assert sure.out.startswith("1 +- ?  X = ") and "success 1 +- ?, seed 1" in sure.out


def test_a_goal_that_fails_says_why(slp_run, pair: Path) -> None:
    result = slp_run("query", pair, "pair(h, h)")
    assert result.code == 0
    assert result.out == (
        "no proof\nsuccess 0; failure 1\n\n"
        "warning[W240]: `h \\= h` failed\n"
        f" --> {pair}:3:33\n"
        "1 | 0.5 :: coin(h).\n"
        "2 | 0.5 :: coin(t).\n"
        "3 | pair(X, Y) :- coin(X), coin(Y), X \\= Y.\n"
        "  |                                 ^^^^^^\n"
        "  help: change the clauses of the goal, or the query, if that is not meant\n"
    )
    found = json.loads(slp_run("query", pair, "pair(h, h)", "--json").out)
    assert found["answers"] == [] and found["failed"][0]["code"] == "W240"


def test_bounds_where_the_search_is_cut_off(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "loop.slp"
    program.write_text("l :- l.\n0.25 :: p :- l.\n0.75 :: p.\n")
    result = slp_run("query", program, "p")
    assert result.out == (
        "1  true  (between 0.75 and 1)\n"
        "success 0.75 found, at most 1; failure 0; "
        "open 0.25: gave up at a recursion 200000 calls deep\n"
    )


def test_tolerance(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "p.slp"
    program.write_text("0.5 :: p :- p.\n0.5 :: p.\n")
    found = json.loads(slp_run("query", program, "p", "--tolerance", "0.1", "--json").out)
    assert found["complete"] and found["success"] == 0.9375 and found["open"] == 0.0625
    want = "1  true  (between 0.9375 and 1)\nsuccess 0.9375 found, at most 1; failure 0; "
    shown = slp_run("query", program, "p", "--tolerance", "0.1").out
    assert shown == want + "open 0.0625: within the tolerance\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--best", "0"],
        ["--draws", "0"],
        ["--failure", "retry"],
        ["--tolerance", "-1"],
        ["--seed", "x"],
    ],
)
def test_wrong_usage(slp_run, pair: Path, words: list[str]) -> None:
    assert slp_run("query", pair, "coin(X)", *words).code == 2


def test_faults(slp_run, pair: Path) -> None:
    result = slp_run("query", pair, "coin(X")
    assert (result.code, result.out) == (1, "")
    assert "<goal>:1:5" in result.err
    result = slp_run("query", "growtree", "tree(0)", "--format", "json")
    assert json.loads(result.err)["diagnostics"][0]["code"] == "E243"


@pytest.mark.slow
def test_a_bound_where_nothing_is_found(slp_run, tmp_path: Path) -> None:
    """Each step halves the open mass. The answer stands behind more steps than are allowed.

    A fast machine is out of inferences before the time is over.
    """
    program = tmp_path / "far.slp"
    program.write_text("0.5 :: far(N) :- N > 0, M is N - 1, far(M).\n0.5 :: far(N) :- N < 0.\n")
    result = slp_run("query", program, "far(10000000)", "--time", "4s")
    first, second, *_ = result.out.splitlines()
    bound = first.removeprefix("no proof found; success is at most ")
    assert result.code == 0 and int(bound.removeprefix("10^").removeprefix("1e")) < -10
    assert re.search("the time of 4 s is over|gave up after 1000000 inferences", second)
    assert "no proof\n" not in result.out
    found = json.loads(slp_run("query", program, "far(10000000)", "--time", "4s", "--json").out)
    assert not found["complete"] and found["log_success"] is None
    assert found["log_upper"] == found["log_open"] < -10


def test_the_time_ends_a_search(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "p.slp"
    program.write_text("0.75 :: p(a).\n0.25 :: p(b) :- member(Z, [a|Z]), Z == c.\n")
    result = slp_run("query", program, "p(X)", "--time", "1s")
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "1  X = a  (between 0.75 and 1)\n"
        "success 0.75 found, at most 1; failure 0; "
        "open 0.25: the time of 1 s is over while proofs were searched for\n"
    )


@pytest.mark.slow
def test_the_memory_ends_a_search(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "p.slp"
    program.write_text("more([_|L]) :- more(L).\n0.75 :: p(a).\n0.25 :: p(b) :- more(_).\n")
    result = slp_run("query", program, "p(X)", "--memory", "4MiB")
    assert result.code == 0
    assert "open 0.25: the memory of 4.0 MiB is used up" in result.out
    named = slp_run("query", program, "p(X)", "--memory", "20MiB", "--proposal", "q_uc")
    assert named.code == 2 and "E723" in named.err


@pytest.mark.slow
def test_the_time_ends_draws(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "coin.slp"
    program.write_text("0.5 :: coin(h).\n0.5 :: coin(t).\n")
    result = slp_run("query", program, "coin(X)", "-n", "100000000", "--time", "5s", "--seed", "1")
    assert result.code == 0 and "warning[W243]" in result.err
    assert len(result.out.splitlines()) > 10
