"""Memory budgets: their text form such as `4GiB`, the free memory, and the share of a table.

A budget is for the whole process, except about 150 MB for the interpreter and its libraries. The
table counts first; an engine may use the rest. Where needs cannot be told beforehand, as in a
search for proofs, functions call `check_memory` regularly, which looks at what the process has
taken since its budget was held.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from slp.budgets.seconds import check_time
from slp.errors import BudgetError, UsageError
from slp.late import late_import
from slp.messages.inference import (
    MEMORY_USED_UP,
    NO_MEMORY_LEFT,
    NO_SIZE,
    TABLE_TOO_LARGE,
)

_UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", start=1):
    _UNITS[f"{_letter}"] = _UNITS[f"{_letter}IB"] = 1024**_power
    _UNITS[f"{_letter}B"] = 1000**_power

_WITHOUT_A_REPORT = 2 * 1024**3  # if the system does not report the free memory


def parse_memory(memory: int | str) -> int:
    """Bytes from a number of bytes or from text such as `"4GiB"`, `"500 MB"`, `"1.5G"` (G is GiB).
    The largest result is the number of addressable bytes.

    Raises
    ------
    UsageError
        The text is not a size (E502).
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(memory))
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None or isinstance(memory, bool):
        raise UsageError(NO_SIZE(memory=memory))
    size = int(float(match[1]) * unit) if "." in match[1] else int(match[1]) * unit
    return min(size, sys.maxsize)


def memory_budget(memory: int | str | None) -> int:
    """The budget in bytes: as given, or half of the free memory."""
    return _free() // 2 if memory is None else parse_memory(memory)


# Bytes of a feature's cell during coding: the value as read, its value and its code, twice.
_BYTES_PER_CELL = 9 + 8 + 2 * 4


# Memory for each byte of separated text during reading: the text, and its columns, twice.
_BYTES_PER_BYTE_OF_TEXT = 3.5


# Memory for a column of a table, whatever its cells: its names, and the objects of its readers.
_BYTES_PER_COLUMN = 4000


@dataclass(frozen=True)
class ReadingRoom:
    """The memory within which a table is read from a file.

    Its methods raise BudgetError E501, and TimeOverError E540 where the deadline that is held is
    over. Readers call them before they take memory, or for each piece that they read.

    Attributes
    ----------
    path : the file.
    memory : the budget in bytes.
    """

    path: str
    memory: int

    def check_text(self, size: int) -> None:
        """There is room for so many bytes of separated text, which are read as a whole."""
        self.check(round(size * _BYTES_PER_BYTE_OF_TEXT))

    def check_columns(self, n_columns: int) -> None:
        """There is room for so many columns, without their cells."""
        self.check(n_columns * _BYTES_PER_COLUMN)

    def check(self, need: int) -> None:
        """There are `need` bytes, and there is time."""
        check_time(f"reading {self.path}")
        if need > self.memory:
            raise no_room(f"to read {self.path} takes at least", need, self.memory)


def check_room_for_rows(X: Any, memory: int) -> None:
    """Check that rows (a frame, an array, a list of rows) fit within a budget, before coding them.

    Raises
    ------
    BudgetError
        E501.
    """
    shape = getattr(X, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2:
        return
    n_rows, n_columns = shape
    need = n_rows * n_columns * _BYTES_PER_CELL
    if need > memory:
        raise no_room(f"{n_rows:,} rows of {n_columns:,} columns take at least", need, memory)


def no_room(what: str, need: int, memory: int) -> BudgetError:
    """E501: `what` takes `need` bytes, and the budget has `memory`."""
    size, budget = format_bytes(need), format_bytes(memory)
    return BudgetError(TABLE_TOO_LARGE(memory=budget, what=what, need=size))


#: The budget that is held, and the memory of the process when it was, in bytes.
_HELD: ContextVar[tuple[int, int] | None] = ContextVar("memory", default=None)


@contextmanager
def held_memory(memory: int) -> Iterator[None]:
    """Makes `check_memory` check this budget, in bytes, during the block."""
    token = _HELD.set((memory, _taken()))
    try:
        yield
    finally:
        _HELD.reset(token)


def memory_left() -> float:
    """Bytes that the process may still take; inf if no budget is held."""
    held = _HELD.get()
    if held is None:
        return math.inf
    memory, before = held
    return max(0, memory - max(0, _taken() - before))


def check_memory(doing: str, kept: float = 0.0) -> None:
    """Raise BudgetError E501 if the budget that is held is used up, but for `kept` bytes of later
    work. `doing` names the present work, as in "while proofs were searched for"."""
    held = _HELD.get()
    if held is not None and memory_left() <= kept:
        raise BudgetError(MEMORY_USED_UP(memory=format_bytes(held[0]), doing=doing))


def _taken() -> int:
    """Memory of this process in bytes: at present, or the most so far on systems that do not tell
    it."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        peak: int = late_import("resource").getrusage(0).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


@contextmanager
def memory_errors() -> Iterator[None]:
    """Turns a `MemoryError` of the block into an error of the budget (E501). The system may have
    less memory than the budget says."""
    try:
        yield
    except MemoryError as e:
        raise BudgetError(NO_MEMORY_LEFT()) from e


def format_bytes(size: int) -> str:
    """A size for people, such as `3.5 GiB`."""
    value, unit = float(size), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"


def _free() -> int:
    """Memory that is available without swapping, in bytes."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # some systems do not report it
        return _WITHOUT_A_REPORT
