"""The edits that lead from one tree to another."""

from __future__ import annotations

from slp.columns import Below, Is
from slp.trees import Leaf, Split, Tree


def split(feature: str, threshold: float, left: object = None, right: object = None) -> Split:
    return Split(feature, Below(threshold), left or Leaf(), right or Leaf())  # type: ignore[arg-type]


OLD = Tree(split("age", 30, split("dose", 1), split("age", 50, split("dose", 2))))


def words(new: Tree) -> list[str]:
    return [str(edit) for edit in new.edits_from(OLD)]


def test_none() -> None:
    assert words(OLD.with_leaves([Leaf({"n": 1})] * 5)) == []


def test_all_kinds() -> None:
    colour = Split("colour", Is("red"), Leaf(), Leaf())
    new = Tree(split("age", 25, split("dose", 1, None, colour), split("dose", 1.5)))
    assert words(new) == [
        "root: changed `age < 30` to `age < 25`",
        "left.right: grown `colour = red`",
        "right: changed `age < 50` to `dose < 1.5`",
        "right.left: pruned `dose < 2`",
    ]


def test_one_leaf() -> None:
    assert words(Tree(Leaf())) == [
        "root: pruned `age < 30`",
        "left: pruned `dose < 1`",
        "right: pruned `age < 50`",
        "right.left: pruned `dose < 2`",
    ]
    edits = OLD.edits_from(Tree(Leaf()))
    assert [(e.kind, e.path, e.before, e.after) for e in edits[:2]] == [
        ("grown", "root", None, "age < 30"),
        ("grown", "left", None, "dose < 1"),
    ]


def test_deep_trees() -> None:
    node: Leaf | Split = Leaf()
    for depth in range(5000):
        node = split("age", depth, None, node)
    assert len(Tree(node).edits_from(Tree(Leaf()))) == 5000


def test_levels_that_are_left_are_no_edit() -> None:
    """A second level follows from the rows of a node; texts do not have it, so that one edit has
    one text."""
    two = Tree(Split("sex", Is("f", other="m", absent="error"), Leaf(), Leaf()))
    three = Tree(Split("sex", Is("f"), Leaf(), Leaf()))
    assert two.edits_from(three) == []
    assert [str(edit) for edit in two.edits_from(Tree(Leaf()))] == ["root: grown `sex = f`"]
