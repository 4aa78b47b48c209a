"""Wording that the messages of this package share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def first_row(rows: NDArray[np.bool_]) -> int:
    """The first marked row, counted from 1."""
    return int(np.argmax(rows)) + 1


def listed(names: Sequence[str], most: int = 8) -> str:
    """`a`, `b`, ... with at most so many names."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
