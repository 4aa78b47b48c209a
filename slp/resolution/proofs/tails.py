"""The goals left to prove behind a stochastic goal, in terms without a store.

A run that reaches a stochastic goal records the goals behind it. They are recorded from the last
one, with variables numbered 1, 2, ... in that order. Equal lists of goals are one object, so lists
are compared by identity. The next run begins with that object. Goals that a run did not change are
found again without visiting them. So a clause of N stochastic goals, and a recursion with N goals
behind it, take time proportional to N.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from weakref import WeakValueDictionary

from slp.resolution.machine.control import CutTo, passes_cut
from slp.resolution.machine.loop import END, Goal, Machine
from slp.resolution.machine.store import Numbering
from slp.resolution.proofs.recorded import AnswerRecords

#: The height of a cut that reaches back across a stochastic goal.
CROSSES = -1


@dataclass(slots=True, eq=False, repr=False, weakref_slot=True)
class Tail(Goal):
    """A recorded goal, and the recorded goals behind it.

    Its variables are numbered from 1 to `variables`. `cuts`: whether some goal in it takes the
    stack of choices back to where its run began. Lists that differ in `depth` or in their goals'
    places are one; it keeps those of the first one recorded.
    """

    variables: int
    cuts: bool


class Tails:
    """The tails in use. `answers`: the records of answers that exits have beside their tails."""

    def __init__(self) -> None:
        self.answers = AnswerRecords()
        self._known: WeakValueDictionary[Hashable, Tail] = WeakValueDictionary()

    def put_down(self, machine: Machine, goal: Goal) -> tuple[Goal, Numbering]:
        """Record a goal and those behind it. Returns the record and the numbers of their
        variables."""
        lowest = machine.store.lowest_bound()
        height = len(machine.choices)
        behind = []
        while goal is not END and not (
            isinstance(goal, Tail) and goal.variables < lowest and (height == 0 or not goal.cuts)
        ):
            behind.append(goal)
            goal = goal.next
        machine.spend(len(behind))
        numbers = Numbering(_variables(goal))
        for old in reversed(behind):
            goal = self._in_front(machine, old, goal, numbers)
        return goal, numbers

    def _in_front(self, machine: Machine, old: Goal, tail: Goal, numbers: Numbering) -> Tail:
        """Record a goal of a run in front of a tail."""
        term, cut = old.term, CROSSES
        if isinstance(term, CutTo):
            cut = _apart(machine, term.height)
            term = CutTo(cut)
        elif not callable(term):
            term = machine.store.renumber(term, numbers)
            if passes_cut(term):
                cut = _apart(machine, old.cut)
        key = term, cut, tail
        found = self._known.get(key)
        if found is None:
            cuts = cut != CROSSES or (isinstance(tail, Tail) and tail.cuts)
            found = Tail(term, cut, old.depth, old.span, tail, numbers.count, cuts)
            self._known[key] = found
        return found


def _variables(tail: Goal) -> int:
    return tail.variables if isinstance(tail, Tail) else 0


def _apart(machine: Machine, height: int) -> int:
    """A height for the next run, whose stack is empty."""
    return 0 if height == len(machine.choices) else CROSSES
