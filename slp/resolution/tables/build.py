"""From a query to the hypergraph of its proofs, by tabling variants of calls.

SLG resolution without negation (Chen & Warren, "Tabled evaluation with delaying for general logic
programs", Journal of the ACM 43, 1996).
Logical goals are resolved by a machine, as in a search, which stops at tabled goals. A prefix waits
for answers of its goal's table, and each answer continues it in a machine of its own, once. The
work ends where variants of calls and their answers are finitely many, or else at a limit.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import count

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine import faults
from slp.resolution.machine.clauses import PreparedPredicate
from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import DEFAULT_LIMITS, END, Goal, Limits, Machine, Meter
from slp.resolution.machine.store import Store
from slp.resolution.proofs.best_first import Progress, check_budgets
from slp.resolution.proofs.choices import enter, label_term, options_at
from slp.resolution.proofs.query import Query, database_of, linked, prepared
from slp.resolution.proofs.recorded import RecordedAnswer
from slp.resolution.proofs.search import Exit, SearchMachine
from slp.resolution.proofs.tails import Tails
from slp.resolution.tables.calls import count_variables, in_condition, tabled_definitions, variant
from slp.resolution.tables.core_builder import compiled_graph
from slp.resolution.tables.edge_labels import LabelNumbers
from slp.resolution.tables.hypergraph import NONE, Edge, Hypergraph, Kind, Variable
from slp.source import SourceSpan
from slp.terms import Atom, Struct, Term, list_items, list_term


def hypergraph_of_query(
    query: Query, limits: Limits = DEFAULT_LIMITS, progress: Progress | None = None
) -> Hypergraph:
    """All tables that a query needs, with the equations of their masses, built in the core where it
    can. `progress` is called with the number of runs.

    Raises
    ------
    LimitError
        E214 to E216 at too many tables, answers or proofs of a logical goal: perhaps without end.
        The budgets that are held are kept, too.
    ProgramError
        E201 to E243, with the span of the faulty goal.
    """
    found = compiled_graph(query, limits, progress)
    return built_by_machine(query, limits, progress) if found is None else found


def built_by_machine(
    query: Query, limits: Limits = DEFAULT_LIMITS, progress: Progress | None = None
) -> Hypergraph:
    """The same by the machine, for any program."""
    return _TableBuilder(query, limits, progress).build()


#: What a run counts, in inferences, beside those that it makes: terms are copied to begin it.
_INFERENCES_OF_A_RUN = 5

#: Labels that sum to 1 may differ from it by so much.
_ROUNDING = 2.0**-48

#: Runs between two looks at the budgets.
_LOOK = 64


@dataclass(eq=False)
class _Table:
    """A variant of a call. `waiting` are prefixes that stop at it; `answers` the variables of its
    answers by their terms."""

    number: int
    args: tuple[Term, ...]
    predicate: PreparedPredicate | None
    span: SourceSpan | None
    answers: dict[tuple[Term, ...], int] = field(default_factory=dict)
    prefixes: dict[Hashable, int] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)

    @property
    def call(self) -> Term:
        """The call as a goal."""
        name = "" if self.predicate is None else self.predicate.name
        return Struct(name, self.args) if self.args else Atom(name)


class _TableMachine(SearchMachine):
    """A run from one tabled goal to the next ones: its exits, and the predicates `called` there."""

    def __init__(
        self, database: Database, meter: Meter, store: Store, answer: RecordedAnswer, tails: Tails
    ) -> None:
        super().__init__(database, meter, store, answer, tails, weights=True)
        self.called: list[PreparedPredicate] = []

    def choose(self, predicate: PreparedPredicate, goal: Goal, args: tuple[Term, ...]) -> None:
        """Record the goal; its clauses are those of its table."""
        if in_condition(self):
            raise faults.enclosed_choice(predicate.name, predicate.arity, self.span)
        self.record(predicate, goal, args, ())
        self.called.append(predicate)

    def explore_all(self, start: Goal) -> list[tuple[Term, ...]]:
        """Prove a goal and those behind it; the answers."""
        return [self._answer() for proved in self.explore(start) if proved]

    def _answer(self) -> tuple[Term, ...]:
        return variant(list_items(self.answer.whole(self.store)) or [])


class _TableBuilder:
    def __init__(self, query: Query, limits: Limits, progress: Progress | None) -> None:
        self._query = query
        self._progress = progress
        self._weights = query.program.weights
        database = database_of(query.program)
        database.definitions = tabled_definitions(database, query.program.clauses)
        self._database = database
        self._meter = Meter(limits)
        self._tails = Tails()
        self._tables: list[_Table] = []
        self._by_call: dict[Hashable, _Table] = {}
        self._variables: list[Variable] = []
        self._edges: list[Edge] = []
        self._labels = LabelNumbers()
        self._stops: dict[int, tuple[Exit, _Table]] = {}  # by prefix
        self._new: deque[_Table | tuple[int, int]] = deque()
        self._branches = False
        self._above_one = self._weights
        self._failed: list[tuple[_Table, _Step]] = []

    def build(self) -> Hypergraph:
        root = self._table(None, (), None)
        for turn in count():
            if not self._new:
                break
            if turn % _LOOK == 0:
                self._look(turn)
            task = self._new.popleft()
            if task is root:
                self._begin_query(root)
            elif isinstance(task, _Table):
                self._begin(task)
            else:
                self._continue(*task)
        failure = None if self._weights or self._branches else self._failures(root)
        return Hypergraph(
            calls=[self._query.goal, *(t.call for t in self._tables[1:])],
            variables=self._variables,
            edges=self._edges,
            answers=list(root.answers.values()),
            failure=failure,
            branches=self._branches,
            above_one=self._above_one,
            labels=self._labels.labels(),
        )

    def _look(self, turn: int) -> None:
        check_budgets()
        if self._progress is not None:
            self._progress(turn, "tabling")

    # --- runs --------------------------------------------------------------------------------

    def _begin_query(self, root: _Table) -> None:
        goals, answer, first = prepared(self._query)
        machine = self._machine(Store(first), self._tails.answers.first(answer))
        self._run(root, machine, linked(goals), _BEGIN)

    def _begin(self, table: _Table) -> None:
        """Resolve a call with the clauses of its predicate."""
        predicate = table.predicate
        assert predicate is not None
        first = 1 + count_variables(table.args)
        template = self._tails.answers.first(list_term(table.args))
        goal = Goal(table.call, 0, 0, table.span, END)
        machine = self._machine(Store(first), template)
        machine.span = table.span
        if not predicate.is_stochastic:

            def call(machine: Machine, goal: Goal) -> Goal | None:
                assert predicate is not None
                return predicate.call(machine, goal, table.call)  # type: ignore[arg-type]

            self._run(table, machine, goal.then(call), _BEGIN)
            return
        options = options_at(machine, predicate, table.args, weights=self._weights)
        numbers = [
            self._labels.outcome(clause.source, label_term(machine, clause, table.args))
            for clause, _ in options
        ]
        self._meter.add_terms(machine.store)
        for (clause, label), number in zip(options, numbers, strict=True):
            machine = self._machine(Store(first), template)
            begun = enter(machine, clause, goal, table.args)
            self._run(table, machine, begun, _Step(label, NONE, NONE, clause.source, number))
        whole = math.fsum(label for _, label in options)
        self._above_one = self._above_one or whole > 1 + _ROUNDING
        lost = self._labels.lost_at(numbers)
        if whole < 1:
            self._failed.append((table, _Step(1.0 - whole, NONE, NONE, None, lost)))

    def _continue(self, prefix: int, answer: int) -> None:
        """Continue a prefix with an answer of the goal at which it stops."""
        stop, table = self._stops[prefix]
        store = Store(stop.first)
        terms = self._variables[answer].terms
        if terms:
            found = store.rename(Struct("answer", terms))
            matches = store.unify(Struct("answer", stop.args), found)
            assert matches, "an answer is an instance of its call"
        machine = self._machine(store, stop.answer)
        self._run(table, machine, stop.goal.next, _Step(1.0, prefix, answer, None))

    def _machine(self, store: Store, answer: RecordedAnswer) -> _TableMachine:
        return _TableMachine(self._database, self._meter, store, answer, self._tails)

    def _run(self, table: _Table, machine: _TableMachine, start: Goal, step: _Step) -> None:
        """Run a machine, and add an edge for each of its results."""
        machine.spend(_INFERENCES_OF_A_RUN)
        answers = machine.explore_all(start)
        self._meter.add_terms(machine.store)
        targets = [self._answer(table, terms) for terms in answers]
        for stop, predicate in zip(machine.exits, machine.called, strict=True):
            targets.append(self._prefix(table, stop, predicate))
        for target, proofs in Counter(targets).items():
            self._add(step, target, proofs)
        self._branches = self._branches or len(targets) > 1
        if not targets:
            self._failed.append((table, step))

    def _add(self, step: _Step, target: int, proofs: int) -> None:
        self._edges.append(step.to(target, proofs))
        self._labels.add_edge(step.number)

    # --- tables and variables ------------------------------------------------------------------

    def _variable(self, kind: Kind, table: _Table, terms: tuple[Term, ...] = ()) -> int:
        self._variables.append(Variable(kind, table.number, terms))
        return len(self._variables) - 1

    def _table(
        self,
        predicate: PreparedPredicate | None,
        args: tuple[Term, ...],
        span: SourceSpan | None,
    ) -> _Table:
        """The table of a call, which is new if no variant of it was called before."""
        key = id(predicate), args
        found = self._by_call.get(key)
        if found is None:
            found = self._by_call[key] = _Table(len(self._tables), args, predicate, span)
            self._tables.append(found)
            self._new.append(found)
        return found

    def _answer(self, table: _Table, terms: tuple[Term, ...]) -> int:
        found = table.answers.get(terms)
        if found is None:
            found = table.answers[terms] = self._variable("answer", table, terms)
            self._new.extend((prefix, found) for prefix in table.waiting)
        return found

    def _prefix(self, table: _Table, stop: Exit, predicate: PreparedPredicate) -> int:
        found = table.prefixes.get(stop.key)
        if found is None:
            found = table.prefixes[stop.key] = self._variable("prefix", table)
            called = self._table(predicate, variant(stop.args), stop.goal.span)
            self._stops[found] = stop, table
            called.waiting.append(found)
            self._new.extend((found, answer) for answer in called.answers.values())
        return found

    def _failures(self, root: _Table) -> int | None:
        """Add the equations of failure; the variable of the query's. A table fails where a step
        leads nowhere, and where the goal of a prefix fails."""
        failures: dict[int, int] = {}
        todo: list[_Table] = []

        def fail(table: _Table, step: _Step) -> None:
            if table.number not in failures:
                failures[table.number] = self._variable("failure", table)
                todo.append(table)
            self._add(step, failures[table.number], 1)

        for table, step in self._failed:
            fail(table, step)
        for table in todo:  # grows
            for prefix in table.waiting:
                fail(self._stops[prefix][1], _Step(1.0, prefix, failures[table.number], None))
        return failures.get(root.number)


@dataclass(frozen=True, slots=True)
class _Step:
    """What an edge comes from; `number` is that of its label."""

    label: float
    prefix: int
    answer: int
    clause: ir.LogicClause | None
    number: int = NONE

    def to(self, target: int, proofs: int) -> Edge:
        return Edge(target, self.label, proofs, self.prefix, self.answer, self.clause)


_BEGIN = _Step(1.0, NONE, NONE, None)
