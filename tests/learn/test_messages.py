"""Every message of learning, word for word."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import slp
from slp.resolution import Limits

COINS = """
0.5 :: coin(h).
0.5 :: coin(t).
double(X) :- coin(X), coin(X).
"""


def fault(program: str, *data: object, **options: object) -> tuple[str, str, str | None]:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(program).learn(*data, **options)
    (found,) = caught.value.diagnostics
    return found.code, found.message, found.help


@pytest.mark.parametrize(
    ("goal", "what"),
    [
        ("coins(h)", "`coins(h)`"),
        ("double(X) :- coin(X)", "a directive or a clause with a body"),
        (":- double(h)", "a directive or a clause with a body"),
    ],
)
def test_what_is_no_observation(goal: str, what: str) -> None:
    assert fault(COINS, goal) == (
        "E280",
        f"{what} is no goal to learn from",
        "an observation is one goal of a labelled or logical predicate, such as `same(heads).`",
    )


@pytest.mark.parametrize("count", ["0", "n"])
def test_a_count_that_is_none(count: str) -> None:
    assert fault(COINS, f"{count} :: double(h)") == (
        "E280",
        "the count of an observation must be a number above 0",
        "write how often the goal was seen, such as `12 :: same(heads).`",
    )


def test_an_observation_of_another_goal() -> None:
    assert fault(COINS, "double(t)", goal="double(h)") == (
        "E281",
        "this observation is no instance of the goal `double(h)`",
        "leave out the goal, or write one that all observations are answers to",
    )


@pytest.mark.parametrize(
    ("goals", "more"),
    [(["double(edge)"], ""), (["double(edge)", "coin(rim)", "coin(h)"], ", nor have 1 others")],
)
def test_an_observation_that_cannot_be(goals: list[str], more: str) -> None:
    assert fault(COINS, *goals) == (
        "E282",
        f"this observation has no proof under the program{more}",
        "`slp query` says where it fails; no labels above 0 can make it likely",
    )


WALK = "0.6 :: w(N) :- M is N + 1, w(M), w(M).\n0.4 :: w(_).\n"


def test_sums_that_are_cut_off() -> None:
    help = (
        "bound the recursion by an argument, begin with labels that end derivations sooner, or, if "
        "no derivation fails, learn without failures (`--plain`)"
    )
    code, message, have = fault(WALK, "w(0)", goal="w(0)", limits=Limits(inferences=2000))
    assert (code, have) == ("E283", help)
    assert message.startswith("the proofs of `w(0)` cannot be summed: 0.4")
    assert message.endswith(" of the mass is open: gave up after 2000 inferences")
    assert fault("0.75 :: w :- w, w.\n0.25 :: w.\n", "w") == (
        "E283",
        "the proofs of `w` cannot be summed: 0.666667 of the mass is open: some derivations never "
        "end",
        help,
    )
    # At a critical point one rounding decides which of the two sums has no end.
    assert fault("0.5 :: w :- w, w.\n0.5 :: w.\n", "w")[0] == "E283"
    endless = "1.0 :: l :- l.\n0.5 :: p(a) :- l.\n0.5 :: p(b).\n"
    assert fault(endless, "p(b)") == (
        "E283",
        "the proofs of `p(_0_1)` cannot be summed: 0.5 of the mass is open: "
        "some derivations never end",
        help,
    )


def test_failure_that_has_no_probability() -> None:
    text = COINS + "p(X) :- member(I, [1, 2]), coin(X), I > 0.\n"
    assert fault(text, "p(h)") == (
        "E284",
        "logical goals below `p(_0_1)` have several solutions, so failure has no probability: "
        "one way to prove it leads to `coin(_0_1)`, and so does another",
        "choose between them by a labelled predicate, cut with `once`, or give a goal that has one "
        "solution by --goal (`goal` in Python)",
    )
    assert slp.parse(text).learn("p(h)", failures=False).converged


@pytest.mark.parametrize(
    ("clauses", "more", "line"),
    [
        (
            "p(X) :- coin(X), member(_, [1, 2]).",
            "behind `coin(_0_2)` more than one way leads to the end of a proof",
            "p(X) :- coin(X), member(_, [1, 2]).",
        ),
        ("p(h) :- member(_, [1, 2]).", None, "p(h) :- member(_, [1, 2])."),
        (
            "p(h).\np(X) :- coin(X).",
            "one way to prove it leads to `coin(_0_1)`, another to its end",
            "p(X) :- coin(X).",
        ),
    ],
)
def test_solutions_that_end_in_proofs(clauses: str, more: str | None, line: str) -> None:
    """The clause that they are in is shown."""
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(f"{COINS}{clauses}\n").learn("p(h)", "coin(h)")
    (found,) = caught.value.diagnostics
    assert found.code == "E284" and f" | {line}\n" in str(caught.value)
    assert found.message == (
        "logical goals below `p(_0_1)` have several solutions, so failure has no probability"
        + (f": {more}" if more else "")
    )


def test_solutions_in_a_loop() -> None:
    """Sums over them are not finite: by equations with negative solutions, and with none."""
    model = "0.9 :: e(s, a).\n0.1 :: e(s, b).\nr(_, []).\nr(S, [O|Os]) :- e(S, O), r(S, Os).\n"
    code, message, _ = fault(model + "h(Os) :- r(s, Os).\n", "h([a, b])")
    assert code == "E284" and message.startswith("logical goals below `h(_0_1)` have several")
    for loop in ("q :- p.\nq :- p.\nq :- p.\nq :- c.\n", "q :- c, p.\nq :- c, p.\nq :- c.\n"):
        assert fault(f"1.0 :: p :- q.\n0.5 :: c.\n0.5 :: c :- fail.\n{loop}", "p") == (
            "E284",
            "logical goals below `p` have several solutions in a loop, so the mass of its proofs "
            "is not finite",
            "choose between them by a labelled predicate, or cut with `once`",
        )


def test_weights_are_no_probabilities() -> None:
    assert fault(":- weights.\n2 :: p(a).\n3 :: p(b).", "p(a)") == (
        "E285",
        "labels are weights here, and labels are learned from goals as probabilities",
        "take out `:- weights.`",
    )


def test_nothing_to_learn() -> None:
    help = (
        "numbers as labels of clauses (0.333, not 1/3), parameters in labels and feature weights "
        "are learned; in tree rules parameters and feature weights alone"
    )
    why = "no label of the file can change by itself"
    assert fault("1 :: p(a).", "p(a)") == ("E286", f"there is nothing to learn: {why}", help)
    held = ":- param(p, 0.3).\np :: c(a).\n0.7 :: c(b)."
    assert fault(held, "c(a)") == ("E286", f"there is nothing to learn: {why}", help)
    frame = pl.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    why = "no parameter of the labels can change by itself"
    tree = ":- start(t).\n1 :: t --> leaf."
    assert fault(tree, frame) == ("E286", f"there is nothing to learn: {why}", help)


def test_names_that_cannot_be_learned() -> None:
    assert fault(COINS, "double(h)", only=["coins"]) == (
        "E287",
        "`coins` is nothing that can be learned",
        "did you mean `coin`?",
    )
    frame = pl.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    guarded = ":- param(k, 2).\n:- start(t).\n1 :: t --> { k > 1 }, leaf."
    assert fault(guarded, frame, only=["k"]) == (
        "E287",
        "`k` is nothing that can be learned",
        "nothing can be learned here",
    )


def test_no_data(tmp_path: Path) -> None:
    help = "give goals for a program of clauses, tables for a program of tree rules"
    empty = tmp_path / "goals.pl"
    empty.write_text("% nothing\n")
    want = ("E288", "there is nothing to learn from: no goal was observed", help)
    assert fault(COINS, empty) == want
    assert fault(COINS) == want
    frame = pl.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    assert fault(":- use(growtree).", frame, "p(a)") == (
        "E288",
        "goals and tables cannot be learned from together",
        "learn from one kind, then from the other",
    )


def test_options_out_of_range() -> None:
    assert fault(COINS, "double(h)", tolerance=-1.0) == (
        "E720",
        "`tolerance` cannot be -1.0",
        "give a number from 0 up",
    )
