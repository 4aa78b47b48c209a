"""Predicates that a program defines: clauses in order, with an index on one argument."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine import faults
from slp.resolution.machine.first_argument import ByFirstArgument
from slp.resolution.machine.loop import Goal, Machine
from slp.resolution.machine.store import Store
from slp.resolution.machine.templates import ClauseFrame, Slot, instantiate, match_all, template
from slp.terms import (
    Atom,
    Struct,
    Term,
    Var,
    arguments,
    conjunction,
    conjuncts,
    functor,
    variables,
)


class PreparedClause:
    """A clause prepared for resolution; `source` is what was written.

    If the head does not bind all variables of the label, the first `guards` goals of the body do.
    Each of their proofs makes an instance of the clause (`instance`). Equal clauses have one `key`.
    """

    def __init__(self, source: ir.LogicClause) -> None:
        slots: dict[Var, Slot] = {}
        head_args = arguments(source.head)
        self.source = source
        self.head = tuple(template(a, slots) for a in head_args)
        goals = () if source.body is None else conjuncts(source.body)
        self.body = tuple(template(_called(g), slots) for g in goals)
        self.label = None if source.label is None else template(source.label, slots)
        self.size = len(slots)
        self.guards = _guards(source)
        self.key: Hashable = id(self)
        self.is_instance = False

    def instance(
        self, head: tuple[Term, ...], body: tuple[Term, ...], label: Term, key: Hashable
    ) -> PreparedClause:
        """The clause as a proof of its guards leaves it: `body` is what follows them. `key` is one
        for equal instances."""
        name = functor(self.source.head)
        assert name is not None
        whole = Struct(name[0], head) if head else Atom(name[0])
        goals = conjunction(body) if body else None
        made = PreparedClause(ir.LogicClause(whole, goals, label, self.source.span))
        made.source, made.key, made.is_instance = self.source, (id(self), key), True
        return made

    def enter(self, goal: Goal, frame: ClauseFrame, cut: int, store: Store) -> Goal:
        """The next goal after the head has matched: the body, then the goals behind."""
        out = goal.next
        for prepared in reversed(self.body):
            term = instantiate(prepared, frame, store)
            span = term.span or self.source.span or goal.span
            out = Goal(term, cut, goal.depth + 1, span, out)
        return out


def _guards(clause: ir.LogicClause) -> int:
    """How many goals begin a body until they mention all variables of the label that the head
    lacks."""
    if clause.label is None or clause.body is None:
        return 0
    needed = {*variables(clause.label)} - {*variables(clause.head)}
    count = 0
    for i, goal in enumerate(conjuncts(clause.body) if needed else (), 1):
        left = needed - {*variables(goal)}
        count = count if left == needed else i
        needed = left
    return count


def _called(goal: Term) -> Term:
    """A goal that is a variable becomes a call of it, so that it cannot cut."""
    return Struct("call", (goal,), goal.span) if isinstance(goal, Var) else goal


@dataclass(slots=True, eq=False)
class _Clauses:
    """Choice point: the clauses from `index` on are still to be tried."""

    mark: int
    goal: Goal
    args: tuple[Term, ...]
    clauses: Sequence[PreparedClause]
    index: int

    def retry(self, machine: Machine) -> Goal | None:
        machine.span = self.goal.span
        return _resolve(machine, self.goal, self.args, self.clauses, self.index)


def _resolve(
    machine: Machine,
    goal: Goal,
    args: tuple[Term, ...],
    clauses: Sequence[PreparedClause],
    index: int,
) -> Goal | None:
    """Resolve with the first clause from `index` on whose head matches."""
    store = machine.store
    mark = store.mark()
    height = len(machine.choices)
    for i in range(index, len(clauses)):
        clause = clauses[i]
        frame: ClauseFrame = [None] * clause.size
        if match_all(clause.head, args, frame, store):
            if i + 1 < len(clauses):
                machine.choices.append(_Clauses(mark, goal, args, clauses, i + 1))
            return clause.enter(goal, frame, height, store)
        store.undo(mark)
        machine.spend(1)
    return None


class PreparedPredicate:
    """The clauses of one name and arity, in the program's order.

    `indexed` is the place of the argument by which clauses are found.
    """

    def __init__(
        self, name: str, arity: int, sources: Iterable[ir.LogicClause], indexed: int = 0
    ) -> None:
        self.name = name
        self.arity = arity
        self.clauses = tuple(PreparedClause(s) for s in sources)
        self.is_stochastic = any(c.source.label is not None for c in self.clauses)
        self._indexed = indexed
        self._by_argument: ByFirstArgument[PreparedClause] = ByFirstArgument()
        for clause in self.clauses if arity > 0 else ():
            self._by_argument.add(clause.head[indexed], clause)

    def call(self, machine: Machine, goal: Goal, term: Struct | Atom) -> Goal | None:
        """Resolve the goal with the first clause that matches, and leave a choice point for the
        others."""
        if goal.depth >= machine.meter.limits.depth:
            raise faults.too_deep(machine.meter.limits.depth, machine.span)
        args = arguments(term)
        if self.is_stochastic:
            return machine.choose(self, goal, args)
        return _resolve(machine, goal, args, self.candidates(args, machine.store), 0)

    def candidates(self, args: tuple[Term, ...], store: Store) -> Sequence[PreparedClause]:
        """The clauses that can match the indexed argument, in order."""
        if not args:
            return self.clauses
        return self._by_argument.matching(store.deref(args[self._indexed]))
