"""Every message of queries and draws, in full: code, words, underlined text, help."""

from __future__ import annotations

import math
from typing import Any

import pytest

import slp
from slp.errors import SlpError
from slp.resolution import Limits
from slp.resolution.answers import drawing

COIN = "0.6 :: coin(h).\n0.4 :: coin(t).\n"
CONDITION_HELP = (
    "call it before: conditions, `\\+`, `findall` and `forall` test what has been drawn already; "
    "`slp check` shows conditions that lead to labels"
)
CUT_HELP = "cut before the stochastic goal is called, or write clauses that exclude each other"
ENDLESS = "does a clause call itself first (put that goal last), or lack a guard that ends it?"


def fault(error: SlpError) -> tuple[str, str, str | None, str | None]:
    (found,) = error.diagnostics
    return found.code, found.message, found.span and found.span.text, found.help


INSIDE = "`coin/1` has labelled clauses and is called inside a condition"
CROSSING = "a cut takes away alternatives that stand before a stochastic goal"

BOTH = [
    (COIN, "\\+ coin(h)", ("E240", INSIDE, "coin(h)", CONDITION_HELP)),
    (COIN, "findall(X, coin(X), L)", ("E240", INSIDE, "coin(X)", CONDITION_HELP)),
    (COIN, "forall(coin(X), X = h)", ("E240", INSIDE, "coin(X)", CONDITION_HELP)),
    (COIN, "( coin(h) -> true ; true )", ("E240", INSIDE, "coin(h)", CONDITION_HELP)),
    (COIN, "( coin(h) *-> true ; true )", ("E240", INSIDE, "coin(h)", CONDITION_HELP)),
    (
        COIN,
        "once((member(X, [1, 2]), coin(Y)))",
        ("E241", CROSSING, "once((member(X, [1, 2]), coin(Y)))", CUT_HELP),
    ),
    (
        COIN + "p(X) :- coin(X), !.\np(edge).",
        "p(X)",
        ("E241", CROSSING, "!", CUT_HELP),
    ),
    (
        "0.5 :: m(a, b). 0.5 :: m(a, c). 1 :: m(b, a).",
        "m(X, Y)",
        (
            "E242",
            "the labels of `m/2` that match here sum to 2, above 1",
            "m(X, Y)",
            "bind an argument by a goal to the left, or declare `:- weights.`",
        ),
    ),
    (
        ":- start(tree).\n0.5 :: tree --> leaf.\n0.5 :: tree --> split(_, _), tree, tree.",
        "tree",
        (
            "E243",
            "`tree//0` is defined by tree rules, which mean nothing without a table",
            "tree",
            "ask trees on a table, `slp query FILE 'tree(T), uses(T, age)' --data DATA`, or "
            "query what `slp expand FILE DATA` prints",
        ),
    ),
    (
        COIN,
        "coins(X)",
        ("E210", "unknown predicate `coins/1`", "coins(X)", "did you mean `coin/1`?"),
    ),
    (
        "X :: p(X). 1 - X :: p(X).",
        "p(X)",
        (
            "E201",
            "arithmetic needs a number, but `X` is not bound",
            "X",
            "bind it before it is used: in the head, or by a goal to the left",
        ),
    ),
    (
        "X :: p(X). 1 - X :: p(X).",
        "p(2)",
        ("E220", "the label is negative (-1)", "1 - X", "a label is a number from 0 up"),
    ),
]


@pytest.mark.parametrize(("text", "goal", "want"), BOTH)
def test_faults_of_queries_and_draws(
    text: str, goal: str, want: tuple[str, str, str | None, str | None]
) -> None:
    program = slp.parse(text)
    with pytest.raises(SlpError) as caught:
        program.query(goal)
    assert fault(caught.value) == want
    for failure in ("rejection", "backtracking"):
        with pytest.raises(SlpError) as caught:
            program.draw(goal, 20, failure=failure, seed=1)
        assert fault(caught.value) == want


def test_several_proofs_in_one_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_ROUNDS", ())  # tables count all proofs
    with pytest.raises(SlpError) as caught:
        slp.parse(COIN).draw("coin(X), member(X, [h, h, t])", 20, seed=1)
    assert fault(caught.value) == (
        "E244",
        "goals without labels have several proofs here, so it is not known how much a draw counts",
        "coin(X), member(X, [h, h, t])",
        "ask for the answers' probabilities, or draw with weights: `--failure filter`",
    )


@pytest.mark.parametrize("failure", ["rejection", "backtracking"])
def test_nothing_to_draw(failure: str) -> None:
    with pytest.raises(SlpError) as caught:
        slp.parse(COIN).draw("coin(x)", failure=failure)
    assert fault(caught.value) == (
        "E245",
        "the goal has no proof, so there is nothing to draw",
        "coin(x)",
        "`slp query` without draws says where it fails",
    )


@pytest.mark.usefixtures("without_core")
def test_rejection_that_never_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_ROUNDS", ())  # tables say that there is no proof
    with pytest.raises(SlpError) as caught:
        slp.parse(COIN).draw("coin(x)", limits=Limits(inferences=100))
    assert fault(caught.value) == (
        "E214",
        "gave up after 100 inferences, in which 100 draws had no proof",
        "coin(x)",
        "`slp query` without draws says whether the goal has a proof; with --failure filter or "
        "backtracking fewer draws are lost",
    )


def test_an_endless_draw_after_rejected_ones() -> None:
    text = "0.5 :: p :- fail.\n0.5 :: p :- endless.\nendless :- endless."
    limits = Limits(inferences=1_000)
    for seed in range(8):  # some begin with rejected draws
        with pytest.raises(SlpError) as caught:
            slp.parse(text).draw("p", seed=seed, limits=limits)
        assert fault(caught.value)[1::2] == ("gave up after 1000 inferences", ENDLESS)


def test_rejection_of_weights() -> None:
    """Tables end for the first goal, and not for the second."""
    program = slp.parse(":- weights.\n3 :: p(a).\n1 :: p(b).\n1 :: q(0).\n1 :: q(s(X)) :- q(X).")
    assert len(program.draw("p(X)", 3)) == 3
    with pytest.raises(SlpError) as caught:
        program.draw("q(X)", limits=Limits(inferences=1_000))
    assert fault(caught.value) == (
        "E246",
        "labels are weights here, so rejection cannot tell how often to accept a draw",
        "q(X)",
        "draw with weights, `--failure filter`, or by backtracking",
    )
    assert len(program.draw("p(X)", 3, failure="backtracking")) == 3


def test_masses_beyond_the_floats() -> None:
    large = slp.parse(":- weights.\n1.0e200 :: p.").query("p, p")
    assert (large.success, len(large.answers), large.complete) == (math.inf, 1, True)
    assert large.log_success == pytest.approx(400 * math.log(10), rel=1e-14)
    small = slp.parse(":- weights.\n1.0e-200 :: p.").query("p, p")
    assert (small.success, len(small.answers), small.complete) == (0.0, 1, True)
    assert small.log_success == pytest.approx(-400 * math.log(10), rel=1e-14)
    assert small.to_dict()["success"] == 0.0 and large.to_dict()["success"] is None


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "1", True])
def test_options_out_of_range(value: Any) -> None:
    made = slp.parse(COIN)
    for option, ask in (
        ("tolerance", lambda: made.query("coin(X)", tolerance=value)),
        ("best", lambda: made.query("coin(X)", best=value)),
        ("draws", lambda: made.draw("coin(X)", value)),
        ("seed", lambda: made.draw("coin(X)", seed=value)),
    ):
        with pytest.raises(slp.UsageError) as caught:
            ask()
        whole = "" if option == "tolerance" else "whole "
        help = f"give a {whole}number from 0 up"
        assert fault(caught.value) == ("E720", f"`{option}` cannot be {value!r}", None, help)
    with pytest.raises(slp.UsageError, match="E720"):
        made.query("coin(X)", best=1.5)  # type: ignore[arg-type]


def test_unknown_way_to_treat_failure() -> None:
    with pytest.raises(slp.UsageError) as caught:
        slp.parse(COIN).draw("coin(X)", failure="retry")
    assert fault(caught.value) == (
        "E721",
        "there is no way `retry` to treat failed draws",
        None,
        "there are rejection, backtracking, weighting, filter",
    )


def test_mistakes_in_the_goal_have_their_place() -> None:
    with pytest.raises(SlpError) as caught:
        slp.parse(COIN).query("coin(X", given="true")
    (found,) = caught.value.diagnostics
    assert str(found.span) == "<goal>:1:5"
    with pytest.raises(SlpError) as caught:
        slp.parse(COIN).query("coin(X)", given="X = ")
    assert str(caught.value.diagnostics[0].span).startswith("<given>:1")


def test_where_a_search_gave_up() -> None:
    text = COIN + "p(X) :- coin(X), X = edge.\np(X) :- coin(X), w.\nw :- w, w.\n"
    found = slp.parse(text).query("p(_)", limits=Limits(inferences=5000, depth=100))
    failed, *_, stopped = found.failed
    assert (failed.code, failed.message) == ("W240", "`h = edge` failed")
    assert stopped.code == "W241" and stopped.severity == "warning"
    assert stopped.message == "gave up at a recursion 100 calls deep"
    assert stopped.span is not None and (stopped.span.text, stopped.help) == ("w", ENDLESS)


@pytest.mark.parametrize("given", ["X", "Y"])
def test_an_unbound_condition_is_shown_in_the_condition(given: str) -> None:
    with pytest.raises(SlpError) as error:
        slp.parse("p(_).").query("p(X)", given=given)
    (found,) = error.value.diagnostics
    assert found.span is not None
    assert (found.code, found.span.file.name, found.span.text) == ("E211", "<given>", given)
