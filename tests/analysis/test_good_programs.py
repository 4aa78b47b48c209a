"""Reasonable programs: no errors, and no warnings either."""

from __future__ import annotations

from pathlib import Path

import pytest

from slp.analysis import check_program
from slp.resources import prior_file, prior_names
from slp.source import SourceFile
from slp.syntax import parse_program

GOOD = Path(__file__).resolve().parents[1] / "programs" / "good"


@pytest.mark.parametrize("path", sorted(GOOD.glob("*.slp")), ids=lambda p: p.stem)
def test_good_program_has_no_warnings(path: Path) -> None:
    program = check_program(parse_program(SourceFile.read(path)))
    assert program.warnings == ()


@pytest.mark.parametrize("name", prior_names())
def test_library_prior_has_no_warnings(name: str) -> None:
    program = check_program(parse_program(prior_file(name)))
    assert program.warnings == ()
    assert program.start is not None
