"""The text of a tree, read back."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns import Below, In, Is
from slp.columns.names import name_of_text, name_text
from slp.columns.thresholds import threshold_below
from slp.columns.words import words_of_test
from slp.source import SourceFile
from slp.trees import Leaf, Split, Tree, TreeText
from tests.trees.exports.tables import posterior

ROWS = pl.DataFrame(
    {
        "age": [10.0, 20.0, 40.0, 70.0, 15.0, 33.0],
        "colour": ["red", "blue", "green", "red", "blue", "green"],
        "dose": [1.0, 2.0, 3.0, 1.0, 2.0, 3.0],
        "ill": ["no", "no", "yes", "yes", "no", "yes"],
    }
)
POSTERIOR = slp.parse(
    ":- use(growtree). :- feature(colour, [subsets]). :- feature(dose, [unit(mg)])."
).posterior(ROWS)
TABLE = POSTERIOR.table


def asked(tree: Tree) -> list[Any]:
    return [node.asked for node in tree.nodes() if isinstance(node, Split)]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("leaf", ["classes", "numbers", "counts", "durations", "lines"])
@pytest.mark.parametrize("new", ["average", "error"])
def test_trees_of_every_kind_of_column_come_back(leaf: str, new: str) -> None:
    """Their tests, with all that is not in the text, and the rows of their leaves."""
    found = posterior(leaf, new, draws=40)
    kinds = set()
    for tree in {draw.tree for draw in found.draws}:
        kinds |= {type(test) for _, test in asked(tree)}
        for ascii in (False, True):
            back = Tree.from_text(tree.to_text(ascii=ascii), found.table)
            assert asked(back) == asked(tree)
            assert [leaf.rows for leaf in back.leaves()] == [leaf.rows for leaf in tree.leaves()]
            assert back.to_text() == tree.to_text()
    assert len(kinds) > 1


def test_a_text_says_what_its_tree_does() -> None:
    tree = POSTERIOR.map_tree()
    assert Tree.from_text(tree.to_text(), TABLE) == tree
    for ask in (POSTERIOR.log_prior, POSTERIOR.log_likelihood, POSTERIOR.log_posterior):
        assert ask(tree.to_text()) == ask(tree)


def test_what_people_write() -> None:
    """Blanks, line ends and indents are free; a test by subsets has the others of its box."""
    text = "\ufeff\n   age < 4.5e1\r\n\n   |- yes: colour in { green ,'red' }\n"
    text += "   |  |- yes: anything\n   |  `- no: \n   `- no: leaf\n"
    tree = Tree.from_text(text, TABLE)
    assert asked(tree) == [("age", Below(45.0)), ("colour", In(("green", "red"), ("blue",)))]
    assert [leaf.rows for leaf in tree.leaves()] == [3, 2, 1]
    with pytest.raises(slp.DataError, match="E616"):
        Tree.from_text("colour in {red, blue, green}\n|- yes: leaf\n`- no: leaf", TABLE)


def test_a_bound_of_32_bits_is_that_of_scikit_learn() -> None:
    for t in (0.1, 8.5, -3.75, 1 / 3):
        tree = Tree(Split("age", Below(threshold_below(t)), Leaf(), Leaf()))
        assert " <= " in tree.to_text()
        assert asked(TreeText.read(SourceFile("t", tree.to_text())).on(TABLE)) == asked(tree)


def test_levels_that_are_left_out_are_found_where_one_test_fits() -> None:
    rng = np.random.default_rng(1)
    towns = [f"t{i:02}" for i in range(30)] * 3
    y = (rng.normal(size=90) + np.array([int(t[1:]) / 10 for t in towns])).tolist()
    program = slp.parse(":- use(growtree). :- feature(town, [subsets(ordered)]).")
    table = pl.DataFrame({"town": towns, "y": y})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of draws that are few
        few = {"islands": 2, "particles": 20}
        found = program.posterior(table, engine="smc", draws=20, seed=1, **few)
    trees = {draw.tree for draw in found.draws}
    short = [tree for tree in trees if "..." in tree.to_text()]
    assert short
    for tree in short:
        assert asked(Tree.from_text(tree.to_text(), found.table)) == asked(tree)
    with pytest.raises(slp.DataError, match="E616"):
        Tree.from_text("town in {t00, t01, ... 2 of 30}\n├─ yes: leaf\n└─ no: leaf", found.table)


@pytest.mark.parametrize(
    "name",
    ["age", "a b", "a < b", "it's", "", " a", "x or missing", "...", "a\nb", "é", "\\", "[1]"]
    + ["a, b", "{a}", "\x1b[31m", "\ud800", "x in {", "a = b, else c", '"', "3 mg"],
)
def test_names_come_back(name: str) -> None:
    text = name_text(name)
    assert name_of_text(text) == name and text.isprintable()
    for test in (Below(3.0, "left", unit=name), Is("x", other=name), Is(name), In((name,), ("x",))):
        words = words_of_test(test.condition(name_text(name)))
        assert words is not None and words.feature == name
        if isinstance(test, Below):
            assert words.number == (3.0, name) and words.side == "left"
        elif isinstance(test, In):
            assert words.levels == ((name,), None)
        else:
            assert name in (words.level, words.other)


_TEST = "age < 30\n├─ yes: leaf\n└─ no: leaf"


@pytest.mark.parametrize(
    ("text", "code", "place", "said"),
    [
        ("", "E615", None, "no line"),
        ("hello", "E615", "1:1", "neither a leaf nor a test"),
        ("age < 30", "E615", "1:1", "no lines below"),
        (_TEST.replace("└─ no", "└─ yes"), "E615", "3:1", "`yes:` stands where `no:`"),
        (_TEST + "\n└─ no: leaf", "E615", "4:1", "hangs on no test"),
        (_TEST + "\nmore", "E615", "4:1", "begins with no branch"),
        (_TEST.replace("├─", "│  ├─"), "E615", "2:1", "hangs on no test"),
        (_TEST[: _TEST.rindex("\n")], "E615", "1:1", "`no:` is missing"),
        (_TEST.replace("< 30", "is 30"), "E615", "1:1", "is no test"),
        (_TEST.replace("age", "'age"), "E615", "1:1", "is no test"),
        (_TEST.replace("age", "height"), "E616", "1:1", "no such feature"),
        (_TEST.replace("30", "red"), "E616", "1:7", "no number"),
        (_TEST.replace("30", "30 mg"), "E616", "1:7", "not the unit"),
        (_TEST.replace("<", "="), "E616", "1:5", "has an order"),
        (_TEST.replace("30", "30 or missing"), "E616", "1:10", "take no side"),
        (_TEST.replace("age", "colour"), "E616", "1:8", "has levels"),
        (_TEST.replace("age < 30", "colour = pink"), "E616", "1:10", "no such level"),
        (_TEST.replace("age < 30", "colour = red, else red"), "E616", "1:20", "one other level"),
        (_TEST.replace("age < 30", "colour in {red, red}"), "E616", "1:11", "different levels"),
        (_TEST.replace("age < 30", "colour in {red"), "E616", "1:11", "different levels"),
        (_TEST.replace("leaf", "colour = red", 1), "E615", "2:9", "no lines below"),
    ],
)
def test_faults_are_shown_at_their_place(text: str, code: str, place: str, said: str) -> None:
    with pytest.raises(slp.DataError) as caught:
        Tree.from_text(text, TABLE)
    (found,) = caught.value.diagnostics
    assert found.code == code and said in found.message and found.help
    assert place is None if found.span is None else str(found.span) == f"the tree:{place}"
    assert text == "" or "^" in str(caught.value)


def test_messages_repeat_nothing_of_the_text() -> None:
    """It may be a private file that a program names."""
    secret = "s3cr3t"
    for text in (
        *(secret, f"{secret} < 3\n├─ yes: leaf\n└─ no: leaf", f"age < 3\n{secret}"),
        f"colour = {secret}\n├─ yes: leaf\n└─ no: leaf",
        f"age < 3 {secret}\n├─ yes: leaf\n└─ no: leaf",
    ):
        with pytest.raises(slp.DataError) as caught:
            Tree.from_text(text, TABLE)
        (found,) = caught.value.diagnostics
        assert secret not in found.message + str(found.help)


def test_a_table_is_needed() -> None:
    for text, table in ((_TEST, ROWS), (3, TABLE), (_TEST, None)):
        with pytest.raises(slp.UsageError, match="E617"):
            Tree.from_text(text, table)  # type: ignore[arg-type]


def test_thresholds_inside_bins_are_told() -> None:
    program = slp.parse(":- use(growtree). :- feature(age, [cuts([25, 50])]).")
    table = program.posterior(ROWS).table
    with pytest.raises(slp.DataError, match="E609"):
        Tree.from_text(_TEST, table)


def test_deep_trees_come_back() -> None:
    tree = Tree(Leaf())
    for i in range(1500):
        tree = Tree(Split("age", Below(float(i)), tree.root, Leaf()))
    text = TreeText.read(SourceFile("deep", tree.to_text()))
    assert text.n_leaves == 1501 and asked(text.on(TABLE)) == asked(tree)


@pytest.mark.thinned(20)
@pytest.mark.parametrize("seed", range(60))
def test_any_text_is_read_or_reported(seed: int) -> None:
    rng = random.Random(seed)
    pieces = ["├─ yes: ", "└─ no: ", "│  ", "   ", "|- yes: ", "`- no: ", "\n", "age", " < ", "30"]
    pieces += [" = ", "colour", "red", " in {", ", ", "}", "'", "\\", " or missing", ", else "]
    pieces += ["... 3 of 9", "leaf", "45 rows", "", "\x00", "'a < b'", "mg", "nan", "1e999", "\t"]
    texts = [draw.tree.to_text() for draw in POSTERIOR.draws[:40]]
    for _ in range(40):
        if rng.random() < 0.5:
            text = "".join(rng.choice(pieces) for _ in range(rng.randrange(20)))
        else:
            text = rng.choice(texts)
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice(pieces) + text[at + rng.randrange(4) :]
        try:
            tree = Tree.from_text(text, TABLE)
        except slp.SlpError as error:
            assert str(error)
        else:
            assert sum(leaf.rows for leaf in tree.leaves()) == 6
