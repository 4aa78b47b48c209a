"""Frames, arrays and lists of rows in Python."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import slp
from slp.data import table_of, taken_in
from slp.data.frames import frame_of
from slp.errors import DataError

ROWS = [[1.5, "a", True, 1], [2.5, "b", False, 2], [1.5, "a", True, 1]]
NAMES = ["x", "kind", "flag", "y"]


def messages(error):
    return [str(DataError(d)) for d in error.value.diagnostics]


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame(ROWS, schema=NAMES, orient="row"),
        pl.DataFrame(ROWS, schema=NAMES, orient="row").lazy(),
        pd.DataFrame(ROWS, columns=NAMES, index=[7, 7, 9]),
        pd.DataFrame(ROWS, columns=NAMES).convert_dtypes(),
        pd.DataFrame(ROWS, columns=NAMES).astype({"kind": "category"}),
        pd.DataFrame(ROWS, columns=NAMES).astype(object),
        pd.DataFrame(ROWS, columns=NAMES).astype({"x": "float64[pyarrow]", "y": "int64[pyarrow]"}),
    ],
    ids=["polars", "lazy", "pandas", "nullable", "category", "object", "arrow"],
)
def test_frames_of_all_kinds_make_the_same_table(program, frame):
    table = table_of(program(), frame)
    assert table.feature_names == ("x", "kind", "flag")
    assert table.features[0].kind.values.tolist() == [1.5, 2.5]
    assert [f.kind.names for f in table.features[1:]] == [("a", "b"), ("false", "true")]
    assert table.codes.tolist() == [[0, 0, 1], [1, 1, 0]]
    assert table.counts.tolist() == [2, 1]
    assert table.row_of.tolist() == [0, 1, 0]
    assert table.statistics.tolist() == [[2.0, 0.0], [0.0, 1.0]]
    assert (table.response, table.leaf.classes, table.n_rows) == ("y", (1, 2), 3)


@pytest.mark.parametrize(
    "rows",
    [ROWS, tuple(map(tuple, ROWS)), np.array(ROWS, dtype=object)],
    ids=["lists", "tuples", "array"],
)
def test_rows_without_names(program, rows):
    table = table_of(program(), rows)
    assert table.feature_names == ("x0", "x1", "x2")
    assert table.response == "x3"
    assert table.codes.tolist() == [[0, 0, 1], [1, 1, 0]]


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_matrix_is_an_array(program):
    table = table_of(program(), np.matrix([[1.0, 5.0], [2.0, 5.0]]), ["a", "b"])
    assert [f.kind.values.tolist() for f in table.features] == [[1, 2], [5]]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint64, np.longdouble])
def test_numeric_arrays(program, dtype):
    X = np.array([[1, 5], [2, 5], [1, 6]], dtype=dtype)
    table = table_of(program(), X, ["a", "b", "a"])
    assert table.feature_names == ("x0", "x1")
    assert [f.kind.values.tolist() for f in table.features] == [[1, 2], [5, 6]]
    assert table.response == "y"


def test_pandas_categories_of_numbers_are_categorical(program):
    frame = pd.DataFrame({"grade": pd.Categorical([10, 9, 10], ordered=True), "y": ["a", "b", "a"]})
    assert table_of(program(), frame).features[0].kind.names == ("9", "10")


def test_columns_named_by_numbers(program):
    table = table_of(program(response="2"), pd.DataFrame([[1, 2, 3], [2, 3, 4]]))
    assert (table.feature_names, table.response) == (("0", "1"), "2")


def test_numbers_of_python_keep_their_value(program):
    rows = [[Decimal("0.5"), True, "a"], [2, 3, "b"], [np.float32(0.5), 1, "a"]]
    table = table_of(program(), rows)
    assert [f.kind.values.tolist() for f in table.features] == [[0.5, 2.0], [1.0, 3.0]]
    assert table.counts.tolist() == [2, 1]


def test_numbers_beside_text_are_text(program):
    table = table_of(program(), [["a", 1], [2, 2], [2.0, 2], ["b", 1]])
    assert table.features[0].kind.names == ("2", "a", "b")


@pytest.mark.parametrize(
    "missing", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT, Decimal("sNaN"), "", "  "]
)
def test_missing_cells(program, missing):
    with pytest.raises(DataError) as e:
        table_of(program(), [[1, 2.0, 0], [2, missing, 0], [3, missing, 1]])
    assert messages(e) == [
        "error[E420]: column `x1` misses 2 values, the first in row 2\n"
        "  help: write :- feature(x1, [missing(side)]). so that splits say where they go, leave "
        "those rows out, or write :- ignore(x1)."
    ]


def test_every_fault_of_a_table_is_told_at_once(program):
    nat = np.datetime64("NaT")
    frame = pd.DataFrame(
        {
            "Age": [1.0, None, 2.0],
            "gone": [None, None, None],
            "when": [datetime.datetime(2020, 1, 1), None, None],
            "box": [[1], [2], [3]],
            "stamp": [nat, nat, np.datetime64("2020-01-01")],
            "y": ["a", None, "b"],
        }
    )
    with pytest.raises(DataError) as e:
        table_of(program(), frame)
    assert messages(e) == [
        "error[E420]: column `Age` misses 1 value, in row 2\n"
        "  help: write :- feature('Age', [missing(side)]). so that splits say where they go, leave "
        "those rows out, or write :- ignore('Age').",
        "error[E420]: column `gone` misses 3 values, in every row\n"
        "  help: write :- feature(gone, [missing(side)]). so that splits say where they go, leave "
        "those rows out, or write :- ignore(gone).",
        "error[E411]: column `when` holds dates or times, which are neither numeric nor "
        "categorical\n  help: turn them into numbers, such as days since 1970: frame['when'] = "
        "(pandas.to_datetime(frame['when'], utc=True) - pandas.Timestamp(0, tz='UTC')) / "
        "pandas.Timedelta(days=1); or write :- ignore(when).",
        "error[E412]: column `box` holds values of type list\n"
        "  help: cells must be numbers, text or truth values; or write :- ignore(box).",
        "error[E411]: column `stamp` holds dates or times, which are neither numeric nor "
        "categorical\n  help: turn them into numbers, such as days since 1970: frame['stamp'] = "
        "(pandas.to_datetime(frame['stamp'], utc=True) - pandas.Timestamp(0, tz='UTC')) / "
        "pandas.Timedelta(days=1); or write :- ignore(stamp).",
        "error[E420]: column `y` misses 1 value, in row 2\n"
        "  help: leave those rows out: a row without a response says nothing",
    ]
    ignored = program(ignored=("Age", "gone", "when", "stamp", "y"), response="y")
    with pytest.raises(DataError) as e:
        table_of(ignored, frame)
    assert [d.code for d in e.value.diagnostics] == ["E412", "E420"]


@pytest.mark.parametrize(
    ("column", "code", "type_name"),
    [
        (pl.Series([datetime.date(2020, 1, 1)]), "E411", None),
        (pl.Series([datetime.timedelta(1)]), "E411", None),
        (pl.Series([[1, 2]]), "E412", "List(Int64)"),
        (pl.Series([b"x"]), "E412", "Binary"),
        (pl.Series([{"a": 1}]), "E412", "Struct({'a': Int64})"),
        (pl.Series([object()], dtype=pl.Object), "E412", "object"),
    ],
)
def test_polars_columns_that_are_neither_numbers_nor_text(program, column, code, type_name):
    with pytest.raises(DataError) as e:
        table_of(program(), pl.DataFrame({"a": column, "y": [1]}))
    (finding,) = e.value.diagnostics
    assert finding.code == code
    if type_name:
        assert finding.message == f"column `a` holds values of type {type_name}"


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (pl.Series([Decimal("1.5"), Decimal("2")]), [1.5, 2.0]),
        (pl.Series([1, 2], dtype=pl.UInt8), [1.0, 2.0]),
        (pl.Series([1, 2], dtype=pl.Int128), [1.0, 2.0]),
        (pl.Series([1.5, 2], dtype=pl.Float32), [1.5, 2.0]),
    ],
)
def test_polars_numbers(program, column, values):
    table = table_of(program(), pl.DataFrame({"a": column, "y": [1, 2]}))
    assert table.features[0].kind.values.tolist() == values


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.bool_, object])
def test_masked_cells_are_missing(program, dtype):
    cells = np.array([[1, 2], [3, 4]], dtype=dtype)
    X = np.ma.MaskedArray(cells, mask=[[False, True], [False, False]])
    with pytest.raises(DataError, match="column `x1` misses 1 value, in row 1"):
        table_of(program(), X, [0, 1])


ACCEPTED = "pass a pandas or polars frame, a two-dimensional NumPy array or a list of rows"


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros(3), f"E410]: the array has 1 dimension, a table has 2\n  help: {ACCEPTED}"),
        (np.array(3), f"E410]: the array has 0 dimensions, a table has 2\n  help: {ACCEPTED}"),
        (
            {"a": [1]},
            "E410]: a dict is no table and no response\n"
            "  help: pass pandas.DataFrame(X) or polars.DataFrame(X), if it has columns",
        ),
        (None, f"E410]: a value of type NoneType is no table\n  help: {ACCEPTED}"),
        (
            [1, 2],
            f"E410]: row 1 of the list is of type int, not a list of cells\n  help: {ACCEPTED}",
        ),
        (
            [[1, 2], [3]],
            "E414]: row 2 has 1 cell, row 1 has 2\n"
            "  help: every row needs one cell for each column",
        ),
        ([], "E404]: the table has no rows\n  help: inference needs at least one"),
        (
            np.zeros((0, 3)),
            "E404]: the table has no rows\n  help: inference needs at least one",
        ),
        (pd.DataFrame(), "E404]: the table has no rows\n  help: inference needs at least one"),
        (pl.DataFrame(), "E404]: the table has no rows\n  help: inference needs at least one"),
        (
            np.zeros((3, 0)),
            "E404]: the table has no columns\n  help: it needs features and a response",
        ),
        (
            pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
            "E407]: 2 columns are called `a` (columns 1, 3)\n"
            "  help: rename them, so that a program can say which it means",
        ),
        (
            pl.DataFrame({"": [1], "b": [2]}),
            "E408]: column 1 has no name\n"
            "  help: name it in the header; pandas writes a row index unless told index=False",
        ),
    ],
)
def test_what_is_no_table(X, message):
    with pytest.raises(DataError) as e:
        frame_of(X)
    assert str(e.value) == f"error[{message}"


def test_a_sparse_matrix_is_made_dense_within_a_budget():
    made = frame_of(csr_array(np.eye(2)))
    assert [column.cells.tolist() for column in made.columns] == [[1, 0], [0, 1]]
    wide = csr_array((1000, 100_000))
    with pytest.raises(slp.SlpError, match=r"E501.*1.0 GiB.*\n?.*2.3 GiB"):
        taken_in(wide, 1 << 30)


@pytest.mark.parametrize("dtype", ["complex128", "S3"])
def test_arrays_of_other_types(program, dtype):
    with pytest.raises(DataError) as e:
        table_of(program(), np.ones((2, 1)).astype(dtype), [0, 1])
    name = np.dtype(dtype).name
    assert e.value.diagnostics[0].message == f"column `x0` holds values of type {name}"
