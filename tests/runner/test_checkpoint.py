"""Checkpoints: a resumed run equals an uninterrupted one to the bit; a checkpoint of another run is
refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

from slp.errors import SlpError, SlpWarning, UsageError
from slp.runner import Checkpoint, Schedule, checkpoint_and_seed, run
from tests.runner.toy import Walk

SCHEDULE = Schedule(draws=900, chains=2, warm_up=120, thin=2)


@pytest.mark.parametrize("interrupt_at", [201, 250, 1300])
def test_a_run_goes_on_bit_for_bit(tmp_path: Path, interrupt_at: int) -> None:
    file = tmp_path / "run.json"
    want = run(Walk(), SCHEDULE, seed=4)
    with suppress(KeyboardInterrupt), warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)  # nothing to keep, or something
        run(Walk(interrupt_at=interrupt_at), SCHEDULE, seed=4, checkpoint=Checkpoint(file, every=0))
    with pytest.warns(SlpWarning):
        again = Checkpoint(file, resume=True, every=0)
        run(Walk(interrupt_at=450), SCHEDULE, seed=4, checkpoint=again)
    have = run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file, resume=True), threads=2)
    assert have.draws == want.draws
    assert have.tallies == want.tallies


def test_more_draws_than_when_it_was_begun(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file))
    more = Schedule(draws=1500, chains=2, warm_up=120, thin=2)
    have = run(Walk(), more, seed=4, checkpoint=Checkpoint(file, resume=True))
    assert have.draws == run(Walk(), more, seed=4).draws


def steps_in(file: Path) -> int:
    """Steps of the first chain that a checkpoint holds; 0 where there is none yet."""
    if not file.exists():
        return 0
    steps: int = json.loads(file.read_text("utf-8"))["chains"][0]["steps"]
    return steps


@pytest.mark.slow
def test_kill_in_the_middle(tmp_path: Path) -> None:
    file, schedule = tmp_path / "run.json", Schedule(draws=4000, chains=2, warm_up=100)
    program = f"""
import sys, time
sys.path[:0] = {sys.path!r}
from slp.runner import Checkpoint, Schedule, run
from tests.runner.toy import Walk
wait = lambda progress: time.sleep(0.02)
run(Walk(), {schedule!r}, 7, progress=wait, checkpoint=Checkpoint({str(file)!r}, every=0))
"""
    process = subprocess.Popen([sys.executable, "-P", "-c", program])
    deadline = time.monotonic() + 60
    while not steps_in(file) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert 0 < steps_in(file) < 2100
    have = run(Walk(), schedule, seed=7, checkpoint=Checkpoint(file, resume=True))
    assert have.draws == run(Walk(), schedule, seed=7).draws


def test_the_file_is_there_from_the_beginning(tmp_path: Path) -> None:
    """So that a run killed early can be resumed too, and its seed is known."""
    file = tmp_path / "run.json"
    with pytest.raises(KeyboardInterrupt):
        run(Walk(interrupt_at=1), SCHEDULE, seed=4, checkpoint=Checkpoint(file))
    have = run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file, resume=True))
    assert have.draws == run(Walk(), SCHEDULE, seed=4).draws


def test_a_file_that_cannot_be_written_is_found_out_before_the_first_step(tmp_path: Path) -> None:
    engine = Walk()
    with pytest.raises(SlpError, match="E511"):
        run(engine, SCHEDULE, seed=4, checkpoint=Checkpoint(tmp_path / "no folder" / "run.json"))
    assert engine.steps == 0


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.json"
    run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file))
    before = file.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("slp.runner.checkpoint.os.fsync", full)
    with pytest.raises(SlpError) as caught:
        run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file, resume=True))
    assert str(caught.value) == (
        f"error[E511]: the checkpoint {file} cannot be written: No space left on device\n"
        "  help: name a file in a folder that exists and that you may write to"
    )
    assert file.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    ("what", "engine", "schedule", "seed"),
    [
        ("program", Walk(program="other"), SCHEDULE, 4),
        ("seed", Walk(), SCHEDULE, 5),
        ("number of chains", Walk(), Schedule(900, 3, 120, 2), 4),
        ("warm-up", Walk(), Schedule(900, 2, 119, 2), 4),
        ("thinning", Walk(), Schedule(900, 2, 120, 1), 4),
    ],
)
def test_another_run_is_refused(
    tmp_path: Path, what: str, engine: Walk, schedule: Schedule, seed: int
) -> None:
    file = tmp_path / "run.json"
    run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file))
    with pytest.raises(UsageError) as caught:
        run(engine, schedule, seed=seed, checkpoint=Checkpoint(file, resume=True))
    assert str(caught.value) == (
        f"error[E515]: the checkpoint {file} was made with another {what}\n"
        "  help: resume with what the run was begun with, or begin a new one in another file"
    )


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text("precious")
    with pytest.raises(UsageError) as caught:
        run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file))
    assert str(caught.value) == (
        f"error[E512]: the checkpoint {file} exists already\n"
        "  help: resume it, or remove it, or name another file"
    )
    assert file.read_text() == "precious"


def test_nothing_to_resume(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    with pytest.raises(UsageError) as caught:
        run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file, resume=True))
    assert str(caught.value) == (
        f"error[E513]: there is no checkpoint {file} to resume\n"
        "  help: leave out resume to begin a new run"
    )


@pytest.mark.parametrize("key", ["steps", "state", "draws"])
def test_a_file_that_was_edited(tmp_path: Path, key: str) -> None:
    """Nothing of it is believed."""
    file = tmp_path / "run.json"
    run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file))
    data = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(data))
    run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file, resume=True))
    data["chains"][0][key] = [1]
    file.write_text(json.dumps(data))
    with pytest.raises(SlpError, match="E514"):
        run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file, resume=True))
    with pytest.raises(SlpError, match="E514"):
        checkpoint_and_seed(file, True, None)


def test_a_file_in_what_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("x,y\n")
    file = tmp_path / "table.csv" / "run.json"
    with pytest.raises(SlpError, match=r"E511.* cannot be written: Not a directory"):
        run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file))


def test_the_checkpoint_and_the_seed_that_options_name(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert checkpoint_and_seed(None, False, 3) == (None, 3)
    assert checkpoint_and_seed(file, False, None) == (Checkpoint(file), None)
    run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file))
    again = Checkpoint(file, resume=True)
    assert checkpoint_and_seed(file, True, None) == (again, 4)
    assert checkpoint_and_seed(file, True, 5) == (again, 5)  # refused when it is read
    with pytest.raises(UsageError) as caught:
        checkpoint_and_seed(None, True, 5)
    assert str(caught.value) == (
        "error[E513]: a run is to be resumed, and no checkpoint is named\n"
        "  help: name the file that it is kept in"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"format": "other"}',
        b'{"format": "slp checkpoint 2"}',
        b'{"format": "slp checkpoint 2", "identity": {}, "chains": []}',
        b"\xff\xfe",
    ],
)
def test_a_damaged_file(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(content)
    with pytest.raises(SlpError) as caught:
        run(Walk(), SCHEDULE, seed=4, checkpoint=Checkpoint(file, resume=True))
    assert str(caught.value) == (
        f"error[E514]: {file} is not a checkpoint of this version, or it is damaged\n"
        "  help: begin a new run in another file"
    )
