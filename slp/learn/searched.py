"""Sums over the proofs of one goal on the graph of all stochastic choices
(`slp.resolution.proofs.graph`), which is opened as far as the labels require."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from slp.budgets import check_time
from slp.errors import ProgramError, SlpError
from slp.learn import faults
from slp.learn.sums import Numbers
from slp.messages import learning as words
from slp.resolution.machine.clauses import PreparedPredicate
from slp.resolution.machine.loop import Goal
from slp.resolution.proofs.choices import Outcome
from slp.resolution.proofs.flow import BranchesError, Flow, TooSmallError
from slp.resolution.proofs.graph import ChoiceGraph
from slp.resolution.proofs.masses import Mass, mass_text
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Term, functor

#: Largest open mass of a sum, relative to the sum.
_NEGLIGIBLE = 1e-9
#: Largest open mass, relative to the sum, where only the clauses that compete are looked for.
_ENOUGH_TO_SEE = 0.1


@dataclass(frozen=True, eq=False)
class SearchedSums:
    """The sums of `goal` on its graph (see `slp.learn.sums`). `failures`: of all its derivations,
    else of its proofs alone. `span` is the place of the observation, None for a goal in general."""

    goal: Term
    graph: ChoiceGraph
    failures: bool
    span: SourceSpan | None = None

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """See `ProofSums`."""
        return self.graph.outcomes

    @property
    def exits(self) -> Sequence[tuple[int, ...]]:
        """See `ProofSums`."""
        return self.graph.exits

    def weigh(self, value: Callable[[Outcome], float]) -> SearchedFlow:
        """See `ProofSums`."""
        check_time("while the proofs of observations were summed")
        return SearchedFlow(self._all(value) if self.failures else self._proofs(value))

    def look(self, value: Callable[[Outcome], float]) -> None:
        """Open the graph as far as most of its stochastic goals need. The goal need not have a
        finite sum, nor any."""
        with suppress(BranchesError, TooSmallError, ProgramError):
            self.graph.weigh(value, _ENOUGH_TO_SEE, of_success=True)

    def _proofs(self, value: Callable[[Outcome], float]) -> Flow:
        """The flow of proofs. Little mass is open relative to theirs."""
        try:
            flow = self.graph.weigh(value, _NEGLIGIBLE, of_success=True)
        except BranchesError:
            goal = term_to_text(self.goal)
            raise SlpError(words.SEVERAL_SOLUTIONS_IN_A_LOOP(self.span, goal=goal)) from None
        except TooSmallError:
            raise SlpError(words.TOO_SMALL(self.span, goal=term_to_text(self.goal))) from None
        if flow.success and flow.waiting > flow.success.times(_NEGLIGIBLE):
            raise self._cut_off(flow)
        return flow

    def _all(self, value: Callable[[Outcome], float]) -> Flow:
        """The flow of all derivations, including those that fail."""
        graph, goal = self.graph, term_to_text(self.goal)
        try:
            flow = graph.weigh(value, _NEGLIGIBLE)
        except BranchesError:
            behind = None if graph.behind is None else _place(graph.behind)
            reached = [_place(g) for g in graph.reached]
            raise faults.several_solutions(goal, reached, behind, self._first_clause()) from None
        except TooSmallError:
            raise SlpError(words.TOO_SMALL(goal=goal)) from None
        if flow.open > flow.success.times(_NEGLIGIBLE):
            raise self._cut_off(flow)
        if not (np.isfinite(flow.failing).all() and np.isfinite(flow.lost).all()):
            raise SlpError(words.TOO_SMALL(goal=goal))
        return flow

    def _first_clause(self) -> SourceSpan | None:
        key = functor(self.goal)
        own = None if key is None else self.graph.database.definitions.get(key)
        return own.clauses[0].source.span if isinstance(own, PreparedPredicate) else None

    def _cut_off(self, flow: Flow) -> SlpError:
        text, mass = term_to_text(self.goal), mass_text(max(flow.open, flow.waiting).log)
        if self.graph.stopped is None:
            return SlpError(words.ENDLESS_MASS(goal=text, mass=mass))
        reason = self.graph.stopped.message
        return SlpError(words.OPEN_MASS(goal=text, mass=mass, reason=reason))


@dataclass(frozen=True, eq=False)
class SearchedFlow:
    """See `slp.learn.sums.Weighed`."""

    flow: Flow

    @property
    def success(self) -> Sequence[Mass]:
        """See `Weighed`."""
        return [self.flow.success]

    def succeeding(self, weights: Numbers) -> Numbers:
        """See `Weighed`."""
        return float(weights[0]) * self.flow.succeeding

    def failing(self) -> tuple[Numbers, Numbers]:
        """See `Weighed`."""
        return self.flow.failing, self.flow.lost


def _place(goal: Goal) -> tuple[str, SourceSpan | None]:
    assert not callable(goal.term)
    return term_to_text(goal.term), goal.span
