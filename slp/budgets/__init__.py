"""Budgets of a run: `seconds` (deadlines and durations), `memory` (bytes of the whole process)."""

from slp.budgets.memory import (
    ReadingRoom,
    check_memory,
    check_room_for_rows,
    held_memory,
    memory_budget,
    memory_errors,
    memory_left,
)
from slp.budgets.seconds import Deadline, check_time, format_seconds, held, time_left

__all__ = [
    "Deadline",
    "ReadingRoom",
    "check_memory",
    "check_room_for_rows",
    "check_time",
    "format_seconds",
    "held",
    "held_memory",
    "memory_budget",
    "memory_errors",
    "memory_left",
    "time_left",
]
