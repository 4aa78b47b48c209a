"""Which goals have tables: stochastic goals, and logical goals through which these are reached.

A table has all answers of a call. So a goal whose other answers a cut may remove has no table: it
is proved in place, as if it were written out. The same holds inside a condition, a negation or a
collection, which may call no stochastic goal. A choice at a stochastic goal is never cut
(docs/queries.md), so it always has a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine.clauses import PreparedPredicate
from slp.resolution.machine.control import CutTo, passes_cut
from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import END, Barrier, Definitions, Goal, Machine
from slp.resolution.machine.store import Store
from slp.terms import Atom, Struct, Term, Var, arguments, functor, subterms


def tabled_definitions(database: Database, clauses: Iterable[ir.LogicClause]) -> Definitions:
    """The definitions of a program, those of logical predicates with tables replaced by `Tabled`.

    A predicate reaches those that its clauses name anywhere. That may be too many. A table too many
    changes no mass.
    """
    callers: dict[tuple[str, int], set[tuple[str, int]]] = {}
    reached = []
    for clause in clauses:
        head = functor(clause.head)
        assert head is not None, "a checked program"
        if clause.label is not None:
            reached.append(head)
        for part in subterms(clause.body) if clause.body is not None else ():
            named = functor(part)
            if named is not None:
                callers.setdefault(named, set()).add(head)
    found = set(reached)
    while reached:
        more = callers.get(reached.pop(), set()) - found
        found |= more
        reached.extend(more)
    tabled = {}
    for key in found:
        predicate = database.definitions.get(key)
        if isinstance(predicate, PreparedPredicate) and not predicate.is_stochastic:
            tabled[key] = Tabled(predicate)
    return {**database.definitions, **tabled}


@dataclass(frozen=True)
class Tabled:
    """A logical predicate whose calls have tables, where no cut can see the difference."""

    predicate: PreparedPredicate

    def call(self, machine: Machine, goal: Goal, term: Struct | Atom) -> Goal | None:
        """Stop at the goal, or prove it in place."""
        if in_condition(machine) or _may_be_cut(goal.next, machine.store):
            return self.predicate.call(machine, goal, term)
        return machine.choose(self.predicate, goal, arguments(term))


def in_condition(machine: Machine) -> bool:
    """Whether a condition, a negation or a collection is in progress."""
    return any(isinstance(c, Barrier) and c.is_open for c in machine.choices)


def _may_be_cut(behind: Goal, store: Store) -> bool:
    """Whether goals behind a goal may remove its alternatives."""
    while behind is not END:
        term = behind.term
        if isinstance(term, CutTo) or (not callable(term) and _may_cut(term, store)):
            return True
        behind = behind.next
    return False


def _may_cut(term: Term, store: Store) -> bool:
    todo = [term]
    while todo:
        part = store.deref(todo.pop())
        if isinstance(part, Var) or part == Atom("!"):
            return True
        if isinstance(part, Struct) and passes_cut(part):
            todo.extend(part.args)
    return False


def variant(terms: list[Term] | tuple[Term, ...]) -> tuple[Term, ...]:
    """Terms with variables numbered 1, 2, ... as they come: equal for variants."""
    names: dict[Var, Var] = {}

    def named(variable: Var) -> Var:
        return names.setdefault(variable, Var("_", len(names) + 1))

    unbound = Store()
    return tuple(unbound.mapped(term, named) for term in terms)


def count_variables(args: tuple[Term, ...]) -> int:
    """The number of different variables of terms."""
    found: set[Var] = set()

    def seen(variable: Var) -> Var:
        found.add(variable)
        return variable

    for term in args:
        Store().mapped(term, seen)
    return len(found)
