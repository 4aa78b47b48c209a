"""Colours on a real terminal, and none where nobody looks or the user wants none."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import slp
from slp.cli import slp_command
from slp.cli.colours import coloured_line, coloured_message
from slp.cli.common import run

BAD = ":- use(growtree).\n:- supprt(min_leaf(3)).\n"
_SEQUENCE = re.compile(r"\x1b\[[\d;]*m")
_MAIN = "import sys; from slp.cli import slp_command; from slp.cli.common import run; "
# -P: the installed package, not the checkout that is the current folder
COMMAND = [sys.executable, "-P", "-c", f"{_MAIN}sys.exit(run(slp_command))"]


def environment(**settings: str) -> dict[str, str]:
    own = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    return {**own, "TERM": "xterm", **settings}


def on_a_terminal(arguments: list[str], **settings: str) -> str:
    """What a command writes where both of its outputs are a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=theirs, stderr=theirs, env=environment(**settings)
    ):
        os.close(theirs)
        pieces = []
        try:
            while piece := os.read(ours, 65536):
                pieces.append(piece)
        except OSError:  # the other side is closed
            pass
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")


@pytest.fixture
def bad(tmp_path: Path) -> str:
    (tmp_path / "bad.slp").write_text(BAD)
    return str(tmp_path / "bad.slp")


@pytest.mark.slow
def test_a_message_on_a_terminal(bad: str) -> None:
    told = on_a_terminal(["check", bad])
    assert "\x1b[31m\x1b[1merror[E" in told
    marks = [line for line in told.splitlines() if "^" in line]
    assert marks and any("| \x1b[31m\x1b[1m^" in line for line in marks)
    assert _SEQUENCE.sub("", told) == on_a_terminal(["check", bad], NO_COLOR="1")


@pytest.mark.slow
def test_a_warning_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "odd.slp").write_text(":- use(growtree).\n:- param(unused, 1).\n")
    told = on_a_terminal(["check", str(tmp_path / "odd.slp")])
    assert "\x1b[35m\x1b[1mwarning[W" in told and "| \x1b[35m\x1b[1m^" in told


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"NO_COLOR": "1", "FORCE_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours(bad: str, settings: dict[str, str]) -> None:
    told = on_a_terminal(["check", bad], **settings)
    assert "error[E" in told and "\x1b" not in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "want"),
    [
        ({}, False),
        ({"NO_COLOR": ""}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": ""}, False),
    ],
)
def test_a_pipe(bad: str, settings: dict[str, str], want: bool) -> None:
    env = environment(**settings)
    done = subprocess.run([*COMMAND, "check", bad], capture_output=True, env=env)
    assert (b"\x1b" in done.stdout) == want and b"error[E" in done.stdout and done.stderr == b""


@pytest.mark.slow
def test_a_summary_on_a_terminal(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("x,y\n1,a\n2,b\n3,a\n4,b\n5,b\n6,a\n")
    told = on_a_terminal(
        ["sample", "growtree", str(data), "--engine", "mh", "--draws", "8", "--seed", "1"]
    )
    lines = told.rpartition("\r")[2].splitlines()
    assert "\x1b[1mevidence  \x1b[0mlog P(y | features)" in told
    assert "\x1b[1mtrust     \x1b[0m\x1b[31m\x1b[1mNOT " in told
    plain = [_SEQUENCE.sub("", line) for line in lines]
    assert any(line.startswith("features  ") for line in plain)


def test_json_has_no_colours(
    bad: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    (tmp_path / "data.csv").write_text("x,y\n1,a\n2,b\n3,a\n")
    assert run(slp_command, ["check", bad, "--format", "json"]) == 1
    assert run(slp_command, ["sample", "growtree", str(tmp_path / "data.csv"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err


def test_only_marks_of_a_message_are_coloured() -> None:
    """A line of the program that looks like marks has its number before the bar."""
    with pytest.raises(slp.ProgramError) as caught:
        slp.parse(":- use(growtree).\n% | ^^^ help:\n:- supprt(1).\n")
    drawn = str(caught.value)
    shown = coloured_message(drawn)
    assert _SEQUENCE.sub("", shown) == drawn
    assert "2 | % | ^^^ help:\n" in shown


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("evidence  log P", "\x1b[1mevidence  \x1b[0mlog P"),
        ("MAP tree  posterior", "\x1b[1mMAP tree  \x1b[0mposterior"),
        ("          age < 3", "          age < 3"),
        ("prior.slp: no errors", "prior.slp: no errors"),
        ("program   log evidence", "\x1b[1mprogram   \x1b[0mlog evidence"),
        ("x: (not converged)", "x: (\x1b[31m\x1b[1mnot converged\x1b[0m)"),
    ],
)
def test_what_is_coloured(line: str, want: str) -> None:
    assert coloured_line(line) == want
