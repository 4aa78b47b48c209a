"""Runs of the particle filter: its sampler, length and memory, and the evidence."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np

from slp.budgets.memory import format_bytes
from slp.data.memory import check_room_for_bit_sets, room_beside
from slp.engines.contract import Request
from slp.engines.registry import plain_engine
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.engines.shared.core_limits import why_not_of_one_prior
from slp.engines.shared.drawing import DrawingEngine, draw
from slp.engines.shared.filter_plan import (
    BYTES_OF_PARTICLE,
    ORDERS,
    PROPOSALS,
    SCHEMES,
    FilterPlan,
)
from slp.engines.smc.compiled import CompiledParticleFilter
from slp.engines.smc.options import FilterLimits, FilterOptions
from slp.engines.smc.result import EndedBy, failures, with_sum_of_weights
from slp.errors import BudgetError, NoTreeError, TimeOverError, UsageError
from slp.messages.inference import (
    FILTER_TOO_LARGE,
    NO_FILTER_NAME,
    NOT_A_SHARE,
    OR_MODAL,
    PARTICLES_DO_NOT_FIT,
    PARTICLES_FAILED,
)
from slp.messages.names import plural
from slp.problem.problem import Problem
from slp.results.record.result import Result
from slp.results.record.sampler import DrawnRun, TreeSampler
from slp.runner import NothingDrawnError, RunResult, Schedule
from slp.runner.options import check_count

#: The most particles of an island, and the most islands.
_MOST_PARTICLES, _MOST_ISLANDS = 10_000_000, 10_000

#: Bytes that a thread of the compiled filter works with, for each distinct row, code of the longest
#: feature, number of its statistics, cut of the root (`native/core/smc/sides.hpp`,
#: `native/core/mcmc/cuts.hpp`), and alternative under `optimal` (`native/core/smc/filter.hpp`).
_PER_ROW, _PER_CODE, _PER_STATISTIC, _PER_CUT, _PER_ALTERNATIVE = 8, 140, 24, 8, 48

#: The least bytes of a particle during the first step of its island. In the core
#: (`native/core/smc/island.hpp`): itself before and after, its tree with two open goals, its
#: choice, the goal that is decided, and its weights. In the plain filter: the objects of Python.
_PER_PARTICLE, _PER_PLAIN_PARTICLE = 2 * 32 + 160 + 24 + 64 + 24, 2 * BYTES_OF_PARTICLE

#: The share of the time for the sum of the weights, where that is estimated.
_SHARE_OF_PRIOR = 1 / 3


def run_filter(
    engine: DrawingEngine[FilterOptions], problem: Problem, request: Request, options: FilterOptions
) -> Result:
    """Run islands of particles, and gather what they drew. Where the weights of the program need
    not sum to 1, a second run without the likelihood estimates their sum.

    Raises
    ------
    UsageError
        E505, E537: an option; E512, E513, E515: the checkpoint.
    BudgetError
        E501: the particles do not fit into the memory beside the table; E540: no island was done in
        time.
    SlpError
        E511, E514: the checkpoint; E526: every particle failed.
    """
    _check(options)
    room = room_beside(problem.table, request.memory)
    if why_not_of_one_prior(problem) is not None:
        check_room_for_bit_sets(problem.table, request.memory)
    else:
        room -= _bytes_of_threads(problem, request, options, room)
    _check_room_for_particles(problem, request, options, room // 2)
    given = {f.name: getattr(options, f.name) for f in fields(options)}
    kept = max(1, math.ceil(request.draws / options.islands))
    limits = FilterLimits(**given, kept=kept, room=room // 2)
    grammar, time = problem.grammar, request.deadline
    sums_to_one = grammar.normalised and grammar.max_leaves is None
    estimates_sum = request.likelihood and not sums_to_one
    if estimates_sum:
        time = time.before(time.left() * _SHARE_OF_PRIOR)
    found = _drawn(engine, problem, replace(request, deadline=time), limits)
    ended = found.result.ended()
    if estimates_sum and found.n_draws and (ended.out_of_time or not ended.interrupted):
        return _with_sum_of_weights(engine, problem, request, limits, found)
    return found.result


def _with_sum_of_weights(
    engine: DrawingEngine[FilterOptions],
    problem: Problem,
    request: Request,
    limits: FilterLimits,
    found: DrawnRun,
) -> Result:
    """Run the same islands without likelihood, for the evidence; if that ends before any of them is
    done, there is none."""
    of_prior = _other_seed(replace(request, likelihood=False), found.result.seed)
    again = replace(limits, checkpoint=None, resume=False)
    ended_by: EndedBy = None
    below = None
    try:
        below = _drawn(engine, problem, of_prior, again)
    except TimeOverError:
        ended_by = "time"
    except KeyboardInterrupt:
        ended_by = "user"
    else:
        if below.result.ended().interrupted:
            ended_by = "time" if below.result.ended().out_of_time else "user"
    return with_sum_of_weights(found, below, ended_by)


def _bytes_of_threads(problem: Problem, request: Request, options: FilterOptions, room: int) -> int:
    """Bytes that the compiled filter works with, beside the particles; E501 if it has no room."""
    table = problem.table
    n_codes = [min(int(f.kind.n_codes), len(table.counts)) for f in table.features]
    each = len(table.counts) * _PER_ROW
    each += max(n_codes, default=0) * (_PER_CODE + _PER_STATISTIC * table.leaf.n_statistics)
    each += sum(n_codes) * (_PER_ALTERNATIVE if options.proposal == "optimal" else _PER_CUT)
    need = each * min(request.threads, options.islands)
    if need > room:
        memory, needed, left = map(format_bytes, (request.memory, need, room))
        raise BudgetError(FILTER_TOO_LARGE(memory=memory, need=needed, room=left))
    return need


def _check_room_for_particles(
    problem: Problem, request: Request, options: FilterOptions, room: int
) -> None:
    """Raise BudgetError E501 if the particles of the islands that run at once do not fit into
    `room` bytes, before they are made."""
    compiled = why_not_of_one_prior(problem) is None
    at_once = min(request.threads, options.islands)
    each = at_once * (_PER_PARTICLE if compiled else _PER_PLAIN_PARTICLE)
    if options.n_particles * each > room:
        raise BudgetError(
            PARTICLES_DO_NOT_FIT(
                islands=plural(at_once, "island"),
                particles=options.n_particles,
                need=format_bytes(options.n_particles * each),
                room=format_bytes(room),
                fit=room // each,
            )
        )


def _drawn(
    engine: DrawingEngine[FilterOptions], problem: Problem, request: Request, limits: FilterLimits
) -> DrawnRun:
    """One run. Where its time ends before any island is done, the error names an engine that
    answers sooner."""
    try:
        found = draw(engine, problem, request, limits, room=limits.room)
    except NothingDrawnError as error:
        raise _names_modal(error) from None
    if request.draws and not found.n_draws and not found.result.ended().interrupted:
        raise _all_failed(problem, found.run, limits)
    return found


def _names_modal(error: NothingDrawnError) -> NothingDrawnError:
    """The error, with the engine `modal` in its help line, and with what is known."""
    (found,) = error.diagnostics
    told = replace(found, help=f"{found.help}{OR_MODAL}")
    out = NothingDrawnError(told, error.records, error.nothing_begun)
    out.known = replace(error.known, sooner="modal")
    return out


def filter_sampler(problem: Problem, options: FilterLimits, likelihood: bool) -> TreeSampler[Any]:
    """The filter of a problem."""
    how = (options.proposal, options.order, options.resampling, float(options.ess))
    plan = FilterPlan(options.n_particles, options.kept, *how)
    own = problem.program.constraints
    if why_not_of_one_prior(problem) is not None:
        plain: TreeSampler[Any] = plain_engine("smc").plain_filter(
            problem, plan, options.room, likelihood
        )
        return plain
    core = CompiledMetropolisHastings(
        problem.grammar,
        problem.table,
        own,
        likelihood=likelihood,
        most_boxes=1,
        engine=problem.sampling_core,
    )
    return CompiledParticleFilter(core, plan, options.room)


def filter_schedule(options: FilterLimits, draws: int) -> Schedule:
    """Every island runs until it is done, whatever the number of draws."""
    n = max(draws, options.islands) if draws else 0
    return Schedule(n, options.islands, warm_up=0, thin=None)


def _check(options: FilterOptions) -> None:
    """Raise UsageError E505, E537 for an option out of range."""
    check_count("particles", options.n_particles, least=1, most=_MOST_PARTICLES)
    check_count("islands", options.islands, least=1, most=_MOST_ISLANDS)
    for name, known in (("proposal", PROPOSALS), ("order", ORDERS), ("resampling", SCHEMES)):
        given = getattr(options, name)
        if given not in known:
            raise UsageError(NO_FILTER_NAME(option=name, name=given, names=", ".join(known)))
    if not isinstance(options.ess, int | float) or not 0 <= options.ess <= 1:
        raise UsageError(NOT_A_SHARE(name="ess", value=options.ess))


def _other_seed(request: Request, seed: int) -> Request:
    """The request with another seed, which the first one determines."""
    other = np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)
    return replace(request, seed=int(other[0]))


def _all_failed(problem: Problem, run: RunResult, limits: FilterLimits) -> NoTreeError:
    """E526, with what the particles failed by."""
    causes = [f"{n:,} by {name}" for name, n in failures(run).most_common()]
    if any(c.by_predictions for c in problem.program.constraints):
        causes.append("the whole trees by what they predict")
    of = f"{limits.islands} islands of {limits.n_particles:,} particles"
    return NoTreeError(PARTICLES_FAILED(islands=of, causes=", ".join(causes)))
