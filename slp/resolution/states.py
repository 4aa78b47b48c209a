"""Partial evaluation: the tree rules of a program at its states."""

from __future__ import annotations

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.ir.schema import MOST_LEAVES
from slp.resolution.arithmetic import evaluate_arguments
from slp.resolution.database import Database
from slp.resolution.instances import RuleInstance, rule_instances
from slp.resolution.machine import Meter
from slp.terms import Term, functor

__all__ = ["StateRules"]


class StateRules:
    """The rules of a program, state by state; those of each state are computed once. A state is a
    ground nonterminal with its arithmetic evaluated.

    Attributes
    ----------
    database : the program's clauses and parameters, `most_leaves` among these.
    """

    def __init__(self, program: ir.Program, most_leaves: int) -> None:
        self.database = Database(program.clauses, {**program.parameters, MOST_LEAVES: most_leaves})
        self._rules: dict[tuple[str, int] | None, list[ir.TreeRule]] = {}
        for rule in program.rules:
            self._rules.setdefault(functor(rule.head), []).append(rule)
        self._found: dict[Term, list[RuleInstance]] = {}

    def state(self, goal: Term) -> Term:
        """The state of a nonterminal: its arithmetic is evaluated."""
        return evaluate_arguments(goal, self.database.parameters)

    def instances(self, state: Term, meter: Meter) -> list[RuleInstance]:
        """The instances of the rules at a state, in the program's order; raises as
        `rule_instances` does."""
        found = self._found.get(state)
        if found is None:
            rules = self._rules.get(functor(state), ())
            found = self._found[state] = rule_instances(self.database, rules, state, meter)
        return found
