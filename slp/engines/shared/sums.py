"""Engines whose numbers are sums over all trees: from a `TreeDistribution` to a result, and the
error if a budget ends the sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from slp.budgets import Deadline, held
from slp.constraints.avoids import Avoids, Event
from slp.data.memory import room_beside
from slp.engines.contract import NoOptions, Progress, Request
from slp.engines.shared.fitting import Room, changes_that_fit, fits_in_words
from slp.engines.shared.over_parameters import at_nodes_of_rules, over_parameters
from slp.engines.shared.size import ROUGH, size_of
from slp.errors import BudgetError, Diagnostic, NoTreeError, SlpError, TimeOverError
from slp.ir.tree_grammar import OpenStates, TreeGrammar
from slp.late import late_import
from slp.messages.inference import NO_TREE
from slp.problem.problem import Problem
from slp.results.averages.over_trees import TreeDistribution
from slp.results.record.known import Known
from slp.results.record.parts import Candidate
from slp.results.record.result import Result
from slp.results.record.size import Fit
from slp.results.record.summed import result_of_sums
from slp.runner.options import fresh_seed

# Shares of the time that exact sums leave: for a sampler that continues if they do not end; for
# drawing some trees, to show the best one; for that, bounds and advice; for advice alone.
_KEPT_FOR_DRAWS, _KEPT_FOR_BEST, _KEPT_FOR_WORDS, _KEPT_FOR_ADVICE = 1 / 3, 1 / 10, 1 / 5, 1 / 10
#: The part of a summary's time that one sum takes, which makes at least four.
_ONE_SUM = 1 / 4
#: Approximate seconds of independent draws and averages over them, in place of sums.
_INDEPENDENT_DRAWS = 2.0


@dataclass(frozen=True)
class SumLimits:
    """The limits of sums: bytes (with the table), time, threads. `what_fits` finds changes that
    would make them fit. `items_wanted`: whether more than the evidence is wanted."""

    memory: int
    deadline: Deadline
    threads: int
    what_fits: Callable[[Room], str] | None
    items_wanted: bool


#: Makes the sums over all trees of a problem, with or without likelihood.
Distribution = Callable[[Problem, bool, SumLimits, Progress | None], TreeDistribution]


@dataclass(frozen=True)
class SumsOverTrees:
    """An engine (`slp.engines.contract.Engine`) made from a function that computes its sums."""

    name: str
    title: str
    distribution: Distribution
    gives: str = "every number exactly: evidence, best trees, number of trees, predictions"
    refuses: str = (
        "programs without a finite tree grammar, constraints that only the finished tree decides, "
        "predicates, `edittree`"
    )
    needs_grammar: bool = True
    few_states: bool = False
    soft_trees: bool = False
    needs_weights: bool = True
    takes_unknown: bool = True
    refuses_options: bool = False
    Options: type[Any] = NoOptions

    def refusal(self, problem: Problem, options: NoOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E301."""
        return problem.unsummable

    def outside_core(self, problem: Problem, options: NoOptions) -> str | None:
        """See `Engine`: the choice says it, which depends on it."""
        return None

    def run(self, problem: Problem, request: Request, options: NoOptions) -> Result:
        """See `Engine`.

        Raises
        ------
        BudgetError
            E501, E503, E540: the budget is too small for the table or the engine; the message says
            what would fit, and `known` holds what was found (`slp.results.record.known.Known`).
        UnsupportedError
            E304: it cannot list all states.
        NoTreeError
            E504: no tree satisfies the program on this table.
        """
        if not problem.program.unknown:
            problem = problem.on(problem.grammar.listed())
        grammar, deadline, likelihood = problem.grammar, request.deadline, request.likelihood
        own = deadline.before(deadline.left() * _kept(request))
        best_tree = partial(_best_drawn, problem, likelihood, deadline)
        try:
            result = self.summed(problem, request, own, best_tree)
            if result.evidence.log_total() == -math.inf:
                raise NoTreeError(NO_TREE())
            if request.instead is not None and not request.choice.best_alone:
                result.evidence.log_prior_total()  # where it takes too long, draws go on
        except BudgetError as error:
            bounds = error.log_evidence_bounds
            try:
                if request.instead is not None and isinstance(error, TimeOverError):
                    return request.instead(bounds)
            except BudgetError as nothing_drawn:
                error = nothing_drawn
            normalised = grammar.normalised and grammar.max_leaves is None
            if error.known is None:
                of = (request.choice, problem.table, likelihood, normalised)
                error.known = Known(*of, bounds, best_tree())
            raise error from None
        left = deadline.left()
        kept = _INDEPENDENT_DRAWS if request.choice.by_size else 0.0
        own.keep(max(left * _KEPT_FOR_WORDS, min(kept, left / 2)))
        return result

    def summed(
        self,
        problem: Problem,
        request: Request,
        deadline: Deadline,
        best_tree: Callable[[], Candidate | None] | None = None,
    ) -> Result:
        """The result, whose sums the compiled engine makes when they are asked for, until a
        deadline. `best_tree` is as of `result_of_sums`. Raises as `run`, and does not look whether
        there is a tree."""
        if request.seed is None:
            request = replace(request, seed=fresh_seed())
        many = bool(problem.program.unknown)
        advised = may_advise(problem, request) and request.instead is None and not many
        limits = SumLimits(
            request.memory,
            deadline,
            request.threads,
            partial(_what_fits, problem, request) if advised else None,
            request.draws > 0 and not many,
        )
        make = _ResultOfSums(self.distribution, request, limits)
        if not many:
            own = self.distribution(problem, request.likelihood, limits, request.progress)
            return make(problem, own, best_tree)

        def sums_at(one: Problem, memory: int) -> TreeDistribution:
            within = replace(limits, memory=memory)
            return self.distribution(one, request.likelihood, within, request.progress)

        last, before = at_nodes_of_rules(problem, request.memory, sums_at)
        return over_parameters(make(problem, last.sums, best_tree), last, before, make)


@dataclass(frozen=True)
class _ResultOfSums:
    """Makes the result of sums."""

    distribution: Distribution
    request: Request
    limits: SumLimits

    def __call__(
        self,
        problem: Problem,
        sums: TreeDistribution,
        best_tree: Callable[[], Candidate | None] | None = None,
    ) -> Result:
        request = self.request
        assert request.seed is not None
        again = _SumsAgain(self.distribution, problem, self.limits, request.progress)
        return result_of_sums(
            sums,
            problem.grammar,
            problem.table,
            choice=request.choice,
            n_draws=request.draws,
            seed=request.seed,
            best_tree=best_tree,
            for_draws=partial(_time_for_draws, self.limits.deadline),
            searched=request.instead if request.choice.best_alone else None,
            run=again,
            avoiding=again.avoiding,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickling and copying: without a deadline."""
        request = replace(self.request, deadline=Deadline(), progress=None, instead=None)
        limits = replace(self.limits, deadline=Deadline(), what_fits=None)
        return _ResultOfSums, (self.distribution, request, limits)


@contextmanager
def _time_for_draws(deadline: Deadline) -> Iterator[None]:
    """Gives the block the time that sums leave. Later sums have none, because averages over draws
    take the rest."""
    deadline.keep(0.0)
    try:
        yield
    finally:
        deadline.keep(math.inf)


def changes_within(problem: Problem, request: Request, room: Room) -> list[Fit]:
    """Changes of the program that would fit, found within a share of the time."""
    deadline = request.deadline
    room = replace(room, seconds=seconds_for_sums(request))
    advice = deadline.before(deadline.left() * (1 - _KEPT_FOR_ADVICE))
    with held(advice):  # lowering a changed program may take longer
        return changes_that_fit(problem, room, advice.over)


def seconds_for_sums(request: Request) -> float:
    """The seconds for exact sums; inf without a limit."""
    return (request.deadline.seconds or math.inf) * (1 - _kept(request))


def _kept(request: Request) -> float:
    return _KEPT_FOR_WORDS if request.instead is None else _KEPT_FOR_DRAWS


def may_advise(problem: Problem, request: Request) -> bool:
    """Whether changes of the program are looked for."""
    # Another program on the table makes another table.
    return request.advise and room_beside(problem.table, request.memory) > request.memory // 2


def _what_fits(problem: Problem, request: Request, room: Room) -> str:
    return fits_in_words(changes_within(problem, request, room), problem.table)


def _best_drawn(problem: Problem, likelihood: bool, deadline: Deadline) -> Candidate | None:
    """The best of some trees drawn in their share of the time; None if no time is left, and where
    parameters have a prior."""
    if problem.program.unknown:
        return None
    share = (deadline.seconds or math.inf) * _KEPT_FOR_BEST
    seconds = min(share, deadline.left())
    if seconds <= 0:
        return None
    found: Candidate | None = late_import("slp.engines.shared.drawing").best_drawn(
        problem, likelihood, seconds
    )
    return found


@dataclass(frozen=True)
class _SumsAgain:
    """Sums over another grammar on the same table."""

    distribution: Distribution
    problem: Problem
    limits: SumLimits
    progress: Progress | None

    def __call__(self, grammar: TreeGrammar, likelihood: bool) -> TreeDistribution:
        problem = self.problem.on(grammar)
        return self.distribution(problem, likelihood, self.limits, self.progress)

    def avoiding(
        self, events: frozenset[Event], likelihood: bool, seconds: float
    ) -> TreeDistribution | None:
        """See `slp.results.record.summed.Avoiding`. Grammars are summed whose states are listed,
        and of which the time is estimated to be short; the plain engines ask for no estimate."""
        if not self.problem.can_be_varied:
            return None
        program = self.problem.program
        more = (Avoids(event) for event in sorted(events, key=repr))
        changed = replace(program, constraints=(*program.constraints, *more))
        try:
            problem = self.problem.varied(changed)
        except SlpError:  # too many states
            return None
        grammar, core = problem.grammar, problem.core
        if isinstance(grammar.states, OpenStates):
            return None
        if core is not None:
            summary = size_of(core, grammar, problem.table, ROUGH).seconds
            if summary * _ONE_SUM > seconds:
                return None
        limits = replace(self.limits, what_fits=None, items_wanted=False)
        return self.distribution(problem, likelihood, limits, None)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickling and copying: without a deadline."""
        limits = replace(self.limits, deadline=Deadline(), what_fits=None)
        return _SumsAgain, (self.distribution, self.problem, limits, None)
