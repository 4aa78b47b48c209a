"""What a record is filled with: for tests that look behind it."""

from __future__ import annotations

from typing import Any

import slp


def filler_of(posterior: slp.Posterior) -> Any:
    """What the functions of a result are bound to: of draws `slp.results.record.drawn.Drawn`."""
    return posterior._result.best.__self__  # type: ignore[attr-defined]
