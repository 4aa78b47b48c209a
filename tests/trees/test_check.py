"""Constraints on finished trees: each kind holds for one tree and fails for another, with the
reason."""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
import pytest

import slp
from slp.columns import Below, Is, IsMissing
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
    Monotone,
    Once,
    Predicate,
)
from slp.errors import DataError
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint, Support
from slp.ir.leaves import LeafDeclaration
from slp.ir.program import CheckedProgram, FeatureDeclaration
from slp.source import SourceFile, SourceSpan
from slp.terms import Text
from slp.trees import CheckResult, Leaf, Node, Split, Tree, check_tree

INF = math.inf
INFANT = Box("infant", {"age": (0.0, 24.0)})
SMALL = Box("small", {"age": (0.0, 24.0), "size": (-INF, 2.0)})


def split(
    feature: str, at: float | str, left: Node | None = None, right: Node | None = None
) -> Split:
    test = Is(at) if isinstance(at, str) else Below(at)
    return Split(feature, test, left or Leaf(), right or Leaf())


#: The order of all classes in these tests.
ORDER = ("1", "2", "3", "no", "yes")


def program(*constraints: Constraint, support: Support | None = None) -> CheckedProgram:
    support = support or Support()
    return CheckedProgram(
        "test", None, (), constraints=constraints, support=support, class_order=ORDER
    )


def check(constraint: Constraint, root: Node) -> CheckResult:
    (result,) = Tree(root).check(program(constraint))
    return result


def why(constraint: Constraint, root: Node) -> str | None:
    """The counterexample; None where the constraint holds."""
    result = check(constraint, root)
    assert result.holds is (result.counterexample is None)
    return result.counterexample


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


def counted(**counts: int) -> Leaf:
    return Leaf({"counts": counts})


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


def means(*pairs: tuple[int, float]) -> list[Leaf]:
    return [Leaf({"n": n, "mean": mean}) for n, mean in pairs]


def test_monotone_predictions_of_classes() -> None:
    rising = split("age", 10.0, counted(no=3, yes=1), counted(no=1, yes=3))
    assert why(Monotone("age", "up"), rising) is None
    assert why(Monotone("age", "down"), rising) == (
        "at right (10 <= age): P(no) is 0.3333333333, and 0.6666666667 at left (age < 10)"
    )
    same = split("age", 10.0, counted(no=3, yes=1), counted(no=3, yes=1))
    assert why(Monotone("age", "up"), same) is why(Monotone("age", "down"), same) is None


def test_monotone_predictions_of_ordered_classes() -> None:
    """Every cumulative probability: P(1) rises here while P(1 or 2) does not."""
    root = split("age", 10.0, counted(**{"1": 1, "2": 0, "3": 3}), counted(**{"1": 2, "2": 2}))
    assert why(Monotone("age", "down"), root) is None
    mixed = split(
        "age", 10.0, counted(**{"1": 1, "2": 3, "3": 0}), counted(**{"1": 2, "2": 0, "3": 2})
    )
    assert why(Monotone("age", "up"), mixed) == (
        "at right (10 <= age): P(1) is 0.4285714286, and 0.2857142857 at left (age < 10)"
    )
    assert why(Monotone("age", "down"), mixed) == (
        "at right (10 <= age): P(1 or 2) is 0.5714285714, and 0.8571428571 at left (age < 10)"
    )


def test_names_as_classes_have_no_order_of_their_own() -> None:
    rising = split("age", 10.0, counted(no=3, yes=1), counted(no=1, yes=3))
    rules = CheckedProgram("test", None, (), constraints=(Monotone("age", "up"),))
    (result,) = Tree(rising).check(rules)
    assert result.holds is None
    assert result.counterexample == "the classes are names, and no order of them is declared"
    falling = CheckedProgram(
        "test", None, (), constraints=rules.constraints, class_order=("yes", "no")
    )
    assert Tree(rising).check(falling)[0].holds is False


def test_leaves_that_meet_in_other_features_are_compared() -> None:
    low, high, middle = counted(no=9), counted(yes=9), counted(no=9, yes=9)
    # Where size < 1 predictions rise in age, elsewhere they are constant and lower.
    apart = split("size", 1.0, split("age", 5.0, low, high), middle)
    assert why(Monotone("age", "up"), apart) is None
    # age < 5 predicts more where size < 1 than age >= 5 does for size < 2.
    crossing = split("age", 5.0, split("size", 1.0, high, low), split("size", 2.0, middle, high))
    assert why(Monotone("age", "up"), crossing) == (
        "at right.left (5 <= age, size < 2): P(no) is 0.5, and 0.09090909091 at left.left "
        "(age < 5, size < 1)"
    )
    disjoint = split("size", 1.0, split("age", 5.0, low, high), split("age", 9.0, low, high))
    assert why(Monotone("age", "up"), disjoint) is None
    # No point lies in the leaf `age >= 7` of `age < 5`.
    empty = split("age", 5.0, split("age", 7.0, middle, high), middle)
    assert why(Monotone("age", "up"), empty) is None


@pytest.mark.parametrize(
    ("model", "leaves", "falls"),
    [
        (None, means((4, 2.0), (4, 1.9)), "the mean is 1.901219512, and 1.998780488"),
        # With kappa = 4 and mu = 0 the larger sample mean of one row counts for less.
        (("normal_inverse_gamma", 0, 4, 1, 1), means((9, 2.0), (1, 3.0)),
         "the mean is 0.6, and 1.384615385"),
        (("gamma_poisson", 1, 1), means((3, 2.0), (1, 2.0)), "the mean is 1.5, and 1.75"),
        (
            ("gamma_poisson", 1, 1),
            [
                Leaf({"n": 9, "exposure": 3.0, "mean": 2.0}),
                Leaf({"n": 9, "exposure": 1.0, "mean": 2.0}),
            ],
            "the mean is 1.5, and 1.75",
        ),
        (
            ("gamma_exponential", 1, 2),
            [Leaf({"n": 2, "events": 0, "mean": 1.0}), Leaf({"n": 2, "events": 1, "mean": 5.0})],
            "the mean is 12, and inf",
        ),
    ],
)  # fmt: skip
def test_monotone_predictions_of_numbers(
    model: tuple[str, float] | None, leaves: list[Leaf], falls: str
) -> None:
    declared = None if model is None else LeafDeclaration(model[0], model[1:])
    rules = CheckedProgram("test", None, (), constraints=(Monotone("age", "up"),), leaf=declared)
    (result,) = Tree(split("age", 1.0, *leaves)).check(rules)
    assert result.counterexample == f"at right (1 <= age): {falls} at left (age < 1)"
    (swapped,) = Tree(split("age", 1.0, *reversed(leaves))).check(rules)
    assert swapped.holds


def test_monotone_and_categorical_features() -> None:
    low, high = counted(no=9), counted(yes=9)
    red = split("age", 5.0, split("c", "red", high, low), split("c", "red", low, high))
    assert why(Monotone("age", "up"), red) == (
        "at right.left (5 <= age, c = red): P(no) is 0.9090909091, and 0.09090909091 at left.left "
        "(age < 5, c = red)"
    )
    assert why(Monotone("age", "up"), split("c", "red", *(red.left, red.left))) is None


def test_levels_that_no_test_names_are_known_from_the_table() -> None:
    """Here predictions fall where the colour is neither red nor blue, and nowhere else."""
    low, high = counted(no=9), counted(yes=9)
    tree = Tree(split("age", 5.0, split("c", "red", low, high), split("c", "blue", high, low)))
    rules = program(Monotone("age", "up"))
    (alone,) = tree.check(rules)
    assert (alone.holds, alone.path) == (None, "right.right")
    rows = {"age": [1.0, 1.0, 9.0, 9.0], "c": ["red", "blue", "blue", "red"]}
    two = pl.DataFrame({**rows, "y": ["no", "yes", "yes", "no"]})
    (closed,) = tree.check(rules, two)
    assert closed.holds
    more = pl.DataFrame({"age": [1.0], "c": ["green"], "y": ["yes"]})
    (third,) = tree.check(rules, pl.concat([two, more]))
    assert third.holds is False


def test_without_summaries_monotone_is_unknown() -> None:
    result = check(Monotone("age", "up"), split("age", 1.0))
    assert (result.holds, result.path) == (None, None)
    assert result.counterexample == "the leaves do not say what they predict"


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


def test_a_test_for_missing_values_beside_thresholds_is_not_told() -> None:
    at = Leaf({"counts": {"no": 3}})
    both = Split("size", IsMissing(), at, split("size", 1.0, at, at))
    told = check(Monotone("age", "up"), split("age", 1.0, both, at))
    assert told.holds is None
    assert told.counterexample == "missing values take a side, which regions do not tell"


def test_points_beside_large_thresholds_are_in_their_regions() -> None:
    low, high = Leaf({"counts": {"yes": 5}}), Leaf({"counts": {"no": 5}})
    told = check(Monotone("age", "up"), split("age", 1e300, low, high))
    assert told.witness is not None
    (before, after) = told.witness["points"]
    assert before["age"] < 1e300 <= after["age"]
