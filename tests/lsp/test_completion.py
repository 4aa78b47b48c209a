"""What may stand at the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from slp.analysis import CONSTRAINTS, DIRECTIVES
from slp.leaves import SIGNATURES
from slp.lsp.completion import before_cursor, completions
from slp.lsp.names import NameIndex
from slp.resources import prior_names
from tests.lsp.at_cursor import split_at_cursor

COLUMNS = ["age", "petal length"]
DECLARED = ":- use(growtree).\nbox(infant, age, 0, 24).\n:- param(q, 0.5).\nyoung(X) :- X < 3.\n"


def words(text: str, folder: Path | None = None) -> set[str]:
    source, offset = split_at_cursor(text, folder)
    return {c.text for c in completions(source, NameIndex(source), COLUMNS, offset)}


@pytest.mark.parametrize(
    "text", [":- |", ":- con|", "a.\n:- |", "% x\n:- |", ":- |\nbox(a, b, 0, 1).\n"]
)
def test_directives(text: str) -> None:
    assert words(text) == set(DIRECTIVES)


@pytest.mark.parametrize(
    "text", [":- constraint(|", ":- constraint([once(a), |", ":- prefer(|, 2)."]
)
def test_constraints(text: str) -> None:
    assert words(text) == set(CONSTRAINTS)


def test_columns_and_boxes_stand_in_constraints() -> None:
    names = {"age", "'petal length'", "infant"}
    assert words(DECLARED + ":- constraint(forbid(|") == names
    assert words(DECLARED + ":- constraint([forbid(age, within(|") == names
    assert words(DECLARED + ":- ignore([|") == names
    assert words(DECLARED + "box(b, |") == {"age", "'petal length'"}
    assert words(DECLARED + "box(|") == set()


def test_library_priors_files_and_parameters_stand_in_use(tmp_path: Path) -> None:
    (tmp_path / "own.slp").write_text(":- param(mine, 1).\n")
    (tmp_path / "other.txt").write_text("")
    assert words(":- use(|", tmp_path) == {*prior_names(), "edittree", "'own.slp'"}
    assert words(":- use(|") == {*prior_names(), "edittree"}
    text = ":- use(growtree, [alpha = 1]).\n:- use('own.slp').\n:- use(growtree, [|"
    assert words(text, tmp_path) == {"alpha", "beta", "mine"}


def test_leaf_models_limits_and_starts() -> None:
    assert words(":- leaf(|") == set(SIGNATURES)
    assert words(":- support([|") == {"min_leaf", "min_weight", "max_depth"}
    assert words(DECLARED + ":- start(|") == {"tree"}


def test_rules_have_nonterminals_predicates_and_parameters() -> None:
    have = words(DECLARED + "0.5 :: tree(D) --> |")
    assert {"tree", "young", "split", "leaf", "q", "alpha", "age"} <= have
    assert words(DECLARED + "1 - q * |") == {"alpha", "beta", "q"}


def test_tables_stand_behind_data(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv.gz", "c.slp", "d.txt"):
        (tmp_path / name).write_text("")
    assert words("% data: |", tmp_path) == {"a.csv", "b.csv.gz"}
    assert words("% data: a|\n:- use(growtree).", tmp_path) == {"a.csv", "b.csv.gz"}


@pytest.mark.parametrize("text", ["% a |", "/* a |", ":- ignore('a |", ':- ignore("a |'])
def test_nothing_stands_in_comments_and_quotes(text: str) -> None:
    assert words(text) == set()


@pytest.mark.parametrize(
    ("text", "calls", "begun"),
    [
        (":- constraint(forbid(ag", (("constraint", 0), ("forbid", 0)), "ag"),
        (":- feature(age, [cuts([1, 2", (("feature", 1), ("[", 0), ("cuts", 0), ("[", 1)), ""),
        ("a(1.5, 'x(', 0'(, \"(\", b", (("a", 4),), "b"),
        ("a (b", (("", 0),), "b"),
        ("f(x). g(y", (("g", 0),), "y"),
        ("f(x)) g(y]", (), ""),
        ("% f(\n/* g( */ h(", (("h", 0),), ""),
    ],
)
def test_brackets_before_the_cursor(text: str, calls: tuple[object, ...], begun: str) -> None:
    have = before_cursor(text, len(text))
    assert have is not None
    assert (have.calls, have.begun) == (calls, begun)
