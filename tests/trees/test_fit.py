"""Given trees on a table: canonical tests, and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from slp.columns import Below, Binned, Is, Nominal, Numeric
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.ir.constraints import Support
from slp.leaves import Dirichlet
from slp.trees import Leaf, Node, Split, Tree, fit_tree

FEATURES = (
    Feature("age", Numeric(np.array([10.0, 20.0, 40.0, 70.0]))),
    Feature("dose", Binned(np.array([1.0, 2.0, 4.0]))),
    Feature("colour", Nominal(("blue", "green", "red"))),
)
CODES = [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 1]]


def table(counts: tuple[int, ...] = (1, 1, 1, 1)) -> Table:
    rows = np.repeat(np.arange(4), counts)
    return Table(
        FEATURES,
        np.array(CODES, np.int32),
        np.array(counts, np.int64),
        np.zeros((4, 2)),
        Dirichlet(("a", "b"), 1.0),
        "y",
        len(rows),
        rows,
        without_weight=np.zeros(0, np.int64),
    )


def age(threshold: float, left: Node | None = None, right: Node | None = None) -> Split:
    return Split("age", Below(threshold), left or Leaf(), right or Leaf())


def dose(threshold: float, left: Node | None = None, right: Node | None = None) -> Split:
    return Split("dose", Below(threshold), left or Leaf(), right or Leaf())


def colour(
    level: str, left: Node | None = None, right: Node | None = None, other: str | None = None
) -> Split:
    return Split("colour", Is(level, other=other), left or Leaf(), right or Leaf())


def fitted(root: Node, support: Support | None = None) -> tuple[Tree, list[str]]:
    tree, warnings = fit_tree(Tree(root), table(), support or Support())
    assert all(w.severity == "warning" for w in warnings)
    return tree, [f"{w.code}: {w.message}; {w.help}" for w in warnings]


def test_thresholds_are_canonical_for_the_rows_of_a_node() -> None:
    have = fitted(age(39, age(11), colour("red")))
    assert have == (Tree(age(30, age(15), colour("green", Leaf(), Leaf(), "red"))), [])


def test_sides_of_a_categorical_test_change_places() -> None:
    """Of rows 2 and 4, green, and 3, red, `= red` is `= green`, sides changed."""
    have = fitted(colour("blue", None, colour("red", None, age(30))))
    assert have == (Tree(colour("blue", None, colour("green", age(45), None, "red"))), [])


def test_thresholds_move_to_cuts() -> None:
    tree, warnings = fitted(dose(1.4, None, dose(3.0, None, dose(9.0))))
    # below the root rows 2 to 4; `dose < 3` moves to 2 (a tie), which parts off row 2
    assert tree == Tree(dose(1, None, dose(2, None, dose(4))))
    assert warnings == [
        "W632: thresholds of the given tree are moved to declared cuts: `dose < 1.4` to `dose < 1` "
        "at the root, `dose < 3` to `dose < 2` at right, `dose < 9` to `dose < 4` at right.right; "
        "rows of one bin cannot be parted; declare finer cuts to keep them"
    ]


def test_unknown_features_and_other_kinds_are_leaves() -> None:
    unknown = Split("wt", Below(3.0), age(15), Leaf())
    wrong = Split("colour", Below(3.0), age(15), Leaf())
    level = Split("age", Is("old"), age(15), Leaf())
    below = " what stands below is left out; correct the tree or the program"
    assert fitted(age(15, None, age(30, unknown, wrong))) == (
        Tree(age(15, None, age(30))),
        [
            "W630: the given tree has a leaf instead of a split at right.left: the table has no "
            f"feature `wt`;{below}",
            "W630: the given tree has a leaf instead of a split at right.right: `colour < 3` "
            f"cannot be asked, as `colour` is categorical here;{below}",
        ],
    )
    assert fitted(level) == (
        Tree(Leaf()),
        [
            "W630: the given tree has a leaf instead of a split at the root: `age = old` cannot be "
            f"asked, as `age` is numeric here;{below}"
        ],
    )


def test_an_empty_side_gives_way_to_the_other() -> None:
    have = fitted(age(5, dose(1), colour("mauve", None, age(15, age(12)))))
    help = "its other side stands in its place"
    assert have == (
        Tree(age(15)),
        [
            f"W631: a split of the given tree is left out at the root: `age < 5` sends no rows "
            f"left; {help}",
            f"W631: a split of the given tree is left out at the root: `colour = mauve` sends no "
            f"rows left; {help}",
            f"W631: a split of the given tree is left out at left: `age < 12` sends no rows right; "
            f"{help}",
        ],
    )


def test_support() -> None:
    deep = age(30, age(15), age(50))
    tree, warnings = fitted(deep, Support(max_depth=1))
    assert tree == Tree(age(30))
    assert warnings == [
        "W630: the given tree has a leaf instead of a split at left, right: `max_depth(1)` allows "
        "no split at depth 1; what stands below is left out; correct the tree or the program"
    ]
    tree, warnings = fitted(deep, Support(min_leaf=2))
    assert tree == Tree(age(30))
    assert [w.split(";")[0] for w in warnings] == [
        "W631: a split of the given tree is left out at left: `age < 15` sends fewer than "
        "`min_leaf(2)` rows left",
        "W631: a split of the given tree is left out at right: `age < 50` sends fewer than "
        "`min_leaf(2)` rows left",
    ]
    tree, _ = fit_tree(Tree(age(15, None, age(30))), table((1, 2, 1, 1)), Support(min_leaf=2))
    assert tree == Tree(age(30))


def test_many_places_are_counted() -> None:
    root: Node = Leaf()
    for _ in range(7):
        root = age(5, None, root)
    _, (warning,) = fit_tree(Tree(root), table(), Support())
    assert "at the root, the root, the root and 4 more: " in warning.message


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(1, 1, 1, 1), (3, 1, 2, 1)])
def test_deep_trees(counts: tuple[int, ...]) -> None:
    root: Node = Leaf()
    for i in range(5000):
        root = age(15 + i / 1000, None, root)
    tree, _ = fit_tree(Tree(root), table(counts), Support())
    assert tree.depth == 1
