"""All proofs of a goal in a stochastic logic program, the most probable first.

The tree of stochastic choices: a node is a run of logical resolution between two choices, its mass
the product of the labels above it. A run ends in *exits*: proofs, and stochastic goals, from which
one branch leads on for each matching clause. The node with the largest mass is opened next, so
proofs come out by decreasing mass, and at any time

    success + failure + open = 1

where `failure` is the mass of runs without an exit and of what labels leave of 1, `open` that of
nodes not opened yet. `open` bounds what further proofs can weigh as long as each run has at most
one exit. A logical goal with several solutions that lead on makes more: each SLD proof counts, and
the masses may sum to more than 1 (Cussens 2001: unlabelled clauses weigh 1). Then, and under
`:- weights.`, there is no upper bound.

A run that takes long is laid aside, with half of its priority, so that an endless one does not keep
the others waiting.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from slp.errors import Diagnostic
from slp.proofs import faults
from slp.proofs.choices import Fired, Option, enter, options_at
from slp.proofs.clauses import Clause, Predicate
from slp.proofs.control import CutTo
from slp.proofs.database import Database
from slp.proofs.faults import LimitError
from slp.proofs.machine import END, Goal, Machine, Meter
from slp.proofs.store import Store
from slp.proofs.terms import Term

__all__ = ["FoundProof", "Search", "SearchMachine"]

_CROSSES = -1  # the height of a cut that reaches back across a stochastic goal

#: Nodes opened between two exact sums of the open mass.
_RECOUNT = 1000


@dataclass(frozen=True, slots=True)
class _Exit:
    """A stochastic goal that a run came to. Its terms are resolved: each branch has its own store,
    whose variables are numbered from `first` on."""

    goal: Goal
    args: tuple[Term, ...]
    answer: Term
    first: int
    options: Sequence[Option]


class SearchMachine(Machine):
    """A run: logical goals are proved, stochastic ones are put down in `exits`."""

    def __init__(
        self, database: Database, meter: Meter, store: Store, answer: Term, *, weights: bool
    ) -> None:
        super().__init__(database.definitions, database.parameters, meter, store)
        self.answer = answer
        self.exits: list[_Exit] = []
        self._weights = weights

    def choose(self, predicate: Predicate, goal: Goal, args: tuple[Term, ...]) -> None:
        """Put the goal down, and look for other exits by backtracking."""
        options = options_at(self, predicate, args, weights=self._weights)
        if options:
            resolved = tuple(self.store.resolve(a) for a in args)
            answer = self.store.resolve(self.answer)
            self.exits.append(_Exit(self._apart(goal), resolved, answer, self.store.next, options))

    def _apart(self, goal: Goal) -> Goal:
        """The goal and those behind it, in terms that need no store and cuts that need no stack."""
        behind = []
        while goal is not END:
            behind.append(goal)
            goal = goal.next
        out = goal
        for old in reversed(behind):
            term, cut = old.term, self._height_apart(old.cut)
            if isinstance(term, CutTo):
                term = CutTo(self._height_apart(term.height))
            elif not callable(term):
                term = self.store.resolve(term)
            if term is old.term and cut == old.cut and out is old.next:
                out = old
            else:
                out = Goal(term, cut, old.depth, old.span, out)
        return out

    def _height_apart(self, height: int) -> int:
        return 0 if height == len(self.choices) else _CROSSES

    def cut(self, height: int) -> None:
        """Forget the choice points above a height; E241 if some are those of an earlier run."""
        if height == _CROSSES:
            raise faults.crossing_cut(self.span)
        super().cut(height)


@dataclass(slots=True, eq=False)
class _Node:
    """A node of the tree: not opened yet while `run` is None."""

    mass: float
    fired: Fired | None
    start: tuple[_Exit, Clause] | None
    machine: SearchMachine | None = None
    run: Iterator[bool] | None = None
    exits: int = 0


@dataclass(frozen=True, slots=True)
class FoundProof:
    """A proof: the answer's terms resolved, its mass, the labelled clauses that fired."""

    answer: Term
    mass: float
    last: Fired | None


@dataclass
class Search:
    """The search for the proofs of `goal`, each giving an instance of `answer`.

    Variables of both are numbered below `first`. After `run`: `success` and `failure` (masses),
    `open`, `branches` (whether a run had several exits), `stopped` (the limit that ended the search
    or a part of it, None if none did).
    """

    database: Database
    goal: Goal
    answer: Term
    first: int
    meter: Meter
    tolerance: float
    weights: bool
    machine_type: type[SearchMachine] = SearchMachine
    branches: bool = False
    stopped: Diagnostic | None = None
    _heap: list[tuple[float, int, _Node]] = field(default_factory=list)
    _stuck: list[float] = field(default_factory=list)
    _failed: list[float] = field(default_factory=list)
    _open: float = 0.0
    _count: int = 0

    @property
    def failure(self) -> float:
        """Mass of what is known to have no proof."""
        return math.fsum(self._failed)

    @property
    def open(self) -> float:
        """Mass of the nodes that are not done, given up ones included."""
        return math.fsum([*(node.mass for _, _, node in self._heap), *self._stuck])

    @property
    def largest_open(self) -> float:
        """The largest mass of a node that is not done, 0 if there is none."""
        return max([*(node.mass for _, _, node in self._heap), *self._stuck], default=0.0)

    def run(self) -> Iterator[FoundProof]:
        """The proofs as they are found, until the open mass is at most `tolerance`."""
        self._push(_Node(1.0, None, None), 1.0)
        opened = 0
        while self._heap and not self._is_done(opened):
            priority, _, node = heapq.heappop(self._heap)
            self._open -= node.mass
            opened += 1
            try:
                yield from self._advance(node, -priority)
            except LimitError as e:
                self._stuck.append(node.mass)
                self.stopped = e.diagnostics[0]
                if e.diagnostics[0].code == "E214":
                    return

    def _is_done(self, opened: int) -> bool:
        """Whether the tolerance is reached; the running sum is not trusted with that."""
        if self._open <= self.tolerance or opened % _RECOUNT == 0:
            self._open = math.fsum(node.mass for _, _, node in self._heap)
        return self._open <= self.tolerance

    def _push(self, node: _Node, priority: float) -> None:
        heapq.heappush(self._heap, (-priority, self._count, node))
        self._count += 1
        self._open += node.mass

    def _advance(self, node: _Node, priority: float) -> Iterator[FoundProof]:
        machine, run = self._opened(node)
        while True:
            event = next(run, None)
            for found in machine.exits:
                self._branch(node, found)
            machine.exits.clear()
            if event is None:
                break
            if event:
                self._count_exit(node)
                yield FoundProof(machine.store.resolve(machine.answer), node.mass, node.fired)
            else:
                self._push(node, priority / 2)
                return
        self.meter.inferences += machine.store.work >> 8
        if node.exits == 0:
            self._failed.append(node.mass)

    def _opened(self, node: _Node) -> tuple[SearchMachine, Iterator[bool]]:
        if node.machine is None or node.run is None:
            first, answer = self.first, self.answer
            if node.start is not None:
                first, answer = node.start[0].first, node.start[0].answer
            machine = self.machine_type(
                self.database, self.meter, Store(first), answer, weights=self.weights
            )
            goal = self.goal
            if node.start is not None:
                found, clause = node.start
                goal = enter(machine, clause, found.goal, found.args)
            node.machine, node.run = machine, machine.explore(goal)
        return node.machine, node.run

    def _branch(self, node: _Node, found: _Exit) -> None:
        self._count_exit(node)
        total = math.fsum(label for _, label in found.options)
        if total < 1 and not self.weights:
            self._failed.append(node.mass * (1 - total))
        for clause, label in found.options:
            mass = node.mass * label
            if math.isinf(mass):
                raise faults.mass_overflow(clause.source.span)
            if mass > 0:  # it may be too small for a number
                fired = Fired(clause.source, label, node.fired)
                self._push(_Node(mass, fired, (found, clause)), mass)

    def _count_exit(self, node: _Node) -> None:
        node.exits += 1
        self.branches = self.branches or node.exits > 1
