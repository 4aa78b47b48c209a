"""The messages of the sampling of proofs."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest

import slp
from slp.resolution import Limits

COIN = "0.5 :: coin(h).\n0.5 :: coin(t).\n"


def message(text: str, goal: str, *args: object, **options: object) -> str:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(text).sample_proofs(goal, *args, **{"seed": 1, **options})  # type: ignore[arg-type]
    return str(caught.value)


def test_no_proof() -> None:
    assert message(COIN, "coin(edge)") == (
        "error[E250]: no proof to start from was found\n"
        " --> <goal>:1:1\n"
        "1 | coin(edge)\n"
        "  | ^^^^^^^^^^\n"
        "  help: `slp query` without draws says where the goal fails"
    )


def test_no_proof_within_the_limits() -> None:
    said = message("p :- p.", "p", limits=Limits(inferences=1000, depth=100))
    assert "E250]: no proof to start from was found: gave up at a recursion 100 calls deep" in said
    assert said.endswith("help: `slp query` shows what is proved within the limits")


def test_no_proof_with_a_likelihood() -> None:
    said = message(COIN, "coin(X)", lambda answer: -math.inf)
    assert "E250]: the log-likelihood of all 200 proofs that were tried is -inf" in said
    assert said.endswith("help: loosen it, or write into the goal what it demands")


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        ("0", "'0', which is no number,"),
        (None, "None, which is no number,"),
    ],
)
def test_no_log_likelihood(value: object, what: str) -> None:
    assert message(COIN, "coin(X)", lambda answer: value, seed=3) == (
        f"error[E251]: the log-likelihood is {what} of the answer `X = t`\n"
        "  help: it must be a number; -inf says that an answer is impossible"
    )


CORRECT = "  help: correct the function: the message shows the answer that it was asked of"


def test_a_function_that_fails() -> None:
    def failing(answer: dict[str, object]) -> float:
        raise ZeroDivisionError("no data")

    with pytest.raises(slp.SlpError) as caught:
        slp.parse(COIN).sample_proofs("coin(X)", failing, seed=3)
    want = "error[E252]: the log-likelihood function failed on the answer `X = t`: "
    assert str(caught.value) == f"{want}ZeroDivisionError: no data\n{CORRECT}"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_function_that_would_end_the_process() -> None:
    def leaving(answer: dict[str, object]) -> float:
        sys.exit(3)

    said = message(COIN, "coin(X)", leaving, seed=3)
    assert said.startswith("error[E252]: the log-likelihood function failed on the answer `X = ")
    assert said.endswith(f"`: SystemExit: 3\n{CORRECT}")


def test_what_is_neither_a_function_nor_a_goal() -> None:
    assert message(COIN, "coin(X)", 3) == (
        "error[E254]: the log-likelihood is 3, no function and no text of a goal\n"
        "  help: give a function of an answer, or a goal that binds LogLikelihood"
    )


@pytest.mark.parametrize("given", [lambda answer: 10**400, "LogLikelihood is 10 ** 400"])
def test_numbers_that_are_no_floats(given: Any) -> None:
    said = message(COIN, "coin(X)", given, seed=3)
    assert said.startswith("error[E251]: the log-likelihood is too large a number of the answer `X")


def test_a_goal_without_a_result() -> None:
    assert message(COIN, "coin(X)", "X == h") == (
        "error[E253]: the goal of the log-likelihood does not hold the variable LogLikelihood\n"
        " --> <log-likelihood>:1:1\n"
        "1 | X == h\n"
        "  | ^^^^^^\n"
        "  help: write it as in `score(X, LogLikelihood)`"
    )


def test_a_goal_that_gives_no_number() -> None:
    assert "error[E202]: `much` is neither a parameter" in message(
        COIN, "coin(X)", "LogLikelihood = much"
    )


def test_moves_from_tree_to_tree() -> None:
    assert message(COIN, "coin(X)", proposal="q_uc,cgm") == (
        "error[E516]: cgm goes from tree to tree, and these are proofs of a goal\n"
        "  help: write q_uc, q_ind, q_n(20), or several with weights, as in q_uc:0.8,q_ind:0.2"
    )


def test_q_exact() -> None:
    assert message(COIN, "coin(X)", proposal="q_exact") == (
        "error[E516]: q_exact needs trees on a table, and these are proofs of a goal\n"
        "  help: write q_uc, q_ind, q_n(20), or several with weights, as in q_uc:0.8,q_ind:0.2"
    )


def test_nothing_drawn() -> None:
    found = slp.parse(COIN).sample_proofs("coin(X)", draws=0, seed=1)
    assert found.draws == []
    with pytest.raises(slp.UsageError) as caught:
        found.answers  # noqa: B018
    assert "E530]: nothing was drawn, so there is nothing to say of the proofs" in str(caught.value)


def test_proofs_beyond_the_limits_are_left_out() -> None:
    text = "0.5 :: n(N) :- n(M), N is M + 1.\n0.5 :: n(0)."
    with pytest.warns(slp.SlpWarning) as caught:
        found = slp.parse(text).sample_proofs("n(N)", limits=Limits(30, 1000), draws=50, seed=1)
    assert max(int(d["N"]) for d in found.draws) < 10
    said = [str(w.message) for w in caught]
    want = "warning[W250]: proofs beyond the limits are left out: gave up after 30 inferences"
    assert want in said[-1]


def test_faults_of_the_program_are_told_as_in_a_query() -> None:
    assert "error[E210]: unknown predicate `coyn/1`" in message(COIN, "coyn(X)")
    assert "error[E242]" in message("1 :: p(a, 1). 1 :: p(b, 2).", "p(a, N)", given="p(_, _)")
    assert "error[E505]: seed is -1" in message(COIN, "coin(X)", seed=-1)
