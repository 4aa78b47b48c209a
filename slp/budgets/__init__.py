"""Budgets of a run: `seconds` (deadlines and durations), `memory` (bytes of the whole process)."""

from slp.budgets.memory import (
    check_room_for_bit_sets,
    check_room_for_file,
    check_room_for_rows,
    format_bytes,
    memory_budget,
    memory_errors,
    parse_memory,
    room_beside,
    table_bytes,
)
from slp.budgets.seconds import Deadline, check_time, format_seconds, held, parse_seconds

__all__ = [
    "Deadline",
    "check_room_for_bit_sets",
    "check_room_for_file",
    "check_room_for_rows",
    "check_time",
    "format_bytes",
    "format_seconds",
    "held",
    "memory_budget",
    "memory_errors",
    "parse_memory",
    "parse_seconds",
    "room_beside",
    "table_bytes",
]
