"""Parameters that have a prior against enumeration; `tests.spec.parameters` compares more cases."""

from __future__ import annotations

import pytest

from tests.spec.cases import random_case
from tests.spec.parameters import compare

N_CASES = 120


@pytest.mark.thinned(20)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_as_enumeration(seed: int) -> None:
    """Seeds whose programs have no such parameter compare nothing."""
    compare(random_case(seed), seed)


def test_some_cases_have_parameters() -> None:
    assert compare(random_case(16), 16)
