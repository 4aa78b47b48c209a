"""The features that guards name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from slp.ir.program import CheckedProgram, LogicClause, SplitBody
from slp.source import SourceSpan
from slp.terms import Atom, Struct, Term, Var, functor, list_items

#: A name and its place.
NamedAt = tuple[str, SourceSpan | None]

_EQUALITIES = {("=", 2), ("==", 2), ("\\=", 2), ("\\==", 2)}
_MEMBERS = {("member", 2), ("memberchk", 2)}

_Clauses = Mapping[tuple[str, int] | None, Sequence[LogicClause]]


def features_in_guards(program: CheckedProgram) -> Iterator[NamedAt]:
    """The names with which guards compare the feature of a split, each once, with its place.

    The feature is a variable of the rule. Its names are the constants that it is equated with, the
    elements of a list that it must be in, and those at its position in facts and clauses.
    """
    clauses: dict[tuple[str, int] | None, list[LogicClause]] = defaultdict(list)
    for clause in program.clauses:
        clauses[functor(clause.head)].append(clause)
    given: set[str] = set()
    for rule in program.rules:
        if isinstance(rule.body, SplitBody) and isinstance(rule.body.feature, Var):
            goals = (*rule.before, *rule.body.after)
            for name, span in _names(goals, rule.body.feature, clauses):
                if name not in given:
                    given.add(name)
                    yield name, span or rule.span


def _names(goals: Sequence[Term], feature: Var, clauses: _Clauses) -> Iterator[NamedAt]:
    """Names with which goals compare a variable. Each argument position of a predicate is followed
    once."""
    todo: list[tuple[Term, Var]] = [(goal, feature) for goal in goals]
    followed: set[tuple[tuple[str, int] | None, int]] = set()
    while todo:
        goal, variable = todo.pop()
        if not isinstance(goal, Struct):
            continue
        key = functor(goal)
        if key in _EQUALITIES and variable in goal.args:
            yield from _constants(goal.args)
        elif key in _MEMBERS and key not in clauses and goal.args[0] == variable:
            yield from _constants(list_items(goal.args[1]) or ())
        elif key in clauses:
            for i, arg in enumerate(goal.args):
                if arg == variable and (key, i) not in followed:
                    followed.add((key, i))
                    for clause in clauses[key]:
                        yield from _in_head(clause, i, todo)
        else:
            todo += [(arg, variable) for arg in goal.args]  # of control constructs


def _in_head(clause: LogicClause, i: int, todo: list[tuple[Term, Var]]) -> Iterator[NamedAt]:
    """The constant at position `i` of a clause's head. A variable there is followed in the body."""
    assert isinstance(clause.head, Struct)
    arg = clause.head.args[i]
    if isinstance(arg, Var) and clause.body is not None:
        todo.append((clause.body, arg))
    for name, span in _constants((arg,)):
        yield name, span or clause.span


def _constants(terms: Sequence[Term]) -> Iterator[NamedAt]:
    return ((t.name, t.span) for t in terms if isinstance(t, Atom))
