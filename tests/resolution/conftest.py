"""What tests of this room share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from slp import kernels


@pytest.fixture
def without_core(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the core does is done in Python."""
    monkeypatch.setenv("SLP_KERNELS", "reference")
    kernels._choose_kernels.cache_clear()
    assert kernels.backend() == "reference"
    yield
    kernels._choose_kernels.cache_clear()
