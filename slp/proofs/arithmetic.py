"""Arithmetic: the value of a term such as `alpha * (1+D)^(-beta)`.

Functions and their results are SWI-Prolog's with its default flags (`prefer_rationals = false`,
`iso = false`), which is ISO's where ISO says something, except:

- `/` of two integers is an integer where it is exact, else a float (`4/2 =:= 2`, `7/2 =:= 3.5`);
- `2 ** -1` and `2 ^ -1` are 0.5, where ISO's `^` has a type error;
- a power of or to a float is a float (SWI-Prolog has 1 for `1 ** 0.5` and `2.5 ** 0`);
- results that are not real numbers are errors, `inf` is the one infinity that can be written;
- integers have at most `MAX_BITS` bits.

An atom that names a parameter has the parameter's value, also if it names a constant (`e`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from slp.errors import ProgramError
from slp.proofs import faults
from slp.proofs.affine import Affine, NotAffineError
from slp.proofs.store import LARGEST
from slp.proofs.templates import Pattern, Slot, Template, build
from slp.proofs.terms import Atom, Number, Struct, Term, Text, Var, with_args
from slp.source import SourceSpan

__all__ = ["MAX_BITS", "evaluate", "evaluate_argument", "evaluate_arguments", "is_function"]

#: The largest magnitude of an integer, in bits (2466 decimal digits).
MAX_BITS = 8192

Value: TypeAlias = int | float


# --- the functions -----------------------------------------------------------------------------


class _UndefinedError(ArithmeticError):
    """The mathematical function has no real value here."""


class _TooManyBitsError(ArithmeticError):
    """An integer result would have more than MAX_BITS bits."""


class _NotIntegerError(ArithmeticError):
    """A float stands where only an integer can."""

    def __init__(self, value: float) -> None:
        super().__init__(value)
        self.value = value


@dataclass(frozen=True)
class _Function:
    """`affine`: the result is a*V + b, piece by piece, if the arguments are."""

    compute: Callable[..., Value]
    affine: bool = False


def _integers(f: Callable[..., int]) -> _Function:
    """A function of integers only."""

    def checked(*args: Value) -> int:
        for a in args:
            if isinstance(a, float):
                raise _NotIntegerError(a)
        return f(*args)

    return _Function(checked)


def _divide(x: Value, y: Value) -> Value:
    if isinstance(x, int) and isinstance(y, int):
        quotient, rest = divmod(x, y)
        return quotient if rest == 0 else x / y
    if y == 0 and x == 0:
        raise _UndefinedError
    return x / y


def _toward_zero(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _remainder(x: int, y: int) -> int:
    return x - y * _toward_zero(x, y)


def _power(x: Value, y: Value) -> Value:
    if isinstance(x, int) and isinstance(y, int):
        if x in (-1, 1):
            return x if y % 2 else 1
        if y >= 0:
            if x.bit_length() * y > 2 * MAX_BITS:
                raise _TooManyBitsError
            return int(x**y)
    if x == 0 and y < 0:
        raise ZeroDivisionError
    return math.pow(x, y)


def _shift_left(x: int, y: int) -> int:
    if y < 0:
        return x >> -y
    if x == 0:
        return 0
    if y > MAX_BITS:
        raise _TooManyBitsError
    return x << y


def _shift_right(x: int, y: int) -> int:
    return _shift_left(x, -y)


def _greater(x: Value, y: Value) -> Value:
    if x == y:  # of equal numbers the float, as SWI-Prolog does
        return x if isinstance(x, float) else y
    return x if x > y else y


def _smaller(x: Value, y: Value) -> Value:
    if x == y:
        return x if isinstance(x, float) else y
    return x if x < y else y


def _sign(x: Value) -> Value:
    sign = (x > 0) - (x < 0)
    return float(sign) if isinstance(x, float) else sign


def _to_float(x: Value) -> float:
    return x if isinstance(x, float) else float(x)


def _rounding(f: Callable[[Any], int]) -> _Function:
    def rounded(x: Value) -> int:
        if math.isinf(x):
            raise _UndefinedError
        return f(x)

    return _Function(rounded)


def _half_away(x: Value) -> int:
    if isinstance(x, int):
        return x
    whole = math.trunc(x)
    return whole + (int(math.copysign(1, x)) if abs(x - whole) >= 0.5 else 0)


def _integer_part(x: Value) -> Value:
    return float(math.trunc(x)) if isinstance(x, float) else x


def _fractional_part(x: Value) -> Value:
    return x - math.trunc(x) if isinstance(x, float) else 0


_FUNCTIONS: Mapping[tuple[str, int], _Function] = {
    ("+", 2): _Function(operator.add, affine=True),
    ("-", 2): _Function(operator.sub, affine=True),
    ("*", 2): _Function(operator.mul, affine=True),
    ("/", 2): _Function(_divide, affine=True),
    ("+", 1): _Function(operator.pos, affine=True),
    ("-", 1): _Function(operator.neg, affine=True),
    ("abs", 1): _Function(abs, affine=True),
    ("sign", 1): _Function(_sign, affine=True),
    ("min", 2): _Function(_smaller, affine=True),
    ("max", 2): _Function(_greater, affine=True),
    ("float", 1): _Function(_to_float, affine=True),
    ("//", 2): _integers(_toward_zero),
    ("div", 2): _integers(operator.floordiv),
    ("mod", 2): _integers(operator.mod),
    ("rem", 2): _integers(_remainder),
    ("gcd", 2): _integers(math.gcd),
    (">>", 2): _integers(_shift_right),
    ("<<", 2): _integers(_shift_left),
    ("/\\", 2): _integers(operator.and_),
    ("\\/", 2): _integers(operator.or_),
    ("xor", 2): _integers(operator.xor),
    ("\\", 1): _integers(operator.invert),
    ("**", 2): _Function(_power),
    ("^", 2): _Function(_power),
    ("exp", 1): _Function(math.exp),
    ("log", 1): _Function(math.log),
    ("sqrt", 1): _Function(math.sqrt),
    ("sin", 1): _Function(math.sin),
    ("cos", 1): _Function(math.cos),
    ("tan", 1): _Function(math.tan),
    ("asin", 1): _Function(math.asin),
    ("acos", 1): _Function(math.acos),
    ("atan", 1): _Function(math.atan),
    ("atan", 2): _Function(math.atan2),
    ("atan2", 2): _Function(math.atan2),
    ("sinh", 1): _Function(math.sinh),
    ("cosh", 1): _Function(math.cosh),
    ("tanh", 1): _Function(math.tanh),
    ("asinh", 1): _Function(math.asinh),
    ("acosh", 1): _Function(math.acosh),
    ("atanh", 1): _Function(math.atanh),
    ("floor", 1): _rounding(math.floor),
    ("ceiling", 1): _rounding(math.ceil),
    ("truncate", 1): _rounding(math.trunc),
    ("round", 1): _rounding(_half_away),
    ("integer", 1): _rounding(_half_away),
    ("float_integer_part", 1): _Function(_integer_part),
    ("float_fractional_part", 1): _Function(_fractional_part),
}

_CONSTANTS: Mapping[str, float] = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "epsilon": math.ulp(1.0),
}


def is_function(name: str, arity: int) -> bool:
    """Whether `name/arity` is an arithmetic function or operator (constants are not)."""
    return (name, arity) in _FUNCTIONS


# --- evaluation --------------------------------------------------------------------------------


def _as_given(term: Term) -> Term:
    return term


def evaluate(
    term: Template,
    parameters: Mapping[str, Value],
    *,
    deref: Callable[[Term], Term] = _as_given,
    frame: Sequence[Term] = (),
    span: SourceSpan | None = None,
) -> Value:
    """The value of an arithmetic expression.

    `deref` gives what a variable of the term stands for, `frame` what the places of a template do;
    `span` is the place to blame for parts of the term that have none of their own.

    Raises
    ------
    ProgramError
        E201 unbound variable, E202 unknown function or parameter, E203 division by zero, E204 no
        real value, E205 overflow, E206 not a number or not an integer, E230 a threshold in a
        function that is not affine; with the span of the part to blame.
    """
    values: list[Value] = []
    # A term and the place around it; its function once the values of its arguments are known.
    todo: list[tuple[Template, SourceSpan | None, _Function | None]] = [(term, span, None)]
    for _ in range(LARGEST):
        if not todo:
            return values[0]
        written, around, function = todo.pop()
        if function is not None:
            assert type(written) is Struct or type(written) is Pattern
            args = values[-len(written.args) :]
            del values[-len(written.args) :]
            values.append(_apply(function, written.name, args, around))
            continue
        t = _meaning(written, deref, frame)
        if type(t) is Number:
            values.append(t.value)
            continue
        if type(t) is Var:
            assert isinstance(written, Var | Slot)
            raise faults.unbound_in_arithmetic(t, _place(written, around))
        place = t.span or around
        if type(t) is Struct or type(t) is Pattern:
            function = _function(t, frame, place)
            numbers = _numbers(t, deref, frame)
            if numbers is not None:
                values.append(_apply(function, t.name, numbers, place))
                continue
            todo.append((t, place, function))
            for a in reversed(t.args):
                todo.append((a, place, None))
        elif type(t) is Atom:
            values.append(_constant(t, parameters, place))
        else:
            assert type(t) is Text
            raise faults.not_a_number(t, place)
    raise faults.too_large(LARGEST, span)


def _meaning(
    written: Template, deref: Callable[[Term], Term], frame: Sequence[Term]
) -> Term | Pattern:
    """What a variable, or a place of a template, stands for; anything else is itself."""
    if isinstance(written, Slot):
        return frame[written.index]
    return deref(written) if isinstance(written, Var) else written


def _numbers(
    term: Struct | Pattern, deref: Callable[[Term], Term], frame: Sequence[Term]
) -> list[Value] | None:
    """The arguments' values if all are numbers: most functions of a program are of numbers."""
    values: list[Value] = []
    for arg in term.args:
        number = _meaning(arg, deref, frame)
        if type(number) is not Number:
            return None
        values.append(number.value)
    return values


def _place(variable: Var | Slot, around: SourceSpan | None) -> SourceSpan | None:
    """Where a variable is to blame: where it stands in `around`, else `around` itself.

    All copies of a clause's variable have the span of its first occurrence.
    """
    at = variable.variable.span if isinstance(variable, Slot) else variable.span
    if at is None or around is None:
        return at or around
    inside = at.file is around.file and around.start <= at.start and at.end <= around.end
    return at if inside else around


def _function(term: Struct | Pattern, frame: Sequence[Term], place: SourceSpan | None) -> _Function:
    arity = len(term.args)
    function = _FUNCTIONS.get((term.name, arity))
    if function is not None:
        return function
    if term.name == "[|]":
        raise faults.not_a_number(build(term, frame), place)
    known = {name for name, n in _FUNCTIONS if n == arity and name[0].isalpha()}
    raise faults.unknown_function(term.name, arity, known, place)


def _constant(atom: Atom, parameters: Mapping[str, Value], place: SourceSpan | None) -> Value:
    value = parameters.get(atom.name, _CONSTANTS.get(atom.name))
    if value is None:
        known = set(parameters) | set(_CONSTANTS) | {n for n, arity in _FUNCTIONS if arity == 1}
        raise faults.unknown_value(atom.name, known, place)
    if math.isnan(value):
        raise faults.undefined(atom.name, place)
    return value


def _apply(function: _Function, name: str, args: list[Value], place: SourceSpan | None) -> Value:
    """The value of a function at values, or the error that says why there is none."""
    try:
        if not function.affine and Affine in map(type, args):
            raise NotAffineError
        return _checked(function.compute(*args), args)
    except ArithmeticError as e:
        raise _fault(e, name, place) from None
    except ValueError:  # what Python's math raises outside a function's domain
        raise faults.undefined(name, place) from None


def _checked(value: Value, args: list[Value]) -> Value:
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise _TooManyBitsError
    elif math.isnan(value):
        raise _UndefinedError
    elif math.isinf(value) and not any(isinstance(a, float) and math.isinf(a) for a in args):
        raise OverflowError
    return value


def _fault(error: ArithmeticError, name: str, place: SourceSpan | None) -> ProgramError:
    if isinstance(error, ZeroDivisionError):
        return faults.division_by_zero(place)
    if isinstance(error, NotAffineError):
        return faults.not_affine(place)
    if isinstance(error, _NotIntegerError):
        return faults.needs_integers(name, error.value, place)
    if isinstance(error, _TooManyBitsError):
        return faults.integer_overflow(MAX_BITS, place)
    if isinstance(error, OverflowError):
        return faults.float_overflow(place)
    return faults.undefined(name, place)


# --- arguments of nonterminals -----------------------------------------------------------------


def evaluate_arguments(goal: Term, parameters: Mapping[str, Value]) -> Term:
    """A nonterminal with the arithmetic in its arguments done: `tree(2+1)` becomes `tree(3)`.

    An argument is evaluated if it is the name of a parameter, or a compound term all of whose
    functors are arithmetic and all of whose leaves are numbers or names of parameters; every other
    argument stays as it is, `node(a-b)` too where `a` or `b` is no parameter. A parameter that is a
    whole number counts as an integer here, so that `owe(k)` with k = 5.0 is `owe(5)`.
    """
    if not isinstance(goal, Struct):
        return goal
    return with_args(
        goal,
        tuple([evaluate_argument(a, parameters, goal.span) for a in goal.args]),
    )


def evaluate_argument(
    term: Term, parameters: Mapping[str, Value], span: SourceSpan | None = None
) -> Term:
    """One argument, as `evaluate_arguments` treats it."""
    if type(term) is Number:
        return term
    names = _parameters_in(term, parameters)
    if names is None:
        return term
    whole = {name: _whole(parameters[name]) for name in names}
    span = term.span or span
    return Number(evaluate(term, whole, span=span), span)


def _whole(value: Value) -> Value:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _parameters_in(term: Term, parameters: Mapping[str, Value]) -> list[str] | None:
    """The names of parameters in an expression of functions, numbers and parameters, else None."""
    names: list[str] = []
    todo = [term]
    while todo:
        t = todo.pop()
        if type(t) is Struct:
            if (t.name, len(t.args)) not in _FUNCTIONS:
                return None
            todo.extend(t.args)
        elif type(t) is Atom and t.name in parameters:
            names.append(t.name)
        elif type(t) is not Number:
            return None
    return names
