"""Options that many questions take: whole numbers, and seeds."""

from __future__ import annotations

import secrets

import numpy as np

from slp.errors import Diagnostic, UsageError

__all__ = ["check_count", "fresh_seed"]


def check_count(name: str, value: object, least: int = 0) -> None:
    """Raise UsageError E505 unless `value` is a whole number from `least` up."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        shown = repr(value) if isinstance(value, str) else value
        help = f"take a whole number from {least} up"
        raise UsageError(Diagnostic("E505", f"{name} is {shown}", help=help))


def fresh_seed() -> int:
    """A seed from the system."""
    return secrets.randbits(32)
