"""`progress`: True for standard error, a function, and nothing else."""

from __future__ import annotations

import io
import math
import sys
from typing import Any

import pytest

import slp
from slp.engines.shared.chain_messages import teller
from slp.program import find_mistakes, progress
from slp.program.progress import ProgressLine, ProgressLog, shown_progress
from slp.runner import RunProgress

ROWS = [[i, 3 * i % 5, i % 2] for i in range(12)]
MH: dict[str, Any] = {
    "engine": "mh",
    "draws": 20,
    "chains": 1,
    "warmup": 20,
    "seed": 1,
    "rounds": 1,
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", [{"engine": "exact"}, {"engine": "chart"}, MH])
@pytest.mark.parametrize("terminal", [Terminal, io.StringIO, None])
def test_true_shows_a_line_on_a_terminal(options, terminal, monkeypatch) -> None:
    stderr = None if terminal is None else terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr("slp.program.progress._SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr("slp.program.progress._LONG", math.inf)
    posterior = slp.load("growtree").posterior(ROWS, progress=True, **options)
    posterior.split_probabilities()
    if isinstance(stderr, Terminal):
        *_, line, end = stderr.getvalue().replace("\x1b[K", "").split("\r")
        assert end == "" and (line.isspace() or "/s" in line)
        assert ("steps, " if options is MH else "boxes, ") in stderr.getvalue()
    elif stderr is not None:
        assert stderr.getvalue() == ""


@pytest.mark.filterwarnings("ignore")
def test_of_proofs() -> None:
    coin = slp.parse("0.5 :: coin(h).\n0.5 :: coin(t).\n")
    coin.sample_proofs("coin(X)", draws=10, chains=1, seed=1, progress=True)


@pytest.mark.parametrize("wrong", [1, "yes", []])
def test_anything_else_is_refused_before_the_run(wrong, monkeypatch) -> None:
    monkeypatch.setattr("slp.program.tree_questions.compile_problem", None)
    with pytest.raises(slp.SlpError) as caught:
        slp.load("growtree").posterior(ROWS, progress=wrong)
    assert str(caught.value) == (
        f"error[E543]: progress is {wrong!r}\n"
        "  help: take True for a line on standard error, or a function of a number and a word"
    )


def test_false_shows_nothing(capsys) -> None:
    slp.load("growtree").posterior(ROWS, progress=False, draws=0)
    assert capsys.readouterr() == ("", "")


def test_the_line_is_cleared_where_a_phase_or_the_run_ends(monkeypatch) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with shown_progress(True) as line:
        assert isinstance(line, ProgressLine)
        line(1000, "finding boxes, 1.0 MiB")
        assert stderr.getvalue() == "finding boxes: 1,000 boxes, 10,000/s, 1.0 MiB"
        line(2000, "finding boxes, done")
        assert stderr.getvalue().endswith("1.0 MiB\r\x1b[K")
        line(3, "sampling, of 9 steps")
        assert stderr.getvalue().endswith("sampling: 3 steps, 30/s, of 9 steps")
    assert stderr.getvalue().endswith("of 9 steps\r\x1b[K")


def _candidate() -> Any:
    return slp.load("growtree").posterior(ROWS, engine="modal").map()


@pytest.mark.parametrize("kind", [ProgressLine, ProgressLog])
def test_the_first_answer_stands_once_a_run_is_long(kind, monkeypatch) -> None:
    clock, stderr = [0.0], io.StringIO()
    found = _candidate()
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", stderr)
    shown = kind()
    shown.first_answer(found)
    shown(10, "sampling, of 90 steps")
    assert "first answer" not in stderr.getvalue()
    clock[0] = 1.0
    shown(20, "sampling, of 90 steps")
    shown(30, "sampling, of 90 steps")
    assert stderr.getvalue().count("first answer: a tree grown greedily, there may be better") == 1
    assert f"log joint {found.log_joint:.6f}, " in stderr.getvalue()
    assert found.tree.to_text().splitlines()[0] in stderr.getvalue()


def test_where_no_terminal_is_a_line_every_ten_seconds(monkeypatch) -> None:
    clock, stderr = [0.0], io.StringIO()
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", stderr)
    with shown_progress(True) as log:
        assert isinstance(log, ProgressLog)
        for second in range(36):
            clock[0] = float(second)
            log(100 * second, "sampling, of 9,000 steps; 1 min left")
    assert stderr.getvalue().splitlines() == [
        f"sampling: {n:,} steps, 100/s, of 9,000 steps; 1 min left" for n in (1000, 2000, 3000)
    ]


def test_a_long_listing_of_states_is_told(monkeypatch) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr("slp.program.progress._SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr("slp.lower.expansion.TOLD_EACH", 1)
    path = "1/2 :: t(U) --> split(F, _), {sort([F|U], V)}, t(V), t(V). 1/2 :: t(_) --> leaf."
    slp.parse(f":- start(t([])). {path}").posterior(ROWS, progress=True, draws=0)
    assert "listing states: 3 states, " in stderr.getvalue()


def test_steps_of_later_rounds_are_whole_numbers() -> None:
    told: list[str] = []
    teller(lambda done, phase: told.append(phase))(RunProgress(3, 5008.0, 0, 4, {}, math.inf))
    assert told == ["sampling, of 5,008 steps"]


def test_a_check_tells_how_many_states_are_listed(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("slp.lower.expansion.TOLD_EACH", 1)
    path = tmp_path / "path.slp"
    path.write_text(
        ":- start(t([])). 1/2 :: t(_) --> leaf.\n"
        "1/2 :: t(U) --> split(F, _), {sort([F|U], V)}, t(V), t(V).\n"
    )
    told: list[str] = []
    find_mistakes(path, ROWS, progress=lambda done, phase: told.append(phase))
    assert set(told) == {"listing states"}
