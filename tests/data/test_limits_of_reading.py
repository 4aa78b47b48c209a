"""Tables are read within the memory and the time of a run, whatever their files claim."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from slp.budgets import Deadline, ReadingRoom, held
from slp.cli import slp_command
from slp.cli.common import run
from slp.data import read_columns
from slp.data.columns import column_of_objects
from slp.data.polars_frames import column_of_polars
from slp.errors import BudgetError, TimeOverError

HEADER, ROWS = b"a,b,y\n", b"1,2,p\n" * 2_000_000  # 12 MB, 12 KB as gzip


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Equal rows, then a second member of gzip, so that the size at its end is that of one row."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.csv.gz"
    path.write_bytes(gzip.compress(HEADER + ROWS) + gzip.compress(b"1,2,p\n"))
    return path


class Counted:
    """Counts the bytes that are unpacked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read, inner = 0, gzip.GzipFile.read

        def read(file: gzip.GzipFile, size: int | None = -1) -> bytes:
            out = inner(file, size)
            self.read += len(out)
            return out

        monkeypatch.setattr(gzip.GzipFile, "read", read)


@pytest.mark.parametrize("large", [1, 1 << 40])  # read in pieces, and as a whole
def test_unpacking_ends_with_the_memory(
    bomb: Path, monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    counted = Counted(monkeypatch)
    monkeypatch.setattr("slp.data.files._LARGE", large)
    with pytest.raises(BudgetError, match=r"E501.*to read .*bomb\.csv\.gz takes at least"):
        read_columns(bomb, memory="8MiB")
    assert 0 < counted.read < 6_000_000


@pytest.mark.parametrize("large", [1, 1 << 40])
def test_unpacking_ends_with_the_time(
    bomb: Path, monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    counted, looks = Counted(monkeypatch), iter(range(1000))
    monkeypatch.setattr("slp.data.files._LARGE", large)
    with (
        held(Deadline(4, now=lambda: float(next(looks)), began=0.0)),
        pytest.raises(TimeOverError, match=r"E540.*reading .*bomb\.csv\.gz"),
    ):
        read_columns(bomb)
    assert counted.read < 10_000_000


@pytest.mark.parametrize(
    "content",
    [
        b"," * 100_000 + b"y\n" + b"," * 100_000 + b"1\n",  # columns
        b"a,b,y\n" + b'1,2,"p"\n' * 1_000_000,  # cells, with quotes
        b"a,b,c,d,e,f,y\n" + b"\n" * 500_000,  # blank lines
        b"a,b,y\n" + b"1" * 20_000_000,  # one line
    ],
)
def test_amounts_that_text_makes_in_memory(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(BudgetError, match="E501"):
        read_columns(path, memory="40MiB")


def test_many_equal_rows_of_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.select(a=pl.repeat(1, 3_000_000, dtype=pl.Int64), y=pl.lit("p")).write_parquet(path)
    assert path.stat().st_size < 100_000
    with pytest.raises(BudgetError, match=r"E501.*t\.parquet takes at least 68"):
        read_columns(path, memory="60MiB")


@pytest.mark.parametrize(
    "command",
    [
        ("new", "BOMB", "--memory", "8MiB"),
        ("predict", "growtree", "SMALL", "BOMB", "--memory", "8MiB"),
        ("map", "growtree", "BOMB", "--memory", "8MiB"),
    ],
)
def test_commands_read_within_their_memory(
    command: tuple[str, ...], bomb: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = tmp_path / "small.csv"
    small.write_bytes(HEADER + b"1,2,p\n2,1,q\n")
    names = {"BOMB": str(bomb), "SMALL": str(small)}
    assert run(slp_command, [names.get(part, part) for part in command]) == 1
    assert "error[E501]: the table alone is too large" in capsys.readouterr().err


def test_equal_texts_are_one_object() -> None:
    texts = ["a b", None, "  ", "x", "", " x "] * 5
    have = column_of_polars("c", pl.Series("c", texts))
    want = column_of_objects("c", texts)
    assert have.kind == want.kind and have.missing.tolist() == want.missing.tolist()
    assert have.cells[~have.missing].tolist() == want.cells[~want.missing].tolist()
    assert len(set(map(id, have.cells))) <= 4
    empty = column_of_polars("c", pl.Series("c", [None, None, None], dtype=pl.String))
    assert bool(np.all(empty.missing))


def test_a_room_says_what_does_not_fit() -> None:
    with pytest.raises(BudgetError, match="t takes at least 2.0 KiB"):
        ReadingRoom("t", 1024).check(2048)
