"""Constraints on finished trees: each kind holds for one tree and fails for another, with the
reason."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import slp
from slp.constraints import (
    Before,
    Constant,
    Exclusive,
    First,
    Forbid,
    Interaction,
    Majority,
    MaxFeatures,
    MaxLeaves,
    Once,
    Predicate,
)
from slp.errors import DataError
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint, Support
from slp.ir.program import CheckedProgram, FeatureDeclaration
from slp.source import SourceFile, SourceSpan
from slp.terms import Text
from slp.trees import Leaf, Tree, check_tree
from tests.trees.checked import INFANT, SMALL, check, counted, program, split, why


def test_a_result_has_words_span_and_path() -> None:
    file = SourceFile("p.slp", ":- constraint(first(age)).")
    constraint = First("age", SourceSpan(file, 14, 24))
    have = check(constraint, split("size", 1.0)).to_dict()
    assert have == {
        "constraint": "If the tree splits at all, the root splits on age.",
        "span": {"file": "p.slp", "line": 1, "column": 15, "end_line": 1, "end_column": 25},
        "holds": False,
        "counterexample": "at root (everywhere): the first split is `size < 1`",
        "path": "root",
        "witness": {"path": "root"},
    }


def test_a_public_program_is_taken_by_its_ir() -> None:
    class Public:
        ir = program(First("age"))

    assert [r.holds for r in check_tree(Tree(Leaf()), Public())] == [True]


def test_constant() -> None:
    assert why(Constant(INFANT), split("age", 24.0)) is None
    assert why(Constant(INFANT), split("age", 0.0)) is None
    assert why(Constant(INFANT), split("age", 24.0, None, split("size", 1.0))) is None
    have = why(Constant(INFANT), split("age", 60.0, split("age", 12.0)))
    assert have == "at left (age < 60): `age < 12` cuts the box infant"
    have = why(Constant(INFANT), split("age", 24.0, split("size", 1.0)))
    assert have == "at left (age < 24): `size < 1` cuts the box infant, which is free in size"
    have = why(Constant(INFANT), split("colour", "red"))
    assert (
        have == "at root (everywhere): `colour = red` cuts the box infant, which is free in colour"
    )
    # Once a test has cut it, no node contains all of it, and further cuts are not named.
    (result,) = Tree(split("age", 12.0, split("age", 6.0))).check(program(Constant(INFANT)))
    assert result.path == "root"


def test_constant_box_that_is_free_on_one_side() -> None:
    assert why(Constant(SMALL), split("size", 2.0, split("age", 24.0))) is None
    have = why(Constant(SMALL), split("size", 3.0, split("size", -9.0)))
    assert have == "at left (size < 3): `size < -9` cuts the box small"


def test_forbid() -> None:
    assert why(Forbid("age"), split("size", 1.0)) is None
    assert why(Forbid("age"), split("age", 1.0)) == "at root (everywhere): `age < 1` at depth 0"
    below = Forbid("age", below=1)
    assert why(below, split("age", 1.0)) is None
    assert why(below, split("size", 1.0, None, split("age", 1.0))) == (
        "at right (1 <= size): `age < 1` at depth 1"
    )


def test_forbid_within_a_box() -> None:
    within = Forbid("size", within=INFANT)
    inside = split("age", 0.0, None, split("age", 24.0, split("size", 1.0)))
    assert why(within, inside) == "at right.left (0 <= age < 24): `size < 1` at depth 2"
    assert why(within, split("age", 24.0, split("size", 1.0))) is None
    assert why(within, split("age", 12.0, split("age", 0.0, None, split("size", 1.0)))) is not None
    assert why(within, split("age", 0.0, None, split("age", 24.5, split("size", 1.0)))) is None


def test_first() -> None:
    assert why(First("age"), Leaf()) is None
    assert why(First("age"), split("age", 1.0, split("size", 1.0))) is None
    assert why(First("age"), split("size", 1.0, split("age", 1.0))) is not None


def test_before() -> None:
    before = Before("age", "size")
    assert why(before, split("age", 1.0, split("size", 1.0))) is None
    assert why(before, split("age", 1.0)) is None
    have = why(before, split("colour", "red", split("size", 1.0), split("age", 1.0)))
    assert have == "at left (colour = red): `size < 1` has no split on age above it"


def test_once() -> None:
    assert why(Once("age"), split("size", 1.0, split("age", 1.0), split("age", 2.0))) is None
    have = why(Once("age"), split("age", 1.0, None, split("age", 2.0)))
    assert have == "at right (1 <= age): `age < 2` is a second split on the path"


def test_exclusive() -> None:
    exclusive = Exclusive(("age", "size", "colour"))
    assert why(exclusive, split("other", 1.0, split("age", 1.0), split("size", 2.0))) is None
    assert why(exclusive, split("age", 1.0, split("age", 0.0))) is None
    have = why(exclusive, split("size", 1.0, None, split("age", 2.0)))
    assert have == "at right (1 <= size): `age < 2` is below a split on size"


def test_interaction() -> None:
    interaction = Interaction((("age", "size"), ("colour",)))
    assert why(interaction, split("age", 1.0, split("size", 1.0))) is None
    have = why(interaction, split("age", 1.0, split("colour", "red")))
    assert have == "at left (age < 1): `colour = red`: no group holds age, colour"
    assert why(interaction, split("weight", 1.0)) is not None


def test_majority() -> None:
    majority = Majority(INFANT, "well")
    sound = split("age", 24.0, counted(well=2, ill=2), counted(ill=5))
    assert why(majority, sound) is None
    assert why(majority, split("age", 24.0, counted(), counted(ill=5))) is None
    have = why(majority, split("age", 23.0, counted(well=2, ill=1), counted(ill=5)))
    assert have == "at right (23 <= age): 5 rows of ill, 0 of well"
    # The region of age >= 0 meets the box, that of age < 0 does not: 0 <= age is in it.
    assert why(majority, split("age", 0.0, counted(ill=1), counted(well=1))) is None


def test_majority_without_counts_cannot_be_told() -> None:
    result = check(Majority(INFANT, "well"), split("age", 24.0, Leaf(), counted(ill=1)))
    assert result.holds is None
    assert result.counterexample == "at left (age < 24): the leaf does not say its rows by class"
    # A leaf that breaks it for certain weighs more than one that does not tell.
    result = check(Majority(INFANT, "well"), split("age", 12.0, Leaf(), counted(ill=1)))
    assert result.holds is False


def test_max_leaves_and_max_features() -> None:
    tree = split("age", 1.0, split("size", 1.0), split("size", 2.0))
    assert why(MaxLeaves(4), tree) is None
    assert why(MaxLeaves(3), tree) == "the tree has 4 leaves"
    assert why(MaxFeatures(2), tree) is None
    assert why(MaxFeatures(1), tree) == "the tree splits on 2 features: age, size"
    assert check(MaxLeaves(3), tree).path is None


def test_support() -> None:
    limits = program(support=Support(min_leaf=2, max_depth=1))
    sound = Tree(split("age", 1.0, counted(a=2), Leaf({"n": 3, "mean": 0.5})))
    assert [(r.words, r.holds) for r in sound.check(limits)] == [
        ("Each side of a split keeps at least 2 rows.", True),
        ("No leaf is deeper than 1.", True),
    ]
    deep = Tree(split("age", 1.0, split("age", 0.0, counted(a=1), counted(b=2)), counted(a=2)))
    assert [r.counterexample for r in deep.check(limits)] == [
        "at left.left (age < 0): the leaf has 1 rows",
        "at left.left (age < 0): the leaf has depth 2",
    ]
    # A tree that is one leaf keeps whatever rows there are.
    assert [r.holds for r in Tree(counted(a=1)).check(limits)] == [True, True]
    unknown = Tree(split("age", 1.0)).check(limits)
    assert [r.holds for r in unknown] == [None, True]
    assert (
        unknown[0].counterexample == "at left (age < 1): the leaf does not say its number of rows"
    )


def test_no_declared_limits_no_results() -> None:
    assert Tree(split("age", 1.0)).check(program()) == []


# --- predicates --------------------------------------------------------------------------------


def at_most_two(tree: Tree) -> bool:
    return tree.n_leaves <= 2


def test_predicates() -> None:
    brought = Predicate("python", Text("m:at_most_two"), function=at_most_two)
    assert why(brought, split("age", 1.0)) is None
    deep = split("age", 1.0, split("age", 0.0))
    assert why(brought, deep) == "the predicate refuses the tree"


def test_code_runs_only_if_it_is_allowed() -> None:
    named = Predicate("python", Text(f"{__name__}:at_most_two"))
    deep = split("age", 1.0, split("age", 0.0))
    result = check(named, deep)
    assert (result.holds, result.counterexample) == (
        None,
        "it runs code, which is not allowed (`allow_code=True`)",
    )
    (allowed,) = Tree(deep).check(program(named), allow_code=True)
    assert (allowed.holds, allowed.words) == (
        False,
        f"The Python predicate {__name__}:at_most_two holds of the finished tree.",
    )


FRAME = pl.DataFrame({"age": [1.0, 30.0, 40.0], "outcome": [1, 2, 2]})


def test_rows_of_a_table_are_counted() -> None:
    rules = program(Majority(INFANT, "1"), support=Support(min_leaf=2))
    tree = Tree(split("age", 24.0))
    assert [r.holds for r in tree.check(rules)] == [None, None]
    for results in (
        tree.check(rules, FRAME),
        tree.check(rules, FRAME.drop("outcome"), FRAME["outcome"]),
        tree.check(rules, FRAME.to_pandas()),
    ):
        assert [r.holds for r in results] == [True, False]
        assert results[1].counterexample == "at left (age < 24): the leaf has 1 rows"


def test_the_response_is_taken_as_a_posterior_takes_it() -> None:
    """By its name, or the column that the program names, or the last one that it does not ignore;
    and whether it is classes is not for `feature(_, ...)` to say."""
    rules = program(Majority(INFANT, "1"))
    tree = Tree(split("age", 24.0))
    unnamed = Tree(split("x0", 24.0))
    of_unnamed = program(Majority(Box("young", {"x0": (0.0, 24.0)}), "1"))
    more = FRAME.with_columns(last=pl.Series([1, 1, 1]))
    numeric = (FeatureDeclaration(None, "numeric", None),)
    for results in (
        tree.check(rules, FRAME, "outcome"),
        tree.check(rules, more, "outcome"),
        tree.check(replace(rules, response="outcome"), more),
        tree.check(replace(rules, ignored=("last",)), more),
        tree.check(replace(rules, features=numeric), FRAME),
        unnamed.check(of_unnamed, FRAME.to_numpy(), "x1"),
        unnamed.check(of_unnamed, FRAME.to_numpy()),
    ):
        assert [r.holds for r in results] == [True]
    (swapped,) = tree.check(program(Majority(INFANT, "2")), more, y="outcome")
    assert swapped.counterexample == "at left (age < 24): 1 rows of 1, 0 of 2"


def test_a_table_without_response() -> None:
    def message(*args: object, response: str | None = None) -> tuple[str, str]:
        with pytest.raises(DataError) as caught:
            Tree(Leaf()).check(CheckedProgram("test", None, (), response=response), *args)
        return caught.value.diagnostics[0].code, caught.value.diagnostics[0].message

    no_column = "there is no column `{}` for the response"
    assert message(FRAME, response="y") == ("E425", no_column.format("y"))
    assert message(FRAME, "died") == ("E425", no_column.format("died"))
    assert message(FRAME, [1, 2]) == ("E413", "the table has 3 rows, but y has 2 values")
    assert message(None, [1, 2]) == ("E611", "there is a response `y`, and no table `X`")
    assert message(None, "outcome") == ("E611", "there is a response `y`, and no table `X`")


def test_an_unknown_constraint_is_refused() -> None:
    """On a tree without splits too, where a constraint on splits holds."""

    class Unknown(Constraint):
        span = None

        def words(self) -> str:
            return ""

    with pytest.raises(TypeError, match="no such constraint"):
        Tree(Leaf()).check(program(Unknown()))  # type: ignore[arg-type]


def test_weights_that_are_whole_are_no_rows_either() -> None:
    rows = pl.DataFrame({"a": [1, 2, 3, 4], "y": list("ppqq")})
    limited = slp.parse(":- use(growtree). :- support(min_leaf(2)).")
    trees = limited.posterior(rows, "y", sample_weight=[2, 3, 4, 5], engine="exact").k_best(2)
    (tree,) = [found.tree for found in trees if found.tree.n_leaves == 2]
    (told,) = tree.check(limited)
    assert told.holds is None and "the weight of its rows" in str(told.counterexample)
    assert tree.check(limited, rows, "y")[0].holds
