"""Best-first search over the tree of stochastic choices, with masses; shared by all searches.

A node is a run of logical resolution between two choices. Its mass is the product of the labels
above it. A run ends in *exits*: proofs, and stochastic goals, which have one branch for each
matching clause. The node with the largest mass is opened next, so proofs are found by decreasing
mass. At any time

    success + failure + open = 1

where `failure` is the mass of runs without an exit, and of labels that sum to less than 1. `open`
is the mass of nodes not opened yet. It bounds the mass of further proofs as long as each run has at
most one exit. A logical goal with several solutions can have more exits: each SLD proof counts, and
the masses may sum to more than 1 (Cussens 2001: unlabelled clauses weigh 1). Then, and under `:-
weights.`, there is no upper bound.

Unless the proofs themselves are wanted, nodes with the same goals left to prove are merged, with
the sum of their masses (`merges`). Otherwise random walks and grammars would have too many
derivations. A node that is opened before all of its mass has arrived is opened again. To make that
rare, nodes of similar mass (within a factor of 2^`_LIKE`) are opened in the order of their distance
from the root. If all paths to a state have the same number of choices, the graph is then visited
once for each such factor between its masses, not once for each of its states.

The search ends when the open mass is at most a share, the tolerance, of the mass of the proofs
found: a goal may have a small mass, as a long observation has. While nothing is found, it goes on.

A long run is postponed, with half of its priority and behind some of similar mass, so that an
endless run does not block the others.
"""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from slp.budgets import check_memory, check_time
from slp.errors import BudgetError, Diagnostic
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine.faults import LimitError
from slp.resolution.proofs.choices import Fired
from slp.resolution.proofs.masses import ONE, ZERO, Mass, total
from slp.terms import Term

#: Called with the number of choices opened, and a word for what is done.
Progress: TypeAlias = Callable[[int, str], None]

#: Masses are similar within a factor of 2 to this power.
_LIKE = 10

#: Choices whose runs take about as long as a turn of a long one.
_TURN = 500

#: The start of a branch.
S = TypeVar("S")
#: A run in progress.
R = TypeVar("R")


def check_budgets(seconds: float = 0.0, memory: float = 0.0) -> None:
    """Raise BudgetError E540, E501 if a budget that is held is used up, apart from the seconds and
    bytes that later work needs."""
    doing = "while proofs were searched for"
    check_time(doing, seconds)
    check_memory(doing, memory)


#: Nodes opened between two looks at the budgets.
_LOOK = 16


@dataclass(slots=True, eq=False)
class SearchNode(Generic[S, R]):
    """A node of the tree: not opened yet while `run` is None; `start` is None at the root.

    `choices` are those above it. `entry` tells its valid entry in the heap from those that it had
    with less mass.
    """

    mass: Mass
    fired: Fired | None
    start: S | None
    choices: int = 0
    run: R | None = None
    exits: int = 0
    entry: int = -1


class _Entry(NamedTuple, Generic[S, R]):
    """A node in the heap: `rank` says how early it is opened, the least first."""

    rank: tuple[float, float]
    number: int
    priority: Mass
    node: SearchNode[S, R]


@dataclass(frozen=True, slots=True)
class FoundProof:
    """A proof: the answer's terms resolved, its mass, the labelled clauses that fired."""

    answer: Term
    mass: Mass
    last: Fired | None


class BestFirst(ABC, Generic[S, R]):
    """A search for all proofs of a goal.

    After `run`: `success`, `failure` and `open` (masses), `branches` (whether a run had several
    exits), `stopped` (the limit that ended the search or a part of it, None if none did).
    `progress` is called with the number of choices opened.
    """

    def __init__(self, tolerance: float, *, weights: bool, merges: bool) -> None:
        self.tolerance = tolerance
        self.weights = weights
        self.merges = merges
        self.branches = False
        self.stopped: Diagnostic | None = None
        self.progress: Progress | None = None
        self.success = ZERO
        self._heap: list[_Entry[S, R]] = []
        self._waiting: dict[Hashable, SearchNode[S, R]] = {}
        self._stuck: list[Mass] = []
        self._failed: list[Mass] = []
        self._now: SearchNode[S, R] | None = None
        self._count = 0
        self._turns = self._sum_again = 0

    @abstractmethod
    def advance(self, node: SearchNode[S, R], priority: Mass) -> Iterator[FoundProof]:
        """Open a node or continue it: yields proofs, and calls `branch`, `lay_aside`, `done`."""

    @abstractmethod
    def key(self, start: S) -> Hashable:
        """Equal for branches with the same goals left to prove."""

    @property
    def failure(self) -> Mass:
        """Mass of what is known to have no proof."""
        return total(self._failed)

    @property
    def open(self) -> Mass:
        """Mass of the nodes that are not done, with those that were given up."""
        return total([*self._masses(), *self._stuck])

    @property
    def largest_open(self) -> Mass:
        """The largest mass of a node that is not done, 0 if there is none."""
        return max([*self._masses(), *self._stuck], default=ZERO)

    @property
    def is_complete(self) -> bool:
        """Whether the open mass is at most `tolerance` times the mass found."""
        return self.open <= self.success.times(self.tolerance)

    def _masses(self) -> Iterator[Mass]:
        return (e.node.mass for e in self._heap if e.number == e.node.entry)

    def run(self) -> Iterator[FoundProof]:
        """The proofs as they are found, until the open mass is within the tolerance, or the time or
        the memory that is held is used up."""
        self._push(SearchNode(ONE, None, None), ONE)
        while self._heap and not self._is_done():
            _, number, priority, node = heapq.heappop(self._heap)
            if number != node.entry:
                continue
            self._now = node
            if node.start is not None and node.run is None:
                self._waiting.pop(self.key(node.start), None)
            self._turns += 1
            try:
                self._look()
                yield from self.advance(node, priority)
            except LimitError as e:
                self.give_up(e.diagnostics[0])
                if e.ends_search:
                    return
            except BudgetError as e:
                self.give_up(e.diagnostics[0])
                return
            self._now = None

    def give_up(self, why: Diagnostic) -> None:
        """Leave the node that is being opened open for good."""
        self.stopped = why
        if self._now is not None:
            self._stuck.append(self._now.mass)
            self._now.entry = -1
            self._now = None

    def _look(self) -> None:
        """Check the budgets that are held, and tell how far the search is, now and then."""
        if self._turns % _LOOK != 1:
            return
        check_budgets()
        if self.progress is not None:
            self.progress(self._turns, "proving")

    def _is_done(self) -> bool:
        """Whether the tolerance is reached. The open mass is summed again after as many nodes as
        the last sum had: the sums take no more time than the opening."""
        if self._turns < self._sum_again:
            return False
        self._sum_again = self._turns + len(self._heap)
        return total(self._masses()) <= self.success.times(self.tolerance)

    def _push(self, node: SearchNode[S, R], priority: Mass) -> None:
        rank: tuple[float, float] = -priority.exponent, -priority.mantissa
        if self.merges:
            rank = -(priority.exponent // _LIKE), node.choices
        node.entry = self._count
        self._count += 1
        heapq.heappush(self._heap, _Entry(rank, node.entry, priority, node))

    def _push_branch(self, mass: Mass, fired: Fired | None, start: S, choices: int) -> None:
        """Push a node, or add to the mass of one that waits to prove the same."""
        key = self.key(start)
        waiting = self._waiting.get(key) if self.merges else None
        if waiting is None:
            node: SearchNode[S, R] = SearchNode(mass, fired, start, choices)
            self._push(node, mass)
            if self.merges:
                self._waiting[key] = node
        else:
            waiting.mass = waiting.mass.plus(mass)
            self._push(waiting, waiting.mass)

    # --- for `advance` -------------------------------------------------------------------------

    def proof(self, node: SearchNode[S, R], answer: Term) -> FoundProof:
        """Count a proof that a run has found."""
        self._count_exit(node)
        self.success = self.success.plus(node.mass)
        return FoundProof(answer, node.mass, node.fired)

    def branch(
        self, node: SearchNode[S, R], options: Iterable[tuple[ir.LogicClause, float, S]]
    ) -> None:
        """Count a stochastic goal that a run has reached: clauses, labels and the starts of their
        branches."""
        self._count_exit(node)
        options = list(options)
        labels = math.fsum(label for _, label, _ in options)
        if labels < 1 and not self.weights:
            self._failed.append(node.mass.times(1 - labels))
        for clause, label, start in options:
            fired = Fired(clause, label, node.fired)
            self._push_branch(node.mass.times(label), fired, start, node.choices + 1)

    def lay_aside(self, node: SearchNode[S, R], priority: Mass) -> None:
        """Continue a run later, after all nodes with more than half of its priority."""
        node.choices += _TURN
        self._push(node, priority.times(0.5))

    def done(self, node: SearchNode[S, R]) -> None:
        """A run has no further exits."""
        if node.exits == 0:
            self._failed.append(node.mass)

    def _count_exit(self, node: SearchNode[S, R]) -> None:
        node.exits += 1
        self.branches = self.branches or node.exits > 1
