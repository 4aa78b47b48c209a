"""Errors under SWI-Prolog: code, message, place and help; SWI-Prolog missing or too old."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import slp
from slp.errors import ExitCode, ProgramError, UnsupportedError
from slp.messages.proofs import JANUS_DOES_NOT_START, NO_JANUS
from slp.resolution import Limits
from slp.swipl import bridge, prolog
from tests.resolution.programs import fault

COIN = "0.6 :: coin(h).\n0.4 :: coin(t).\n"
BEFORE = (
    "call it before: conditions, `\\+`, `findall` and `forall` test what has been drawn already; "
    "`slp check` shows conditions that lead to labels"
)
A_GOAL = "write an atom or a compound term"
NOT_BY_0 = "divide by another number, or keep 0 away by a guard to the left"
ENDLESS = "does a clause call itself first (put that goal last), or lack a guard that ends it?"


CUT = "cut before the stochastic goal is called, or write clauses that exclude each other"


@pytest.mark.parametrize(
    ("text", "goal", "want"),
    [
        (
            COIN + "p :- \\+ coin(h).",
            "p",
            (
                "E240",
                "`coin/1` has labelled clauses and is called inside a condition",
                "p :- \\+ coin(h).",
                BEFORE,
            ),
        ),
        (
            COIN + "p(X) :- coin(X), !.\np(edge).",
            "p(X)",
            (
                "E241",
                "a cut takes away alternatives that stand before a stochastic goal",
                "p(X) :- coin(X), !.",
                CUT,
            ),
        ),
        (
            "X :: p(X). 1 - X / 2 :: p(X).",
            "p(1)",
            (
                "E242",
                "the labels of `p/1` that match here sum to 1.5, above 1",
                "p(1)",
                "bind an argument by a goal to the left, or declare `:- weights.`",
            ),
        ),
        (
            ":- start(t(0)). 1 :: t(_) --> leaf.",
            "t(1)",
            (
                "E243",
                "`t//1` is defined by tree rules, which mean nothing without a table",
                "t(1)",
                "ask trees on a table, `slp query FILE 'tree(T), uses(T, age)' --data DATA`, or "
                "query what `slp expand FILE DATA` prints",
            ),
        ),
        (
            "p(a).",
            "X = pp(1), call(X)",
            ("E210", "unknown predicate `pp/1`", "X = pp(1), call(X)", "did you mean `p/1`?"),
        ),
        (
            "p(X) :- call(X).",
            "p(_)",
            (
                "E211",
                "`_` is called as a goal, but is not bound",
                "p(X) :- call(X).",
                "bind it by a goal to the left",
            ),
        ),
        (
            "p(X) :- call(X).",
            "p(1)",
            ("E213", "the number 1 is not a goal", "p(X) :- call(X).", A_GOAL),
        ),
        (
            "1 / (X - 1) :: p(X).",
            "p(1)",
            ("E203", "division by zero", "1 / (X - 1) :: p(X).", NOT_BY_0),
        ),
        (
            "X :: p(X). 1 - X :: p(X).",
            "p(2)",
            (
                "E220",
                "the label is negative (-1)",
                "1 - X :: p(X).",
                "a label is a number from 0 up",
            ),
        ),
        (
            "p(X) :- Y is X + 1, q(Y). q(_).",
            "p(_)",
            (
                "E201",
                "arithmetic needs a number, but a variable is not bound",
                "p(X) :- Y is X + 1, q(Y).",
                "bind it before it is used: in the head, or by a goal to the left",
            ),
        ),
        (
            "p(X) :- arg(N, X, a), q(N). q(_).",
            "p(1)",
            (
                "E262",
                "SWI-Prolog says: Type error: `compound' expected, found `1' (an integer)",
                "p(X) :- arg(N, X, a), q(N).",
                "see the clause that the message shows",
            ),
        ),
        (
            "p(X) :- prolog(shell(X)).",
            "p(ls)",
            (
                "E263",
                "`prolog(...)` can do whatever SWI-Prolog can, and is refused",
                "p(X) :- prolog(shell(X)).",
                "allow it with --allow-code, if you trust this program",
            ),
        ),
    ],
)
def test_faults(text: str, goal: str, want: tuple[str, ...]) -> None:
    with pytest.raises(ProgramError) as caught:
        slp.parse(text).query(goal, engine="prolog")
    assert fault(caught.value) == want


@pytest.mark.parametrize(
    ("text", "goal", "failure", "code"),
    [
        (COIN, "member(_, [1, 2]), coin(X)", "rejection", "E244"),
        (COIN, "coin(edge)", "backtracking", "E245"),
        (":- weights.\n" + COIN, "coin(X)", "rejection", "E246"),
        ("p :- p.", "p", "rejection", "E214"),
        (COIN, "coin(edge)", "rejection", "E214"),
    ],
)
def test_faults_of_draws(text: str, goal: str, failure: str, code: str) -> None:
    limits = Limits(inferences=5_000)
    with pytest.raises(ProgramError) as caught:
        slp.parse(text).draw(goal, 1, failure=failure, seed=1, engine="prolog", limits=limits)
    assert caught.value.diagnostics[0].code == code


def test_prolog_goals_need_prolog() -> None:
    with pytest.raises(ProgramError) as caught:
        slp.parse("p(a).").query("prolog(true)")
    assert fault(caught.value) == (
        "E264",
        "`prolog(...)` needs SWI-Prolog",
        "prolog(true)",
        "if you trust the program, run it with `--engine prolog --allow-code`",
    )


def test_a_proof_too_large_for_the_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prolog, "_STACKS", 4 << 20)
    text = "0.5 :: p(a) :- long(_). 0.5 :: p(b). long(X) :- long(f(X, X)), long(X)."
    found = slp.parse(text).query("p(X)", engine="prolog")
    assert [a["X"] for a in found.answers] == ["b"]
    assert (found.open, found.upper) == (0.5, 1.0)
    assert found.reason == "gave up when a proof filled 4 MiB of SWI-Prolog's stacks"


def test_a_program_that_loops_is_bounded() -> None:
    text = "endless :- endless.\n0.25 :: p(a) :- endless.\n0.5 :: p(b).\n0.25 :: p(c)."
    found = slp.parse(text).query("p(X)", engine="prolog", limits=Limits(inferences=50_000))
    assert (found.success, found.open, found.upper) == (0.75, 0.25, 1.0)
    assert found.reason == "gave up after 50000 inferences"


def not_there(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str, str | None]:
    """What is said when Prolog is asked for as if for the first time."""
    monkeypatch.setattr(bridge, "_janus", bridge._janus.__wrapped__)
    monkeypatch.delitem(sys.modules, "janus_swi")
    with pytest.raises(UnsupportedError) as caught:
        slp.parse("p.").query("p", engine="prolog")
    assert caught.value.exit_code == ExitCode.FAULT
    (found,) = caught.value.diagnostics
    return found.code, found.message, found.help


def test_without_janus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "find_spec", lambda name: None)
    message = "SWI-Prolog cannot be reached, as janus-swi is not installed"
    assert not_there(monkeypatch) == ("E260", message, NO_JANUS.help)


@pytest.mark.parametrize(
    ("version", "what"),
    [
        ("SWI-Prolog version 9.0.4 for x86_64-linux", "SWI-Prolog version 9.0.4"),
        ("", "the `swipl` on the PATH"),
        (None, "SWI-Prolog, as there is no `swipl` on the PATH"),
    ],
)
def test_a_prolog_that_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str | None, what: str
) -> None:
    """janus ends the process if it cannot start SWI-Prolog: here a Python does that does nothing
    else."""
    if version is not None:
        swipl = tmp_path / "swipl"
        swipl.write_text(f"#!/bin/sh\necho '{version}'\n")
        swipl.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(bridge.sys, "executable", "/bin/false")
    assert not_there(monkeypatch) == (
        "E261",
        f"janus cannot start {what}",
        JANUS_DOES_NOT_START.help,
    )


def test_there_is_no_other_engine() -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse("p.").query("p", engine="lisp")
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("E722", "there is no engine `lisp` for queries")
    assert found.help == "there are python, prolog"
