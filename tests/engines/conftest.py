"""Fixtures for the tests of engines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from slp.results.averages.over_trees import TreeDistribution
from tests.engines.engines import compiled, plain


@pytest.fixture(params=["chart", "exact"])
def distribution_of(request: pytest.FixtureRequest) -> Callable[..., TreeDistribution]:
    """Makes the distribution of (grammar, table, likelihood): by the plain chart, then by the
    compiled engine, which must pass the same tests."""
    if request.param == "chart":
        return plain
    request.getfixturevalue("compiled_kernels")
    return compiled
