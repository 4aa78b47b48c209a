"""Guards and labels that use the rows of the box: `rows(N)`, `rows(Class, N)`, and arithmetic on
them.

Proofs do not depend on a box. So a rule's guards before the split are divided into two groups:
goals that do not use the rows, which are proved, and *row goals*, which become one `RowFunction`
together with the label. A *row variable* is bound by a row goal. Row goals are `rows/1`, `rows/2`,
and every goal that contains a row variable: a comparison, a `\\+` of one, or `is`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slp.ir.row_function import Instruction, Op, RowFunction
from slp.resolution.machine import faults
from slp.resolution.machine.arithmetic import evaluate
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, Var, functor, variables

_UNARY = {
    "-": Op.NEGATE,
    "abs": Op.ABSOLUTE,
    "sign": Op.SIGN,
    "exp": Op.EXP,
    "log": Op.LOG,
    "sqrt": Op.SQRT,
    "floor": Op.FLOOR,
    "ceiling": Op.CEILING,
    "truncate": Op.TRUNCATE,
    "round": Op.ROUND,
    "integer": Op.ROUND,
}
_BINARY = {
    "+": Op.ADD,
    "-": Op.SUBTRACT,
    "*": Op.MULTIPLY,
    "/": Op.DIVIDE,
    "min": Op.MINIMUM,
    "max": Op.MAXIMUM,
    "**": Op.POWER,
    "^": Op.POWER,
    "//": Op.QUOTIENT,
    "div": Op.FLOORED,
    "mod": Op.MODULO,
    "rem": Op.REMAINDER,
}
_TESTS = {
    "<": Op.LESS,
    "=<": Op.AT_MOST,
    ">": Op.GREATER,
    ">=": Op.AT_LEAST,
    "=:=": Op.EQUAL,
    "=\\=": Op.UNEQUAL,
}
_OPPOSITE = {"<": ">=", "=<": ">", ">": "=<", ">=": "<", "=:=": "=\\=", "=\\=": "=:="}

#: Functions of integers only, functions with integer results, and functions that keep integers.
_OF_INTEGERS = {Op.QUOTIENT, Op.FLOORED, Op.MODULO, Op.REMAINDER}
_TO_INTEGERS = {Op.FLOOR, Op.CEILING, Op.TRUNCATE, Op.ROUND}
_KEEP = {Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.MINIMUM, Op.MAXIMUM}
_KEEP |= {Op.NEGATE, Op.ABSOLUTE, Op.SIGN}


@dataclass(frozen=True)
class RowGoals:
    """Guards before a split in two parts, each in order, and the variables that the rows bind."""

    proved: tuple[Term, ...]
    of_rows: tuple[Term, ...]
    variables: frozenset[Var]


def asks_rows(goal: Term) -> bool:
    """Whether a goal is `rows(N)` or `rows(Class, N)`."""
    return functor(goal) in (("rows", 1), ("rows", 2))


def negated(goal: Term) -> Term | None:
    """The comparison equivalent to `\\+ Goal`, None if Goal is no comparison."""
    inner = goal.args[0] if isinstance(goal, Struct) and functor(goal) == ("\\+", 1) else None
    if isinstance(inner, Struct) and inner.name in _OPPOSITE and len(inner.args) == 2:
        return Struct(_OPPOSITE[inner.name], inner.args, span=inner.span)
    return None


def class_name(term: Term) -> str | None:
    """The class that a term names, as text; None if it names none."""
    if isinstance(term, Number):
        whole = isinstance(term.value, int) or term.value.is_integer()
        return str(int(term.value)) if whole else repr(term.value)
    return term.name if isinstance(term, Atom) else None


def is_row_goal(goal: Term) -> bool:
    """Whether a goal can test a number of rows."""
    key = functor(goal)
    comparison = key is not None and key[0] in _TESTS and key[1] == 2
    return asks_rows(goal) or comparison or key == ("is", 2) or negated(goal) is not None


def part_guards(head: Term, guards: Sequence[Term]) -> RowGoals:
    """Divide the guards of a rule with this head."""
    bound = set(variables(head))
    of_rows: list[Term] = []
    proved: list[Term] = []
    made: set[Var] = set()
    for goal in guards:
        if asks_rows(goal) or any(v in made for v in variables(goal)):
            of_rows.append(goal)
            made |= {v for v in variables(goal) if v not in bound}
        else:
            proved.append(goal)
            bound |= set(variables(goal))
    return RowGoals(tuple(proved), tuple(of_rows), frozenset(made))


@dataclass(frozen=True)
class _Value:
    """An expression: a number, or code."""

    code: tuple[Instruction, ...]
    number: int | float | None
    is_integer: bool


def compile_rows(
    goals: Sequence[Term],
    label: Term,
    parameters: Mapping[str, int | float],
    span: SourceSpan | None,
) -> tuple[float | int, RowFunction | None]:
    """Compile the row goals of a rule, with its other variables bound, and its label: the label's
    value, or 1 if it depends on the rows, and the function.

    Raises
    ------
    ProgramError
        E223 for a goal or a function that does not allow rows; other errors as `evaluate`.
    """
    return _Compiler(parameters, span).compile(goals, label)


class _Compiler:
    def __init__(self, parameters: Mapping[str, int | float], span: SourceSpan | None) -> None:
        self._parameters = parameters
        self._span = span
        self._bound: dict[Var, _Value] = {}
        self._classes: dict[str, int] = {}

    def compile(self, goals: Sequence[Term], label: Term) -> tuple[float | int, RowFunction | None]:
        code: list[Instruction] = []
        for goal in goals:
            code += self._goal(goal)
        value = self._value(label)
        if value.number is not None:
            made = RowFunction(tuple(code), False, tuple(self._classes)) if code else None
            return value.number, made
        return 1, RowFunction((*code, *value.code), True, tuple(self._classes))

    def _goal(self, goal: Term) -> tuple[Instruction, ...]:
        """The test of a goal; none if it binds a variable."""
        place = goal.span or self._span
        goal = negated(goal) or goal
        if isinstance(goal, Struct) and asks_rows(goal):
            return self._equal(goal.args[-1], self._count(goal, place), place)
        if isinstance(goal, Struct) and functor(goal) == ("is", 2):
            return self._equal(goal.args[0], self._value(goal.args[1]), place)
        if isinstance(goal, Struct) and goal.name in _TESTS and len(goal.args) == 2:
            x, y = map(self._value, goal.args)
            return (*x.code, *y.code, (_TESTS[goal.name], 0.0))
        raise faults.no_goal_of_rows(goal, place)

    def _count(self, goal: Struct, place: SourceSpan | None) -> _Value:
        if len(goal.args) == 1:
            return _Value(((Op.ROWS, 0.0),), None, True)
        named = goal.args[0]
        name = class_name(named)
        if name is None:
            raise faults.no_class_of_rows(named, named.span or place)
        number = self._classes.setdefault(name, len(self._classes))
        return _Value(((Op.COUNT, float(number)),), None, True)

    def _equal(
        self, result: Term, value: _Value, place: SourceSpan | None
    ) -> tuple[Instruction, ...]:
        if isinstance(result, Var) and result not in self._bound:
            self._bound[result] = value
            return ()
        if not isinstance(result, Var | Number):
            raise faults.no_number_of_rows(result, result.span or place)
        return (*self._value(result).code, *value.code, (Op.EQUAL, 0.0))

    def _value(self, term: Term) -> _Value:
        """The code of an arithmetic expression."""
        prefix: list[tuple[Term, SourceSpan | None]] = []  # from the right: its reverse is postfix
        todo = [(term, self._span)]
        while todo:
            t, around = todo.pop()
            place = t.span or around
            prefix.append((t, place))
            if isinstance(t, Struct):
                todo += [(a, place) for a in t.args]
        done: list[_Value] = []
        for t, place in reversed(prefix):
            if isinstance(t, Struct):
                args = done[-len(t.args) :]
                del done[-len(t.args) :]
                done.append(self._apply(t, args, place))
            elif isinstance(t, Var) and t in self._bound:
                done.append(self._bound[t])
            else:
                done.append(self._number(evaluate(t, self._parameters, span=place), place))
        return done[0]

    def _number(self, value: int | float, place: SourceSpan | None) -> _Value:
        try:
            pushed = float(value)
        except OverflowError:
            raise faults.float_overflow(place) from None
        return _Value(((Op.CONSTANT, pushed),), value, isinstance(value, int))

    def _apply(self, term: Struct, args: list[_Value], place: SourceSpan | None) -> _Value:
        numbers = [a.number for a in args if a.number is not None]
        if len(numbers) == len(args):
            known = Struct(term.name, tuple(map(Number, numbers)))
            return self._number(evaluate(known, self._parameters, span=place), place)
        if term.name in ("+", "float") and len(args) == 1:
            own = args[0]
            return _Value(own.code, None, own.is_integer and term.name == "+")
        op = (_UNARY if len(args) == 1 else _BINARY).get(term.name)
        if op is None or len(args) > 2:
            raise faults.no_function_of_rows(term.name, len(args), [*_UNARY, *_BINARY], place)
        whole = all(a.is_integer for a in args)
        if op in _OF_INTEGERS and not whole:
            raise faults.needs_integers_of_rows(term.name, place)
        code = tuple(i for a in args for i in a.code)
        keeps = op in _KEEP or (op is Op.POWER and _is_natural(args[-1]))
        is_integer = op in _OF_INTEGERS or op in _TO_INTEGERS or (whole and keeps)
        return _Value((*code, (op, 0.0)), None, is_integer)


def _is_natural(value: _Value) -> bool:
    return value.number is not None and value.is_integer and not math.copysign(1, value.number) < 0
