"""Stochastic goals: which labelled clauses match one, and with what labels.

At a stochastic goal, one of the clauses whose heads match is chosen, with the probability of its
label. If the labels sum to less than 1, the rest fails (Cussens, "Parameter Estimation in
Stochastic Logic Programs", Machine Learning 44, 2001, section 2). Labels that sum to more than 1
are weights, which a program must declare. A clause whose body binds its label has an instance for
each proof of the goals that bind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine import faults
from slp.resolution.machine.arithmetic import evaluate, label_value
from slp.resolution.machine.clauses import PreparedClause, PreparedPredicate
from slp.resolution.machine.loop import Barrier, Goal, Machine
from slp.resolution.machine.templates import ClauseFrame, instantiate, match_all
from slp.resolution.proofs.query import canonical
from slp.terms import Term, list_term

#: How far labels may sum above 1.
_TOLERANCE = 1e-9

#: A clause that matches, and its label's value (probability scale, positive).
Option: TypeAlias = tuple[PreparedClause, float]


class Outcome(NamedTuple):
    """A clause taken at a stochastic goal, and its label with all variables bound."""

    clause: ir.LogicClause
    label: Term


@dataclass(frozen=True, slots=True)
class Fired:
    """A labelled clause used in a proof, the value of its label, and the one used `before` it."""

    clause: ir.LogicClause
    label: float
    before: Fired | None


def fired_clauses(last: Fired | None) -> list[Fired]:
    """The clauses of a proof in the order of use."""
    out = []
    while last is not None:
        out.append(last)
        last = last.before
    return out[::-1]


def options_at(
    machine: Machine, predicate: PreparedPredicate, args: tuple[Term, ...], *, weights: bool
) -> list[Option]:
    """The clauses whose heads match a stochastic goal, in the program's order; labels 0 left out.

    Raises
    ------
    ProgramError
        E240 inside a condition, E242 if the labels sum to more than 1 and are no `weights`, E220
        and E201 to E206 for a label that has no value.
    """
    where = machine.span
    if any(isinstance(c, Barrier) and c.is_open for c in machine.choices):
        raise faults.enclosed_choice(predicate.name, predicate.arity, where)
    found = []
    for clause in predicate.candidates(args, machine.store):
        options = (
            _instances(machine, clause, args)
            if clause.guards
            else [(clause, _label_if_matching(machine, clause, args))]
        )
        found += [option for option in options if option[1] > 0]
    machine.span = where
    total = sum(label for _, label in found)
    if total > 1 + _TOLERANCE and not weights:
        raise faults.large_sum(predicate.name, predicate.arity, total, where)
    return found


def _label_if_matching(machine: Machine, clause: PreparedClause, args: tuple[Term, ...]) -> float:
    """The label where the head matches, else 0; bindings are undone."""
    store = machine.store
    mark = store.mark()
    frame: ClauseFrame = [None] * clause.size
    label = 0.0
    machine.spend(1)
    if match_all(clause.head, args, frame, store):
        assert clause.label is not None and clause.source.label is not None
        span = clause.source.label.span or clause.source.span
        term = instantiate(clause.label, frame, store)
        value = evaluate(term, machine.parameters, deref=store.deref, span=span)
        label = label_value(value, span)
    store.undo(mark)
    return label


def label_term(machine: Machine, clause: PreparedClause, args: tuple[Term, ...]) -> Term:
    """The label of a clause that matches, in the terms of the goal."""
    store = machine.store
    mark = store.mark()
    frame: ClauseFrame = [None] * clause.size
    match_all(clause.head, args, frame, store)
    assert clause.label is not None, "an option has a label"
    label = store.resolve(instantiate(clause.label, frame, store))
    store.undo(mark)
    return label


def _instances(machine: Machine, clause: PreparedClause, args: tuple[Term, ...]) -> list[Option]:
    """The instances of a clause whose body binds its label: one for each proof of its guards."""
    store, n = machine.store, len(clause.head)
    mark = store.mark()
    frame: ClauseFrame = [None] * clause.size
    machine.spend(1)
    found = []
    if match_all(clause.head, args, frame, store):
        assert clause.label is not None and clause.source.label is not None
        span = clause.source.label.span or clause.source.span
        parts = [instantiate(part, frame, store) for part in (*clause.head, *clause.body)]
        goals, rest = parts[n : n + clause.guards], parts[n + clause.guards :]
        term = instantiate(clause.label, frame, store)
        for _ in _LabelGoals(machine).prove(goals, clause.source.span):
            value = evaluate(term, machine.parameters, deref=store.deref, span=span)
            label = label_value(value, span)
            known = tuple(store.resolve(part) for part in (*parts[:n], *rest))
            written = store.resolve(term)  # learning takes derivatives by its parameters
            key = canonical(list_term((*known, written)))
            made = clause.instance(known[:n], known[n:], written, key)
            found.append((made, label))
    store.undo(mark)
    return found


class _LabelGoals(Machine):
    """Proves the guards of a clause within another machine's run."""

    def __init__(self, within: Machine) -> None:
        super().__init__(within.definitions, within.parameters, within.meter, within.store)
        self._within = within

    def look(self) -> None:
        """Look as the run does."""
        self._within.look()

    def choose(
        self, predicate: PreparedPredicate, goal: Goal, args: tuple[Term, ...]
    ) -> Goal | None:
        """A label is known before a choice."""
        raise faults.enclosed_choice(predicate.name, predicate.arity, self.span)


def enter(machine: Machine, clause: PreparedClause, goal: Goal, args: tuple[Term, ...]) -> Goal:
    """Continue with a clause that is known to match."""
    frame: ClauseFrame = [None] * clause.size
    matches = match_all(clause.head, args, frame, machine.store)
    assert matches, "an option's head matches"
    return clause.enter(goal, frame, len(machine.choices), machine.store)
