"""How much memory a coded table takes, and what it leaves of a budget."""

from __future__ import annotations

from slp.budgets.memory import format_bytes, no_room
from slp.data.table import Table
from slp.errors import BudgetError
from slp.messages.inference import NO_ROOM_FOR_SETS_OF_ROWS

# Bytes of a distinct row in the core: key, sizes and number (`native/core/problem/geometry.hpp`).
_BYTES_PER_KEY = 28


def table_bytes(table: Table) -> int:
    """Bytes of a table while a compiled engine runs: as it was read, coded, and the core's copy
    with a key for each row."""
    n = len(table.counts)
    codes, statistics = table.codes.nbytes, table.statistics.nbytes
    numbers = sum(0 if f.kind.numbers is None else f.kind.numbers.nbytes for f in table.features)
    own = codes + statistics + numbers + table.counts.nbytes + table.row_of.nbytes
    own += 0 if table.row_responses is None else table.row_responses.nbytes
    core = 4 * table.codes.size + statistics + numbers + n * (4 + _BYTES_PER_KEY)
    return table.bytes_read + own + core


def room_beside(table: Table, memory: int) -> int:
    """The part of a budget that the table leaves to an engine.

    Raises
    ------
    BudgetError
        E501: the table alone needs the whole budget.
    """
    held = table_bytes(table)
    if held > memory:
        rows = f"{table.n_rows:,} rows of {len(table.features):,} features"
        raise no_room(f"{rows} take", held, memory)
    return memory - held


def check_room_for_bit_sets(table: Table, memory: int) -> None:
    """Check that a budget has room for sets of rows as bits (`slp.reference.boxes`), beside the
    table. Engines without the compiled kernels use them: one set for each code, and both sides of
    each split of the root.

    Raises
    ------
    BudgetError
        E501.
    """
    room = room_beside(table, memory)
    cuts = sum(min(f.kind.n_codes, len(table.counts)) for f in table.features)
    need = 3 * cuts * len(table.counts) // 8
    if need > room:
        raise BudgetError(
            NO_ROOM_FOR_SETS_OF_ROWS(
                memory=format_bytes(memory),
                rows=len(table.counts),
                values=cuts,
                need=format_bytes(need),
            )
        )
