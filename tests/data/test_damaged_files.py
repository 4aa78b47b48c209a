"""Damaged tables end in a `DataError` or are read, whatever the reader does: see `damaged`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from slp.data import parquet, read_columns, read_frame
from slp.errors import DataError
from tests.data import damaged

DAMAGED = sorted((Path(__file__).parent / "damaged").glob("*.parquet"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz"])
def test_damaged_text(kind: str, tmp_path: Path) -> None:
    """The first files of each kind; `damaged` tells how to read more."""
    found = list(damaged.outcomes(kind, 150, tmp_path))
    assert len(found) == 150
    assert [o for o in found if o[1] != "read" and not o[1].startswith("E4")] == []
    assert {"read", "E405", "E409"} <= {outcome for _, outcome, _ in found}


@pytest.mark.slow
@pytest.mark.parametrize("path", DAMAGED, ids=lambda p: p.stem)
def test_damaged_parquet(path: Path) -> None:
    """Files on which polars 2.1.0 panics, each at another place, and prints a backtrace."""
    words = [sys.executable, "-P", "-c", damaged.READ, str(path)]
    run = subprocess.run(words, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(("read ", "E409"))  # a later polars may make something of it


@pytest.mark.slow
def test_what_is_said_of_damaged_parquet(sound: Path, tmp_path: Path) -> None:
    """In our words, nothing of the reader's: what cannot be read."""
    content = sound.read_bytes()
    described = content.rindex(b"PAR1") - 4 - int.from_bytes(content[-8:-4], "little")
    values = content.index(b"\x28\xb5\x2f\xfd")  # the first page that zstd compressed
    for wrong, said in (
        (b"PAR1 no such thing PAR", "is not complete: the mark `PAR1` that ends each Parquet"),
        (b"age,sex", "is no Parquet: it does not begin with the mark `PAR1`"),
        (content[: len(content) // 2], "is not complete: the mark `PAR1` that ends each Parquet"),
        (
            content[:described] + b"\xff" * (len(content) - 8 - described) + content[-8:],
            "cannot be read as Parquet: the part that describes its columns is damaged",
        ),
        (
            content[:values] + b"\xff" * 8 + content[values + 8 :],
            "cannot be read as Parquet: the values of column `a` are damaged",
        ),
    ):
        path = tmp_path / "wrong.parquet"
        path.write_bytes(wrong)
        with pytest.raises(DataError) as caught:
            read_frame(path)
        (found,) = caught.value.diagnostics
        assert found.code == "E409" and found.message.startswith(f"{path} {said}")


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1, None, 3], "y": ["a", "b", "a"]}).write_parquet(path)
    return path


def test_a_reader_that_ends_its_process(sound, tmp_path, monkeypatch, capfd) -> None:
    child = tmp_path / "child.py"
    child.write_text("import os\nos.write(2, b'stack backtrace')\nos.abort()\n")
    monkeypatch.setattr(parquet, "_CHILD", child)
    with pytest.raises(DataError) as caught:
        read_columns(sound)
    assert str(caught.value) == (
        f"error[E409]: {sound} cannot be read as Parquet: the reader fails on it\n"
        "  help: write the file again, or save the table as CSV"
    )
    assert capfd.readouterr() == ("", "")


def test_python_inside_another_program(sound, monkeypatch) -> None:
    monkeypatch.setattr(sys, "executable", "/usr/lib/swi-prolog/bin/swipl")
    assert read_frame(sound).rows() == [(1, "a"), (None, "b"), (3, "a")]
    monkeypatch.setattr(parquet, "_python", lambda: "/no/python")
    with pytest.raises(DataError, match="E401.*No such file"):
        read_frame(sound)


def test_the_folder_of_the_user_is_not_looked_into(sound, monkeypatch, tmp_path) -> None:
    (tmp_path / "polars.py").write_text("raise SystemExit(0)\n")
    monkeypatch.chdir(tmp_path)
    assert read_frame(sound).height == 3


def test_an_empty_file(tmp_path) -> None:
    (tmp_path / "t.pq").write_bytes(b"")
    with pytest.raises(DataError, match="E403"):
        read_frame(tmp_path / "t.pq")
