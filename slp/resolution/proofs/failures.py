"""Why a goal fails: the deepest goals that failed in the search."""

from __future__ import annotations

from dataclasses import dataclass

from slp.resolution.machine.loop import Barrier, Goal
from slp.resolution.proofs.search import SearchMachine
from slp.source import SourceSpan
from slp.terms import Term

_MOST_NAMED = 5


@dataclass(frozen=True)
class FailedGoal:
    """A goal that failed: with the bindings it was called with, its place, and how many predicates
    were around it."""

    goal: Term
    span: SourceSpan | None
    depth: int


class FailureTrace:
    """Keeps the deepest failed goals, at most five, the first ones met."""

    def __init__(self) -> None:
        self.deepest: list[FailedGoal] = []

    def keeps(self, depth: int) -> bool:
        """Whether a failure at this depth is kept."""
        if not self.deepest or depth > self.deepest[0].depth:
            return True
        return depth == self.deepest[0].depth and len(self.deepest) < _MOST_NAMED

    def add(self, failed: FailedGoal) -> None:
        """Record a failure."""
        if self.deepest and failed.depth > self.deepest[0].depth:
            self.deepest.clear()
        if failed not in self.deepest:
            self.deepest.append(failed)


def tracing_machine(trace: FailureTrace) -> type[SearchMachine]:
    """A machine that reports every goal that fails when called to `trace`.

    Inside conditions and negations, failure is not a fault. A negation that does not hold fails
    with the goal `fail` at its own place.
    """

    class TracingMachine(SearchMachine):
        def _step(self, goal: Goal) -> Goal | None:
            exits = len(self.exits)
            out = super()._step(goal)
            failed = out is None and len(self.exits) == exits and not callable(goal.term)
            if failed and trace.keeps(goal.depth) and not self._is_testing():
                assert not callable(goal.term)
                trace.add(FailedGoal(self.store.resolve(goal.term), goal.span, goal.depth))
            return out

        def _is_testing(self) -> bool:
            return any(isinstance(c, Barrier) and c.is_open for c in self.choices)

    return TracingMachine
