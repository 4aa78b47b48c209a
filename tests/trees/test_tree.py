"""Trees as data: walks, regions, equality, JSON, and depths of thousands."""

from __future__ import annotations

import pytest

from slp.columns import Below, Is
from slp.errors import DataError
from slp.ir.boxes import Box
from slp.trees import Leaf, Split, Tree

DEEP = 5000


def stump(feature: str = "age", threshold: float = 24.0) -> Tree:
    return Tree(Split(feature, Below(threshold), Leaf({"counts": {"no": 3}}), Leaf()))


def mixed() -> Tree:
    """age < 24 ? {no 3} : (colour = red ? mean 1.5 : (age < 60 ? {} : {}))"""
    inner = Split("age", Below(60.0), Leaf(), Leaf())
    right = Split("colour", Is("red"), Leaf({"n": 2, "mean": 1.5}), inner)
    return Tree(Split("age", Below(24.0), Leaf({"counts": {"no": 3}}), right))


def chain(depth: int) -> Tree:
    """A tree that always goes on to the right."""
    node: Leaf | Split = Leaf({"counts": {"a": 1}})
    for i in range(depth, 0, -1):
        node = Split("x", Below(float(i)), Leaf({"counts": {"b": i}}), node)
    return Tree(node)


def test_sizes_and_features() -> None:
    tree = mixed()
    assert (tree.n_leaves, tree.depth, tree.features) == (4, 3, ("age", "colour"))
    assert (Tree(Leaf()).n_leaves, Tree(Leaf()).depth, Tree(Leaf()).features) == (1, 0, ())
    assert repr(tree) == "Tree(n_leaves=4, depth=3)"


def test_places_say_path_depth_and_region() -> None:
    have = [(p.path, p.depth, p.region.describe()) for p in mixed().places()]
    want = [
        ("root", 0, "everywhere"),
        ("left", 1, "age < 24"),
        ("right", 1, "24 <= age"),
        ("right.left", 2, "24 <= age, colour = red"),
        ("right.right", 2, "24 <= age, colour is not red"),
        ("right.right.left", 3, "24 <= age < 60, colour is not red"),
        ("right.right.right", 3, "60 <= age, colour is not red"),
    ]
    assert have == want


def test_a_threshold_outside_the_region_does_not_widen_it() -> None:
    tree = Tree(Split("x", Below(1.0), Split("x", Below(5.0), Leaf(), Leaf()), Leaf()))
    regions = {p.path: p.region.interval("x") for p in tree.places()}
    assert regions["left.left"] == (float("-inf"), 1.0)
    assert regions["left.right"] == (5.0, 1.0)  # nothing: no x is at least 5 and below 1


def test_equality_goes_by_structure_and_summaries() -> None:
    assert mixed() == mixed() and hash(mixed()) == hash(mixed())
    assert stump() != stump("size") and stump() != stump(threshold=25.0)
    assert stump() != Tree(Leaf()) and stump() != stump().with_leaves([Leaf(), Leaf()])
    assert Split("a", Below(1.0), Leaf(), Leaf()) != "a split"


def test_with_leaves_puts_leaves_from_left_to_right() -> None:
    leaves = [Leaf({"n": i, "mean": 0.0}) for i in range(4)]
    assert mixed().with_leaves(leaves).leaves() == leaves
    with pytest.raises(ValueError, match="4 leaves needed, not 1"):
        mixed().with_leaves([Leaf()])


def test_json_round_trip() -> None:
    have = mixed().to_dict()
    want = {
        "feature": "age",
        "threshold": 24.0,
        "left": {"counts": {"no": 3}},
        "right": {
            "feature": "colour",
            "level": "red",
            "left": {"n": 2, "mean": 1.5},
            "right": {"feature": "age", "threshold": 60.0, "left": {}, "right": {}},
        },
    }
    assert have == want
    assert Tree.from_dict(have) == mixed()


def test_integers_and_nulls_of_json_are_understood() -> None:
    data = {"feature": "x", "threshold": 3, "level": None, "left": {}, "right": {"mean": None}}
    root = Tree.from_dict(data).root
    assert isinstance(root, Split)
    assert root.threshold == 3.0 and isinstance(root.threshold, float) and root.level is None


def leaf_below(leaf: object) -> dict[str, object]:
    """The leaf at `right.left` of a tree that is sound otherwise."""
    right = {"feature": "y", "threshold": 2.0, "left": leaf, "right": {}}
    return {"feature": "x", "threshold": 1.0, "left": {}, "right": right}


def split_without(key: str, **changes: object) -> dict[str, object]:
    split: dict[str, object] = {"feature": "x", "threshold": 1.0, "left": {}, "right": {}}
    split.pop(key, None)
    return {**split, **changes}


MALFORMED = [
    ([], "E601", "not a tree: at the root, there is a list where an object is needed"),
    (
        leaf_below("red"),
        "E601",
        "not a tree: at right.left, there is a string where an object is needed",
    ),
    (
        leaf_below(None),
        "E601",
        "not a tree: at right.left, there is null where an object is needed",
    ),
    (split_without("left"), "E602", "not a tree: at the root, the split has no `left`"),
    (split_without("feature"), "E602", "not a tree: at the root, the split has no `feature`"),
    (
        split_without("threshold"),
        "E602",
        "not a tree: at the root, the split has none of `threshold`, `level` and `levels`",
    ),
    (
        split_without("", level="red"),
        "E602",
        "not a tree: at the root, the split has both `threshold` and `level`",
    ),
    (
        split_without("", levels=["a"], others=["b"]),
        "E602",
        "not a tree: at the root, the split has both `threshold` and `levels`",
    ),
    (
        split_without("threshold", level="a", levels=["a"], others=["b"]),
        "E602",
        "not a tree: at the root, the split has both `level` and `levels`",
    ),
    (
        split_without("threshold", level="a", others=["b"]),
        "E602",
        "not a tree: at the root, `others` means nothing beside `level`",
    ),
    (
        split_without("threshold", levels=["a"], others=["b"], missing="left"),
        "E602",
        "not a tree: at the root, `missing` means nothing beside `levels`",
    ),
    (
        split_without("", other="b"),
        "E602",
        "not a tree: at the root, `other` means nothing beside `threshold`",
    ),
    (
        split_without("", absent="error"),
        "E602",
        "not a tree: at the root, `absent` means nothing beside `threshold`",
    ),
    (
        split_without("threshold", level="a", order=["a", "b"]),
        "E602",
        "not a tree: at the root, `order` means nothing beside `level`",
    ),
    (
        split_without("", threshold="b", order=["a", "b"], unit="mg"),
        "E602",
        "not a tree: at the root, `unit` means nothing beside `order`",
    ),
    (
        split_without("threshold", level="a", absent="error"),
        "E602",
        "not a tree: at the root, `absent` means nothing without `other`",
    ),
    (
        split_without("threshold", level="missing", missing="level", other="b"),
        "E602",
        "not a tree: at the root, `other` means nothing beside the test for missing values",
    ),
    (
        split_without("threshold", level="a", other="a"),
        "E602",
        "not a tree: at the root, `level` and `other` are the same level",
    ),
    (
        split_without("threshold", levels=["a"], others=None),
        "E602",
        "not a tree: at the root, `levels` means nothing without `others`",
    ),
    (
        split_without("threshold", levels=["a"], others="b"),
        "E603",
        "not a tree: at the root, `others` is a string where a list of strings is needed",
    ),
    (
        split_without("threshold", levels=["a"], others=["b", None]),
        "E603",
        "not a tree: at the root, `others` is a list with null where a list of strings is needed",
    ),
    (
        split_without("threshold", levels=["a", "a"], others=["b"]),
        "E602",
        "at the root, `levels` and `others` are two lists of levels, none of them empty, and no "
        "level stands twice",
    ),
    (
        split_without("", treshold=2),
        "E602",
        "not a tree: at the root, the split has the key `treshold`, which means nothing",
    ),
    (
        leaf_below({"count": 3}),
        "E602",
        "not a tree: at right.left, the leaf has the key `count`, which means nothing",
    ),
    (
        split_without("", feature=7),
        "E603",
        "not a tree: at the root, `feature` is a number where a string is needed",
    ),
    (
        split_without("", feature=None),
        "E603",
        "not a tree: at the root, `feature` is null where a string is needed",
    ),
    (
        split_without("threshold", level=True),
        "E603",
        "not a tree: at the root, `level` is a boolean where a string is needed",
    ),
    (
        split_without("", threshold="1.0"),
        "E604",
        "not a tree: at the root, `threshold` is a string where a number is needed",
    ),
    (
        split_without("", threshold=True),
        "E604",
        "not a tree: at the root, `threshold` is a boolean where a number is needed",
    ),
    (
        split_without("", threshold=float("nan")),
        "E604",
        "not a tree: at the root, `threshold` is NaN where a number is needed",
    ),
    (
        split_without("", threshold=10**400),
        "E604",
        "not a tree: at the root, `threshold` is too large an integer where a number is needed",
    ),
    (
        leaf_below({"counts": [3]}),
        "E605",
        "not a tree: at right.left, `counts` is no object from classes to numbers of rows",
    ),
    (
        leaf_below({"counts": {"a": -1}}),
        "E605",
        "not a tree: at right.left, `counts.a` is -1, which is no number of rows",
    ),
    (
        leaf_below({"n": 2, "mean": "x"}),
        "E605",
        "not a tree: at right.left, `mean` is a string where a number is needed",
    ),
    (
        leaf_below({"n": {}}),
        "E605",
        "not a tree: at right.left, `n` is an object where a number is needed",
    ),
    *(
        (
            leaf_below({"counts": {"a": 1}, "concentrations": strange}),
            "E605",
            "not a tree: at right.left, `concentrations` is no object from classes to numbers "
            "above 0, with all classes of `counts`",
        )
        for strange in ([1.0], {"b": 1.0}, {}, {"a": 0.0}, {"a": float("inf")})
    ),
    (
        leaf_below({"concentrations": {"a": "1"}}),
        "E605",
        "not a tree: at right.left, `concentrations` is a string where a number is needed",
    ),
    (
        leaf_below({"concentrations": {"1": 0.5}}) | {"classes": [2]},
        "E605",
        "not a tree: at right.left, `concentrations` has the class `1`, `classes` has not",
    ),
]


@pytest.mark.parametrize(("data", "code", "message"), MALFORMED)
def test_malformed_json_is_named_with_its_path(data: object, code: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        Tree.from_dict(data)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == (code, message)
    assert diagnostic.help


def test_a_fault_deep_down_is_named_by_the_end_of_its_way_there() -> None:
    data: object = 3
    for i in range(30):
        data = {"feature": "x", "threshold": i, "left": {}, "right": data}
    with pytest.raises(DataError) as caught:
        Tree.from_dict(data)
    way = ".".join(["right"] * 20)
    want = f"not a tree: at {way}... (30 deep), there is a number where an object is needed"
    assert caught.value.diagnostics[0].message == want


def test_trees_of_any_depth() -> None:
    tree = chain(DEEP)
    assert (tree.n_leaves, tree.depth) == (DEEP + 1, DEEP)
    assert Tree.from_dict(tree.to_dict()) == tree
    assert hash(tree) == hash(chain(DEEP)) and tree != chain(DEEP - 1)
    assert max(p.depth for p in tree.places()) == DEEP
    assert len(tree.to_dot().splitlines()) == 2 + (2 * DEEP + 1) + 2 * DEEP + 1
    assert tree.with_leaves(tree.leaves()) == tree
    assert repr(tree.root) == "Split(feature='x', test=Below(number=1.0, missing=None))"


def test_text_of_a_deep_tree() -> None:
    assert len(chain(500).to_text().splitlines()) == 1001


def test_no_box_is_contained_below_a_test_on_a_level() -> None:
    """A box is free in every categorical feature, so that any such test parts it."""
    box = Box("infant", {"age": (0.0, 24.0)})
    contains = {p.path: p.region.contains(box) for p in mixed().places()}
    assert [path for path, holds in contains.items() if holds] == ["root", "left"]
    by_level = Tree(Split("colour", Is("red"), Leaf(), Leaf()))
    assert [p.region.contains(box) for p in by_level.places()] == [True, False, False]


def test_durations_keep_their_events() -> None:
    data = {"n": 4, "events": 3, "mean": 2.5}
    assert Tree.from_dict(data).to_dict() == data


def test_a_split_takes_tests_alone() -> None:
    with pytest.raises(TypeError, match=r"3\.0 is no test"):
        Split("age", 3.0, Leaf(), Leaf())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="goes right of any other level"):
        Is("red", "left", missing_level=True)


def test_thresholds_are_plain_values() -> None:
    """Under `missing(side)`, with a unit, and of an ordinal feature."""
    assert Split("age", Below(3.0, "left"), Leaf(), Leaf()).threshold == 3.0
    assert Split("dose", Below(3.0, unit="mg"), Leaf(), Leaf()).threshold in (3.0,)
    named, numbers = ("i", "ii", "iii"), ("1", "2", "10")
    assert Split("stage", Below(1.0, order=named), Leaf(), Leaf()).threshold == "ii"
    assert Split("stage", Below(10.0, order=numbers), Leaf(), Leaf()).threshold == 10.0
