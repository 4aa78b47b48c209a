"""Partial evaluation: the tree rules of a program at its states."""

from __future__ import annotations

from operator import is_
from typing import Any

from slp.columns import level_numbers
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.ir.schema import MOST_LEAVES, SOME_LEAVES
from slp.resolution.boxes.instances import RuleInstance, rule_instances
from slp.resolution.boxes.rules import PreparedRule
from slp.resolution.machine.arithmetic import evaluate_arguments
from slp.resolution.machine.database import Database
from slp.resolution.machine.first_argument import ByFirstArgument, first_argument
from slp.resolution.machine.loop import Meter
from slp.terms import Atom, Term, functor, subterms


class StateRules:
    """The rules of a program, state by state; those of each state are computed once. A state is a
    ground nonterminal with its arithmetic evaluated.

    `most_leaves` is the table's, or `SOME_LEAVES` without one. States of the same rules that are
    `known`, such as those that the checker evaluated without a table, are taken over, unless their
    value depends on `most_leaves`.

    Attributes
    ----------
    database : the program's clauses and parameters, `most_leaves` among these.
    level_numbers : for each ordinal feature, the number that stands for each of its levels.
    """

    def __init__(
        self,
        program: ir.CheckedProgram,
        most_leaves: int = SOME_LEAVES,
        known: StateRules | None = None,
    ) -> None:
        self._program = program.rules, program.clauses, program.parameters
        self.database = Database(program.clauses, {**program.parameters, MOST_LEAVES: most_leaves})
        self.level_numbers = {
            name: dict(zip(order, level_numbers(order), strict=True))
            for name, order in program.orders.items()
        }
        self._prepared: dict[int, PreparedRule] = {}
        self._rules: dict[tuple[str, int] | None, ByFirstArgument[ir.TreeRule]] = {}
        for rule in program.rules:
            own = self._rules.setdefault(functor(rule.head), ByFirstArgument())
            own.add(first_argument(rule.head), rule)
        self._found: dict[Term, list[RuleInstance]] = {}
        if known is not None and all(map(is_, known._program, self._program)):
            self._found |= known._without(most_leaves)

    def __reduce__(self) -> tuple[Any, ...]:
        """What was evaluated can be evaluated again: a copy of its holder holds None in
        its place."""
        return type(None), ()

    def _without(self, most_leaves: int) -> dict[Term, list[RuleInstance]]:
        """The states found that have the same rules with another `most_leaves`: none that name it
        themselves, and none at all if a clause names it, which any guard may ask."""
        if most_leaves == self.database.parameters[MOST_LEAVES]:
            return self._found
        rules, clauses, _ = self._program
        if any(map(names_most_leaves, clauses)):
            return {}
        naming = {functor(rule.head) for rule in rules if names_most_leaves(rule)}
        return {
            state: found for state, found in self._found.items() if functor(state) not in naming
        }

    def state(self, goal: Term) -> Term:
        """The state of a nonterminal: its arithmetic is evaluated."""
        return evaluate_arguments(goal, self.database.parameters)

    def instances(self, state: Term, meter: Meter) -> list[RuleInstance]:
        """The instances of the rules at a state, in the program's order; raises as
        `rule_instances` does."""
        found = self._found.get(state)
        if found is None:
            own = self._rules.get(functor(state))
            matching = () if own is None else own.matching(first_argument(state))
            rules = map(self._ready, matching)
            found = self._found[state] = rule_instances(self.database, rules, state, meter)
        return found

    def _ready(self, rule: ir.TreeRule) -> PreparedRule:
        """The rule, prepared at its first use. (Equal rules may differ in spans.)"""
        found = self._prepared.get(id(rule))
        if found is None:
            found = self._prepared[id(rule)] = PreparedRule(rule)
        return found


def names_most_leaves(clause: ir.TreeRule | ir.LogicClause) -> bool:
    """Whether a clause names the parameter `most_leaves`."""
    return any(
        type(t) is Atom and t.name == MOST_LEAVES for term in clause.terms for t in subterms(term)
    )
