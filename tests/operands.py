"""What the tests of splits compare with."""

from __future__ import annotations

from typing import Any

from slp.columns import Below, In, Is, IsMissing, Test
from slp.ir.quantity import MISSING


def operand(test: Test) -> Any:
    """The number of a threshold, a level, or the levels on the left side."""
    match test:
        case Below(number=number):
            return float(number)
        case Is(level=level):
            return level
        case In(levels=levels):
            return levels
        case IsMissing():
            return MISSING
