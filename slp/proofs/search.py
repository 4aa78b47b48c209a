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

Nodes with the same goals left to prove are one, with the sum of their masses, as long as nobody
asks for the proofs themselves (`merges`): random walks and grammars would else have more
derivations than anyone can look at.

A run that takes long is laid aside, with half of its priority, so that an endless one does not keep
the others waiting.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterator, Sequence
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
from slp.proofs.terms import Term, Var

__all__ = ["FoundProof", "Search", "SearchMachine"]

_CROSSES = -1  # the height of a cut that reaches back across a stochastic goal

#: Nodes opened between two exact sums of the open mass.
_RECOUNT = 1000


@dataclass(frozen=True, slots=True)
class _Exit:
    """A stochastic goal that a run came to.

    Its terms are resolved and their variables renumbered: each branch has its own store, which
    numbers its variables from `first` on. Exits with the same `key` have the same goals left.
    """

    goal: Goal
    args: tuple[Term, ...]
    answer: Term
    first: int
    options: Sequence[Option]
    key: tuple[Hashable, ...]


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
            numbers: dict[int, Var] = {}
            answer = self.store.renumber(self.answer, numbers)
            called = tuple(self.store.renumber(a, numbers) for a in args)
            key: list[Hashable] = [answer, id(predicate), called]
            apart = self._apart(goal, numbers, key)
            first = len(numbers) + 1
            self.exits.append(_Exit(apart, called, answer, first, options, tuple(key)))

    def _apart(self, goal: Goal, numbers: dict[int, Var], key: list[Hashable]) -> Goal:
        """The goal and those behind it, in terms that need no store and cuts that need no stack."""
        behind = []
        called = goal
        while goal is not END:
            behind.append(goal)
            goal = goal.next
        self.spend(len(behind))
        out = goal
        for old in reversed(behind):
            term, cut = old.term, self._height_apart(old.cut)
            if isinstance(term, CutTo):
                term = CutTo(self._height_apart(term.height))
            elif not callable(term):
                term = self.store.renumber(term, numbers)
            if old is not called:
                key.append(term)
                key.append(cut)
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
    """A node of the tree: not opened yet while `run` is None.

    `entry` tells its valid entry in the heap from those that it had with less mass.
    """

    mass: float
    fired: Fired | None
    start: tuple[_Exit, Clause] | None
    machine: SearchMachine | None = None
    run: Iterator[bool] | None = None
    exits: int = 0
    entry: int = -1


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
    merges: bool = True
    branches: bool = False
    stopped: Diagnostic | None = None
    _heap: list[tuple[float, int, _Node]] = field(default_factory=list)
    _waiting: dict[Hashable, _Node] = field(default_factory=dict)
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
        return math.fsum([*self._masses(), *self._stuck])

    @property
    def largest_open(self) -> float:
        """The largest mass of a node that is not done, 0 if there is none."""
        return max([*self._masses(), *self._stuck], default=0.0)

    def _masses(self) -> Iterator[float]:
        return (node.mass for _, entry, node in self._heap if entry == node.entry)

    def run(self) -> Iterator[FoundProof]:
        """The proofs as they are found, until the open mass is at most `tolerance`."""
        self._push(_Node(1.0, None, None), 1.0)
        opened = 0
        while self._heap and not self._is_done(opened):
            priority, entry, node = heapq.heappop(self._heap)
            if entry != node.entry:
                continue
            self._open -= node.mass
            if node.start is not None and node.run is None:
                self._waiting.pop(_key(node.start), None)
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
            self._open = math.fsum(self._masses())
        return self._open <= self.tolerance

    def _push(self, node: _Node, priority: float) -> None:
        heapq.heappush(self._heap, (-priority, self._count, node))
        node.entry = self._count
        self._count += 1
        self._open += node.mass

    def _push_branch(self, mass: float, fired: Fired | None, start: tuple[_Exit, Clause]) -> None:
        """Push a node, or add to the mass of one that waits to prove the same."""
        key = _key(start)
        waiting = self._waiting.get(key) if self.merges else None
        if waiting is None:
            node = _Node(mass, fired, start)
            self._push(node, mass)
            if self.merges:
                self._waiting[key] = node
        else:
            self._open -= waiting.mass
            waiting.mass += mass
            self._push(waiting, waiting.mass)

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
                self._push_branch(mass, fired, (found, clause))

    def _count_exit(self, node: _Node) -> None:
        node.exits += 1
        self.branches = self.branches or node.exits > 1


def _key(start: tuple[_Exit, Clause]) -> Hashable:
    found, clause = start
    return id(clause), found.key
