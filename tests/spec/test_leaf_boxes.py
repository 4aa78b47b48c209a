"""Leaves in boxes with priors of their own, against the enumeration of all derivations."""

from __future__ import annotations

import pytest

from tests.spec.leaf_boxes import N_CASES, case_of, compare, priors_of


@pytest.mark.thinned(100)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_sums(seed: int) -> None:
    compare(case_of(seed))


@pytest.mark.parametrize("seed", (3, 9, 21))
def test_plain_sums(seed: int) -> None:
    for engine in ("chart", "enumerate"):
        compare(case_of(seed), engine)


def test_the_cases_are_varied() -> None:
    assert sum(priors_of(case_of(seed)) > 1 for seed in range(40)) > 15
