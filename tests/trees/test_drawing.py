"""Trees drawn for people."""

from __future__ import annotations

from slp.trees import Leaf, Split, Tree


def tree() -> Tree:
    right = Split(
        "petal width",
        1.75,
        None,
        Leaf({"counts": {"setosa": 0, "versicolor": 49, "virginica": 5}}),
        Split("colour", None, "red", Leaf({"counts": {"virginica": 45}}), Leaf({"counts": {}})),
    )
    return Tree(Split("petal width", 0.8, None, Leaf({"counts": {"setosa": 50}}), right))


def test_text() -> None:
    want = """\
petal width < 0.8
├─ yes: setosa 50 (34% of rows)
└─ no: petal width < 1.75
   ├─ yes: versicolor 49, virginica 5 (36% of rows)
   └─ no: colour = red
      ├─ yes: virginica 45 (30% of rows)
      └─ no: no rows"""
    assert tree().to_text() == want
    assert str(tree()) == want


def test_ascii_text_with_a_split_on_the_left() -> None:
    inner = Split("b", -3.5, None, Leaf({"n": 1, "mean": 2.25}), Leaf({"n": 3, "mean": -1e-7}))
    want = """\
a < 1e+10
|- yes: b < -3.5
|  |- yes: mean 2.25, n 1 (25% of rows)
|  `- no: mean -1e-07, n 3 (75% of rows)
`- no: leaf"""
    assert Tree(Split("a", 1e10, None, inner, Leaf())).to_text(ascii=True) == want


def test_one_leaf() -> None:
    assert Tree(Leaf({"counts": {"a": 2, "b": 7}})).to_text() == "b 7, a 2 (100% of rows)"


def test_line_breaks_in_names_stay_on_one_line() -> None:
    odd = Tree(Split("two\nlines", None, "a\tb", Leaf(), Leaf()))
    assert odd.to_text().splitlines()[0] == r"two\nlines = a\tb"


def test_dot() -> None:
    have = Tree(Split('the "x"', 0.5, None, Leaf({"counts": {"a\\b": 1}}), Leaf())).to_dot()
    want = r"""digraph tree {
  node [shape=box, fontname="sans-serif"];
  n0 [label="the \"x\" < 0.5"];
  n1 [label="a\\b 1 (100% of rows)", style=rounded];
  n0 -> n1 [label="yes"];
  n2 [label="leaf", style=rounded];
  n0 -> n2 [label="no"];
}"""
    assert have == want
