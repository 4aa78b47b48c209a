"""Bad programs, each with the exact output of the checker beside it.

`programs/bad/NAME.slp` is checked, with the table `NAME.csv` if there is one; what is found must
be what `NAME.out` holds. Names of files are relative to that folder.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slp.analysis import check_ignored, check_program, check_program_on_table
from slp.data import read_frame, table_of
from slp.errors import Diagnostic, SlpError
from slp.messages import entries
from slp.resolution import StateRules
from slp.source import SourceFile, draw_diagnostic
from slp.syntax import parse_recovering

BAD = Path(__file__).resolve().parents[1] / "programs" / "bad"
PROGRAMS = sorted(BAD.glob("*.slp"))


def findings(name: str) -> list[Diagnostic]:
    """All that parsing and checking find in a program, read from the current folder."""
    source, found = parse_recovering(SourceFile.read(name))
    try:
        program = check_program(source)
        warnings = list(program.warnings)
        table = Path(name).with_suffix(".csv")
        if table.exists():
            frame = read_frame(table)
            warnings += check_ignored(program, frame.columns)
            coded = table_of(program, frame)
            most_leaves = coded.schema(program.support.min_leaf).most_leaves
            warnings += check_program_on_table(program, coded, StateRules(program, most_leaves))
    except SlpError as e:
        return [*found, *e.diagnostics]
    return [*found, *warnings]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_bad_program_gives_its_exact_output(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    have = "".join(f"{draw_diagnostic(d)}\n" for d in findings(path.name))
    assert have == path.with_suffix(".out").read_text(encoding="utf-8")


def test_every_bad_program_has_an_output_and_every_output_a_program() -> None:
    outputs = {p.stem for p in BAD.glob("*.out")}
    assert {p.stem for p in PROGRAMS} == outputs
    assert all(p.stat().st_size for p in BAD.glob("*.out"))


def test_every_code_of_the_checker_is_in_some_output() -> None:
    outputs = "".join(p.read_text(encoding="utf-8") for p in BAD.glob("*.out"))
    shown = set(re.findall(r"\[([EW]1\d\d)\]", outputs))
    known = {code for code in entries() if code[1] == "1"}
    # what expansion refuses is tested with it, what compiling refuses with the engines, and what is
    # found beside a type of pandas with such types; what a search finds in
    # tests/api/test_dead_weight.py
    assert known - {"E163", "E164", "E165", "E154", "E157", "W155"} == shown
