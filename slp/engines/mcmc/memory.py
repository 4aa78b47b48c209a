"""Bytes of the compiled samplers' chains beside the table, computed before they run."""

from __future__ import annotations

from slp.budgets.memory import format_bytes
from slp.data.memory import room_beside
from slp.data.table import Table
from slp.errors import BudgetError
from slp.messages.inference import CHAINS_TOO_LARGE

# Bytes for each distinct row: of one chain's state (its rows, before and after a block of steps);
# of a thread's buffers for steps (`native/core/mcmc/transitions.hpp`: rows up to each, rows drawn,
# rows of a right side, the candidate's rows).
_STATE, _STEPS = 2 * 4, 8 + 4 + 4 + 4 + 4
# Bytes of a thread's buffers for each code of the longest feature: bits, codes, rows of the data,
# and keys if all splits of a box are listed (`native/core/problem/geometry.hpp`).
_PER_CODE, _PER_KEYED_CODE = 4 + 4 + 8, 2 * (24 + 4)
# Under the measure `partition`, for each cut of the root: the split and its edge
# (`native/core/problem/edges.hpp`).
_PER_PART = 40 + 56
# Bytes for each cut of the root.
_PER_CUT = 8
# Bytes of tree moves (`native/core/mcmc/moves`): for each distinct row, a node's rows, rows of both
# sides and leaves' numbers; for each cut of the root, a weighed split, its weight and likelihood;
# for each code of the longest feature, a number, a mark and the sums of statistics.
_MOVES, _PER_LISTED_CUT, _PER_SUMMED_CODE, _PER_STATISTIC = 4 + 4 + 4 + 4, 24 + 8 + 8, 4 + 1, 8
# For the splits that `informed` keeps (`native/core/mcmc/moves/informed_splits.hpp`): the most in
# a generation; bytes for each, and for each cut of the root, in two generations.
_MOST_KEPT, _PER_KEPT_CUT = 2**16, 2 * (32 + 40)

# Bytes of `q_pg` (`native/core/mcmc/transitions.cpp`, `native/core/smc`): in any case, for each
# distinct row of each particle, for each code of the longest feature and its statistics, for each
# cut of the root.
_FILTER, _PER_PARTICLE, _PER_PARTED_CODE, _PER_SUM, _PER_ALTERNATIVE = 2**20, 16, 140, 24, 48


def room_for_averages(
    table: Table,
    memory: int,
    *,
    chains: int,
    rungs: int,
    threads: int,
    keyed: bool,
    parts: bool,
    moves: bool,
    lists_splits: bool,
    particles: int = 0,
) -> tuple[int, int]:
    """The bytes that a budget leaves for averages over draws, beside the table and the chains; and
    the number of threads that the chains may take, fewer where more do not fit.

    `keyed`: whether steps list all splits of a box, as the measure `partition` and the proposal
    `q_exact` need; `parts`: whether the measure does. `moves`: whether steps are tree moves, and
    `lists_splits` whether these list all splits of a node, not those of one feature alone.
    `particles`: the most of a filter of `q_pg`, 0 without it.

    Raises
    ------
    BudgetError
        E501: the chains do not fit.
    """
    room = room_beside(table, memory)
    n = len(table.counts)
    n_codes = [min(int(f.kind.n_codes), n) for f in table.features]
    longest = max(n_codes, default=0)
    buffers = n * _STEPS + longest * _PER_CODE + sum(n_codes) * _PER_CUT
    if keyed:
        buffers += longest * _PER_KEYED_CODE + parts * sum(n_codes) * _PER_PART
    if moves:
        of_code = _PER_SUMMED_CODE + _PER_STATISTIC * table.leaf.n_statistics
        buffers += n * _MOVES + sum(n_codes) * _PER_LISTED_CUT + longest * of_code
        if lists_splits:
            kept = sum(n_codes) + min(_MOST_KEPT, sum(n_codes) ** 2 // 4)
            buffers += kept * _PER_KEPT_CUT
    if particles:
        of_code = _PER_PARTED_CODE + _PER_SUM * table.leaf.n_statistics
        buffers += _FILTER + particles * n * _PER_PARTICLE + longest * of_code
        buffers += sum(n_codes) * _PER_ALTERNATIVE
    shared = chains * (rungs + (rungs > 1)) * n * _STATE  # a ladder has power 1 twice
    used = min(threads, chains, (room - shared) // buffers)
    if used < 1:
        need = shared + buffers
        several = f"{chains} chains" + (f" of {rungs} rungs" if rungs > 1 else "")
        raise BudgetError(
            CHAINS_TOO_LARGE(
                memory=format_bytes(memory),
                chains=several,
                rows=n,
                need=format_bytes(need),
                room=format_bytes(room),
            )
        )
    return room - shared - used * buffers, threads if used == min(threads, chains) else used
