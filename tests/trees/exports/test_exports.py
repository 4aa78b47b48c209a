"""Trees and averages of trees in SQL and Python say what `predict` says, row by row."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns import Below, Is
from slp.trees import Leaf, Split, Tree
from tests.trees.exports.tables import by_row, in_python, in_sqlite, posterior, rows

LEAVES = ["classes", "losses", "truths", "numbers", "counts", "durations", "lines"]
NEW = ["declared", "average", "larger", "error"]


def plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@pytest.mark.thinned(5)
@pytest.mark.parametrize("new", NEW)
@pytest.mark.parametrize("leaf", LEAVES)
def test_a_tree_says_the_same_in_each_language(leaf: str, new: str) -> None:
    """Also of missing values and unknown levels; what `predict` refuses they refuse. A database
    may read the last digit of a mean otherwise, and no median of a mixture is written."""
    test = rows(24, 7, new=True)
    found = posterior(leaf, new)
    for tree in list(dict.fromkeys(draw.tree for draw in found.draws))[:6]:
        want = list(map(plain, by_row(tree.predict, test)))
        sql = in_sqlite(tree.to_sql(), test)
        python = in_python(tree.to_python(), "predict", test)
        for have, other, value in zip(sql, python, want, strict=True):
            if leaf == "durations" and other is None:
                assert have is None
                continue
            assert other == value
            if isinstance(value, float):
                assert math.isclose(have, value, rel_tol=3e-16)
            else:
                assert have == value


@pytest.mark.thinned(5)
@pytest.mark.parametrize("new", NEW)
@pytest.mark.parametrize("leaf", [leaf for leaf in LEAVES if leaf != "durations"])
@pytest.mark.parametrize("best", [False, True])
def test_an_average_says_the_same_in_each_language(leaf: str, new: str, best: bool) -> None:
    test = rows(20, 7, new=True)
    found = posterior(leaf, new)
    average = found.average(6, best=best, seed=1)
    classes = found.table.leaf.classes
    said = list(map(plain, by_row(average.predict, test)))
    for told in (
        in_python(average.to_python(), "predict", test),
        in_sqlite(average.to_sql(), test),
    ):
        for have, value in zip(told, said, strict=True):
            near = isinstance(value, float) and math.isclose(have, value, rel_tol=1e-12)
            assert near or have == value
    if not classes:
        return
    want = by_row(average.predict_proba, test)
    python = in_python(average.to_python(), "probabilities", test)
    for c, label in enumerate(classes):
        sql = in_sqlite(average.to_sql(label), test)
        for have, other, value in zip(sql, python, want, strict=True):
            if value is None:
                assert have is None and other is None
                continue
            assert abs(have - value[c]) < 1e-12 and abs(other[label] - value[c]) < 1e-12


def test_losses_are_written() -> None:
    """Of rows that are whole in a leaf, of rows in several, and of averages."""
    test = rows(40, 7, new=True)
    found = posterior("losses")
    classes, differ = found.table.leaf.classes, []
    for told in (*(c.tree for c in found.k_best(2)), found.average(6, seed=1)):
        shares = in_python(told.to_python(), "probabilities", test)
        probable = [None if p is None else classes[np.argmax(list(p.values()))] for p in shares]
        said = list(map(plain, by_row(told.predict, test)))
        differ.append(said != probable)
        assert in_python(told.to_python(), "predict", test) == said
        assert in_sqlite(told.to_sql(), test) == said
    assert differ[0] and differ[-1]
    assert ": decide " in found.map_tree().to_rules()


def test_tied_decisions_are_the_first_class() -> None:
    """Each is expected to lose 2.8 / 11; in doubles that of `a` is larger by the last digit."""
    X, y = {"x": [0.0] * 9}, ["a"] * 3 + ["b"] * 6
    text = ":- start(t). 1 :: t --> leaf. :- leaf(dirichlet(1)). :- loss(a, b, 0.7). "
    found = slp.parse(text + ":- loss(b, a, 0.4).").posterior(pl.DataFrame(X), y)
    for told in (found.map_tree(), found.average(1, best=True)):
        assert told.predict(pl.DataFrame(X)).tolist() == ["a"] * 9
        assert in_sqlite(told.to_sql(), X) == in_python(told.to_python(), "predict", X) == ["a"] * 9


def test_the_probability_of_a_class_is_that_of_the_leaf() -> None:
    tree = posterior("classes").map_tree()
    test = rows(15, 3)
    where = [None if leaf is None else int(leaf) for leaf in by_row(tree.apply, test)]
    for label in ("no", "yes", "it's"):
        shown = [leaf.predictive().get("probabilities")[label] for leaf in tree.leaves()]  # type: ignore[misc,union-attr]
        for have, i in zip(in_sqlite(tree.to_sql(label), test), where, strict=True):
            assert have is None if i is None else math.isclose(have, shown[i], rel_tol=3e-16)


# --- to the last digit ---------------------------------------------------------------------------

EXTREMES = [0.1, 1 / 3, 0.1 + 0.2, 5e-324, 2.5e-310, 1.7e308, -0.3, 2.0**53 + 2, 1e22, 24.0]
EXTREMES += [123.457, -2.5, 0.0, 1e-5, 1700000000124.5, 2.0**63, -(2.0**70) / 3, 2.0**53]
#: Decimals that some versions of SQLite read one digit off.
EXTREMES += [-553.219538, -392.2380426, 351.135670159, 973.7695954637]


@pytest.mark.parametrize("number", EXTREMES + np.random.default_rng(1).normal(size=20).tolist())
def test_thresholds_part_doubles_as_the_tree_does(number: float) -> None:
    leaves = Leaf({"counts": {"below": 1}}), Leaf({"counts": {"above": 1}})
    tree = Tree(Split("x", Below(number), *leaves))
    near = [number, np.nextafter(number, -np.inf), np.nextafter(number, np.inf), -number, 0.0]
    values = [float(x) for x in near]
    want = tree.predict(pl.DataFrame({"x": values})).tolist()
    assert in_sqlite(tree.to_sql(), {"x": values}) == want  # a column without a type
    assert in_sqlite(tree.to_sql(), {"dose": values} | {"x": values}) == want
    assert in_python(tree.to_python(), "predict", {"x": values}) == want
    text = [repr(x) for x in values]
    assert in_python(tree.to_python(), "predict", {"x": text}) == want


def test_large_whole_numbers_are_compared_as_doubles() -> None:
    """2^53 + 1 is 2^53 as a double, in the table, in Python and in a column of integers."""
    leaves = Leaf({"counts": {"below": 1}}), Leaf({"counts": {"above": 1}})
    tree = Tree(Split("x", Below(2.0**53 + 2), *leaves))
    values = [2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3]
    want = tree.predict(pl.DataFrame({"x": values})).tolist()
    assert want == ["below", "below", "above", "above"]
    assert in_sqlite(tree.to_sql(), {"x": values}) == want
    assert in_python(tree.to_python(), "predict", {"x": values}) == want
    small = np.array([0.1, 0.2], np.float32)
    tree = Tree(Split("x", Below(float(small[0])), *leaves))
    assert in_python(tree.to_python(), "predict", {"x": list(small)}) == ["above", "above"]


def test_an_average_refuses_what_the_posterior_does() -> None:
    """A missing value of a column that has none is no level."""
    X = pl.DataFrame({"sex": list("fmfmfm"), "kind": list("abcabc")})
    text = ":- use(growtree). :- feature(kind, [subsets])."
    average = slp.parse(text).posterior(X, list("ababbb")).average(5, best=True)
    columns = {"sex": ["f", None, "f", "m"], "kind": ["a", "b", None, "z"]}
    said = by_row(average.predict, columns)
    assert said[1] is None and said[2] is None and said[3] is not None
    assert in_sqlite(average.to_sql(), columns) == said
    assert in_python(average.to_python(), "predict", columns) == said


def test_a_missing_level_that_a_box_lacks_goes_as_an_unknown_one() -> None:
    X = pl.DataFrame({"x": [0.0, 0, 0, 1, 1, 1], "k": ["a", "b", "b", "a", None, None]})
    text = ":- use(growtree). :- feature(k, [categorical, missing(level)])."
    average = slp.parse(text).posterior(X, list("abbbaa")).average(30, best=True)
    columns = {"x": [0.0, 0.0, 1.0, 1.0], "k": [None, "z", None, "b"]}
    with pytest.warns(slp.SlpWarning, match="W440"):
        said = average.predict_proba(pl.DataFrame(columns))[:, 0]
    np.testing.assert_allclose(in_sqlite(average.to_sql("a"), columns), said, rtol=1e-12)
    told = in_python(average.to_python(), "probabilities", columns)
    np.testing.assert_allclose([row["a"] for row in told], said, rtol=1e-12)


# --- names ---------------------------------------------------------------------------------------


def test_names_and_labels_add_no_code() -> None:
    odd = """x"; DROP TABLE t; --'\\\n"""
    leaves = Leaf({"counts": {odd: 1}}), Leaf({"counts": {"'": 2}})
    tree = Tree(Split(odd, Is(odd), *leaves))
    columns = {odd: [odd, "other"]}
    assert in_sqlite(tree.to_sql(), columns) == [odd, "'"]
    assert in_python(tree.to_python(), "predict", columns) == [odd, "'"]
    assert len(tree.to_rules().splitlines()) == 2


def test_levels_of_other_types_are_their_text() -> None:
    leaves = Leaf({"counts": {1: 1}}), Leaf({"counts": {2: 2}})
    tree = Tree(Split("x", Is("3"), *leaves))
    cells = [3, 3.0, "3", np.int64(3), np.float32(3), 2, True, None]
    want = [1, 1, 1, 1, 1, 2, 2, None]
    assert in_python(tree.to_python(), "predict", {"x": cells}) == want
    tree = Tree(Split("x", Is("true"), *leaves))
    cells = [True, np.bool_(True), "true", False, 1]
    assert in_python(tree.to_python(), "predict", {"x": cells}) == [1, 1, 1, 2, 2]


# --- rules ---------------------------------------------------------------------------------------


def test_rules_tell_the_tightest_thresholds_and_all_levels() -> None:
    tree = Tree.from_dict(
        {
            "feature": "age",
            "threshold": 50,
            "missing": "left",
            "left": {
                "feature": "age",
                "threshold": 24,
                "missing": "left",
                "left": {"counts": {"a": 3}},
                "right": {"feature": "sex", "level": "f", "other": "m", "left": {}, "right": {}},
            },
            "right": {
                "feature": "town",
                "levels": [f"t{i}" for i in range(20)],
                "others": ["u | v"],
                "left": {"n": 2, "mean": 1.5},
                "right": {"feature": "age", "level": "missing", "missing": "level"}
                | {"left": {}, "right": {}},
            },
        }
    )
    towns = ", ".join(f"t{i}" for i in range(20))
    assert tree.to_rules().splitlines() == [
        "if (age < 24 or missing): a 3 of 3",
        "if (age < 50 or missing) and age >= 24 and not missing and sex = f: leaf",
        "if (age < 50 or missing) and age >= 24 and not missing and sex = m: leaf",
        f"if age >= 50 and not missing and town in {{{towns}}}: mean 1.5, 2 rows",
        "if age >= 50 and not missing and town in {u | v} and age = missing: leaf",
        "if age >= 50 and not missing and town in {u | v} and age is not missing: leaf",
    ]
    table = tree.to_rules("markdown").splitlines()
    assert table[:2] == ["| if | then |", "| --- | --- |"] and len(table) == 8
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in table)
    assert Tree(Leaf({"n": 3})).to_rules() == "always: 3 rows"


def test_rules_of_an_average_stand_behind_weights() -> None:
    average = posterior("classes").average(4, best=True)
    lines = average.to_rules().splitlines()
    headings = [line for line in lines if line.startswith("tree ")]
    assert len(headings) == len(average) and headings[0].startswith(f"tree 1 of {len(average)}, we")
    assert average.to_rules("markdown").startswith("## tree 1 of")


# --- what cannot be ------------------------------------------------------------------------------


def test_what_is_refused() -> None:
    bare = Tree(Split("x", Below(1.0), Leaf(), Leaf()))
    for write in (bare.to_sql, bare.to_python):
        with pytest.raises(slp.DataError, match="E610"):
            write()
    means = Tree(Leaf({"n": 1, "mean": 2.0}))
    for call in (
        lambda: means.to_sql("yes"),
        lambda: Tree(Leaf({"counts": {"a": 1}})).to_sql("b"),
        lambda: means.to_rules("html"),  # type: ignore[arg-type]
    ):
        with pytest.raises(slp.UsageError, match="E618"):
            call()


def test_deep_trees_are_written() -> None:
    """SQLite nests CASE 18 levels deep. Rows that go both ways are met on any depth."""
    leaves = [Leaf({"counts": {"a": 3, "b": i}}) for i in range(4)]
    node: Any = leaves[0]
    for i in range(70):
        other = Split("k", Is("u", other="v"), leaves[1], leaves[3 if i % 2 else 2])
        node = Split("x", Below(float(i)), node, other if i % 7 == 0 else leaves[2])
    tree = Tree(Split("k", Is("u", other="v"), node, Split("k", Is("v"), leaves[1], node)))
    values = [-1.0, 0.5, 6.5, 14.5, 50.0, 58.5, 65.0, 300.0]
    columns = {"x": values * 3, "k": ["u"] * 8 + ["v"] * 8 + ["w"] * 8}
    want = tree.predict(pl.DataFrame(columns)).tolist()
    assert in_python(tree.to_python(), "predict", columns) == want
    assert in_sqlite(tree.to_sql(), columns) == want
    for i in range(3000):
        node = Split("x", Below(float(i)), node, leaves[0])
    assert in_python(Tree(node).to_python(), "predict", {"x": [7.0], "k": ["u"]}) == ["a"]


def test_a_median_that_is_never_reached_is_null() -> None:
    tree = Tree.from_dict({"n": 3, "mean": 2.0, "events": 0})
    assert in_sqlite(tree.to_sql(), {"x": [1]}) == [None]
    assert in_python(tree.to_python(), "predict", {"x": [1]}) == [math.inf]
