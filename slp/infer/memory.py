"""Memory budgets: reading `4GiB`, writing it, and what is free."""

from __future__ import annotations

import os
import re
import sys

from slp.errors import Diagnostic, UsageError

__all__ = ["format_bytes", "memory_budget", "parse_memory"]

_UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", start=1):
    _UNITS[f"{_letter}"] = _UNITS[f"{_letter}IB"] = 1024**_power
    _UNITS[f"{_letter}B"] = 1000**_power

_WITHOUT_A_REPORT = 2 * 1024**3  # where the system does not tell what is free


def parse_memory(memory: int | str) -> int:
    """Bytes from a number of bytes or from text such as `"4GiB"`, `"500 MB"`, `"1.5G"` (G is GiB);
    as many as can be addressed where it is more.

    Raises
    ------
    UsageError
        The text is not a size (E502).
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(memory))
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None or isinstance(memory, bool):
        message = f"{memory!r} is not an amount of memory"
        help = "write a number of bytes, or a size such as 500MiB or 4GiB"
        raise UsageError(Diagnostic("E502", message, help=help))
    size = int(float(match[1]) * unit) if "." in match[1] else int(match[1]) * unit
    return min(size, sys.maxsize)


def memory_budget(memory: int | str | None) -> int:
    """The budget in bytes: as given, or half of what is free."""
    return _free() // 2 if memory is None else parse_memory(memory)


def format_bytes(size: int) -> str:
    """A size for people, `3.5 GiB`."""
    value, unit = float(size), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"


def _free() -> int:
    """Memory that can be had without swapping, in bytes."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system reports it
        return _WITHOUT_A_REPORT
