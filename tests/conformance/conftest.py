"""All engines of the registry, and a toy engine."""

from __future__ import annotations

import pytest

from slp.engines.registry import ENGINES


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy engine in the registry: one line."""
    monkeypatch.setitem(ENGINES, "toy", "tests.conformance.toy_filter")
