"""Which goals may tell free arguments from bound ones, by their predicates."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from slp.resolution.machine.clauses import PreparedPredicate
from slp.resolution.machine.loop import Definitions
from slp.terms import Struct, Term, Var, functor


class Kind(IntEnum):
    """What the answers to a goal with free arguments, as far as they are instances of the goal with
    bound arguments, have to do with the answers to the latter.

    `PURE`: they are the same. `ERROR_OR_PURE`: they are the same, or there is an error. `OTHER`:
    they may differ.
    """

    PURE = 0
    ERROR_OR_PURE = 1
    OTHER = 2


_PURE = {(",", 2), (";", 2), ("true", 0), ("fail", 0), ("false", 0), ("=", 2)}
#: Built-in predicates that need some arguments bound, else they raise an error.
_ERROR_OR_PURE = {
    *((name, 2) for name in ("is", "=:=", "=\\=", "<", ">", "=<", ">=")),
    *((name, 2) for name in ("=..", "atom_length", "length", "reverse")),
    *((name, 2) for name in ("sum_list", "max_list", "min_list")),
    *((name, 3) for name in ("between", "functor", "arg", "nth0", "nth1")),
}


def kind_of_goal(goal: Term, definitions: Definitions) -> Kind:
    """The kind of a goal itself. That of the clauses of its predicate is not looked at."""
    return max(
        (_kind_of_part(part, definitions) for part in _parts(goal)),
        default=Kind.PURE,
    )


def kind_of_clauses(predicate: PreparedPredicate, definitions: Definitions) -> Kind:
    """The kind of the goals in the clauses of a predicate."""
    bodies = (c.source.body for c in predicate.clauses)
    return max(
        (kind_of_goal(body, definitions) for body in bodies if body is not None), default=Kind.PURE
    )


def kind_of_program(goal: Term, definitions: Definitions) -> Kind:
    """The kind of a goal and of all that it calls."""
    kind = Kind.PURE
    seen = set()
    todo = [goal]
    while todo:
        term = todo.pop()
        kind = max(kind, kind_of_goal(term, definitions))
        for part in _parts(term):
            key = functor(part)
            found = None if key is None else definitions.get(key)
            if key not in seen and isinstance(found, PreparedPredicate):
                seen.add(key)
                todo.extend(c.source.body for c in found.clauses if c.source.body is not None)
    return kind


def _kind_of_part(goal: Term, definitions: Definitions) -> Kind:
    key = functor(goal)
    if key is None or isinstance(goal, Var):
        return Kind.OTHER
    if key in _PURE or isinstance(definitions.get(key), PreparedPredicate):
        return Kind.PURE
    return Kind.ERROR_OR_PURE if key in _ERROR_OR_PURE else Kind.OTHER


def _parts(goal: Term) -> Iterator[Term]:
    """The goals that a goal consists of."""
    todo = [goal]
    while todo:
        term = todo.pop()
        yield term
        if isinstance(term, Struct) and functor(term) in _TRANSPARENT:
            todo.extend(term.args)


#: Constructs whose arguments are called where they stand.
_TRANSPARENT = {(",", 2), (";", 2)}
