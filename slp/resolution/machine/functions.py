"""The functions of arithmetic and their names.

Functions and their results are SWI-Prolog's with its default flags (`prefer_rationals = false`,
`iso = false`), which is ISO's where ISO says something, except:

- `/` of two integers is an integer where it is exact, else a float (`4/2 =:= 2`, `7/2 =:= 3.5`);
- `2 ** -1` and `2 ^ -1` are 0.5, where ISO's `^` has a type error;
- a power of or to a float is a float (SWI-Prolog has 1 for `1 ** 0.5` and `2.5 ** 0`);
- results that are not real numbers are errors, `inf` is the one infinity that can be written;
- integers have at most `MAX_BITS` bits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

#: The largest magnitude of an integer, in bits (2466 decimal digits).
MAX_BITS = 8192

Value: TypeAlias = int | float


class UndefinedError(ArithmeticError):
    """The mathematical function has no real value here."""


class TooManyBitsError(ArithmeticError):
    """An integer result would have more than MAX_BITS bits."""


class NotIntegerError(ArithmeticError):
    """A float in place of an integer argument."""

    def __init__(self, value: float) -> None:
        super().__init__(value)
        self.value = value


@dataclass(frozen=True)
class Function:
    """A function of numbers. `affine`: if the arguments are affine in V, the result is
    piecewise."""

    compute: Callable[..., Value]
    affine: bool = False


def _integers(f: Callable[..., int]) -> Function:
    """A function of integers only."""

    def checked(*args: Value) -> int:
        for a in args:
            if isinstance(a, float):
                raise NotIntegerError(a)
        return f(*args)

    return Function(checked)


def _divide(x: Value, y: Value) -> Value:
    if isinstance(x, int) and isinstance(y, int):
        quotient, rest = divmod(x, y)
        return quotient if rest == 0 else x / y
    if y == 0 and x == 0:
        raise UndefinedError
    return x / y


def _toward_zero(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _power(x: Value, y: Value) -> Value:
    if isinstance(x, int) and isinstance(y, int):
        if x in (-1, 1):
            return x if y % 2 else 1
        if y >= 0:
            if x.bit_length() * y > 2 * MAX_BITS:
                raise TooManyBitsError
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
        raise TooManyBitsError
    return x << y


def _extreme(better: Callable[[Value, Value], bool]) -> Function:
    def chosen(x: Value, y: Value) -> Value:
        if x == y:  # of equal numbers the float, as SWI-Prolog does
            return x if isinstance(x, float) else y
        return x if better(x, y) else y

    return Function(chosen, affine=True)


def _sign(x: Value) -> Value:
    sign = (x > 0) - (x < 0)
    return float(sign) if isinstance(x, float) else sign


def _to_float(x: Value) -> float:
    return x if isinstance(x, float) else float(x)


def _rounding(f: Callable[[Any], int]) -> Function:
    def rounded(x: Value) -> int:
        if math.isinf(x):
            raise UndefinedError
        return f(x)

    return Function(rounded)


def _log_gamma(x: Value) -> float:
    if x <= 0:
        raise UndefinedError
    return math.lgamma(x)


def _copy_sign(x: Value, y: Value) -> Value:
    sign = math.copysign(1, y) if isinstance(y, float) else 1 if y >= 0 else -1
    return int(sign) * abs(x) if isinstance(x, int) else math.copysign(x, sign)


def _next_toward(x: Value, y: Value) -> float:
    return math.nextafter(float(x), float(y))


def _from(least: int, f: Callable[..., int]) -> Function:
    """A function of integers that are at least `least`."""

    def checked(*args: int) -> int:
        if min(args) < least:
            raise UndefinedError
        return f(*args)

    return _integers(checked)


def _half_away(x: Value) -> int:
    if isinstance(x, int):
        return x
    whole = math.trunc(x)
    return whole + (int(math.copysign(1, x)) if abs(x - whole) >= 0.5 else 0)


def _integer_part(x: Value) -> Value:
    return float(math.trunc(x)) if isinstance(x, float) else x


def _fractional_part(x: Value) -> Value:
    return x - math.trunc(x) if isinstance(x, float) else 0


#: By name and number of arguments.
FUNCTIONS: Mapping[tuple[str, int], Function] = {
    ("+", 2): Function(operator.add, affine=True),
    ("-", 2): Function(operator.sub, affine=True),
    ("*", 2): Function(operator.mul, affine=True),
    ("/", 2): Function(_divide, affine=True),
    ("+", 1): Function(operator.pos, affine=True),
    ("-", 1): Function(operator.neg, affine=True),
    ("abs", 1): Function(abs, affine=True),
    ("sign", 1): Function(_sign, affine=True),
    ("min", 2): _extreme(operator.lt),
    ("max", 2): _extreme(operator.gt),
    ("float", 1): Function(_to_float, affine=True),
    ("//", 2): _integers(_toward_zero),
    ("div", 2): _integers(operator.floordiv),
    ("mod", 2): _integers(operator.mod),
    ("rem", 2): _integers(lambda x, y: x - y * _toward_zero(x, y)),
    ("gcd", 2): _integers(math.gcd),
    ("lcm", 2): _integers(math.lcm),
    ("msb", 1): _from(1, lambda x: x.bit_length() - 1),
    ("lsb", 1): _from(1, lambda x: (x & -x).bit_length() - 1),
    ("popcount", 1): _from(0, int.bit_count),
    ("getbit", 2): _from(0, lambda x, y: x >> y & 1),
    (">>", 2): _integers(lambda x, y: _shift_left(x, -y)),
    ("<<", 2): _integers(_shift_left),
    ("/\\", 2): _integers(operator.and_),
    ("\\/", 2): _integers(operator.or_),
    ("xor", 2): _integers(operator.xor),
    ("\\", 1): _integers(operator.invert),
    ("**", 2): Function(_power),
    ("^", 2): Function(_power),
    ("exp", 1): Function(math.exp),
    ("log", 1): Function(math.log),
    ("log10", 1): Function(math.log10),
    ("lgamma", 1): Function(_log_gamma),
    ("erf", 1): Function(math.erf),
    ("copysign", 2): Function(_copy_sign),
    ("nexttoward", 2): Function(_next_toward),
    ("sqrt", 1): Function(math.sqrt),
    ("sin", 1): Function(math.sin),
    ("cos", 1): Function(math.cos),
    ("tan", 1): Function(math.tan),
    ("asin", 1): Function(math.asin),
    ("acos", 1): Function(math.acos),
    ("atan", 1): Function(math.atan),
    ("atan", 2): Function(math.atan2),
    ("atan2", 2): Function(math.atan2),
    ("sinh", 1): Function(math.sinh),
    ("cosh", 1): Function(math.cosh),
    ("tanh", 1): Function(math.tanh),
    ("asinh", 1): Function(math.asinh),
    ("acosh", 1): Function(math.acosh),
    ("atanh", 1): Function(math.atanh),
    ("floor", 1): _rounding(math.floor),
    ("ceiling", 1): _rounding(math.ceil),
    ("ceil", 1): _rounding(math.ceil),
    ("truncate", 1): _rounding(math.trunc),
    ("round", 1): _rounding(_half_away),
    ("integer", 1): _rounding(_half_away),
    ("float_integer_part", 1): Function(_integer_part),
    ("float_fractional_part", 1): Function(_fractional_part),
}

CONSTANTS: Mapping[str, float] = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "epsilon": math.ulp(1.0),
}


def is_function(name: str, arity: int) -> bool:
    """Whether `name/arity` is an arithmetic function or operator (constants are not)."""
    return (name, arity) in FUNCTIONS
