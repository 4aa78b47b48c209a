"""All proofs of a goal in a stochastic logic program, the most probable first.

The search is that of `slp.resolution.proofs.best_first`. Its runs are machines. Each run has its
own store, so a stochastic goal and the goals behind it are recorded in terms without a store, and
with cuts without a stack (`slp.resolution.proofs.tails`); so is the answer
(`slp.resolution.proofs.recorded`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from slp.resolution.machine import faults
from slp.resolution.machine.clauses import PreparedClause, PreparedPredicate
from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import Goal, Machine, Meter
from slp.resolution.machine.store import Store
from slp.resolution.proofs.best_first import BestFirst, FoundProof, SearchNode, check_budgets
from slp.resolution.proofs.choices import Option, enter, options_at
from slp.resolution.proofs.masses import Mass
from slp.resolution.proofs.recorded import RecordedAnswer
from slp.resolution.proofs.tails import CROSSES, Tails
from slp.terms import Atom, Struct, Term


@dataclass(frozen=True, slots=True)
class Exit:
    """A stochastic goal that a run has reached.

    Its terms are resolved and their variables renumbered, those of the goals behind it first: each
    branch has its own store, which numbers its variables from `first` on. Exits with the same `key`
    have the same goals left.
    """

    goal: Goal
    args: tuple[Term, ...]
    answer: RecordedAnswer
    first: int
    options: Sequence[Option]
    key: tuple[Hashable, ...]


class SearchMachine(Machine):
    """A run: logical goals are proved, stochastic ones are recorded in `exits`."""

    def __init__(
        self,
        database: Database,
        meter: Meter,
        store: Store,
        answer: RecordedAnswer,
        tails: Tails,
        *,
        weights: bool,
    ) -> None:
        super().__init__(database.definitions, database.parameters, meter, store)
        self.answer = answer
        self.exits: list[Exit] = []
        self._tails = tails
        self._weights = weights

    def choose(self, predicate: PreparedPredicate, goal: Goal, args: tuple[Term, ...]) -> None:
        """Record the goal, and look for other exits by backtracking."""
        options = options_at(self, predicate, args, weights=self._weights)
        if options:
            self.record(predicate, goal, args, options)

    def record(
        self,
        predicate: PreparedPredicate,
        goal: Goal,
        args: tuple[Term, ...],
        options: Sequence[Option],
    ) -> None:
        """Add a goal to the exits, in terms without a store."""
        self.spend(_INFERENCES_OF_AN_EXIT)
        tail, numbers = self._tails.put_down(self, goal.next)
        called = tuple(self.store.renumber(a, numbers) for a in args)
        answer = self._tails.answers.put_down(self.answer, self.store, numbers)
        term = Struct(predicate.name, called) if called else Atom(predicate.name)
        apart = Goal(term, CROSSES, goal.depth, goal.span, tail)
        key = answer, id(predicate), called, tail
        self.exits.append(Exit(apart, called, answer, numbers.count + 1, options, key))

    def look(self) -> None:
        """Check the budgets that are held."""
        check_budgets()

    def cut(self, height: int) -> None:
        """Forget the choice points above a height; E241 if some are those of an earlier run."""
        if height == CROSSES:
            raise faults.crossing_cut(self.span)
        super().cut(height)


#: What a recorded goal counts, in inferences: its terms are copied, and a run begins for each
#: clause.
_INFERENCES_OF_AN_EXIT = 10

#: A stochastic goal and the clause chosen there.
Start: TypeAlias = tuple[Exit, PreparedClause]
#: A machine and its events.
MachineRun: TypeAlias = tuple[SearchMachine, Iterator[bool]]


class ProofSearch(BestFirst[Start, MachineRun]):
    """The search for the proofs of `goal`, each giving an instance of `answer`.

    Variables of both are numbered below `first`.
    """

    def __init__(
        self,
        database: Database,
        goal: Goal,
        answer: Term,
        first: int,
        meter: Meter,
        tolerance: float,
        *,
        weights: bool,
        merges: bool = True,
        machine_type: type[SearchMachine] = SearchMachine,
    ) -> None:
        super().__init__(tolerance, weights=weights, merges=merges)
        self._database = database
        self.meter = meter
        self._machine_type = machine_type
        self._tails = Tails()
        self._root = goal, self._tails.answers.first(answer), first

    def key(self, start: Start) -> Hashable:
        """The clause, and the goals to be proved."""
        found, clause = start
        return clause.key, found.key

    def advance(self, node: SearchNode[Start, MachineRun], priority: Mass) -> Iterator[FoundProof]:
        """Continue until the run ends or pauses."""
        machine, run = node.run = node.run or self._opened(node)
        while True:
            event = next(run, None)
            for found in machine.exits:
                self.branch(node, ((c.source, label, (found, c)) for c, label in found.options))
            machine.exits.clear()
            if event is None:
                break
            if event:
                yield self.proof(node, machine.answer.whole(machine.store))
            else:
                self.lay_aside(node, priority)
                return
        self.meter.add_terms(machine.store)
        self.done(node)

    def _opened(self, node: SearchNode[Start, MachineRun]) -> MachineRun:
        goal, answer, first = self._root
        if node.start is not None:
            first, answer = node.start[0].first, node.start[0].answer
        machine = self._machine_type(
            self._database, self.meter, Store(first), answer, self._tails, weights=self.weights
        )
        if node.start is not None:
            found, clause = node.start
            goal = enter(machine, clause, found.goal, found.args)
        return machine, machine.explore(goal)
