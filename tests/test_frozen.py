"""`benchmarks/frozen.py`: what it records is the same twice, and what changes is found."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOOL = Path(__file__).resolve().parents[1] / "benchmarks" / "frozen.py"
TREES, FAULTS = "mh/prior growtree/seed 1", "bad program/unbound"


@pytest.fixture(scope="module")
def frozen() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOL.parent))
        import frozen

        yield frozen


@pytest.fixture(scope="module")
def recorded(frozen: ModuleType) -> dict[str, Any]:
    chosen = {name: case for name, case in frozen.all_cases().items() if name in (TREES, FAULTS)}
    assert set(chosen) == {TREES, FAULTS}
    first, second = (frozen.record("", chosen) for _ in range(2))
    read: dict[str, Any] = json.loads(json.dumps(first))
    assert frozen.differences(read, second) == []
    assert frozen.faults_of(read) == []
    return read


def _posterior(record: dict[str, Any]) -> Any:
    return record["cases"][TREES]["found"]


def _findings(record: dict[str, Any]) -> Any:
    return record["cases"][FAULTS]["found"]["as json"]["stdout"][0]["diagnostics"]


def _change_draw(record: dict[str, Any]) -> None:
    draws = _posterior(record)["draws"]
    draws[3]["tree"] = draws[3]["tree"].replace("}", "} ")


def _change_log(record: dict[str, Any]) -> None:
    _posterior(record)["draws"][2]["log_likelihood"] *= 1 + 1e-11


def _change_r_hat(record: dict[str, Any]) -> None:
    _posterior(record)["diagnostics"]["convergence"]["leaves"]["r_hat"] *= 1 + 1e-5


def _change_code(record: dict[str, Any]) -> None:
    _findings(record)[0]["code"] = "E999"


def _change_place(record: dict[str, Any]) -> None:
    _findings(record)[0]["span"]["column"] += 1


def _take_key(record: dict[str, Any]) -> None:
    del _findings(record)[0]["related"]


def _take_case(record: dict[str, Any]) -> None:
    del record["cases"][FAULTS]


@pytest.mark.parametrize(
    ("change", "case", "place"),
    [
        (_change_draw, TREES, "found/draws/3/tree"),
        (_change_log, TREES, "found/draws/2/log_likelihood"),
        (_change_r_hat, TREES, "found/diagnostics/convergence/leaves/r_hat"),
        (_change_code, FAULTS, "found/as json/stdout/0/diagnostics/0/code"),
        (_change_place, FAULTS, "found/as json/stdout/0/diagnostics/0/span/column"),
        (_take_key, FAULTS, "found/as json/stdout/0/diagnostics/0/keys"),
        (_take_case, FAULTS, "case"),
    ],
)
def test_a_change_is_found(
    frozen: ModuleType,
    recorded: dict[str, Any],
    change: Callable[[dict[str, Any]], None],
    case: str,
    place: str,
) -> None:
    changed = copy.deepcopy(recorded)
    change(changed)
    (found,) = frozen.differences(recorded, changed)
    assert (found.case, found.place, found.text) == (case, place, False)


def test_rounding_is_no_change(frozen: ModuleType, recorded: dict[str, Any]) -> None:
    changed = copy.deepcopy(recorded)
    _posterior(changed)["draws"][2]["log_likelihood"] *= 1 + 1e-14
    _posterior(changed)["diagnostics"]["convergence"]["leaves"]["r_hat"] *= 1 + 1e-8
    assert frozen.differences(recorded, changed) == []


def test_texts_are_shown_as_a_diff(frozen: ModuleType, recorded: dict[str, Any]) -> None:
    changed = copy.deepcopy(recorded)
    _findings(changed)[0]["message"] = "another message"
    found = frozen.differences(recorded, changed)
    assert [d.text for d in found] == [True]
    assert "+another message" in frozen.texts_diff(found).splitlines()


def test_threads_that_do_not_agree_and_crashes_are_told(frozen: ModuleType) -> None:
    cases = {
        "threads": frozen.Case(lambda threads: {"number": 1.0 + (threads == 8)}, threaded=True),
        "crash": frozen.Case(lambda _: 1 // 0),
    }
    crash, threads = frozen.faults_of(frozen.record("", cases))
    assert crash.startswith("crash: crashed, ZeroDivisionError")
    assert threads == 'threads: threads differ: {"8": ["found/number"]}'


@pytest.mark.slow
def test_the_command_compares_with_the_file(tmp_path: Path) -> None:
    file, texts = tmp_path / "before.json", tmp_path / "texts.diff"

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", TOOL, *words, "--only", FAULTS]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True)

    assert run("record", file).returncode == 0
    before = file.read_text("utf-8")
    file.write_text(before.replace('"message": "', '"message": "once '), "utf-8")
    same = run("compare", file, "--texts", texts)
    assert same.returncode == 0, same.stdout + same.stderr
    assert "-once" in texts.read_text("utf-8")
    file.write_text(before.replace('"code": "E', '"code": "F'), "utf-8")
    changed = run("compare", file)
    assert changed.returncode == 1
    assert f"{FAULTS}: found/as json/stdout/0/diagnostics/0/code" in changed.stdout
