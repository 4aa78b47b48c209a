"""`monotone` on finished trees."""

from __future__ import annotations

import polars as pl
import pytest

from slp.columns import IsMissing
from slp.constraints import (
    Monotone,
)
from slp.ir.leaves import LeafDeclaration
from slp.ir.program import CheckedProgram
from slp.trees import Leaf, Split, Tree
from tests.trees.checked import check, counted, program, split, why


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
