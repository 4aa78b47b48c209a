"""The stored graph of all stochastic choices below a goal, which can be weighed many times.

A node holds the goals left to prove behind a choice. Nodes with equal goals are one node (the key
is that of `slp.resolution.proofs.search`). So the graph of a grammar is small even if it has many
derivations, and may have loops. A node has *exits*, the stochastic goals that logical resolution
reaches. An exit has one edge for each matching clause. Let p be the labels' values. The graph is a
Markov chain that leaves an exit by the edge of clause c with probability p(c), and is lost with
probability 1 - sum of p:

    reach(node)    = [node is the root] + sum over edges e to it of  reach(source) p(e)
    success(node)  = proofs at the node + sum over its edges of  p(e) success(target)
    failure(node)  = [no exit, no proof] + sum over its exits of the mass lost
                     + sum over its edges of  p(e) failure(target)

These are linear equations, so loops need no iteration. Masses may be smaller than floats can be.
Of the derivations that succeed (fail), those that pass edge e have the mass

    reach(source) p(e) success(target)      (failure(target))

where each passage counts (Cussens, "Parameter Estimation in Stochastic Logic Programs", Machine
Learning 44, 2001, section 4).

The structure does not depend on the labels' values, as long as they are above 0. An infinite graph
is opened only as far as the values require. The mass that is left, `open`, is known; other values
may make it large again.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from slp.errors import Diagnostic
from slp.resolution.machine.clauses import PreparedClause, PreparedPredicate
from slp.resolution.machine.database import Database
from slp.resolution.machine.faults import LimitError
from slp.resolution.machine.loop import Goal, Meter
from slp.resolution.machine.store import Store
from slp.resolution.proofs.choices import Outcome, enter, label_term
from slp.resolution.proofs.flow import (
    BranchesError,
    Flow,
    FlowEdges,
    Masses,
    TooSmallError,
    can_reach,
    solutions,
)
from slp.resolution.proofs.masses import ONE, Mass
from slp.resolution.proofs.search import Exit, SearchMachine
from slp.resolution.proofs.tails import Tails
from slp.terms import NIL, Term

#: Nodes opened between two solutions of the equations, at least.
_FEWEST_OPENED = 500


class Companion(Protocol):
    """Follows the runs of a graph, such as to compare them with other runs.

    `follow` is told of each run: what it returned for the exit before (None at the root), the
    clause entered there, and the exits and the number of proofs that the run found. It returns what
    belongs to each exit. Nodes are one only if this is equal, too.
    """

    def follow(
        self,
        before: Hashable,
        clause: PreparedClause | None,
        exits: Sequence[Exit],
        proofs: int,
    ) -> Sequence[Hashable]:
        """What belongs to each exit."""
        ...


@dataclass(slots=True, eq=False)
class _GraphNode:
    """The goals left to prove behind a choice. `start` is the clause to enter, None at the root.
    `beside` is what the companion returned for the exit. A node that is stuck needs more than the
    limits allow, and stays open."""

    start: tuple[Exit, PreparedClause] | None
    beside: Hashable = None
    is_open: bool = True
    is_stuck: bool = False
    proofs: int = 0
    exits: int = 0

    @property
    def waits(self) -> bool:
        """Whether it can be opened."""
        return self.is_open and not self.is_stuck


class _GraphMachine(SearchMachine):
    """A run that also records the labels of each exit, with their variables bound."""

    def __init__(self, database: Database, meter: Meter, store: Store, tails: Tails) -> None:
        super().__init__(database, meter, store, tails.answers.first(NIL), tails, weights=False)
        self.labels: list[list[Term]] = []

    def choose(self, predicate: PreparedPredicate, goal: Goal, args: tuple[Term, ...]) -> None:
        before = len(self.exits)
        super().choose(predicate, goal, args)
        for found in self.exits[before:]:
            self.labels.append([label_term(self, clause, args) for clause, _ in found.options])


@dataclass(eq=False)
class ChoiceGraph:
    """The graph below `goal`, whose variables are numbered below `first`.

    `outcomes` are the clauses of edges; `exits[x]` the outcomes of exit x. `branches`: whether some
    logical goal has several solutions with exits; then the masses of derivations that succeed and
    fail need not sum to 1; `reached` are stochastic goals that two of the first such solutions lead
    to, fewer where they end in proofs, and `behind` the stochastic goal that they stand behind,
    None if there is none. `stopped`: the limit that was reached, None if none was. `companion`
    follows the runs.
    """

    database: Database
    goal: Goal
    first: int
    meter: Meter
    companion: Companion | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    exits: list[tuple[int, ...]] = field(default_factory=list)
    branches: bool = False
    reached: tuple[Goal, ...] = ()
    behind: Goal | None = None
    stopped: Diagnostic | None = None
    _nodes: list[_GraphNode] = field(default_factory=lambda: [_GraphNode(None)])
    _by_key: dict[Hashable, int] = field(default_factory=dict)
    _number: dict[tuple[int, Term], int] = field(default_factory=dict)
    _edges: list[tuple[int, int, int, int]] = field(default_factory=list)
    _gave_up: bool = False
    _tails: Tails = field(default_factory=Tails)

    def weigh(
        self, value: Callable[[Outcome], float], tolerance: float, *, of_success: bool = False
    ) -> Flow:
        """Weigh the graph, opened until a limit is reached or what waits is at most `tolerance`
        times the mass of success; while that is 0, until nothing waits.

        `value` gives an outcome's probability. `of_success`: only the derivations that succeed are
        asked for.

        Raises
        ------
        ProgramError
            As a query's search.
        BranchesError
            It `branches`, and not only `of_success` is asked for; or it does so in a loop, and the
            mass of its proofs is not finite.
        TooSmallError
            Its proofs lie in a loop that is too long for the range of floats.
        """
        while True:
            if self.branches and not of_success:
                raise BranchesError
            flow, reach = self._solve(value)
            waiting = {
                i: mass
                for i, node in enumerate(self._nodes)
                if node.waits and (mass := reach.mass(i))
            }
            most = (flow.success or flow.waiting).times(tolerance)
            if not waiting or self._gave_up or (flow.success and flow.waiting <= most):
                return flow
            # Masses are now floats, relative to the largest one that waits.
            unit = max(waiting.values())
            self._grow({i: float(m.over(unit)) for i, m in waiting.items()}, value, most.over(unit))

    # --- opening nodes ---------------------------------------------------------------------------

    def _grow(
        self, waiting: dict[int, float], value: Callable[[Outcome], float], most: Mass
    ) -> None:
        """Open nodes, heaviest first, until little more than `most` waits. Mass that flows to
        open nodes is ignored here; it counts when the equations are solved again."""
        heap = [(-mass, i) for i, mass in waiting.items()]
        heapq.heapify(heap)
        left, enough = math.fsum(waiting.values()), float(most) / 2
        opened = 0
        while heap and left > enough and opened < max(_FEWEST_OPENED, len(self._nodes)):
            mass, i = heapq.heappop(heap)
            if -mass < waiting.get(i, math.inf):
                continue  # its mass has grown
            left -= waiting.pop(i)
            opened += 1
            first_edge = len(self._edges)
            try:
                self._open(i)
            except LimitError as e:
                self.stopped = e.diagnostics[0]
                self._nodes[i].is_stuck = True
                self._gave_up = self._gave_up or e.ends_search
                if self._gave_up:
                    return
            for _, outcome, target, _ in self._edges[first_edge:]:
                share = -mass * value(self.outcomes[outcome])
                if self._nodes[target].waits and share > 0:
                    waiting[target] = waiting.get(target, 0.0) + share
                    left += share
                    heapq.heappush(heap, (-waiting[target], target))

    def _open(self, i: int) -> None:
        """Find the proofs and the exits of a node."""
        self.__dict__.pop("_arrays", None)
        node = self._nodes[i]
        first = self.first if node.start is None else node.start[0].first
        machine = _GraphMachine(self.database, self.meter, Store(first), self._tails)
        goal = self.goal
        if node.start is not None:
            found, clause = node.start
            goal = enter(machine, clause, found.goal, found.args)
        proofs = sum(machine.explore(goal))
        self.meter.add_terms(machine.store)
        beside: Sequence[Hashable] = [None] * len(machine.exits)
        if self.companion is not None:
            entered = None if node.start is None else node.start[1]
            beside = self.companion.follow(node.beside, entered, machine.exits, proofs)
        for found, labels, also in zip(machine.exits, machine.labels, beside, strict=True):
            self._add_exit(i, found, labels, also)
        node.proofs, node.exits, node.is_open = proofs, len(machine.exits), False
        if proofs + node.exits > 1 and not self.branches:
            self.branches = True
            self.reached = tuple(found.goal for found in machine.exits[:2])
            self.behind = None if node.start is None else node.start[0].goal

    def _add_exit(self, i: int, found: Exit, labels: Sequence[Term], beside: Hashable) -> None:
        numbers = []
        for (clause, _), label in zip(found.options, labels, strict=True):
            outcome = self._number.setdefault((id(clause.source), label), len(self.outcomes))
            if outcome == len(self.outcomes):
                self.outcomes.append(Outcome(clause.source, label))
            target = self._by_key.setdefault((clause.key, found.key, beside), len(self._nodes))
            if target == len(self._nodes):
                self._nodes.append(_GraphNode((found, clause), beside))
            self._edges.append((i, outcome, target, len(self.exits)))
            numbers.append(outcome)
        self.exits.append(tuple(numbers))

    # --- the equations ---------------------------------------------------------------------------

    @cached_property
    def _arrays(self) -> FlowEdges:
        columns = np.array(self._edges, np.int64).reshape(-1, 4).T
        return FlowEdges(*columns)

    def _solve(self, value: Callable[[Outcome], float]) -> tuple[Flow, Masses]:
        """The flow, and the mass that reaches each node."""
        n = len(self._nodes)
        e = self._arrays
        values = np.array([value(outcome) for outcome in self.outcomes])
        p = values[e.outcome] if len(e.outcome) else np.empty(0)
        at_exit = np.bincount(e.exit, weights=p, minlength=len(self.exits))
        lost = np.maximum(1.0 - at_exit, 0.0)
        lost[lost < 1e-12] = 0.0  # rounding
        node_of_exit = np.zeros(len(self.exits), np.int64)
        node_of_exit[e.exit] = e.source
        proofs = np.array([node.proofs for node in self._nodes], np.float64)
        dead = [not (node.is_open or node.proofs or node.exits) for node in self._nodes]
        fails = np.array(dead, np.float64)
        fails += np.bincount(node_of_exit, weights=lost, minlength=n)
        waits = np.array([node.is_open for node in self._nodes], np.float64)
        ends = can_reach(e, p, proofs + fails + waits > 0)
        reach, success, failure = solutions(e, p, ends, proofs, fails)
        whole = success.mass(0)
        if not whole and can_reach(e, p, proofs > 0)[0]:
            raise TooSmallError
        waiting = reach.times(waits).sum()
        at_edges = reach.at(e.source).times(p)
        endless = at_edges.times((~ends[e.target]).astype(np.float64)).sum() if ends[0] else ONE
        flow = Flow(
            success=whole,
            failure=failure.mass(0),
            waiting=waiting,
            open=waiting.plus(endless),
            succeeding=self._by_outcome(e, at_edges.by(success.at(e.target)).over(whole)),
            failing=self._by_outcome(e, at_edges.by(failure.at(e.target)).over(whole)),
            lost=reach.at(node_of_exit).times(lost).over(whole),
        )
        return flow, reach

    def _by_outcome(self, e: FlowEdges, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        counts = np.bincount(e.outcome, weights=mass, minlength=len(self.outcomes))
        return counts.astype(np.float64)
