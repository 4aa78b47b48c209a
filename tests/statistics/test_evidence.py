"""A fixed part of `tests.statistics.evidence`: ten seeds of each case."""

from __future__ import annotations

import numpy as np
import pytest

from tests.statistics.evidence import exact, runs

#: Where an error holds with probability 0.95, fewer than 7 of 10 have the probability 0.001.
SEEDS, FEWEST = range(10), 7
#: Where errors are right, a spread over ten seeds is outside these with the probability 0.002.
LEAST, MOST = 0.35, 1.8

pytestmark = pytest.mark.usefixtures("compiled_kernels")


@pytest.mark.slow
@pytest.mark.parametrize("case", ["mh/caesarian", "mh/kyphosis", "smc/caesarian", "smc/kyphosis"])
def test_the_exact_log_evidence_is_within_two_errors(case: str) -> None:
    found, want = runs(case, SEEDS), exact(case.split("/")[1])
    assert (np.abs(found.values - want) <= 2 * found.errors).sum() >= FEWEST
    assert LEAST <= np.std(found.values, ddof=1) / np.median(found.errors) <= MOST
    if case.startswith("smc"):
        assert (found.effective >= 10).all()
