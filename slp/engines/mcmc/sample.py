"""Chains over trees: their sampler, length and memory."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from slp.data import Table
from slp.data.memory import check_room_for_bit_sets
from slp.engines.contract import Request
from slp.engines.mcmc.compiled_edits import CompiledEditMetropolisHastings, why_not_edited
from slp.engines.mcmc.default_proposal import proposal_of, why_no_tree_moves
from slp.engines.mcmc.default_steps import WARM_UP_SCANS, default_steps, most_rungs, scan_steps
from slp.engines.mcmc.forward import ForwardDraws
from slp.engines.mcmc.given_start import read_start
from slp.engines.mcmc.memory import room_for_averages
from slp.engines.mcmc.options import TreeChainOptions
from slp.engines.mcmc.over_parameters import ChainsOverParameters
from slp.engines.mcmc.over_weights import ChainsOverWeights
from slp.engines.mcmc.refusals import check_moved
from slp.engines.mcmc.rounds import EnoughRounds
from slp.engines.mcmc.tempering import CompiledScans, ScansOverParameters, Tempering
from slp.engines.registry import plain_engine
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.engines.shared.core_limits import core_takes, why_not_made
from slp.engines.shared.drawing import DrawingEngine, draw
from slp.engines.shared.forward_runs import can_run_forward
from slp.engines.shared.proposal_names import (
    MOST_BOXES,
    lists_splits,
    most_particles,
    names_moves,
    read_names,
)
from slp.errors import warn
from slp.ir.tree_grammar import SplitRule
from slp.messages.chains import NOT_KNOWN_INVARIANT
from slp.messages.names import joined
from slp.problem.problem import Problem
from slp.results.record.result import Result
from slp.results.record.sampler import TreeSampler
from slp.runner import Schedule
from slp.runner.chain import MOST_ROUNDS
from slp.runner.effort import level_of
from slp.runner.options import check_count

#: Each rung has a state, and makes its own steps.
_MOST_RUNGS = 10_000


def run_chains(
    engine: DrawingEngine[Any],
    problem: Problem,
    request: Request,
    options: TreeChainOptions,
    in_core: bool,
) -> Result:
    """Run chains of an engine until the deadline, and collect their draws. `in_core`: whether they
    run in the compiled core if predicates and edits allow it.

    Raises
    ------
    UsageError
        E505, E549: an option; E512, E513, E515: the checkpoint.
    UnsupportedError
        E307, E310: parameters or feature weights have a prior, and chains cannot move them.
    BudgetError
        E501: the chains do not fit into the memory beside the table.
    SlpError
        E511, E514: the checkpoint; E517: no tree to start from was found.
    """
    check_moved(problem, options)
    if options.rungs is not None:
        check_count("rungs", options.rungs, least=1, most=_MOST_RUNGS)
    given = (options.warmup, 0), (options.thin, 1), (options.rounds, 1)
    # This checks the numbers as they are given, before they are used, or made into scans.
    Schedule(request.draws, options.chains, *(least if n is None else n for n, least in given))
    if problem.grammar.backtracks:
        options = replace(options, proposal=proposal_of(problem, options))
        request = _for_backtracking(problem, request, str(options.proposal))
    elif options.proposal is None:
        options, request = _by_default(problem, request, options, in_core)
    room, threads = _room(problem, request, options, in_core)
    if in_core and any(f.kind.numbered_by_core for f in problem.table.features):
        room //= 2  # the other half is for the orders of levels, which grow with the chains
        if problem.sampling_core is not None:
            problem.sampling_core.limit_orders(room)
    request = replace(request, threads=threads)
    if options.rounds is not None:
        return draw(engine, problem, request, options, room).result
    level = level_of(options.effort)
    enough = EnoughRounds(level.run, level.nearly_there)
    if request.deadline.seconds is not None:
        enough = EnoughRounds(math.inf, math.inf)
    return draw(engine, problem, request, options, room, enough).result


def _by_default(
    problem: Problem, request: Request, options: TreeChainOptions, in_core: bool
) -> tuple[TreeChainOptions, Request]:
    """The options with the default proposals, and the request, whose choice says why these are
    without tree moves, where they are."""
    why_not = why_no_tree_moves(problem, in_core)
    if why_not is not None:
        reason = f"{request.choice.reason}; without moves from tree to tree: {why_not}"
        request = replace(request, choice=replace(request.choice, reason=reason))
    return replace(options, proposal=proposal_of(problem, options, in_core)), request


def _for_backtracking(problem: Problem, request: Request, proposal: str) -> Request:
    """The request. Where finished trees are tested, its choice says what these proposals are not
    known to do, and W546 warns of it."""
    named = read_names(proposal)
    doubtful = list(dict.fromkeys(one.full_name for one in named if one.name in ("q_n", "q_uc")))
    if doubtful and _tests_trees(problem):
        found = NOT_KNOWN_INVARIANT(names=joined(doubtful), is_are=("is", "are")[len(doubtful) > 1])
        warn(found)
        reason = f"{request.choice.reason}; {found.message}"
        request = replace(request, choice=replace(request.choice, reason=reason))
    return request


def _tests_trees(problem: Problem) -> bool:
    """Whether there are constraints on the finished tree."""
    return any(c.at_finished_tree for c in problem.program.constraints)


def forward_draws(problem: Problem) -> ForwardDraws:
    """The sampler of independent draws of the prior."""
    base = CompiledMetropolisHastings(
        problem.grammar,
        problem.table,
        problem.program.constraints,
        likelihood=False,
        most_boxes=1.0,
        engine=problem.sampling_core,
    )
    return ForwardDraws(base)


def runs_forward(problem: Problem) -> bool:
    """Whether independent draws of the prior are possible, with few rejections."""
    if problem.grammar.backtracks:
        return True
    program = problem.program
    if program.weights_prior is not None:
        return False
    can = core_takes(program.constraints, problem.table) and program.edits is None
    return can and can_run_forward(problem.grammar) and forward_draws(problem).keeps_enough()


def _room(
    problem: Problem, request: Request, options: TreeChainOptions, in_core: bool
) -> tuple[int, int]:
    """The bytes that a budget leaves for averages over draws, and the threads that fit; E501 if the
    chains do not."""
    table, memory = problem.table, request.memory
    proposal = proposal_of(problem, options, in_core)
    if not in_core or not _compiled(problem, proposal):
        check_room_for_bit_sets(table, memory)
    grammar = problem.grammar
    rules = grammar.states[grammar.start].rules
    by_default = options.rungs is None and in_core and tempers_by_default(problem, proposal)
    tempered = request.likelihood and (by_default or options.rungs is not None)
    rungs = (options.rungs or most_rungs(len(table.counts))) if tempered else 1
    parts = any(isinstance(r, SplitRule) and r.measure == "partition" for r in rules)
    return room_for_averages(
        table,
        memory,
        chains=options.chains,
        rungs=rungs,
        threads=request.threads,
        keyed="q_exact" in proposal or parts,
        parts=parts,
        moves=problem.program.edits is None and names_moves(proposal),
        lists_splits=lists_splits(proposal),
        particles=most_particles(proposal),
    )


def outside_core(problem: Problem, options: TreeChainOptions) -> str | None:
    """Why the chains do not run in the compiled core, as the end of a sentence; None if they do."""
    return _outside_core(problem, proposal_of(problem, options))


def _outside_core(problem: Problem, proposal: str) -> str | None:
    program = problem.program
    if problem.grammar.backtracks:
        return "takes back no choice of a derivation"
    if program.edits is not None:
        return why_not_edited(program.constraints, problem.table)
    return why_not_made(problem, proposal)


def _compiled(problem: Problem, proposal: str) -> bool:
    """Whether the chains run in the compiled core."""
    return _outside_core(problem, proposal) is None


def tree_sampler(problem: Problem, options: TreeChainOptions, likelihood: bool) -> TreeSampler[Any]:
    """For `edittree` chains over edits; otherwise compiled chains if they can run, else plain ones;
    tempered if they are of the posterior, by default where `tempers_by_default`."""
    program, proposal = problem.program, proposal_of(problem, options)
    tempered = likelihood and options.rungs != 1
    if options.rungs is None and not tempers_by_default(problem, proposal):
        tempered = False
    on = (problem.grammar, problem.table)
    how: dict[str, Any] = {"proposal": proposal, "likelihood": likelihood}
    base: Any
    if not _compiled(problem, proposal):
        base = plain_engine("mh").plain_chains(problem, **how)
    elif program.edits is not None:
        edits = (*on, program.edits, program.support, program.constraints)
        base = CompiledEditMetropolisHastings(*edits, engine=problem.sampling_core, **how)
    elif program.uncertain:
        over = ChainsOverParameters if program.unknown else ChainsOverWeights
        base = over(problem, most_boxes=MOST_BOXES, **how)
    else:
        # Under tempering, each power would need its own sums over subtrees.
        most = MOST_BOXES if tempered else None
        base = CompiledMetropolisHastings(
            *on, program.constraints, most_boxes=most, engine=problem.sampling_core, **how
        )
    if options.start is not None:
        begin_chains_at(base, options.start, problem.table)
    return tempered_chains(base, problem, proposal, options) if tempered else base


def begin_chains_at(chains: Any, start: object, table: Table) -> None:
    """Let chains begin at a tree, or at that of a file, in JSON or as text.

    Raises
    ------
    UsageError
        E549: it is no tree of the program, or its prior probability is 0.
    DataError
        E601 to E605, E615, E616: there is no tree of the table in the file.
    """
    chains.begin_at(read_start(start, table))


def tempers_by_default(problem: Problem, proposal: str) -> bool:
    """Whether steps are quick enough for ladders: made in the core, without `q_exact`."""
    return _compiled(problem, proposal) and "q_exact" not in proposal


def tempered_chains(
    base: Any, problem: Problem, proposal: str, options: TreeChainOptions
) -> Tempering[Any]:
    """Ladders over chains."""
    steps = scan_steps(base, problem.grammar, proposal, level_of(options.effort), options.thin)
    make = CompiledScans if base.in_core else plain_engine("mh").PlainScans
    if problem.program.uncertain:
        make = ScansOverParameters[Any]
    scans = make(base, steps.in_scan)
    return Tempering(
        scans,
        rungs=options.rungs,
        most_rungs=steps.most_rungs,
        longest_block=steps.longest_block,
        seconds=steps.seconds,
    )


def chain_schedule(
    sampler: TreeSampler[Any], problem: Problem, options: TreeChainOptions, draws: int
) -> Schedule:
    """The schedule of the options, else of `default_steps`; of ladders in scans. Where neither
    rounds nor thinning are given, ladders make rounds until there are enough."""
    warmup, thin, rounds = options.warmup, options.thin, options.rounds
    scan = sampler.scan
    if scan is not None:
        rounds = rounds or (MOST_ROUNDS if thin is None else 1)
        warmup, thin = (None if n is None else scan.number_for(n) for n in (warmup, thin))
        default = WARM_UP_SCANS, 1
    else:
        proposal = proposal_of(problem, options, sampler.in_core)
        default = default_steps(sampler, problem.grammar, proposal, level_of(options.effort))
    return Schedule(
        draws,
        options.chains,
        default[0] if warmup is None else warmup,
        default[1] if thin is None else thin,
        rounds or 1,
    )
