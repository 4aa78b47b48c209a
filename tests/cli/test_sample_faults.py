"""`slp-sample` with faults: messages and exit codes, limits, files and pipes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from slp.errors import BudgetError, Diagnostic
from tests.cli.conftest import HABERMAN
from tests.cli.keys import KEYS


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["growtree", "nosuch.csv"], 1, "error[E401]: cannot read nosuch.csv"),
        (["growtre", "TABLE"], 1, "did you mean `growtree`?"),
        (["no/such.slp", "TABLE"], 1, "error[E001]: cannot read no/such.slp"),
        (["growtree", "TABLE", "-y", "dosis"], 1, "dose"),
        (["growtree", "TABLE", "--engine", "exakt"], 2, "did you mean `exact`?"),
        (["growtree", "TABLE", "--memory", "lots"], 2, "error[E502]"),
        (
            ["growtree", HABERMAN / "haberman.csv", "--memory", "1MiB", "--engine", "exact"],
            1,
            "error[E501]",
        ),
        (["growtree", "TABLE", "--time", "soon"], 2, "error[E542]"),
        (["growtree", "TABLE", "--jobs", "0"], 2, "--jobs"),
        (["growtree", "TABLE", "--param", "alpha"], 2, "alpha=0.9"),
        (["growtree", "TABLE", "--param", "alfa=1"], 1, "did you mean `alpha`?"),
        (["growtree", "TABLE", "-n", "-1"], 2, "-1"),
        (["growtree"], 2, "Missing argument 'DATA'"),
        (["growtree", "TABLE", "--nonsense"], 2, "--nonsense"),
        (["growtree", "TABLE", "-o", "no/such/folder/x"], 2, "error[E701]: cannot write"),
    ],
)
def test_faults_have_a_message_and_a_code(
    slp_run, table: Path, arguments: list[object], code: int, message: str
) -> None:
    result = slp_run("slp-sample", *[table if a == "TABLE" else a for a in arguments])
    assert result.code == code
    assert message in result.err
    assert "Traceback" not in result.err


def test_errors_as_json(slp_run, table: Path, tmp_path: Path) -> None:
    program = tmp_path / "bad.slp"
    program.write_text(":- use(growtree).\n:- constraint(constant(nobody)).\n")
    result = slp_run("slp-sample", program, table, "--format", "json")
    assert result.code == 1
    (found,) = json.loads(result.err)["diagnostics"]
    assert found["severity"] == "error" and found["span"]["line"] == 2


@pytest.mark.usefixtures("compiled_kernels")
def test_what_is_certain_when_the_budget_is_reached(slp_run) -> None:
    few = ["slp-sample", "growtree", HABERMAN / "haberman.csv", "--engine", "exact"]
    few += ["--memory", "1MiB"]
    assert "; the log evidence is certainly at least -1" in slp_run(*few).err
    found = json.loads(slp_run(*few, "--format", "json").err)
    assert found["diagnostics"][0]["code"] == "E501"
    low, high = found["log_evidence_bounds"]
    assert -300 < low < high < 0


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("command", ["slp-sample", "map"])
def test_what_is_known_at_a_limit_is_told(slp_run, command: str) -> None:
    """Bounds and the best tree so far, with exit code 1 and the error beside it."""
    words = [command, "growtree", HABERMAN / "haberman.csv", "--engine", "exact"]
    page = slp_run(*words, "--memory", "1MiB")
    assert page.code == 1 and page.err.startswith("error[E501]: the exact engine used up ")
    assert page.out.startswith("unfinished: the exact engine used up its memory of 1.0 MiB")
    assert "\nevidence  the log evidence is certainly at least -1" in page.out
    assert "\nbest tree  so far, of those drawn, there may be better ones; log joint -1" in page.out
    result = slp_run(*words, "--memory", "1MiB", "--json")
    have = json.loads(result.out)
    assert result.code == 1 and set(have) >= KEYS - {"seconds"}
    assert have["interrupted"] and have["out_of_memory"]
    assert have["log_evidence"] is have["features"] is have["tree_count"] is None
    low, high = have["log_evidence_bounds"]
    assert -300 < low < high < 0
    assert have["map"]["log_joint"] < 0 and have["map"]["certified"] is False
    assert have["notes"][0].startswith("the exact engine used up its memory of 1.0 MiB")
    assert have["notes"][1].startswith("not known are ")


@pytest.mark.usefixtures("compiled_kernels")
def test_what_is_known_when_a_later_pass_ends(slp_run, table: Path, monkeypatch) -> None:
    """The evidence is known, the best tree is not."""
    known = json.loads(slp_run("slp-sample", "growtree", table, "--json").out)["log_evidence"]

    def over(self: object) -> None:
        raise BudgetError(Diagnostic("E540", "the time is over"))

    monkeypatch.setattr("slp.results.record.summed._Summed.best", over)
    result = slp_run("slp-sample", "growtree", table, "--json")
    have = json.loads(result.out)
    assert result.code == 1 and have["log_evidence"] == known and have["map"] is not None


def test_warnings_go_to_standard_error(slp_run, table: Path, tmp_path: Path) -> None:
    program = tmp_path / "far.slp"
    program.write_text(
        ":- use(growtree).\nbox(far, age, 100, 200).\n:- constraint(constant(far)).\n"
    )
    result = slp_run("slp-sample", program, table, "--json", "-n", 0)
    assert result.code == 0
    assert "warning[" in result.err and "far" in result.err
    assert math.isfinite(json.loads(result.out)["log_evidence"])


def test_a_failed_write_leaves_the_old_file(slp_run, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "draws.jsonl"
    out.write_text("old")
    assert slp_run("slp-sample", "growtree", "nosuch.csv", "-o", out).code == 1
    assert out.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_a_place_that_cannot_be_written_is_told_before_the_run(
    slp_run, table: Path, tmp_path: Path
) -> None:
    for out, why in ((tmp_path, "Is a directory"), (tmp_path / "no" / "x", "No such file")):
        result = slp_run("slp-sample", "growtree", "nosuch.csv", "-o", out)
        assert result.code == 2
        assert result.err.startswith(f"error[E701]: cannot write {out}: {why}")


def test_links_and_devices_stay_what_they_are(slp_run, table: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    assert slp_run("slp-sample", "growtree", table, "-n", 2, "-o", tmp_path / "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert len((tmp_path / "file").read_text().splitlines()) == 2
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert slp_run("slp-sample", "growtree", table, "-n", 2, "-o", pipe).code == 0
    assert pipe.is_fifo()
    assert len(os.read(reader, 65536).splitlines()) == 2
    os.close(reader)


@pytest.mark.slow
@pytest.mark.parametrize("command", [["sample"], ["prior"], ["sample", "--json"]])
def test_a_reader_that_leaves_loses_no_draws(
    command: list[str], table: Path, tmp_path: Path
) -> None:
    """As `slp-sample ... -o draws | head` does."""
    program = "from slp.cli import main; main()"
    words = [*command, "growtree", str(table), "-n", "20", "--seed", "1", "-o", "draws"]
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait()) == ("", 0)
    assert len((tmp_path / "draws").read_text().splitlines()) == 20


def test_a_reader_that_leaves_is_no_failure(table: Path, tmp_path: Path) -> None:
    program = "from slp.cli import sample_main; sample_main()"
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", program, "growtree", str(table), "-n", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait()) == ("", 0)


def test_a_full_disk_is_no_bug_of_ours(table: Path) -> None:
    command = "from slp.cli import sample_main; sample_main()"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-c", command, "growtree", str(table), "-n", "0"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=table.parent,  # not the checkout, whose slp is not the installed one
        )
    assert (done.returncode, done.stderr) == (
        2,
        "cannot write standard output: No space left on device\n",
    )


def test_a_bug_of_ours_exits_with_70(slp_run, table: Path, monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(import_module("slp.cli.options"), "read_columns", broken)
    result = slp_run("slp-sample", "growtree", table)
    assert result.code == 70
    assert "This is a bug in slp" in result.err


@pytest.mark.parametrize("command", [("slp-sample",), ("prior",)])
def test_no_room_for_draws_costs_the_draws_alone(
    slp_run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """Draws of an exact engine are made last: the summary is out by then."""

    def no_room(*given: object) -> None:
        raise BudgetError(Diagnostic("E501", "no room for draws"))

    module = "slp.cli.sample" if command[0] == "slp-sample" else "slp.cli.prior"
    monkeypatch.setattr(import_module(module), "write_draws", no_room)
    to = tmp_path / "draws.jsonl"
    result = slp_run(*command, "growtree", table, "-o", to)
    assert result.code == 1 and "error[E501]: no room for draws" in result.err
    assert "features" in result.out or "P(" in result.out
    assert not to.exists()
    asked = slp_run(*command, "growtree", table, "-o", to, "--json")
    assert asked.code == 1 and json.loads(asked.out)["engine"] == "exact"


VAST = 99999999999999999999


@pytest.mark.parametrize(
    "options",
    [
        ["-n", VAST],
        ["--chains", VAST],
        ["--chains", 1000000000, "--time", "2s"],
        ["--warmup", VAST],
        ["--thin", VAST],
        ["--rungs", VAST],
        ["--jobs", VAST],
        ["--proposal", f"q_n({VAST})"],
    ],
)
def test_whole_numbers_that_cannot_fit_are_refused(slp_run, table: Path, options: list) -> None:
    result = slp_run("slp-sample", "growtree", table, "--engine", "mh", *options)
    assert result.code == 2 and result.out == ""
    assert result.err.startswith(("error[E505]", "error[E516]"))


def test_a_seed_may_be_any_whole_number(slp_run, table: Path) -> None:
    options = ("--engine", "mh", "-n", 4, "--warmup", 10, "--thin", 1, "--seed", VAST)
    assert slp_run("slp-sample", "growtree", table, *options).code == 0
