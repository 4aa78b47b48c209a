"""Reading files: the types of columns, and every message about a file."""

from __future__ import annotations

import datetime
import gzip
import warnings
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slp.data import read_columns, read_frame
from slp.data.frames import frame_of
from slp.data.small_text import MOST_BYTES, find_columns
from slp.errors import DataError, SlpWarning


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file in the working directory, so that messages name it without a folder."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return name

    return write


EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
PLAIN = "age,kind\n30,a\n41,b\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", PLAIN),
        ("t.CSV", PLAIN),
        ("t.tsv", PLAIN.replace(",", "\t")),
        ("t.csv.gz", gzip.compress(PLAIN.encode(), mtime=0)),
        ("t.tsv.gz", gzip.compress(PLAIN.replace(",", "\t").encode(), mtime=0)),
        ("bom.csv", b"\xef\xbb\xbf" + PLAIN.encode()),
        ("crlf.csv", PLAIN.replace("\n", "\r\n")),
        ("no_last_newline.csv", PLAIN.rstrip()),
        ("blank_lines.csv", "\n  \nage,kind\n\n30,a\n \n41,b\n\n\n"),
        ("padded.csv", "age , kind\n 30, a\n41 ,b \n"),
        ("quoted.csv", '"age","kind"\n"30","a"\n"41","b"\n'),
    ],
)
def test_the_same_table_in_many_forms(write, name, content):
    frame = read_frame(write(name, content))
    assert frame.rows() == [(30, "a"), (41, "b")]
    assert frame.schema == {"age": pl.Int64, "kind": pl.String}


def test_parquet(write, tmp_path):
    want = pl.DataFrame({"age": [30, None], "kind": pl.Series(["a", "b"], dtype=pl.Categorical)})
    want.write_parquet(tmp_path / "t.parquet")
    assert read_frame(str(tmp_path / "t.parquet")).rows() == [(30, "a"), (None, "b")]


@pytest.mark.parametrize(
    ("cells", "want"),
    [
        (["1", "2.5", ""], [1.0, 2.5, None]),
        (["1", "inf", "-Infinity"], [1.0, float("inf"), float("-inf")]),
        ([" 7", "+8", "-9"], [7, 8, -9]),
        (["01", "02", "03"], [1, 2, 3]),
        (["1e3", " .5", "5."], [1000.0, 0.5, 5.0]),
        (["4611686018427387905", " 1", "2"], [4611686018427387905.0, 1.0, 2.0]),
        (["a", " ", "b"], ["a", None, "b"]),
        ([" inf", "inf", "inf"], [float("inf")] * 3),
        (["1", "?", "3"], ["1", "?", "3"]),
        (["True", "false", ""], [True, False, None]),
        (["2020-01-01", "2020-01-02", "x"], ["2020-01-01", "2020-01-02", "x"]),
    ],
)
def test_types_of_cells(write, cells, want):
    lines = "".join(f"{c},1\n" for c in cells)
    have = read_frame(write("t.csv", "a,b\n" + lines))["a"].to_list()
    assert have == want
    assert [type(c) for c in have] == [type(c) for c in want]


def test_nan_is_missing_among_numbers(write):
    frame = read_frame(write("t.csv", "a,b\n1,1\nNaN,1\n"))
    assert frame["a"].is_nan().to_list() == [False, True]


def test_a_blank_cell_at_the_end_of_a_line_is_missing_and_no_short_line(write):
    assert read_frame(write("t.csv", "a,b\n1,\n2,3\n")).rows() == [(1, None), (2, 3)]


def test_line_breaks_in_quotes(write):
    frame = read_frame(write("t.csv", 'a,b\n"x\n\ny",\n"z",1\n'))
    assert frame.rows() == [("x\n\ny", None), ("z", 1)]


EXPECTED = "\n  help: the table needs a line of column names and at least one row"
FAULTS = [
    (
        "t.xlsx",
        "PK",
        "error[E402]: t.xlsx: unknown kind of file\n"
        "  help: name it .csv, .tsv, .csv.gz, .tsv.gz or .parquet, as what it is",
    ),
    ("t.csv", "", "error[E403]: t.csv is empty" + EXPECTED),
    ("t.csv", " \n\n", "error[E403]: t.csv is empty" + EXPECTED),
    ("t.csv.gz", gzip.compress(b"", mtime=0), "error[E403]: t.csv.gz is empty" + EXPECTED),
    ("t.parquet", "", "error[E403]: t.parquet is empty" + EXPECTED),
    ("t.csv", "a,b\n", "error[E404]: t.csv has a header but no rows" + EXPECTED),
    ("t.csv", "a,b", "error[E404]: t.csv has a header but no rows" + EXPECTED),
    ("t.csv", "a,b\n\n\n", "error[E404]: t.csv has a header but no rows" + EXPECTED),
    (
        "t.csv",
        "a,b\n1,2\n3\n",
        "error[E405]: t.csv, line 3: 1 cell, but the header has 2\n"
        "  help: give every line one cell for each column; quote cells that hold separators",
    ),
    (
        "t.csv",
        "a;b;c\n1,5;2;x\n2,5;1;y\n",
        "error[E409]: t.csv has cells separated by ';', where ',' belongs\n"
        "  help: write the table again, with a point in numbers; "
        "pandas.read_csv(..., sep=';', decimal=',') reads numbers with a comma",
    ),
    (
        "t.csv",
        "a\tb\n1\t2\n",
        "error[E409]: t.csv has cells separated by '\\t', where ',' belongs\n"
        "  help: write the table again, with a point in numbers; "
        "pandas.read_csv(..., sep='\\t', decimal=',') reads numbers with a comma",
    ),
    (
        "t.csv",
        "a,b\n\n1,2\n3,4,5\n",
        "error[E405]: t.csv, line 4: 3 cells, but the header has 2\n"
        "  help: give every line one cell for each column; quote cells that hold separators",
    ),
    (
        "t.csv",
        b"a,b\n1,x\n2,caf\xe9\n",
        "error[E406]: t.csv is not UTF-8 text (line 3, byte 13)\n  help: save the file as UTF-8",
    ),
    (
        "t.csv",
        "a,b, a,a\n1,2,3,4\n",
        "error[E407]: 3 columns are called `a` (columns 1, 3, 4)\n"
        "  help: rename them, so that a program can say which it means",
    ),
    (
        "t.csv",
        ",b\n1,2\n",
        "error[E408]: column 1 has no name\n"
        "  help: name it in the header; pandas writes a row index unless told index=False",
    ),
    (
        "t.csv",
        ",,\n1,2,3\n",
        "error[E408]: column 1 has no name\n"
        "  help: name it in the header; pandas writes a row index unless told index=False",
    ),
    (
        "t.csv.gz",
        "a,b\n1,2\n",
        "error[E409]: t.csv.gz is not gzip-compressed, or is damaged: "
        "Not a gzipped file (b'a,')\n"
        "  help: if it is plain text, drop .gz from its name",
    ),
]


@pytest.mark.parametrize(("name", "content", "message"), FAULTS)
def test_faults(write, name, content, message):
    for read in (read_frame, read_columns):
        with pytest.raises(DataError) as e:
            read(write(name, content))
        assert str(e.value) == message


def test_a_missing_file_and_a_folder(write, tmp_path):
    with pytest.raises(DataError) as e:
        read_frame("nowhere.csv")
    help = "\n  help: name a file that exists and that you may read"
    assert str(e.value) == f"error[E401]: cannot read nowhere.csv: No such file or directory{help}"
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError) as e:
        read_frame("folder.csv")
    assert str(e.value) == f"error[E401]: cannot read folder.csv: Is a directory{help}"
    with pytest.raises(DataError) as e:
        read_frame("nul\0.csv")
    assert e.value.diagnostics[0].code == "E401"


@pytest.mark.parametrize(
    ("name", "content", "start"),
    [
        ("t.parquet", "no such thing", "t.parquet is no Parquet: "),
        ("t.csv", 'a,b\n1,"x\n', "t.csv cannot be read as separated text: "),
        ("t.csv", "a,b\n" + "x" * 200_000 + "\n", "t.csv cannot be read as separated text: "),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "t.csv.gz is not gzip-compressed"),
    ],
)
def test_unreadable_content(write, name, content, start):
    """The reason after the colon is the reader's own."""
    with pytest.raises(DataError) as e:
        read_frame(write(name, content))
    (finding,) = e.value.diagnostics
    assert finding.code == "E409"
    assert finding.message.startswith(start)


def test_dates_in_parquet_are_read(tmp_path):
    day = datetime.date(2020, 1, 1)
    pl.DataFrame({"d": [day]}).write_parquet(tmp_path / "t.pq")
    assert read_frame(tmp_path / "t.pq").rows() == [(day,)]


# --- small plain text, read without polars ----------------------------------------------------


def same_column(have, want):
    """Columns agree: name, kind, type of cells, which are missing, and what the others hold."""
    assert (have.name, have.kind, have.cells.dtype) == (want.name, want.kind, want.cells.dtype)
    assert have.missing.tolist() == want.missing.tolist()
    there = ~want.missing
    assert have.cells[there].tolist() == want.cells[there].tolist()
    assert have.whole == want.whole


def agrees_with_polars(path):
    """Whether small text was read without polars, and then to the same columns."""
    have = find_columns(path.read_bytes().decode(), ",")
    if have is None:
        return False
    want = frame_of(read_frame(path))
    assert have.n_rows == want.n_rows
    for column, other in zip(have.columns, want.columns, strict=True):
        same_column(column, other)
    return True


CELLS = "1 01 +8 -9 2.5 1e3 .5 5. inf -Infinity nan NaN a b? - e1 1_0 2020-01-01 1,5 0x1 #"
PIECES = [*CELLS.replace(",", ";").split(), "", " ", " 7", "8 ", " a b ", "123456789012345678"]


@pytest.mark.slow
@given(st.data())
@settings(max_examples=150, deadline=None)
def test_small_text_is_read_as_polars_reads_it(tmp_path_factory, data):
    width, n = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 5))
    pool = st.sampled_from(data.draw(st.sampled_from([PIECES, PIECES[:5], ["1", "2", ""]])))
    rows = [[data.draw(pool) for _ in range(width)] for _ in range(n)]
    header = ["a", " b", "c ", "d"][:width]
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    path = tmp_path_factory.mktemp("small") / "t.csv"
    path.write_bytes(end.join(",".join(row) for row in [header, *rows]).encode())
    agrees_with_polars(path)


@pytest.mark.parametrize("example", ["iris/iris.csv", "haberman/haberman.csv"])
def test_examples_are_read_without_polars(example):
    assert agrees_with_polars(EXAMPLES / example)


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n1,"x"\n',  # quotes
        "a,b\n1,\u00e9\n",
        "a,b\n1\r2,3\n",
        "a,b\n1,2\n\n3,4\n",  # a blank line
        "a,b\n1,2,3\n",
        "a,a\n1,2\n",
        "a,\n1,2\n",
        "a\n1\n",
        "a,b\n",
        "a,b\n1,true\n",
        "a,b\n1,\n",  # nothing in a column
        "a,b\n1,1234567890123456789\n",
    ],
)
def test_unusual_text_is_left_to_polars(text):
    assert find_columns(text, ",") is None


def test_large_text_is_checked_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("slp.data.files._PIECE", 7)
    path = tmp_path / "t.csv"
    text = "\ufeffa,b\n" + "\u00e9\u20ac\U0001f600,1\n" * 5 + "x" * MOST_BYTES + ",2\n"
    path.write_text(text, encoding="utf-8")
    assert read_frame(path)["b"].to_list() == [1] * 5 + [2]
    path.write_bytes(text.encode() + b"\xff,3\n")
    with pytest.raises(DataError, match=r"E406.*line 8, byte"):
        read_frame(path)


@pytest.mark.parametrize("content", ["5,40,f\n6,50,m\n", '5,40,"f"\n6,50,"m"\n'])
def test_a_line_of_names_that_is_a_row(write, content):
    with pytest.warns(SlpWarning) as caught:
        read_columns(write("t.csv", content))
    (only,) = (w.message.diagnostic for w in caught)
    assert only.code == "W407"
    assert only.message == "most names of columns in t.csv are numbers: `5`, `40`"


def test_some_names_may_be_numbers(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_columns(write("t.csv", "site,1990,2000,y\n1,2,3,4\n")).n_rows == 1
