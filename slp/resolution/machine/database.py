"""`Database`: the logical predicates of a program, and the built-ins that are always there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from types import MappingProxyType
from typing import Any

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine import faults
from slp.resolution.machine.builtins import BUILTINS
from slp.resolution.machine.clauses import PreparedPredicate
from slp.resolution.machine.control import CONTROL
from slp.resolution.machine.library import library
from slp.resolution.machine.loop import Definitions
from slp.resolution.machine.of_trees import ASKING_TREES
from slp.resolution.machine.replaceable import REPLACEABLE
from slp.terms import functor

_NONE: Definitions = MappingProxyType({})


def is_builtin(name: str, arity: int) -> bool:
    """Whether `name/arity` is built in and cannot be defined by a program.

    A program can redefine the predicates of `library.py`, `replaceable.py` and `of_trees.py`.
    """
    return (name, arity) in CONTROL or (name, arity) in BUILTINS


class Database:
    """The definitions of a program: predicates defined by `clauses`, and the `parameters` of
    arithmetic.

    The program's definitions and the built-ins take precedence over `others`.

    Raises
    ------
    ProgramError
        E213 if a clause's head is no atom or compound term, E217 if it defines a built-in.
    """

    def __init__(
        self,
        clauses: Iterable[ir.LogicClause],
        parameters: Mapping[str, int | float],
        others: Definitions = _NONE,
    ) -> None:
        self.parameters = dict(parameters)
        own: dict[tuple[str, int], list[ir.LogicClause]] = {}
        for clause in clauses:
            own.setdefault(_defined(clause), []).append(clause)
        predicates = {key: PreparedPredicate(*key, sources) for key, sources in own.items()}
        built_in = {**CONTROL, **BUILTINS, **REPLACEABLE, **library()}
        self.definitions: Definitions = {**ASKING_TREES, **others, **built_in, **predicates}
        self._own = predicates.keys()

    def about(self, tree: Definitions) -> Database:
        """The same with these definitions of predicates about a tree that the program does not
        define itself."""
        other = copy(self)
        own = {key: found for key, found in tree.items() if key not in self._own}
        other.definitions = {**self.definitions, **own}
        return other

    def with_values(self, values: Mapping[str, int | float]) -> Database:
        """The same definitions with more names of numbers; parameters go first."""
        other = copy(self)
        other.parameters = {**values, **self.parameters}
        return other


def _defined(clause: Any) -> tuple[str, int]:
    """Name and arity of the predicate that a clause belongs to."""
    span = clause.head.span or clause.span
    key = functor(clause.head)
    if key is None:
        raise faults.not_callable(clause.head, span)
    if is_builtin(*key):
        raise faults.redefines_builtin(*key, span)
    return key
