"""Runs of chains over sums of trees: their schedule and memory."""

from __future__ import annotations

from slp.budgets.memory import format_bytes
from slp.data.memory import room_beside
from slp.engines.additive.chains import SumChains
from slp.engines.additive.options import SumOptions
from slp.engines.contract import Request
from slp.engines.shared.drawing import DrawingEngine, draw
from slp.errors import BudgetError
from slp.messages.names import plural
from slp.messages.sums import SUM_TOO_LARGE
from slp.problem.problem import Problem
from slp.results.record.result import Result
from slp.runner import Schedule

# Bytes for each distinct row: of each tree of a chain, before and after a block of sweeps, its rows
# and part of its nodes; of a thread, numbers and buffers of moves.
_OF_TREE, _OF_THREAD = 2 * 5, 120


def schedule_of(options: SumOptions, draws: int) -> Schedule:
    """The schedule of the options."""
    return Schedule(draws, options.chains, *options.steps())


def sampler_of(problem: Problem, options: SumOptions, likelihood: bool) -> SumChains:
    """What the loop drives."""
    return SumChains(problem, options, likelihood)


def run_sums(
    engine: DrawingEngine[SumOptions], problem: Problem, request: Request, options: SumOptions
) -> Result:
    """Run chains until the deadline, and collect their draws.

    Raises
    ------
    UsageError
        E505: an option; E512, E513, E515: the checkpoint.
    BudgetError
        E577: the chains do not fit into the memory beside the table; E540: the time was over before
        anything was drawn.
    SlpError
        E511, E514: the checkpoint; E517: no trees to start from were found.
    """
    schedule_of(options, request.draws)  # checks the numbers before they are used
    table, room = problem.table, room_beside(problem.table, request.memory)
    assert problem.program.sum_of is not None
    n, count = len(table.counts), problem.program.sum_of.count
    threads = min(request.threads, options.chains)
    need = n * (options.chains * count * _OF_TREE + threads * _OF_THREAD)
    if need > room:
        raise BudgetError(
            SUM_TOO_LARGE(
                chains=plural(options.chains, "chain"),
                count=count,
                rows=n,
                need=format_bytes(need),
                room=format_bytes(room),
                memory=format_bytes(request.memory),
            )
        )
    return draw(engine, problem, request, options, room=room - need).result
