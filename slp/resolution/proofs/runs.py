"""Single runs: logical resolution between two stochastic choices.

A run ends in alternatives. Each stochastic goal that it reaches gives one alternative for each
matching clause, with the clause's label as weight. Each proof gives one of weight 1. So a proof of
the goal is a path of runs with one alternative at each, and its mass is the product of their
weights. Logical goals with several solutions make several alternatives of one run: each SLD proof
counts.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, NamedTuple, TypeVar

from slp.errors import Diagnostic
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine.faults import LimitError
from slp.resolution.machine.loop import Limits, Meter
from slp.resolution.proofs.best_first import BestFirst, FoundProof, SearchNode
from slp.resolution.proofs.masses import ONE, Mass
from slp.resolution.proofs.query import Query, database_of, linked, prepared
from slp.resolution.proofs.search import MachineRun, ProofSearch, Start
from slp.terms import Term

S = TypeVar("S")
R = TypeVar("R")


class Alternative(NamedTuple, Generic[S]):
    """An alternative at the end of a run: a clause, and the start of the run behind it. If both are
    None, it is a proof with its answer. `weight` is the label's value; 1 for a proof."""

    clause: ir.LogicClause | None
    weight: float
    start: S | None
    answer: Term | None


@dataclass(frozen=True, eq=False, slots=True)
class Run(Generic[S]):
    """A run and its alternatives, none where it fails.

    `cumulative`: sums of the weights up to each. `log_total`: log of the sum of all. `inferences`
    were made. `stopped`: the limit that it reached; it then counts as failed.
    """

    alternatives: tuple[Alternative[S], ...]
    cumulative: tuple[float, ...]
    log_total: float
    inferences: int
    stopped: Diagnostic | None


class RunsOneByOne(BestFirst[S, R]):
    """A search that opens only the given runs."""

    _found: list[Alternative[S]]
    _paused: bool

    def open_run(self, start: S | None) -> Run[S]:
        """The run from a start on, None for the goal itself.

        Raises
        ------
        ProgramError
            As a query. A limit that is reached is not an error; it is in `Run.stopped`.
        """
        self._found, self._paused = [], True
        node: SearchNode[S, R] = SearchNode(ONE, None, start)
        stopped = None
        self.allow_anew()
        try:
            while self._paused:
                self._paused = False
                for proof in self.advance(node, ONE):
                    self._found.append(Alternative(None, 1.0, None, proof.answer))
        except LimitError as e:
            stopped = e.diagnostics[0]
            self._found = []
        cumulative = tuple(accumulate(a.weight for a in self._found))
        log_total = math.log(cumulative[-1]) if cumulative else -math.inf
        return Run(tuple(self._found), cumulative, log_total, self.spent(), stopped)

    @abstractmethod
    def allow_anew(self) -> None:
        """Give the next run the full limits."""

    @abstractmethod
    def spent(self) -> int:
        """Inferences made since `allow_anew`."""

    def branch(
        self, node: SearchNode[S, R], options: Iterable[tuple[ir.LogicClause, float, S]]
    ) -> None:
        """Record the matching clauses of a stochastic goal as alternatives."""
        node.exits += 1
        self._found += [Alternative(clause, label, start, None) for clause, label, start in options]

    def proof(self, node: SearchNode[S, R], answer: Term) -> FoundProof:
        """Proofs are not counted here."""
        node.exits += 1
        return FoundProof(answer, ONE, None)

    def lay_aside(self, node: SearchNode[S, R], priority: Mass) -> None:
        """Continue at once, because there is only one run."""
        self._paused = True

    def done(self, node: SearchNode[S, R]) -> None:
        """Nothing is counted."""


class MachineRuns(RunsOneByOne[Start, MachineRun], ProofSearch):
    """Runs of this package's own machine. `limits` are those of each run."""

    def __init__(self, query: Query, limits: Limits) -> None:
        goals, answer, first = prepared(query)
        super().__init__(
            database_of(query.program),
            linked(goals),
            answer,
            first,
            Meter(limits),
            0.0,
            weights=query.program.weights,
        )

    def allow_anew(self) -> None:
        self.meter.inferences = 0

    def spent(self) -> int:
        return self.meter.inferences
