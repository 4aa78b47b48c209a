"""SWI-Prolog, as programs run there, on the cases of the ISO standard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import slp
from slp.swipl.prolog import PrologProgram
from tests.resolution.iso import CASES, Case, agrees, outcome


@pytest.fixture(scope="module")
def loaded(janus: object) -> Iterator[PrologProgram]:
    with PrologProgram(slp.parse("p.").ir) as program:
        yield program


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, loaded: PrologProgram) -> None:
    assert agrees(outcome(case, loaded.search), case.prolog)
