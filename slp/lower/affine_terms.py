"""Arithmetic in a rule as affine expressions in its variables, where it is affine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

from slp.errors import ProgramError
from slp.ir import program as ir
from slp.resolution.machine.arithmetic import evaluate
from slp.terms import Struct, Term, Var, variables

Parameters: TypeAlias = Mapping[str, int | float]

#: A number for each variable, and the constant at None.
Sum: TypeAlias = dict[Var | None, float]


class RuleArithmetic:
    """The terms of one rule as sums; a variable that a guard `X is ...` sets is replaced by its
    expression."""

    def __init__(self, rule: ir.TreeRule, parameters: Parameters) -> None:
        self._parameters = parameters
        self._values: dict[Var, Sum] = {}
        for guard in rule.before:
            if isinstance(guard, Struct) and guard.name == "is" and len(guard.args) == 2:
                variable, value = guard.args[0], self.sum(guard.args[1])
                if isinstance(variable, Var) and value is not None:
                    self._values[variable] = value

    def sum(self, term: Term) -> Sum | None:
        """A term as a sum, without zero multiples; None if it is not affine."""
        if isinstance(term, Var):
            return self._values.get(term, {term: 1.0})
        if not any(True for _ in variables(term)):
            try:
                value = float(evaluate(term, self._parameters))
            except (ProgramError, OverflowError):
                return None
            return {None: value} if math.isfinite(value) else None
        if not isinstance(term, Struct) or len(term.args) != 2 or term.name not in ("+", "-", "*"):
            return None
        one, other = map(self.sum, term.args)
        if one is None or other is None:
            return None
        if term.name != "*":
            return added(one, other, 1.0 if term.name == "+" else -1.0)
        if other.keys() <= {None}:
            one, other = other, one
        return added({}, other, one.get(None, 0.0)) if one.keys() <= {None} else None


def added(one: Sum, other: Sum, factor: float = 1.0) -> Sum:
    """one + factor * other."""
    both = {v: one.get(v, 0.0) + factor * other.get(v, 0.0) for v in {**one, **other}}
    return {v: c for v, c in both.items() if c != 0.0}
