"""Damaged and hostile saved runs: an error with a code, little memory, and no traceback."""

from __future__ import annotations

import json
import pickle
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import slp
from slp.errors import BudgetError, SlpError
from tests.results.saved.damaged import NEWEST, contents, damaged


def test_damaged_files_end_in_an_error_with_a_code(tmp_path: Path) -> None:
    said: list[str] = []
    found = damaged(120, tmp_path, said.append)
    assert said == [] and found["bytes", "E560"] > 50 and found["signed", "E560"] > 30
    assert {result for _, result in found} <= {"E560", "E501", "E540", "E504", "read"}


def rewritten(
    path: Path, change: Callable[[dict[str, bytes]], None], how: int = zipfile.ZIP_STORED
) -> None:
    """A sound file with other members, under the old manifest."""
    members = contents(NEWEST / "mh.slpz")
    change(members)
    with zipfile.ZipFile(path, "w", how) as file:
        for name, content in members.items():
            file.writestr(name, content)


def header(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + 1) + text.encode() + b"\n"


HUGE = header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2), }")
OBJECTS = header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") + pickle.dumps([open])
DEEP = header("{'descr': " + "(" * 5000 + ")" * 5000 + "}")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda m: m.update({"../outside.json": b"{}"}), "a name that is none of slp's"),
        (lambda m: m.update({"/etc/passwd": b"{}"}), "a name that is none of slp's"),
        (lambda m: m.update({"more.json": b"{}"}), "more.json is not listed"),
        (lambda m: m.pop("facts.json"), "facts.json is missing"),
        (lambda m: m.pop("manifest.json"), "there is no manifest.json"),
        (lambda m: m.update({"facts.json": b"{}"}), "facts.json was changed"),
        (lambda m: m.update({"manifest.json": b"[" * 100_000}), "content is not sound"),
        (lambda m: m.update({"manifest.json": b"[]"}), "content is not sound"),
        (lambda m: m.update({f"{i}.json": b"{}" for i in range(99)}), "its end is missing"),
    ],
)
def test_hostile_members(
    change: Callable[[dict[str, bytes]], None], reason: str, tmp_path: Path
) -> None:
    rewritten(tmp_path / "run.slpz", change)
    with pytest.raises(SlpError, match="E560") as error:
        slp.load_posterior(tmp_path / "run.slpz")
    assert reason in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["run.slpz"]


def test_a_bomb(tmp_path: Path) -> None:
    """64 MiB in some kilobytes."""
    path = tmp_path / "run.slpz"
    rewritten(path, lambda m: m.update({"facts.json": bytes(2**26)}), zipfile.ZIP_DEFLATED)
    tracemalloc.start()
    with pytest.raises(SlpError, match="E560.*compressed"):
        slp.load_posterior(path)
    assert tracemalloc.get_traced_memory()[1] < 2**23
    tracemalloc.stop()


@pytest.mark.parametrize("content", [HUGE, OBJECTS, DEEP], ids=["huge", "objects", "deep"])
def test_hostile_arrays(content: bytes, tmp_path: Path) -> None:
    """Under a right digest."""
    from slp.results.saved import archive

    path = tmp_path / "run.slpz"
    found = contents(NEWEST / "mh.slpz")
    manifest = json.loads(found.pop("manifest.json"))
    members = {
        name: json.loads(own) if name.endswith(".json") else np.frombuffer(own, np.uint8)
        for name, own in found.items()
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            archive,
            "_bytes_of",
            lambda m: m.tobytes() if isinstance(m, np.ndarray) else json.dumps(m).encode(),
        )
        members["trees/operand.npy"] = np.frombuffer(content, np.uint8)
        kept = {k: v for k, v in manifest.items() if k not in ("format", "members", "digest")}
        archive.write_archive(path, kept, members)
    tracemalloc.start()
    with pytest.raises(SlpError, match="E560"):
        slp.load_posterior(path)
    assert tracemalloc.get_traced_memory()[1] < 2**23
    tracemalloc.stop()


def test_files_that_are_something_else(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("age,ill\n1,no\n" * 100)
    with zipfile.ZipFile(tmp_path / "zip", "w") as file:
        file.writestr("a.txt", "a")
    (tmp_path / "folder").mkdir()
    for name in ("empty", "text", "zip", "folder", "missing"):
        with pytest.raises(SlpError, match="E560"):
            slp.load_posterior(tmp_path / name)
    with pytest.raises(SlpError, match="E560"):
        slp.load_posterior("\0")


def test_a_budget_of_memory() -> None:
    with pytest.raises(BudgetError, match=r"E501.*too small to read .*mh\.slpz"):
        slp.load_posterior(NEWEST / "mh.slpz", memory="100KiB")
