"""Facts that look like declarations, predicates in place of built-in ones, words that mean a
constraint, and thresholds that are compared as terms."""

from __future__ import annotations

import polars as pl
import pytest

import slp
from slp.errors import ProgramError

APPEND = "append([], L, L). append([H|T], L, [H|R]) :- append(T, L, R).\n"
GOAL = "1 :: p(X) :- append([a], [b], X).\n"


def codes_and_helps(text: str) -> list[tuple[str, str]]:
    try:
        found = slp.parse(text).warnings
    except ProgramError as error:
        found = error.diagnostics
    return [(d.code, d.help or "") for d in found]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("never(age)", "forbid(F)"),
        ("no_threshold(age, 0, 24)", "cuts([24, 40])"),
        ("exclude(age)", "forbid(F)"),  # near in letters: `exclusive`
        ("root(age)", "first(F)"),
        ("same(infant)", "constant(infant)"),
        ("increasing(age)", "monotone(F, up)"),
        ("max_depth(3)", "support(max_depth("),
    ],
)
def test_a_word_that_means_a_constraint_is_told_which(said: str, meant: str) -> None:
    for text in (f":- constraint({said}).", f":- {said}."):
        ((code, help),) = codes_and_helps(f":- use(growtree).\n{text}")
        assert code in ("E140", "E101") and meant in help
    ((code, help),) = codes_and_helps(f":- use(growtree).\n{said}.")
    assert code == "W113" and meant in help


def test_thresholds_to_forbid_lead_to_cuts() -> None:
    ((code, help),) = codes_and_helps(
        ":- use(growtree). :- constraint(forbid(age, between(0, 24)))."
    )
    assert code == "E141" and "cuts([24, 40])" in help


def test_facts_that_look_like_declarations_are_told() -> None:
    ((code, help),) = codes_and_helps(":- use(growtree).\nforbid(age).")
    assert code == "W113" and "it is a constraint" in help
    called = (
        ":- start(t). first(age).\n1/2 :: t --> split(F, _), { first(F) }, t, t. 1/2 :: t --> leaf."
    )
    assert codes_and_helps(called) == []
    assert codes_and_helps("first(a). 1 :: p(X) :- first(X).") == []


def test_clauses_that_replace_a_built_in_predicate_are_told() -> None:
    assert codes_and_helps(APPEND + GOAL) == []  # the same by other letters
    other = APPEND.replace("append([], L, L)", "append([], _, [])")
    assert [code for code, _ in codes_and_helps(other + GOAL)] == ["W114"]
    labelled = "0.5 :: member(X, [X|_]). 0.5 :: member(X, [_|T]) :- member(X, T).\n"
    assert [code for code, _ in codes_and_helps(labelled)] == ["W114"]


STAGE = ":- feature(stage, [ordinal([i, ii, iii])]).\n"


@pytest.mark.parametrize(
    ("feature", "guard", "mended"),
    [
        ("age", "V = 30", "V =:= 30"),
        ("F", "\\+ 30 == V", "V =:= 30"),
        ("age", "(V > 40 ; V \\= 30)", "V =\\= 30"),
        ("stage", "V \\== iii", "V =\\= iii"),
        ("age", "V = 30.0", None),
        ("age", "V =:= 30", None),
        ("age", "W = 30, V > W", None),
        ("color", "V = iii", None),
    ],
)
def test_a_threshold_that_is_compared_as_a_term_is_told(
    feature: str, guard: str, mended: str | None
) -> None:
    rules = f"1/2 :: t --> split({feature}, V), {{ {guard} }}, leaf, leaf. 1/2 :: t --> leaf."
    told = [] if mended is None else [("W115", f"compare numbers: `{mended}`")]
    assert codes_and_helps(f"{STAGE}:- start(t).\n{rules}") == told


@pytest.mark.filterwarnings("ignore")
def test_no_threshold_is_an_integer_as_a_term() -> None:
    """What W115 says, on a table whose only threshold is 30."""
    frame = pl.DataFrame({"age": [20.0, 40.0], "ill": ["no", "yes"]})
    rules = ":- start(t).\n1/2 :: t --> split(age, V), {{ V {} }}, leaf, leaf. 1/2 :: t --> leaf."
    for holds, comparisons in (
        (False, ("= 30", "== 30")),
        (True, ("\\= 30", "\\== 30", "=:= 30", "= 30.0")),
    ):
        for comparison in comparisons:
            posterior = slp.parse(rules.format(comparison)).posterior(frame, draws=0)
            assert len(posterior.k_best(2)) == 1 + holds, comparison
