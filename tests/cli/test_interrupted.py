"""Runs of the sampler that are killed, resumed, or stopped from the keyboard: real processes and
real signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import slp_commands
from tests.interrupts import takes_ctrl_c

#: The command, with a checkpoint every 20 milliseconds in place of every 30 seconds.
COMMAND = """
import functools, sys
import slp.runner.checkpoint as checkpoint
from slp.cli.common import run
from slp.cli.sample import sample_command
checkpoint.Checkpoint = functools.partial(checkpoint.Checkpoint, every=0.02)
sys.exit(run(sample_command, sys.argv[1:]))
"""
DRAWS = 3000


def arguments(table: Path, checkpoint: Path) -> list[str]:
    return [
        *("growtree", str(table), "--engine", "mh", "--json", "--checkpoint", str(checkpoint)),
        *("--chains", "2", "-n", str(DRAWS), "--thin", "40", "--warmup", "100"),
        *("--proposal", "q_uc:0.9,q_ind:0.1"),
    ]


def started(words: list[str], folder: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", COMMAND, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=takes_ctrl_c,
    )


def wait_for_draws(process: subprocess.Popen[str], checkpoint: Path) -> None:
    """Until the checkpoint holds draws."""
    for _ in range(3000):
        if checkpoint.exists():
            chains = json.loads(checkpoint.read_text())["chains"]
            if all(chain["draws"] for chain in chains):
                return
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.01)
    pytest.fail("no draws in the checkpoint after 30 s")


def finished(words: list[str]) -> dict[str, object]:
    process = started(words)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    found: dict[str, object] = json.loads(out)
    return found


@pytest.mark.parametrize("enter", [slp_commands.main, slp_commands.sample_main])
def test_stopping_while_modules_are_imported_shows_no_traceback(
    enter: Callable[[], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("slp_commands.import_module", stop)
    with pytest.raises(SystemExit) as ended:
        enter()
    assert (ended.value.code, capsys.readouterr().err) == (130, "stopped\n")


def test_entry_points_import_slp_only_when_they_are_called() -> None:
    code = "import slp_commands, sys; sys.exit('slp' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0
    scripts = entry_points(group="console_scripts").select(module="slp_commands")
    assert {script.name for script in scripts} == {"slp", "slp-sample"}


@pytest.mark.slow
def test_a_killed_run_goes_on_as_if_nothing_had_happened(table: Path, tmp_path: Path) -> None:
    checkpoint, resumed, whole = (tmp_path / name for name in ("run.json", "resumed", "whole"))
    words = arguments(table, checkpoint)
    process = started([*words, "--seed", "5", "-o", str(resumed)])
    wait_for_draws(process, checkpoint)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    chains = json.loads(checkpoint.read_text())["chains"]
    assert 0 < sum(len(chain["draws"]) for chain in chains) < DRAWS
    assert not resumed.exists()

    # The seed is that of the file.
    again = finished([*words, "--resume", "-o", str(resumed)])
    want = finished([*arguments(table, tmp_path / "other.json"), "--seed", "5", "-o", str(whole)])
    assert again["seed"] == want["seed"] == 5
    assert again["diagnostics"] == want["diagnostics"]
    assert resumed.read_text() == whole.read_text()
    assert len(whole.read_text().splitlines()) == DRAWS


@pytest.mark.slow
def test_stopping_from_the_keyboard_keeps_what_was_drawn(table: Path, tmp_path: Path) -> None:
    checkpoint, output = tmp_path / "run.json", tmp_path / "draws"
    process = started([*arguments(table, checkpoint), "--seed", "5", "-o", str(output)])
    wait_for_draws(process, checkpoint)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    found = json.loads(out)
    assert found["interrupted"] is True
    assert 0 < found["draws"] < DRAWS
    assert len(output.read_text().splitlines()) == found["draws"]
    assert f"warning[W510]: interrupted: {found['draws']} of {DRAWS} draws are there" in err
    assert "Traceback" not in err


SLOW = """
import time

def slow(tree):
    open("asked", "a").write("x")
    time.sleep(50)
    return True
"""


def test_a_slow_predicate_does_not_wait_for_its_answer(table: Path, tmp_path: Path) -> None:
    """The first tree is asked about, and nothing was drawn: there is nothing to keep."""
    (tmp_path / "slow.py").write_text(SLOW)
    program = tmp_path / "slow.slp"
    program.write_text(':- use(growtree).\n:- constraint(python("slow:slow")).\n')
    process = started([str(program), str(table), "--allow-code", "--seed", "1"], tmp_path)
    asked = tmp_path / "asked"
    for _ in range(3000):
        if asked.exists() and asked.read_text():
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - sent < 40 and asked.read_text() == "x"
    assert "Traceback" not in err
