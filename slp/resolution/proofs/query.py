"""A query: a goal of a program, with a condition or none, made ready to be proved."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from slp.errors import UsageError
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.ir.schema import MOST_LEAVES, SOME_LEAVES
from slp.messages.commands import GOAL_IS_NO_TEXT
from slp.resolution.machine import faults
from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import END, Goal, Machine
from slp.syntax import parse_term
from slp.terms import (
    Atom,
    Struct,
    Term,
    Var,
    functor,
    is_nameless,
    list_items,
    list_term,
    substitute,
    variables,
)


@dataclass(frozen=True)
class Query:
    """A goal, a condition on it (None for none), and the program."""

    program: ir.CheckedProgram
    goal: Term
    given: Term | None = None


def read_goal(text: str, option: str = "goal") -> Term:
    """A goal from Prolog text, which is the value of an option.

    Raises
    ------
    UsageError
        E726: it is no text.
    ProgramError
        The text has a fault.
    """
    if not isinstance(text, str):
        raise UsageError(GOAL_IS_NO_TEXT(option=option, value=reprlib.repr(text)))
    return parse_term(text, f"<{option}>")


def named_variables(goal: Term) -> list[Var]:
    """The variables of an answer: those whose names do not begin with `_`."""
    return [v for v in dict.fromkeys(variables(goal)) if not v.name.startswith("_")]


def prepared(query: Query) -> tuple[list[Term], Term, int]:
    """The goals to prove, the term of the answer, and a number above those of their variables."""
    goals = [query.goal]
    if query.given is not None:
        nameless = [v for v in variables(query.given) if is_nameless(v)]
        goals.append(substitute(query.given, {v: replace(v, id=1) for v in nameless}))
    numbered: dict[Var, Term] = {}
    for variable in (v for g in goals for v in variables(g)):
        # One object stands for all occurrences, so it has the place of none of them.
        numbered.setdefault(variable, Var(variable.name, len(numbered) + 1))
    answer = list_term([numbered[v] for v in named_variables(query.goal)])
    placed = [replace(substitute(g, numbered), span=g.span) for g in goals]
    return placed, answer, len(numbered) + 1


def linked(goals: list[Term]) -> Goal:
    """The conjunction of goals."""
    goal = END
    for term in reversed(goals):
        goal = Goal(term, 0, 0, term.span, goal)
    return goal


def canonical(answer: Term) -> tuple[Term, ...]:
    """The answer's terms, with free variables named in the order in which they come."""
    names: dict[Var, Term] = {}
    for variable in variables(answer):
        names.setdefault(variable, Var(_name(len(names))))
    return tuple(list_items(substitute(answer, names)) or ())


def _name(index: int) -> str:
    turn, letter = divmod(index, 26)
    return f"_{chr(ord('A') + letter)}{turn or ''}"


def database_of(program: ir.CheckedProgram) -> Database:
    """The program's clauses; nonterminals, with or without box and tree, are refused by name."""
    parameters = {MOST_LEAVES: SOME_LEAVES, **program.parameters}
    return Database(program.clauses, parameters, tree_goals(program.rules))


def tree_goals(rules: Iterable[ir.TreeRule]) -> Mapping[tuple[str, int], TreeGoal]:
    keys = {key for rule in rules if (key := functor(rule.head)) is not None}
    return {(name, n + more): TreeGoal(name, n) for name, n in keys for more in (0, 2)}


@dataclass(frozen=True)
class TreeGoal:
    """A nonterminal `name//arity`, called as a goal."""

    name: str
    arity: int

    def call(self, machine: Machine, goal: Goal, term: Struct | Atom) -> Goal | None:
        """Raise E243."""
        raise faults.tree_goal(self.name, self.arity, machine.span)
