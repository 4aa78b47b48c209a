"""Options that many questions take: whole numbers, and seeds."""

from __future__ import annotations

import secrets
import sys

import numpy as np

from slp.errors import Diagnostic, UsageError

__all__ = ["MOST_COUNTED", "check_count", "fresh_seed"]

#: No list is longer.
MOST_COUNTED = sys.maxsize


def check_count(name: str, value: object, least: int = 0, most: int | float = MOST_COUNTED) -> None:
    """Raise UsageError E505 unless `value` is a whole number from `least` up, `most` at most."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:  # type: ignore[operator]
        shown = repr(value) if isinstance(value, str) else value
        too_many = whole and value > most  # type: ignore[operator]
        help = f"take a whole number from {least} " + (f"to {most:,}" if too_many else "up")
        raise UsageError(Diagnostic("E505", f"{name} is {shown}", help=help))


def fresh_seed() -> int:
    """A seed from the system."""
    return secrets.randbits(32)
