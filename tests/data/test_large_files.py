"""Files that are read in pieces, against the same text read as a whole."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

from slp.budgets import ReadingRoom
from slp.data import read_frame
from slp.data.files import read_columns
from slp.data.polars_frames import read_in_pieces
from slp.errors import DataError

_POOLS = (
    ["1", "2", "30"],
    ["1", "2.5", "1e3", "-4"],
    ["1", "2", "", "9007199254740993"],
    ["a", "b c", "", " d "],
    ["1", "x", "2.0", " 7 "],
    ["true", "false", "1"],
    ["true", "false", ""],
    ["1", "12345678901234567890", "0.5"],
    ["", "inf", "nan", "3"],
    ["2020-01-01", "1_0", "+8", "007"],
)


def room(path: Path) -> ReadingRoom:
    return ReadingRoom(str(path), 1 << 30)


def random_text(rng: random.Random) -> str:
    """Columns whose kind of cells changes along the rows now and then."""
    width, n = rng.randint(2, 4), rng.randint(3, 40)
    columns = []
    for _ in range(width):
        first, second = rng.choice(_POOLS), rng.choice(_POOLS)
        change = rng.choice([n, n, rng.randint(0, n)])
        columns.append([rng.choice(first if i < change else second) for i in range(n)])
    columns[-1] = [cell or "z" for cell in columns[-1]] if rng.random() < 0.8 else columns[-1]
    end = rng.choice(["\n", "\r\n"])
    lines = [",".join(["a", " b", "c ", "d"][:width]), *map(",".join, zip(*columns, strict=True))]
    if rng.random() < 0.1:
        lines.insert(rng.randint(1, n), "")
    return rng.choice(["", "\n", "\ufeff"]) + end.join(lines) + rng.choice(["", end])


@pytest.mark.slow
@pytest.mark.parametrize("zipped", [False, True])
def test_pieces_are_read_as_the_whole(tmp_path: Path, zipped: bool) -> None:
    rng, met = random.Random(5), 0
    path = tmp_path / ("t.csv.gz" if zipped else "t.csv")
    for _ in range(150):
        content = random_text(rng).encode()
        path.write_bytes(gzip.compress(content) if zipped else content)
        have = read_in_pieces(path, ",", room(path), size=rng.choice([1, 20, 100]))
        if have is not None:
            want = read_frame(path)
            assert have.schema == want.schema
            assert have.equals(want), content
            met += 1
    assert met > 75


@pytest.mark.parametrize(
    "content",
    [
        b'a,b\n1,"x"\n',
        b"a,b\n1,2\n3\n",
        b"a,b\n1,2\n\n3,4\n",
        b"a,b\n1,2,3\n",
        b"a,a\n1,2\n",
        b"a;b\n1;2\n",
        b"a,b\n1,\xff\n",
        b"a\n1\n",
        b"a,b\n",
        b"",
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
def test_what_needs_the_whole_is_left_to_it(tmp_path: Path, content: bytes, size: int) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert read_in_pieces(path, ",", room(path), size) is None
    assert read_in_pieces(tmp_path / "none.csv", ",", room(path)) is None
    path.rename(tmp_path / "t.csv.gz")
    assert read_in_pieces(tmp_path / "t.csv.gz", ",", room(path)) is None


def test_large_files_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def counted(path: Path, separator: str, room: ReadingRoom) -> Any:
        calls.append(path)
        return read_in_pieces(path, separator, room, 50)

    monkeypatch.setattr("slp.data.polars_frames.read_in_pieces", counted)
    monkeypatch.setattr("slp.data.files._LARGE", 100)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,x\n2.5,y\n" * 20)
    frame, columns = read_frame(path), read_columns(path)
    assert frame["a"].to_list() == [1.0, 2.5] * 20
    assert [c.cells.tolist() for c in columns.columns] == [[1.0, 2.5] * 20, ["x", "y"] * 20]
    assert len(calls) == 2
    path.write_text("a,b\n" + "1,x\n2.5,y,z\n" * 20)
    with pytest.raises(DataError, match=r"E405.*line 3"):
        read_frame(path)
    path.write_text("a,b\n1,x\n")
    read_frame(path)
    assert len(calls) == 3
