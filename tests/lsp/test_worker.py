"""The process of checks, and its end."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol.types import DiagnosticSeverity

from slp.lsp import checks
from slp.lsp.checks import Job, check
from slp.lsp.findings import shown
from slp.lsp.positions import Places
from slp.lsp.worker import Worker


@pytest.mark.slow
def test_a_process_that_takes_too_long_is_ended_and_another_one_answers() -> None:
    worker = Worker(patience=0.01)
    try:
        assert worker.ask(Job("a(")) is None  # it has not even started
        worker._patience = 60
        answer = worker.ask(Job("a("))
        assert answer is not None and [d.code for d in answer.found] == ["E033"]
        assert worker._process is not None
        worker._process.kill()
        worker._process.join()
        assert worker.ask(Job("a(")) is None
        assert worker.ask(Job("b(]")) == check(Job("b(]"))
    finally:
        worker.close()


def test_a_check_ends_at_its_limit_of_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checks, "SECONDS", 0)
    (tmp_path / "t.csv").write_text("age,y\n1,0\n2,1\n")
    job = Job("% data: t.csv\n:- use(growtree).\n", tmp_path / "p.slp")
    checked = check(job)
    assert {d.code for d in checked.found} == {"E540"} and checked.meanings == ()
    source = checked.found[0].span.file  # type: ignore[union-attr]
    assert shown(checked.found[0], "", Places(source)).severity == DiagnosticSeverity.Information
