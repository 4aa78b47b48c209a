"""The examples in docs/queries.md run as they are and print what stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from slp.cli import slp_command
from slp.cli.common import run

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "queries.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
# Those with a name; tests/docs runs the other.
PROGRAMS = [text for language, text in BLOCKS if language == "prolog" and text.startswith("% ")]
CONSOLE = [text for language, text in BLOCKS if language == "console"]


@pytest.mark.parametrize("example", CONSOLE)
def test_example(
    example: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for program in PROGRAMS:
        name = program.splitlines()[0].removeprefix("% ")
        (tmp_path / name).write_text(program, "utf-8")
    command, _, want = example.partition("\n")
    words = shlex.split(command.removeprefix("$ slp "))
    assert run(slp_command, words) == 0
    assert capsys.readouterr().out == want


def test_there_are_examples() -> None:
    assert len(PROGRAMS) == 3 and len(CONSOLE) == 7
