"""Tests of the analysis look at as many states as users do."""

from __future__ import annotations

import pytest

from slp.analysis.derivations import existence, states


@pytest.fixture(autouse=True)
def all_states(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (existence, states):
        monkeypatch.setattr(module, "MOST_STATES", 300)
