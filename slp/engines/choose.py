"""The choice of the engine: `auto` decides by the estimated size, never by the clock."""

from __future__ import annotations

import math
from dataclasses import replace

from slp.budgets.memory import format_bytes
from slp.budgets.seconds import format_seconds
from slp.data.memory import room_beside
from slp.engines import mcmc
from slp.engines.contract import Request
from slp.engines.exact import compiled_is_there
from slp.engines.registry import engine_named, plain_engine
from slp.engines.shared.fitting import Room, fits_in_words
from slp.engines.shared.over_parameters import size_at_all_nodes
from slp.engines.shared.size import size_for
from slp.engines.shared.sums import changes_within, may_advise, seconds_for_sums
from slp.errors import UnsupportedError
from slp.ir.program import GATE_WIDTH, CheckedProgram, SumOfTrees
from slp.ir.tree_grammar import OpenStates
from slp.leaves import OF_SOFT_TREES
from slp.messages.inference import BACKTRACKING_DRAWS_ALONE
from slp.messages.soft_trees import SOFT_TREES_ALONE
from slp.messages.sums import SUMS_ALONE
from slp.problem.core import MOST_COUNTS, beyond_core, counts_fit
from slp.problem.problem import Problem
from slp.results.record.choice import (
    DRAWS,
    PRIOR_DRAWS,
    SEARCH,
    SOFT_TREES,
    SUMS,
    TREE_SUMS,
    EngineChoice,
)
from slp.results.record.size import MOST_SPLITS, Size
from slp.runner.effort import Level

# Item by item, the search for the best tree keeps four words for an item; a pass for totals, which
# is estimated, keeps three. If uses of features need more, they are left out.
_TOTALS_TO_BEST = 3 / 4

#: In place of an engine's name: what `slp map` asks for.
BEST = "best"

#: Estimated seconds from which a summary of a prior counts as long.
_LONG = 10.0

_FINITE = "the program has a finite tree grammar, so its trees can be summed exactly"


#: A chart of so many boxes takes some minutes.
_BOXES_OF_CHART = 2.0**20

_MANY_BOXES = f"there may be more than {_BOXES_OF_CHART:,.0f} boxes, too many for sums in NumPy"

_COUNTS = "states that count their leaves take more memory and time than exact sums are given"

_MANY = "the grammar has too many states to be summed over without the compiled kernels"


def read_for(program: CheckedProgram, engine: str) -> CheckedProgram:
    """The program as the engine of a name reads it: if it has gates, over soft trees under `auto`
    and an engine of them; else over hard trees."""
    if not program.has_gates or engine == BEST:
        return replace(program, soft=False)
    return replace(program, soft=engine == "auto" or engine_named(engine).soft_trees)


def choose(problem: Problem, request: Request, engine: str, level: Level) -> EngineChoice:
    """The named engine; for `auto` the one that program, table, memory and level of effort allow;
    for `best`, which asks for the best trees alone, the same with a search where exact sums do not
    fit.

    Raises
    ------
    UsageError
        E509: there is no such engine.
    BudgetError
        E501: the table alone takes all the memory.
    UnsupportedError
        E545: the problem is of soft trees, and the engine is not; E548: derivations backtrack, and
        the engine needs the weights of trees.
    """
    choice = _choose(problem, request, engine, level)
    if not problem.program.has_gates:
        return choice
    how = "soft" if problem.program.soft else f"hard, and `{GATE_WIDTH}` is not used"
    return replace(choice, reason=f"{choice.reason}; trees are {how}")


def _choose(problem: Problem, request: Request, engine: str, level: Level) -> EngineChoice:
    if problem.program.sum_of is not None:
        return _for_sums(problem.program.sum_of, engine)
    if problem.program.soft or problem.table.leaf.soft_trees:
        if problem.grammar.backtracks:
            raise UnsupportedError(BACKTRACKING_DRAWS_ALONE(what="an engine of soft trees"))
        return _for_soft_trees(engine)
    if problem.grammar.backtracks:
        return _for_backtracking(engine)
    if engine == BEST:
        return _for_best(problem, request, level)
    if engine != "auto":
        name = engine_named(engine).name
        return EngineChoice(name, "asked for" + (_plainly(problem) if name == SUMS else ""))
    if problem.unsummable:
        return EngineChoice(DRAWS, "; ".join(found.message for found in problem.unsummable))
    if request.likelihood:
        return _by_size(problem, request, level)
    choice = _by_size(problem, replace(request, advise=False), level)
    return _for_prior(choice, problem, seconds_for_sums(request))


def _for_soft_trees(engine: str) -> EngineChoice:
    """The engine of soft trees, if it or `auto` was asked for."""
    if engine == "auto":
        return EngineChoice(SOFT_TREES, f"the program declares `{GATE_WIDTH}`, the width of gates")
    if engine == BEST or not engine_named(engine).soft_trees:
        raise UnsupportedError(SOFT_TREES_ALONE(what=f"the leaf model `{OF_SOFT_TREES.name}`"))
    return EngineChoice(engine, "asked for")


def _for_sums(declared: SumOfTrees, engine: str) -> EngineChoice:
    """The engine of sums of trees, if it or `auto` was asked for.

    Raises
    ------
    UnsupportedError
        E577: another was.
    """
    if engine == BEST or engine not in ("auto", TREE_SUMS):
        what = "the search for the best tree" if engine == BEST else f"the engine {engine}"
        raise UnsupportedError(SUMS_ALONE(declared.span, count=declared.count, what=what))
    reason = f"the program declares a sum of {declared.count} trees"
    if declared.assumed:
        reason += ", each of which is growtree (alpha 0.95, beta 2), as it has no other prior"
    return EngineChoice(TREE_SUMS, reason)


def _for_backtracking(engine: str) -> EngineChoice:
    """The engine asked for, if it needs no weights of trees; `auto` draws from the prior.

    Raises
    ------
    UnsupportedError
        E548: it needs them.
    """
    if engine == "auto":
        return EngineChoice(
            PRIOR_DRAWS,
            "under failure(backtrack) the weights of trees are not known, so these are "
            "independent draws of the prior, in a posterior weighed by their likelihoods",
        )
    if engine == BEST:
        raise UnsupportedError(BACKTRACKING_DRAWS_ALONE(what="the search for the best tree"))
    if engine_named(engine).needs_weights:
        raise UnsupportedError(BACKTRACKING_DRAWS_ALONE(what=f"the engine {engine}"))
    return EngineChoice(engine, "asked for")


def _for_best(problem: Problem, request: Request, level: Level) -> EngineChoice:
    choice = replace(_choose(problem, request, "auto", level), best_alone=True)
    others = problem.unsummable or problem.program.unknown  # which a search does not take
    if others or choice.engine == SUMS or not _counts_fit(problem, request):
        return choice
    searched = "so the best tree is searched for"
    return replace(choice, engine=SEARCH, reason=f"{choice.reason}; {searched}")


def _by_size(problem: Problem, request: Request, level: Level) -> EngineChoice:
    """Exact sums if each pass of a summary fits into the memory that the table leaves and into
    `MOST_SPLITS`, and they are short enough: for a limit of time, else for the level of effort.
    Else draws."""
    grammar, table, memory = problem.grammar, problem.table, request.memory
    room = _room(problem, request)
    if not _counts_fit(problem, request):
        return EngineChoice(DRAWS, _COUNTS)
    size = size_for(problem, room, MOST_SPLITS)
    if size is not None and problem.program.unknown:
        size = size_at_all_nodes(problem, size)
    if size is None:  # the plain chart checks this itself, unless there are many states
        if isinstance(grammar.states, OpenStates):
            return EngineChoice(DRAWS, _MANY)
        if compiled_is_there() and _many_boxes(problem):
            return EngineChoice(DRAWS, _MANY_BOXES)
        return EngineChoice(SUMS, _FINITE + _plainly(problem))
    if size.fits(room, MOST_SPLITS):
        return _by_time(size, request.deadline.seconds, level)
    advised = may_advise(problem, request) and not problem.program.unknown
    longest = math.inf if request.deadline.seconds is not None else level.sums
    within = Room(room, MOST_SPLITS, estimated_seconds=longest)
    fits = tuple(changes_within(problem, request, within)) if advised else ()
    by_memory = size.at_least or not size.fits(room, float("inf"))
    limit = f"the memory of {format_bytes(memory)}" if by_memory else f"{MOST_SPLITS:.0e} splits"
    spread = "" if size.at_least else f"; it may be {1 + 2 * size.error:.2g} times as much"
    reason = f"exact sums would be too large: {size} (estimate{spread}) against {limit}"
    if size.vast:
        reason = f"exact sums would be {size} against {limit}"
    elif size.at_least and size.memory <= room and size.splits <= MOST_SPLITS:
        reason = (
            f"exact sums would be of {size.in_boxes} against {limit}; how many more is not known"
        )
    if advised:
        reason += f"; {fits_in_words(fits, table)}"
    return EngineChoice(DRAWS, reason, size, fits)


def _counts_fit(problem: Problem, request: Request) -> bool:
    room = min(_room(problem, request), MOST_COUNTS)
    return not compiled_is_there() or counts_fit(problem.grammar, problem.table, room)


def _room(problem: Problem, request: Request) -> float:
    """Bytes that the table leaves for each pass of a summary."""
    return room_beside(problem.table, request.memory) * _TOTALS_TO_BEST


def _by_time(size: Size, seconds: float | None, level: Level) -> EngineChoice:
    """Exact sums of a size that fits, if they may end in the time given, or where none is given in
    what the level of effort allows; else draws."""
    if seconds is None and size.seconds <= level.sums:
        return EngineChoice(SUMS, _FINITE, size)
    if seconds is not None and size.least_seconds <= seconds:
        return EngineChoice(SUMS, _FINITE, size)
    reason = f"exact sums would take {size.in_seconds} (estimate), more than "
    if seconds is not None:
        reason += f"the time of {format_seconds(seconds)}"
        return EngineChoice(DRAWS, reason, size, too_long=True)
    reason += f"the {format_seconds(level.sums)} of one core of effort {level.name}"
    return EngineChoice(DRAWS, reason, size, beyond_effort=True)


def _for_prior(choice: EngineChoice, problem: Problem, seconds: float) -> EngineChoice:
    """The same for a prior, or independent draws if its summary by exact sums is too large, long,
    or longer than `seconds`."""
    size, n_rows = choice.size, problem.table.n_rows
    long = min(_LONG, seconds)
    if size is None or (choice.by_size and _prior_seconds(size, n_rows) <= long):
        return choice
    if problem.program.unknown or not mcmc.runs_forward(problem):
        return choice
    if size.vast:
        would = f"be {size}"
    else:
        would = f"take long ({size})" if choice.by_size else f"be too large ({size})"
    reason = (
        f"exact sums would {would}, so these are independent draws, made by running the program "
        "forward"
    )
    return replace(choice, engine=PRIOR_DRAWS, reason=reason)


def _prior_seconds(size: Size, n_rows: int) -> float:
    """Approximate seconds of an exact summary of a prior. The numbers of leaves and the depths take
    most of it: every item has a vector of each, and trees under a prior are large."""
    length = min(n_rows, 64)
    return size.seconds + size.items * size.splits / max(1.0, size.boxes) * length**2 * 5e-10


def goes_on_with_draws(
    problem: Problem, request: Request, bounds: tuple[float, float] | None
) -> EngineChoice:
    """The choice of an engine that draws, or searches, after the exact sums that `auto` chose did
    not end in their share of the time."""
    engine, work, unknown = DRAWS, "draws", problem.program.unknown
    if request.choice.best_alone and not unknown:
        engine, work = SEARCH, "a search"
    elif not request.likelihood and not unknown and mcmc.runs_forward(problem):
        engine = PRIOR_DRAWS
    reason = (
        f"exact sums did not end in their share of the time of "
        f"{format_seconds(request.deadline.seconds or 0)}, so the rest of it went into {work}: the "
        "answer depends on the clock"
    )
    choice = replace(request.choice, engine=engine, reason=reason, by_clock=True)
    return replace(choice, sums_unfinished=True, log_evidence_bounds=bounds)


def _many_boxes(problem: Problem) -> bool:
    """Whether a table that the core does not take may have too many boxes for the chart."""
    return bool(plain_engine("mh").most_boxes(problem) > _BOXES_OF_CHART)


def _plainly(problem: Problem) -> str:
    if not compiled_is_there():
        return ", in NumPy, as the compiled kernels are missing"
    why_not = beyond_core(problem.table)
    return "" if why_not is None else f", in NumPy, as the core {why_not}"
