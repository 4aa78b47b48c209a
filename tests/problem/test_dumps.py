"""The problems that the core's own tests read are those of the programs as they are now."""

from __future__ import annotations

import pytest

from tests.engines.dumps import FOLDER, PROGRAMS, dump


def test_there_is_one_for_each_program() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_down_is_the_program(name: str) -> None:
    """Numbers to 1e-9: logarithms differ in their last digit from machine to machine."""
    want, have = (FOLDER / f"{name}.txt").read_text().split(), dump(PROGRAMS[name]).split()
    assert len(want) == len(have)
    for a, b in zip(have, want, strict=True):
        try:
            assert float(a) == pytest.approx(float(b), rel=1e-9)
        except ValueError:
            assert a == b
