"""The operator table: that of SWI-Prolog, with `::` added, and its changes by `op/3` directives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

CLAUSE_PRIORITY = 1200
ARGUMENT_PRIORITY = 999  # of an argument or list item; a term above it is in brackets

OperatorType = Literal["xfx", "xfy", "yfx", "fy", "fx"]
OPERATOR_TYPES: tuple[OperatorType, ...] = ("xfx", "xfy", "yfx", "fy", "fx")


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator. Its type determines the greatest priorities of its arguments."""

    name: str
    priority: int
    type: OperatorType

    @property
    def is_prefix(self) -> bool:
        """Whether the operator is a prefix operator."""
        return self.type[0] == "f"

    @property
    def left_limit(self) -> int:
        """Greatest priority of the left argument of an infix operator."""
        return self.priority if self.type[0] == "y" else self.priority - 1

    @property
    def right_limit(self) -> int:
        """Greatest priority of the right argument, or of the argument of a prefix operator."""
        return self.priority if self.type[-1] == "y" else self.priority - 1


@dataclass(frozen=True)
class OperatorTable:
    """The prefix and the infix operators in force, by name. A name can be both."""

    prefix: Mapping[str, Operator] = field(default_factory=dict)
    infix: Mapping[str, Operator] = field(default_factory=dict)

    def declare(self, priority: int, type: OperatorType, *names: str) -> OperatorTable:
        """The table with `op(priority, type, names)` in force. Priority 0 removes operators."""
        prefix, infix = dict(self.prefix), dict(self.infix)
        changed = prefix if type[0] == "f" else infix
        for name in names:
            changed.pop(name, None)
            if priority > 0:
                changed[name] = Operator(name, priority, type)
        return OperatorTable(MappingProxyType(prefix), MappingProxyType(infix))

    def __contains__(self, name: object) -> bool:
        return name in self.prefix or name in self.infix


def _default_operators() -> OperatorTable:
    declarations: list[tuple[int, OperatorType, str]] = [
        (1200, "xfx", ":- --> =>"),
        (1200, "fx", ":- ?-"),
        (1150, "xfx", "::"),
        (1150, "fx", "dynamic discontiguous initialization meta_predicate module_transparent"),
        (1150, "fx", "multifile public table thread_initialization thread_local volatile"),
        (1105, "xfy", "|"),
        (1100, "xfy", ";"),
        (1050, "xfy", "-> *->"),
        (1000, "xfy", ","),
        (900, "fy", "\\+"),
        (800, "xfx", ":="),
        (700, "xfx", "= \\= == \\== =@= \\=@= @< @=< @> @>= =.. is as =:= =\\= < =< > >= >:< :<"),
        (600, "xfy", ":"),
        (500, "yfx", "+ - /\\ \\/"),
        (400, "yfx", "* / // mod rem div rdiv << >> xor"),
        (200, "xfx", "**"),
        (200, "xfy", "^"),
        (200, "fy", "- + \\"),
        (1, "fx", "$"),
    ]
    table = OperatorTable()
    for priority, type, names in declarations:
        table = table.declare(priority, type, *names.split())
    return table


DEFAULT_OPERATORS = _default_operators()
