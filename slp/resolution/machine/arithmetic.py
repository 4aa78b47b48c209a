"""Arithmetic: the value of a term such as `alpha * (1+D)^(-beta)`.

`slp.resolution.machine.functions` lists the functions, and their differences from SWI-Prolog's.

An atom that names a parameter has the parameter's value, also if it names a constant (`e`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from slp.errors import ProgramError
from slp.ir.row_function import ROUNDING
from slp.resolution.machine import faults
from slp.resolution.machine.affine import Affine, NotAffineError
from slp.resolution.machine.functions import (
    CONSTANTS,
    FUNCTIONS,
    MAX_BITS,
    Function,
    NotIntegerError,
    TooManyBitsError,
    UndefinedError,
    Value,
)
from slp.resolution.machine.templates import Pattern, Slot, Template, build
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, Text, Var, with_args

#: Most parts of an expression; shared parts count as often as they occur. One of them takes up to a
#: microsecond or two.
_MOST_PARTS = 500_000


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
    `span` is the place to report for parts of the term without a span.

    Raises
    ------
    ProgramError
        E201 unbound variable, E202 unknown function or parameter, E203 division by zero, E204 no
        real value, E205 overflow, E206 not a number or not an integer, E230 a threshold in a
        function that is not affine; with the span of the faulty part.
    """
    values: list[Value] = []
    # A term and the place around it; its function once the values of its arguments are known.
    todo: list[tuple[Template, SourceSpan | None, Function | None]] = [(term, span, None)]
    for _ in range(_MOST_PARTS):
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
    raise faults.too_large(_MOST_PARTS, span)


def _meaning(
    written: Template, deref: Callable[[Term], Term], frame: Sequence[Term]
) -> Term | Pattern:
    """The term that a variable, or a place of a template, stands for. Other terms stand for
    themselves."""
    if isinstance(written, Slot):
        return frame[written.index]
    return deref(written) if isinstance(written, Var) else written


def _numbers(
    term: Struct | Pattern, deref: Callable[[Term], Term], frame: Sequence[Term]
) -> list[Value] | None:
    """The arguments' values if all are numbers, which is the most frequent case."""
    values: list[Value] = []
    for arg in term.args:
        number = _meaning(arg, deref, frame)
        if type(number) is not Number:
            return None
        values.append(number.value)
    return values


def _place(variable: Var | Slot, around: SourceSpan | None) -> SourceSpan | None:
    """The place to report for a variable: its place in `around`, else `around` itself.

    All copies of a clause's variable have the span of its first occurrence.
    """
    at = variable.variable.span if isinstance(variable, Slot) else variable.span
    if at is None or around is None:
        return at or around
    inside = at.file is around.file and around.start <= at.start and at.end <= around.end
    return at if inside else around


def _function(term: Struct | Pattern, frame: Sequence[Term], place: SourceSpan | None) -> Function:
    arity = len(term.args)
    function = FUNCTIONS.get((term.name, arity))
    if function is not None:
        return function
    if term.name == "[|]":
        raise faults.not_a_number(build(term, frame), place)
    raise faults.unknown_function(term.name, arity, names_of_functions(arity), place)


def names_of_functions(arity: int) -> set[str]:
    """Known functions of `arity` arguments that an unknown one may mean."""
    return {name for name, n in FUNCTIONS if n == arity and name[0].isalpha()}


def names_of_values(parameters: Mapping[str, Value]) -> set[str]:
    """Known names that a name without a value may mean."""
    return set(parameters) | set(CONSTANTS)


def _constant(atom: Atom, parameters: Mapping[str, Value], place: SourceSpan | None) -> Value:
    value = parameters.get(atom.name, CONSTANTS.get(atom.name))
    if value is None:
        raise faults.unknown_value(atom.name, names_of_values(parameters), place)
    if math.isnan(value):
        raise faults.undefined(atom.name, place)
    return value


def _apply(function: Function, name: str, args: list[Value], place: SourceSpan | None) -> Value:
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
            raise TooManyBitsError
    elif math.isnan(value):
        raise UndefinedError
    elif math.isinf(value) and not any(isinstance(a, float) and math.isinf(a) for a in args):
        raise OverflowError
    return value


def _fault(error: ArithmeticError, name: str, place: SourceSpan | None) -> ProgramError:
    if isinstance(error, ZeroDivisionError):
        return faults.division_by_zero(place)
    if isinstance(error, NotAffineError):
        return faults.not_affine(place)
    if isinstance(error, NotIntegerError):
        return faults.needs_integers(name, error.value, place)
    if isinstance(error, TooManyBitsError):
        return faults.integer_overflow(MAX_BITS, place)
    if isinstance(error, OverflowError):
        return faults.float_overflow(place)
    return faults.undefined(name, place)


# --- arguments of nonterminals -----------------------------------------------------------------


def evaluate_arguments(goal: Term, parameters: Mapping[str, Value]) -> Term:
    """A nonterminal with the arithmetic in its arguments evaluated: `tree(2+1)` becomes `tree(3)`.

    An argument is evaluated if it is the name of a parameter, or a compound term all of whose
    functors are arithmetic and all of whose leaves are numbers or names of parameters; every other
    argument stays as it is, `node(a-b)` too where `a` or `b` is no parameter. A parameter that is a
    whole number counts as an integer here, so that `owe(k)` with k = 5.0 is `owe(5)`.
    """
    if not isinstance(goal, Struct):
        return goal
    return with_args(goal, tuple([evaluate_argument(a, parameters, goal.span) for a in goal.args]))


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
            if (t.name, len(t.args)) not in FUNCTIONS:
                return None
            todo.extend(t.args)
        elif type(t) is Atom and t.name in parameters:
            names.append(t.name)
        elif type(t) is not Number:
            return None
    return names


def label_value(value: int | float, span: SourceSpan | None) -> float:
    """A label's value as a weight; a rounding error below 0 is 0.

    Raises
    ------
    ProgramError
        E220 if it is negative or infinite.
    """
    try:
        label = float(value)
    except OverflowError:
        label = math.inf if value > 0 else -math.inf
    if -ROUNDING < label < 0:
        return 0.0
    if label < 0 or math.isinf(label):
        raise faults.impossible_label(label, span)
    return label
