"""A fixed part of `tests.statistics.calibration`: a few cases, 100 repeats of each."""

from __future__ import annotations

import pytest

from slp.engines.contract import DrawingOptions
from slp.engines.registry import ENGINES, engine_named
from tests.statistics.calibration import CASES, MOST_TESTS, p_values

#: With independent draws, that any of these tests fails by chance has the probability 0.001.
PART = ("mh q_uc", "mh cgm", "mh tempered", "smc prior")
LEAST = 0.001 / (MOST_TESTS * len(PART))


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("name", PART)
def test_ranks_are_uniform(name: str) -> None:
    assert min(p_values(name, range(100))) > LEAST


def test_every_engine_that_draws_has_a_case() -> None:
    draw = {n for n in ENGINES if issubclass(engine_named(n).Options, DrawingOptions)}
    # Soft trees and sums have Geweke's test: tests/engines/{rjhmc,additive}/test_geweke.py
    draw -= {"rjhmc", "additive"}
    assert draw <= {c.options["engine"] for c in CASES.values() if c.options}
