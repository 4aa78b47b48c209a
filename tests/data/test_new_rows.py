"""Rows to predict."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from slp.data import table_of
from slp.errors import DataError, SlpWarning
from slp.ir.program import Cuts, FeatureDeclaration

ROWS = [[1.5, "a", True, 1], [2.5, "b", False, 2], [1.5, "a", True, 1]]
NAMES = ["x", "kind", "flag", "y"]


def messages(error):
    return [str(DataError(d)) for d in error.value.diagnostics]


@pytest.fixture
def table(program):
    declared = program(features=(FeatureDeclaration("x", None, Cuts((2.0,))),))
    return table_of(declared, pl.DataFrame(ROWS, schema=NAMES, orient="row"))


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"flag": [False], "other": [9], "kind": ["new"], "x": [7]}),
        pd.DataFrame({"flag": [False], "kind": ["new"], "x": ["7"]}),
        [[7, "new", False]],
        np.array([[7, "new", False]], dtype=object),
    ],
    ids=["polars", "pandas", "list", "array"],
)
def test_rows_to_predict(table, X):
    with pytest.warns(SlpWarning, match="W440"):
        rows = table.new_rows(X)
    assert rows.dtype == object
    assert rows.tolist() == [[7.0, "new", "false"]]
    assert type(rows[0, 0]) is float


def test_levels_that_the_table_lacks_are_told_once(program):
    names = ["arm", *(f"c{i}" for i in range(9)), "y"]
    data = pd.DataFrame([["A"] * 10 + [0], ["B"] * 10 + [1]], columns=names)
    table = table_of(program(), data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table.new_rows(data)
    new = data.assign(arm=["C", "A"], c0=["D", "C"])
    with pytest.warns(SlpWarning) as found:
        table.new_rows(new)
    assert [w.message.diagnostic.message for w in found] == [
        "the rows to predict have levels that no row of the table has: `C` of `arm`; `C`, `D` of "
        "`c0`"
    ]
    with pytest.warns(SlpWarning, match=r"`C` of `c6`; and of 2 columns more"):
        table.new_rows(data.replace("A", "C"))


def test_arrays_are_matched_by_place_or_by_the_names_of_their_columns(program):
    data = np.array([[9, 1, 5, 0], [9, 2, 6, 1]])
    table = table_of(program(ignored=("x0",)), data)
    assert table.new_rows(data).tolist() == [[1.0, 5.0], [2.0, 6.0]]
    assert table.new_rows(data[:, :3]).tolist() == [[1.0, 5.0], [2.0, 6.0]]
    assert table.new_rows(data[:, 1:3]).tolist() == [[1.0, 5.0], [2.0, 6.0]]


def test_infinities_can_be_predicted(table):
    assert table.new_rows([[-np.inf, "a", True]])[0, 0] == -np.inf


@pytest.mark.parametrize(
    ("X", "want"),
    [
        (
            pl.DataFrame({"x": [1], "kid": ["a"]}),
            [
                "error[E440]: the rows to predict have no column `kind`\n"
                "  help: did you mean `kid`?",
                "error[E440]: the rows to predict have no column `flag`\n"
                "  help: its columns are `x`, `kid`",
            ],
        ),
        (
            [[1, "a"]],
            [
                "error[E441]: the array has 2 columns, the table 3 features\n"
                "  help: in this order: `x`, `kind`, `flag`"
            ],
        ),
        (
            [["?", None, True], [2, "a", True]],
            [
                "error[E421]: column `x` is numeric, but row 1 holds `?`\n  help: correct the cell",
                "error[E420]: column `kind` misses 1 value, in row 1, and no row of the table did\n"
                "  help: fill them in, or leave those rows out, or write "
                ":- feature(kind, [missing(side), new(average)]).",
            ],
        ),
        (
            [["nan", "a", True], ["1", "a", True]],
            [
                "error[E420]: column `x` misses 1 value, in row 1\n"
                "  help: fill them in, or leave those rows out"
            ],
        ),
        (
            [],
            [
                "error[E441]: the array has 0 columns, the table 3 features\n"
                "  help: in this order: `x`, `kind`, `flag`"
            ],
        ),
    ],
)
def test_faults_of_rows_to_predict(table, X, want):
    with pytest.raises(DataError) as e:
        table.new_rows(X)
    assert messages(e) == want
