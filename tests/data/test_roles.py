"""Which columns are the features and the response, its event, its exposure, and what is ignored."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from slp.data import table_of
from slp.errors import DataError
from slp.ir.leaves import LeafDeclaration
from slp.ir.program import FeatureDeclaration
from slp.source import SourceFile, SourceSpan

POISSON = LeafDeclaration("gamma_poisson", (1.0, 1.0))
EXPONENTIAL = LeafDeclaration("gamma_exponential", (1.0, 1.0))

FRAME = pl.DataFrame({"a": [1, 2], "b": ["u", "v"], "c": [3, 4]})


@pytest.mark.parametrize(
    ("declarations", "y", "features", "response"),
    [
        ({}, None, ("a", "b"), "c"),
        ({"response": "b"}, None, ("a", "c"), "b"),
        ({"response": "b"}, "a", ("b", "c"), "a"),
        ({"ignored": ("c",)}, None, ("a",), "b"),
        ({"ignored": ("c",)}, "c", ("a", "b"), "c"),
        ({"ignored": ("a", "nowhere")}, None, ("b",), "c"),
        ({}, [0, 1], ("a", "b", "c"), "y"),
        ({"response": "z"}, (0, 1), ("a", "b", "c"), "z"),
        ({}, np.array([[0], [1]]), ("a", "b", "c"), "y"),
        ({}, pd.Series([0, 1], name="d", index=[5, 6]), ("a", "b", "c"), "d"),
        ({}, pd.Series([0, 1]), ("a", "b", "c"), "y"),
        ({}, pl.Series("d", [0, 1]), ("a", "b", "c"), "d"),
        ({}, pl.Series([0, 1]), ("a", "b", "c"), "y"),
        ({}, pd.DataFrame({"d": [0, 1]}), ("a", "b", "c"), "d"),
        ({}, pl.DataFrame({"d": [0, 1]}), ("a", "b", "c"), "d"),
    ],
)
def test_roles(program, declarations, y, features, response):
    table = table_of(program(**declarations), FRAME, y)
    assert (table.feature_names, table.response) == (features, response)


ROLE_FAULTS = [
    (
        {},
        "bb",
        "error[E425]: there is no column `bb` for the response\n  help: did you mean `b`?",
    ),
    (
        {"response": "species"},
        None,
        "error[E425]: there is no column `species` for the response\n"
        "  help: the columns are `a`, `b`, `c`",
    ),
    (
        {"response": "c", "event": "seen", "leaf": EXPONENTIAL},
        None,
        "error[E425]: there is no column `seen` for the event\n"
        "  help: the columns are `a`, `b`, `c`",
    ),
    (
        {},
        [0, 1, 1],
        "error[E413]: the table has 2 rows, but y has 3 values\n"
        "  help: y needs one value for each row, in the same order",
    ),
    (
        {},
        np.zeros((2, 2)),
        "error[E413]: y is an array of shape (2, 2), the response is one column\n"
        "  help: pass an array of shape (n,)",
    ),
    (
        {},
        FRAME,
        "error[E413]: y has 3 columns, the response is one\n  help: pass one column",
    ),
    (
        {},
        7.5,
        "error[E413]: a value of type float is no response\n"
        "  help: pass a series, an array, a list or a column name",
    ),
    (
        {},
        pl.Series("b", ["u", "v"]),
        "error[E426]: the response `b` is given as y and is a column of the table as well\n"
        '  help: drop the column from X, or pass y="b" to take it from there',
    ),
    (
        {},
        pd.Series(["3.0", "4"], name="c").astype(float),  # the same values in another type
        "error[E426]: the response `c` is given as y and is a column of the table as well\n"
        '  help: drop the column from X, or pass y="c" to take it from there',
    ),
    (
        {"response": "b"},
        pl.Series("d", [0, 1]),
        "error[E426]: the response `b` is given as y and is a column of the table as well\n"
        '  help: drop the column from X, or pass y="b" to take it from there',
    ),
    (
        {"ignored": ("a", "b")},
        None,
        "error[E424]: the table has no feature columns\n"
        "  help: the response is `c`; every other column is ignored or not there",
    ),
    (
        {"response": "c", "exposure": "c", "leaf": POISSON},
        None,
        "error[E427]: column `c` cannot be both the count and its exposure\n"
        "  help: write :- response(claims, exposure(years)).",
    ),
    (
        {"response": "c", "exposure": "years", "leaf": POISSON},
        None,
        "error[E425]: there is no column `years` for the exposure\n"
        "  help: the columns are `a`, `b`, `c`",
    ),
    (
        {"response": "c", "event": "c", "leaf": EXPONENTIAL},
        None,
        "error[E427]: column `c` cannot be both the duration and its event\n"
        "  help: write :- response(time, event(status)).",
    ),
]


@pytest.mark.parametrize(("declarations", "y", "message"), ROLE_FAULTS)
def test_faults_of_roles(program, declarations, y, message):
    with pytest.raises(DataError) as e:
        table_of(program(**declarations), FRAME, y)
    assert str(e.value) == message


def test_a_series_may_have_the_name_of_a_feature(program):
    """Then all columns are features, and what is declared of the name is of the feature."""
    categorical = FeatureDeclaration("c", "categorical", None)
    table = table_of(program(features=(categorical,)), FRAME, pl.Series("c", [0.25, 0.5]))
    assert table.feature_names == ("a", "b", "c")
    assert table.features[2].kind.names == ("3", "4")
    assert (table.response, table.leaf.classes) == ("c", ())
    assert table.new_rows(FRAME)[:, 2].tolist() == ["3", "4"]


def test_a_wrong_response_is_shown_in_the_program(program):
    file = SourceFile("prior.slp", ":- response(species).\n")
    span = SourceSpan(file, 12, 19)
    with pytest.raises(DataError) as e:
        table_of(program(response="species", spans={"response": span}), FRAME)
    assert e.value.diagnostics[0].span == span
