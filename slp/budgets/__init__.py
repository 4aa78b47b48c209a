"""Budgets of a run: `seconds` (deadlines and durations), `memory` (bytes of the whole process)."""

from slp.budgets.memory import (
    ReadingRoom,
    check_room_for_bit_sets,
    check_room_for_rows,
    memory_budget,
    memory_errors,
    room_beside,
)
from slp.budgets.seconds import Deadline, check_time, format_seconds, held

__all__ = [
    "Deadline",
    "ReadingRoom",
    "check_room_for_bit_sets",
    "check_room_for_rows",
    "check_time",
    "format_seconds",
    "held",
    "memory_budget",
    "memory_errors",
    "room_beside",
]
