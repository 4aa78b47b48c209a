"""The Python engine on the cases of the ISO standard; SWI-Prolog's are in `prolog/test_iso.py`."""

from __future__ import annotations

from collections import Counter

import pytest

from slp.syntax import parse_term
from tests.resolution.iso import CASES, Case, agrees, outcome


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case) -> None:
    assert agrees(outcome(case), case.python)


def test_every_section_has_cases() -> None:
    sections = Counter(case.section.partition(".")[0] for case in CASES)
    assert sections["7"] > 30 and sections["8"] > 130 and sections["9"] > 60


def test_the_comparison_itself() -> None:
    ones = Counter({"1": 2})
    assert agrees(ones, parse_term("[1, 1]")) and not agrees(ones, parse_term("[1]"))
    assert not agrees(ones, parse_term("type_error"))
    assert agrees(frozenset(["type_error"]), parse_term("type_error"))
    assert not agrees(frozenset(["type_error"]), parse_term("domain_error"))


def test_few_differ_from_the_standard() -> None:
    differ = [case for case in CASES if (case.python, case.prolog) != (case.standard,) * 2]
    assert len(differ) < len(CASES) / 10
