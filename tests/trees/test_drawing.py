"""Trees drawn for people."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from slp.columns import Below, In, Is
from slp.leaves import Dirichlet, GammaExponential, GammaPoisson, LeafModel, NormalInverseGamma
from slp.trees import Leaf, Split, Tree


def tree() -> Tree:
    right = Split(
        "petal width",
        Below(1.75),
        Leaf({"counts": {"setosa": 0, "versicolor": 49, "virginica": 5}}),
        Split("colour", Is("red"), Leaf({"counts": {"virginica": 45}}), Leaf({"counts": {}})),
    )
    return Tree(Split("petal width", Below(0.8), Leaf({"counts": {"setosa": 50}}), right))


def test_text() -> None:
    want = """\
petal width < 0.8
├─ yes: setosa 50 of 50
└─ no: petal width < 1.75
   ├─ yes: versicolor 49 of 54
   └─ no: colour = red
      ├─ yes: virginica 45 of 45
      └─ no: no rows"""
    assert tree().to_text() == want
    assert str(tree()) == want


def test_a_test_of_many_levels_is_shortened() -> None:
    """Text shows up to eight levels; JSON and names of columns have all."""
    levels = tuple(f"l{i:03}" for i in range(1200))
    few, many = In(levels[:8], levels[8:]), In(levels[:600], levels[600:])
    assert few.condition("c") == "c in {l000, l001, l002, l003, l004, l005, l006, l007}"
    assert many.condition("c") == "c in {l000, l001, ... 600 of 1,200}"
    leaf = Leaf({"counts": {"a": 1}})
    drawn = Tree(Split("c", many, leaf, leaf))
    assert drawn.to_text().splitlines()[0] == "c in {l000, l001, ... 600 of 1,200}"
    assert "l599" not in drawn.to_dot()
    assert Tree.from_dict(drawn.to_dict()).root.test == many
    assert many.column("c").count(", ") == 599
    left = next(place for place in drawn.places() if place.depth == 1)
    assert left.region.describe() == "c is none of l600, l601, ... (600 levels)"


def test_ascii_text_with_a_split_on_the_left() -> None:
    inner = Split("b", Below(-3.5), Leaf({"n": 1, "mean": 2.25}), Leaf({"n": 3, "mean": -1e-7}))
    want = """\
a < 10000000000
|- yes: b < -3.5
|  |- yes: mean 2.25, 1 row
|  `- no: mean -1e-07, 3 rows
`- no: leaf"""
    assert Tree(Split("a", Below(1e10), inner, Leaf())).to_text(ascii=True) == want


def test_one_leaf() -> None:
    assert Tree(Leaf({"counts": {"a": 2, "b": 7}})).to_text() == "b 7 of 9"


NUMBERS = np.array([100.0, 102.0, 104.0, 106.0])


@pytest.mark.parametrize(
    ("model", "y", "want"),
    [
        (Dirichlet(("no", "yes"), 1), [0] * 94 + [1], "no 0.98 (90 %: 0.95 to 1.00), 94 of 95"),
        (
            Dirichlet(("ill", "well"), 1),
            [0] * 11 + [1] * 4,
            "ill 0.71 (90 %: 0.52 to 0.87), 11 of 15",
        ),
        (Dirichlet(("a", "b"), [1, 3]), [], "b 0.75 (90 %: 0.37 to 0.98), no rows"),
        (Dirichlet(("a", "b"), [1, 9]), [0, 0], "b 0.75 (90 %: 0.53 to 0.92), 0 of 2"),
        (NormalInverseGamma(103, 0.1, 2, 5), NUMBERS, "mean 103 (90 %: 101 to 105), 4 rows"),
        (
            NormalInverseGamma(1e6, 0.1, 2, 5),
            NUMBERS + 1e6,
            "mean 1000100 (90 %: 1000090 to 1000111), 4 rows",
        ),
        (
            NormalInverseGamma(0, 0.1, 2, 5e-18),
            NUMBERS * 1e-9,
            "mean 1e-07 (90 %: 8.99e-08 to 1.11e-07), 4 rows",
        ),
        (GammaPoisson(1, 1), [2, 0, 3], "rate 1.50 (90 %: 0.65 to 2.63), 5 in 3 rows"),
        (
            GammaPoisson(1, 1, exposed=True),
            [[2.0, 1.5], [0.0, 2.0], [3.0, 4.25]],
            "rate 0.686 (90 %: 0.299 to 1.201), 5 in 7.75 (3 rows)",
        ),
        (
            GammaExponential(1, 1),
            [[2.0, 1], [3.0, 0], [4.0, 1]],
            "median 2.60 (90 %: 1.10 to 8.48), 2 events in 9 (3 rows)",
        ),
        (
            GammaExponential(1, 1),
            [[2.0, 0]],
            "median 3.0 (90 %: 0.7 to 40.5), 0 events in 2 (1 row)",
        ),
    ],
)
def test_leaves_say_what_they_predict(model: LeafModel, y: list[object], want: str) -> None:
    sums = model.statistics(np.array(y)).sum(axis=0)
    tree = Tree(Leaf.of(model, sums))
    assert tree.to_text() == want
    assert tree.to_dict() == model.summary(sums)
    known = tree.to_dict(predictive=True)
    assert known == {**model.summary(sums), "predictive": model.predictive(sums)}
    json.dumps(known, allow_nan=False)
    assert Tree.from_dict(known) == tree == pickle.loads(pickle.dumps(tree))


def test_leaves_without_outcomes() -> None:
    bare = tree().without_outcomes()
    assert [leaf.summary for leaf in bare.leaves()] == [{"n": 50}, {"n": 54}, {"n": 45}, {}]
    assert bare.to_text().splitlines()[1] == "├─ yes: 50 rows"


def test_line_breaks_in_names_stay_on_one_line() -> None:
    odd = Tree(Split("two\nlines", Is("a\tb"), Leaf(), Leaf()))
    assert odd.to_text().splitlines()[0] == r"'two\nlines' = 'a\tb'"


def test_dot() -> None:
    have = Tree(Split('the "x"', Below(0.5), Leaf({"counts": {"a\\b": 1}}), Leaf())).to_dot()
    want = r"""digraph tree {
  node [shape=box, fontname="sans-serif"];
  n0 [label="the \"x\" < 0.5"];
  n1 [label="a\\b 1 of 1", style=rounded];
  n0 -> n1 [label="yes"];
  n2 [label="leaf", style=rounded];
  n0 -> n2 [label="no"];
}"""
    assert have == want
