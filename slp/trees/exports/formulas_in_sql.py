"""Formulas of defined features as expressions of SQL: NULL where they have no value.

A logarithm or a root is guarded by `CASE`, so that databases that stop at one without a value do
not. A sum or a product beyond the largest double is what the database makes of it.
"""

from __future__ import annotations

from collections.abc import Callable

from slp.columns.formula import Formula
from slp.errors import DataError
from slp.messages.tree_texts import FORMULA_TOO_LONG
from slp.terms import Atom, Number, Struct, Term

#: Characters: each guard repeats what it guards.
_LONGEST = 20_000
#: The largest number whose exponential is a double.
_MOST_OF_EXP = "709.0"

_INFIX = {"+", "-", "*"}
_GUARDED = {
    "sqrt": "CASE WHEN {a} >= 0.0 THEN SQRT({a}) END",
    "log": "CASE WHEN {a} > 0.0 THEN LN({a}) END",
    "log10": "CASE WHEN {a} > 0.0 THEN LOG10({a}) END",
    "exp": f"CASE WHEN {{a}} <= {_MOST_OF_EXP} THEN EXP({{a}}) END",
    "abs": "ABS({a})",
    "min": "CASE WHEN {a} <= {b} THEN {a} WHEN {b} < {a} THEN {b} END",
    "max": "CASE WHEN {a} >= {b} THEN {a} WHEN {b} > {a} THEN {b} END",
}
_POWER = (
    "CASE WHEN {a} > 0.0 OR ({a} = 0.0 AND {b} >= 0.0) OR ({a} < 0.0 AND {b} = FLOOR({b})) "
    "THEN POWER({a}, {b}) END"
)


def formula_to_sql(
    formula: Formula, name: Callable[[str], str], number: Callable[[float], str]
) -> str:
    """The expression, with names of columns and numbers as these functions write them.

    Raises
    ------
    DataError
        E618: it is too long.
    """

    def written(term: Term) -> str:
        match term:
            case Number(value):
                return number(float(value))
            case Atom(column):
                return f"CAST({name(column)} AS DOUBLE PRECISION)"
            case Struct(function, args):
                found = _call(function, args, list(map(written, args)))
                if len(found) > _LONGEST:
                    raise DataError(FORMULA_TOO_LONG(text=formula.text))
                return found
        raise AssertionError(term)

    return written(formula.term)


def _call(function: str, args: tuple[Term, ...], of: list[str]) -> str:
    a, b = of[0], of[-1]
    if len(of) == 1 and function in ("+", "-"):
        return a if function == "+" else f"(-{a})"
    if function in _INFIX:
        return f"({a} {function} {b})"
    if function == "/":
        return f"({a} / NULLIF({b}, 0.0))"
    if function in ("^", "**"):
        return f"({a} * {a})" if _is_two(args[1]) else f"({_POWER.format(a=a, b=b)})"
    return f"({_GUARDED[function].format(a=a, b=b)})"


def _is_two(term: Term) -> bool:
    return isinstance(term, Number) and term.value == 2
