"""The two kinds of built-in predicates, and checks of their arguments.

A *test* returns a truth value, after binding variables through the machine's store. A *choice*
yields pairs of terms to unify, one for each answer. Arguments are dereferenced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from slp.resolution.machine import faults
from slp.resolution.machine.loop import Goal, Machine
from slp.terms import NIL, Atom, Number, Struct, Term, Var

Pair: TypeAlias = tuple[Term, Term]


@dataclass(frozen=True)
class Test:
    """A predicate with at most one answer."""

    run: Callable[..., bool]

    def call(self, machine: Machine, goal: Goal, term: Struct | Atom) -> Goal | None:
        """Succeed or fail."""
        return goal.next if self.run(machine, *_arguments(machine, term)) else None


@dataclass(frozen=True)
class Choose:
    """A predicate with any number of answers."""

    run: Callable[..., Iterator[Pair]]

    def call(self, machine: Machine, goal: Goal, term: Struct | Atom) -> Goal | None:
        """Take the first answer, and leave a choice point for the others."""
        answers = self.run(machine, *_arguments(machine, term))
        return _Answers(machine.store.mark(), goal, answers).retry(machine)


@dataclass(slots=True, eq=False)
class _Answers:
    """Choice point: the answers that are still to come."""

    mark: int
    goal: Goal
    answers: Iterator[Pair]

    def retry(self, machine: Machine) -> Goal | None:
        """The next answer that unifies."""
        machine.span = self.goal.span
        for left, right in self.answers:
            if machine.store.unify(left, right):
                machine.choices.append(self)
                return self.goal.next
            machine.store.undo(self.mark)
            machine.spend(1)
        return None


def _arguments(machine: Machine, term: Struct | Atom) -> list[Term]:
    args = term.args if isinstance(term, Struct) else ()
    return [machine.store.deref(a) for a in args]


def integer(predicate: str, x: Term) -> int:
    """The value of an integer argument."""
    if isinstance(x, Number) and isinstance(x.value, int):
        return x.value
    if isinstance(x, Var):
        raise faults.unbound_argument(predicate, None)
    raise faults.wrong_type(predicate, "an integer", x, None)


def natural(predicate: str, x: Term) -> int:
    """The value of an integer argument that is not negative."""
    value = integer(predicate, x)
    if value < 0:
        raise faults.wrong_type(predicate, "an integer from 0 up", x, None)
    return value


def prefix(machine: Machine, term: Term) -> tuple[list[Term], Term]:
    """The items of a list as far as it is bound, and the tail after them."""
    items: list[Term] = []
    deref = machine.store.deref
    term = deref(term)
    while type(term) is Struct and term.name == "[|]" and len(term.args) == 2:
        items.append(term.args[0])
        term = deref(term.args[1])
    machine.store.work += len(items)
    return items, term


def proper_items(machine: Machine, predicate: str, term: Term) -> list[Term]:
    """Items of an argument that must be a proper list."""
    items, tail = prefix(machine, term)
    if isinstance(tail, Var):
        raise faults.unbound_argument(predicate, None)
    if tail != NIL:
        raise faults.wrong_type(predicate, "a list", term, None)
    return items
