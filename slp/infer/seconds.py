"""Lengths of time: reading `90s`, `5m`, `2h`."""

from __future__ import annotations

import math
import re

from slp.errors import Diagnostic, UsageError

__all__ = ["format_seconds", "parse_seconds"]

_UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def parse_seconds(time: float | str) -> float:
    """Seconds from a number of seconds or from text such as `"90s"`, `"5m"`, `"1.5 h"`.

    Raises
    ------
    UsageError
        It is no length of time (E542).
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([a-z]*)\s*", str(time).lower())
    unit = _UNITS.get(match[2]) if match else None
    if match is None or unit is None or not math.isfinite(float(match[1])):
        message = f"{time!r} is not a length of time"
        help = "write a number of seconds, or a time such as 90s, 5m or 2h"
        raise UsageError(Diagnostic("E542", message, help=help))
    return float(match[1]) * unit


def format_seconds(seconds: float) -> str:
    """A length of time for people, `12 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
