"""Runs of the engine `stacked` that make few steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import slp
from slp.runner.effort import LEVELS
from tests.engines.stacked.stacks import (
    QUICK,
    TEXT,
    classes,
)


@pytest.fixture(scope="module", autouse=True)
def few_steps() -> Iterator[None]:
    """Runs of effort quick make few steps: what is tested does not depend on their number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(LEVELS, "quick", replace(LEVELS["quick"], untempered=0.05))
        yield


@pytest.fixture(scope="module")
def stack(few_steps: None) -> slp.Posterior:
    return slp.parse(TEXT).posterior(classes(), seed=3, **QUICK)
