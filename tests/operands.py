"""What the tests of splits compare with."""

from __future__ import annotations

from typing import Any

from slp.columns import Below, Test


def operand(test: Test) -> Any:
    """The number of a threshold (also of a named level), a level, or the levels on the left."""
    return float(test.number) if isinstance(test, Below) else test.level
