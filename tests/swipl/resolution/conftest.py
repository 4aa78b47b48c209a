"""All tests in here need SWI-Prolog and janus."""

from __future__ import annotations

from types import ModuleType

import pytest


@pytest.fixture(autouse=True)
def _needs_janus(janus: ModuleType) -> None:
    """Skip or fail where they are missing."""
