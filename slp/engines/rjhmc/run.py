"""Runs of chains over soft trees: their schedule and memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slp.budgets.memory import format_bytes
from slp.data.memory import room_beside
from slp.data.table import Table
from slp.engines.contract import Request
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.engines.shared.drawing import DrawingEngine, draw
from slp.errors import BudgetError, warn
from slp.messages.inference import CHAINS_TOO_LARGE
from slp.messages.names import plural
from slp.messages.soft_trees import TUNED_IN_PROPOSALS
from slp.problem.problem import Problem
from slp.results.record.result import Result
from slp.runner import Schedule, check_count

#: Numbers that a thread keeps for each distinct row: the gates of a tree with 64 nodes, both sides.
#: More nodes are rare, and their numbers come out of the room for draws.
_NODES = 2 * 64

#: The most trajectories of an HMC part, and leapfrog steps of a trajectory.
_MOST_OF_HMC = 1_000_000
#: The most steps of warm-up: the core counts them in 32 bits.
_MOST_WARM_UP = 2**32 - 1


def schedule_of(options: SoftTreeOptions, table: Table, draws: int) -> Schedule:
    """The schedule of the options on a table."""
    return Schedule(draws, options.chains, *options.steps(len(table.counts)))


def _check(options: SoftTreeOptions) -> None:
    """Raise UsageError E505 for a number that the core does not take."""
    check_count("trajectories", options.trajectories, least=1, most=_MOST_OF_HMC)
    check_count("leapfrogs", options.leapfrogs, most=_MOST_OF_HMC)
    if options.warmup is not None:
        check_count("warmup", options.warmup, most=_MOST_WARM_UP)


def run_soft_trees(
    engine: DrawingEngine[SoftTreeOptions],
    problem: Problem,
    request: Request,
    options: SoftTreeOptions,
) -> Result:
    """Run chains until the deadline, and collect their draws. The result's reason says which tuning
    ran; W545 that it does not leave the posterior invariant.

    Raises
    ------
    UsageError
        E505: an option; E512, E513, E515: the checkpoint.
    BudgetError
        E501: the chains do not fit into the memory beside the table.
    SlpError
        E511, E514: the checkpoint; E517: no tree to start from was found.
    """
    _check(options)
    schedule_of(options, problem.table, request.draws)  # checks the numbers before they are used
    table, room = problem.table, room_beside(problem.table, request.memory)
    n, d = len(table.counts), len(table.features)
    # The core has a row of classes once for each class that it stands for.
    own = int(np.count_nonzero(table.statistics)) if table.leaf.classes else n
    shared = 8 * (n * (2 * d + 2 * table.leaf.n_statistics) + own * (d + 2))
    need = shared + 8 * own * _NODES * min(request.threads, options.chains)
    if need > room:
        raise BudgetError(
            CHAINS_TOO_LARGE(
                memory=format_bytes(request.memory),
                chains=plural(options.chains, "chain"),
                rows=n,
                need=format_bytes(need),
                room=format_bytes(room),
            )
        )
    if options.published:
        warn(TUNED_IN_PROPOSALS())
    reason = f"{request.choice.reason}; tuning {options.tuning}"
    request = replace(request, choice=replace(request.choice, reason=reason))
    return draw(engine, problem, request, options, room=room - need).result
