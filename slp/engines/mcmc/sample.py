"""Chains over trees: their sampler, length and memory."""

from __future__ import annotations

from typing import Any

from slp.budgets.memory import check_room_for_bit_sets
from slp.budgets.seconds import Deadline
from slp.engines.contract import Request
from slp.engines.drawing import DrawingEngine, best_of, draw
from slp.engines.mcmc.default_steps import default_steps
from slp.engines.mcmc.edits import (
    CompiledEditMetropolisHastings,
    EditMetropolisHastings,
    edits_are_compiled,
)
from slp.engines.mcmc.memory import room_for_averages
from slp.engines.mcmc.options import TreeChainOptions
from slp.engines.mcmc.trees import (
    MOST_BOXES,
    CompiledMetropolisHastings,
    CompiledTempering,
    MetropolisHastings,
    Tempering,
    core_moves,
    core_takes,
)
from slp.engines.mcmc.trees.forward import ForwardDraws, can_run_forward
from slp.engines.mcmc.trees.names import names_moves
from slp.errors import SlpError, UsageError
from slp.ir.tree_grammar import SplitRule
from slp.messages.inference import NO_RUNGS_OVER_EDITS
from slp.problem.problem import Problem
from slp.results.drawn import DrawnResult, TreeSampler
from slp.results.result import Candidate
from slp.runner import Schedule, run
from slp.runner.options import check_count

__all__ = [
    "best_drawn",
    "chain_schedule",
    "forward_draws",
    "run_chains",
    "runs_forward",
    "tree_sampler",
]

#: Each rung has a state, and makes its own steps.
_MOST_RUNGS = 10_000

#: Largest time for drawing some trees, in seconds.
_LOOK = 5.0


def run_chains(
    engine: DrawingEngine,
    problem: Problem,
    request: Request,
    options: TreeChainOptions,
    in_core: bool,
) -> DrawnResult:
    """Run chains of an engine until the deadline, and collect their draws. `in_core`: whether they
    run in the compiled core if predicates and edits allow it.

    Raises
    ------
    UsageError
        E505, E516, E518: an option; E512, E513, E515: the checkpoint.
    BudgetError
        E501: the chains do not fit into the memory beside the table.
    SlpError
        E511, E514: the checkpoint; E517: no tree to start from was found.
    """
    check_count("rungs", options.rungs, least=1, most=_MOST_RUNGS)
    Schedule(request.draws, options.chains)  # check the numbers before they are used
    room = _room(problem, request, options, in_core)
    return draw(engine, problem, request, options, room)


def forward_draws(problem: Problem) -> ForwardDraws:
    """The sampler of independent draws of the prior."""
    base = CompiledMetropolisHastings(
        problem.grammar,
        problem.boxes,
        problem.program.constraints,
        likelihood=False,
        most_boxes=1.0,
        engine=problem.core,
    )
    return ForwardDraws(base)


def runs_forward(problem: Problem) -> bool:
    """Whether independent draws of the prior are possible, with few rejections."""
    program = problem.program
    can = core_takes(program.constraints) and program.edits is None
    return can and can_run_forward(problem.grammar) and forward_draws(problem).keeps_enough()


def best_drawn(problem: Problem, likelihood: bool, seconds: float) -> Candidate | None:
    """The best of a few trees drawn within a number of seconds; None if none was drawn."""
    if not core_takes(problem.program.constraints):
        return None
    sampler = tree_sampler(problem, TreeChainOptions(), likelihood)
    schedule = Schedule(400, 4, 1000, 100)
    until = Deadline(min(seconds, _LOOK))
    try:
        result = run(
            sampler,
            schedule,
            1,
            threads=4,
            deadline=until.before(until.left() / 2),
            say=lambda _: None,
        )
    except SlpError:  # no tree, or no time
        return None
    records = [record for draws in result.draws for record in draws]
    return best_of(sampler, records, likelihood, until.over)


def _room(problem: Problem, request: Request, options: TreeChainOptions, in_core: bool) -> int:
    """The bytes that a budget leaves for averages over draws; E501 if the chains do not fit."""
    table, memory = problem.table, request.memory
    if not in_core or not _compiled(problem, options):
        check_room_for_bit_sets(table, memory)
    grammar = problem.grammar
    rules = grammar.states[grammar.start].rules
    return room_for_averages(
        table,
        memory,
        chains=options.chains,
        rungs=options.rungs,
        threads=request.threads,
        keyed="q_exact" in options.proposal
        or any(isinstance(r, SplitRule) and r.measure == "partition" for r in rules),
        moves=problem.program.edits is None and names_moves(options.proposal),
    )


def _compiled(problem: Problem, options: TreeChainOptions) -> bool:
    """Whether the chains run in the compiled core."""
    program = problem.program
    if program.edits is not None:
        return edits_are_compiled(program.constraints)
    return core_takes(program.constraints) and core_moves(problem.grammar, options.proposal)


def tree_sampler(problem: Problem, options: TreeChainOptions, likelihood: bool) -> TreeSampler[Any]:
    """Chains over edits for `edittree`; otherwise compiled chains if they can run, else plain
    ones."""
    program, rungs = problem.program, options.rungs
    on = (problem.grammar, problem.boxes)
    how: dict[str, Any] = {"proposal": options.proposal, "likelihood": likelihood}
    if program.edits is not None:
        if rungs != 1:
            raise UsageError(NO_RUNGS_OVER_EDITS())
        edits = (*on, program.edits, program.support, program.constraints)
        if _compiled(problem, options):
            return CompiledEditMetropolisHastings(*edits, engine=problem.core, **how)
        return EditMetropolisHastings(*edits, **how)
    if not _compiled(problem, options):
        plain = MetropolisHastings(*on, program.constraints, **how)
        return plain if rungs == 1 else Tempering(plain, rungs)
    # Under tempering, each power would need its own sums over subtrees.
    most = MOST_BOXES if rungs != 1 else None
    core = CompiledMetropolisHastings(
        *on, program.constraints, most_boxes=most, engine=problem.core, **how
    )
    return core if rungs == 1 else CompiledTempering(core, rungs)


def chain_schedule(
    sampler: TreeSampler[Any], problem: Problem, options: TreeChainOptions, draws: int
) -> Schedule:
    """The schedule of the options, else of `default_steps`."""
    warmup, thin = default_steps(sampler, problem.grammar, options)
    return Schedule(
        draws,
        options.chains,
        warmup if options.warmup is None else options.warmup,
        thin if options.thin is None else options.thin,
    )
