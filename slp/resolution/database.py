"""`Database`: the logical predicates of a program, and the built-ins that are always there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from types import MappingProxyType
from typing import Any

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution import faults
from slp.resolution.builtins import BUILTINS
from slp.resolution.clauses import PreparedPredicate
from slp.resolution.control import CONTROL
from slp.resolution.library import library
from slp.resolution.machine import Definitions
from slp.resolution.rules import PreparedRule
from slp.terms import functor

_NONE: Definitions = MappingProxyType({})


def is_builtin(name: str, arity: int) -> bool:
    """Whether `name/arity` is built in and cannot be defined by a program.

    A program can redefine the list predicates of `slp.resolution.library`.
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
        self._prepared: dict[int, PreparedRule] = {}
        own: dict[tuple[str, int], list[ir.LogicClause]] = {}
        for clause in clauses:
            own.setdefault(_defined(clause), []).append(clause)
        predicates = {key: PreparedPredicate(*key, sources) for key, sources in own.items()}
        self.definitions: Definitions = {**others, **CONTROL, **BUILTINS, **library(), **predicates}

    def with_values(self, values: Mapping[str, int | float]) -> Database:
        """The same definitions with more names of numbers; parameters go first."""
        other = copy(self)
        other.parameters = {**values, **self.parameters}
        return other

    def prepared(self, rule: ir.TreeRule) -> PreparedRule:
        """A tree rule, prepared at its first use. (Equal rules may differ in spans.)"""
        found = self._prepared.get(id(rule))
        if found is None:  # `found` holds the rule, so that no other object gets its id
            found = self._prepared[id(rule)] = PreparedRule(rule)
        return found


def _defined(clause: Any) -> tuple[str, int]:
    """Name and arity of the predicate that a clause belongs to."""
    span = clause.head.span or clause.span
    key = functor(clause.head)
    if key is None:
        raise faults.not_callable(clause.head, span)
    if is_builtin(*key):
        raise faults.redefines_builtin(*key, span)
    return key
