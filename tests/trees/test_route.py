"""Rows to leaves: frames, arrays, coded tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slp
from slp.columns import Below, Binned, Is, Nominal, Numeric, Test
from slp.data import Table, read_columns
from slp.data.feature_kind import Feature
from slp.errors import DataError
from slp.leaves import Dirichlet
from slp.trees import Leaf, Split, Tree, route_rows
from slp.trees.route import CodedRows, RowsOfTable

TREE = Tree(
    Split(
        "age",
        Below(24.0),
        Split("colour", Is("3"), Leaf({"counts": {"p": 2, "q": 2}}), Leaf({"counts": {"q": 1}})),
        Leaf({"counts": {"p": 1, "q": 4}}),
    )
)
COLUMNS = {"colour": [3, 3, 7, 7], "age": [23.9, 24.0, 0, 99], "more": ["", None, "x", "y"]}


def message(call: object, *args: object) -> tuple[str, str]:
    """Code and message of the DataError that a call raises."""
    with pytest.raises(DataError) as caught:
        call(*args)  # type: ignore[operator]
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.help
    return diagnostic.code, diagnostic.message


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_rows_of_frames(frame: type) -> None:
    assert TREE.apply(frame(COLUMNS)).tolist() == [0, 2, 1, 2]
    assert TREE.predict(frame(COLUMNS)).tolist() == ["p", "q", "q", "q"]


def test_rows_of_a_lazy_frame() -> None:
    columns = {**COLUMNS, "more": ["", "", "x", "y"]}
    assert TREE.apply(pl.LazyFrame(columns)).tolist() == [0, 2, 1, 2]


def test_whole_numbers_are_levels_by_their_digits() -> None:
    rows = pd.DataFrame({"colour": [3.0, "3", np.int64(3), True], "age": [0, 0, 0, 0]})
    assert TREE.apply(rows).tolist() == [0, 0, 0, 1]


def test_rows_of_arrays_have_columns_by_position() -> None:
    tree = Tree(Split("x1", Below(0.5), Leaf({"n": 1, "mean": 2.0}), Leaf({"n": 1, "mean": 3.0})))
    X = np.array([[9.0, 0.4], [9.0, 0.5], [9.0, np.inf]])
    assert tree.apply(X).tolist() == [0, 1, 1]
    assert tree.predict(X).tolist() == [2.0, 3.0, 3.0]


def test_no_rows() -> None:
    assert TREE.apply(pl.DataFrame({"age": [], "colour": []})).tolist() == []


def test_a_missing_column() -> None:
    have = message(TREE.apply, pl.DataFrame({"age": [1.0]}))
    assert have == ("E606", "the tree splits on colour, and there is no such column")


def test_values_that_cannot_be_compared() -> None:
    have = message(TREE.apply, pl.DataFrame({"age": ["old"], "colour": [3]}))
    want = "age holds something that is no number: could not convert string to float: 'old'"
    assert have == ("E607", want)
    have = message(TREE.apply, pl.DataFrame({"age": [1.0, None], "colour": [3, 3]}))
    assert have == ("E607", "row 2 has no value of age")
    have = message(TREE.apply, np.array([1.0, 2.0]))
    assert have == ("E607", "the rows have shape (2,) where (n, d) is needed")


def table() -> Table:
    """Four distinct rows; the first stands for two. age: values, dose: bins, colour: levels."""
    leaf = Dirichlet(("p", "q"), 1)
    codes = np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2], [2, 0, 1]], dtype=np.int32)
    return Table(
        features=(
            Feature("age", Numeric(np.array([10.0, 20.0, 40.0]))),
            Feature("dose", Binned(np.array([1.0, 5.0]))),
            Feature("colour", Nominal(("blue", "green", "red"))),
        ),
        codes=codes,
        counts=np.array([2, 1, 1, 1]),
        statistics=np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]),
        leaf=leaf,
        response="y",
        n_rows=5,
        row_of=np.array([0, 0, 1, 2, 3]),
        without_weight=np.zeros(0, np.int64),
    )


def counts(tree: Tree) -> list[dict[str, int]]:
    return [leaf.summary["counts"] for leaf in tree.with_summaries(table()).leaves()]


def test_summaries_from_a_table() -> None:
    assert counts(Tree(Leaf())) == [{"p": 3, "q": 2}]
    by_age = Tree(Split("age", Below(20.0), Leaf(), Leaf()))
    assert counts(by_age) == [{"p": 1, "q": 1}, {"p": 2, "q": 1}]
    by_dose = Tree(
        Split("dose", Below(5.0), Leaf(), Leaf())
    )  # bins below 5 are those of codes 0, 1
    assert counts(by_dose) == [{"p": 2, "q": 2}, {"p": 1}]
    by_colour = Tree(Split("colour", Is("green"), Leaf(), Leaf()))
    assert counts(by_colour) == [{"p": 1, "q": 1}, {"p": 2, "q": 1}]


def test_trees_that_do_not_fit_a_table() -> None:
    def routed(feature: str, test: Test) -> tuple[str, str]:
        return message(Tree(Split(feature, test, Leaf(), Leaf())).with_summaries, table())

    assert routed("size", Below(1.0)) == (
        "E606",
        "the tree splits on size, and there is no such column",
    )
    assert routed("age", Is("20")) == (
        "E608",
        "the tree tests age against a level, but it is numeric in the table",
    )
    assert routed("colour", Below(1.0)) == (
        "E608",
        "the tree tests colour against a threshold, but it is categorical in the table",
    )
    assert routed("dose", Below(2.5)) == (
        "E609",
        "the tree cuts dose at 2.5, inside a bin: "
        "the table does not tell the values in a bin apart",
    )


def test_rows_of_a_coded_table_are_those_of_the_table() -> None:
    """Equal rows are one row of the coded table, and each counts."""
    rows = pl.DataFrame({"age": [1, 1, 1, 2, 3], "colour": list("aabcb"), "y": list("ppqqq")})
    program = slp.load("growtree")
    coded = program.posterior(rows, "y", engine="exact", draws=0).table
    assert len(coded.counts) < coded.n_rows
    tree = Tree(
        Split("age", Below(1.5), Split("colour", Is("a"), Leaf({"n": 2}), Leaf()), Leaf({"n": 2}))
    )
    given = RowsOfTable.of(program.ir, rows, "y")
    assert [leaf.counted for leaf in CodedRows(coded).leaves(tree)] == [2, 1, 2]
    assert [leaf.counted for leaf in given.leaves(tree)] == [2, 1, 2]
    assert [leaf.summary for leaf in CodedRows(coded).leaves(tree)] == [{"n": 2}, {}, {"n": 2}]
    assert CodedRows(coded).levels(tree) == given.levels(tree) == {"colour": frozenset("abc")}


def test_missing_values_of_a_file_take_their_side(tmp_path: Path) -> None:
    """A column of a file has a cell where a value is missing, too."""
    path = tmp_path / "rows.csv"
    path.write_text("age,y\n1,p\n,p\n3,q\n")
    tree = Tree(Split("age", Below(2.0, "right"), Leaf(), Leaf()))
    assert route_rows(tree, read_columns(str(path))).tolist() == [0, 1, 1]
