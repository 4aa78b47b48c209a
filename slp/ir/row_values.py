"""Row functions evaluated in many boxes at once. `slp.ir.row_function` defines them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.ir.row_function import ROUNDING, UNARY, Op, RowFunction

Floats: TypeAlias = NDArray[np.float64]


class Evaluated(NamedTuple):
    """The values of a function in B boxes.

    Attributes
    ----------
    holds : bool, shape (B,). Whether all tests hold; True also where a test has a fault.
    label : float64, shape (B,). The factor of the label (1 if it does not depend on the rows), also
        where tests do not hold. NaN for a fault, in the label or in a test that is reached.
    """

    holds: NDArray[np.bool_]
    label: Floats


def evaluate_rows(function: RowFunction, rows: Floats, counts: Floats) -> Evaluated:
    """Evaluate the function in boxes. `rows`, shape (B,), are their numbers of rows with repeats.
    `counts`, shape (C, B), are their numbers of rows of each of `function.classes`."""
    stack: list[Floats] = []
    holds = np.ones(len(rows), np.bool_)
    fault = np.zeros(len(rows), np.bool_)
    with np.errstate(all="ignore"):
        for op, operand in function.code:
            if op is Op.CONSTANT:
                stack.append(np.full(len(rows), operand))
            elif op is Op.ROWS:
                stack.append(rows)
            elif op is Op.COUNT:
                stack.append(counts[int(operand)])
            elif op >= Op.LESS:
                y, x = stack.pop(), stack.pop()
                fault |= holds & (np.isnan(x) | np.isnan(y))
                holds &= _TESTS[op](x, y) | fault
            else:
                args = [stack.pop() for _ in range(1 if op in UNARY else 2)][::-1]
                made = _FUNCTIONS[op](*args)
                finite = np.logical_and.reduce([np.isfinite(a) for a in args])
                stack.append(np.where(finite & ~np.isfinite(made), np.nan, made))
    label = stack.pop() if function.labelled else np.ones(len(rows))
    label = np.where((label > -ROUNDING) & (label < 0), 0.0, label)
    return Evaluated(holds, np.where(fault, np.nan, label))


def _power(x: Floats, y: Floats) -> Floats:
    return np.where((x == 0) & (y < 0), np.nan, np.power(x, y))


def _half_away(x: Floats) -> Floats:
    whole = np.trunc(x)
    return np.asarray(whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0))


_FUNCTIONS: dict[Op, Callable[..., Floats]] = {
    Op.NEGATE: np.negative,
    Op.ABSOLUTE: np.abs,
    Op.SIGN: np.sign,
    Op.EXP: np.exp,
    Op.LOG: np.log,
    Op.SQRT: np.sqrt,
    Op.FLOOR: np.floor,
    Op.CEILING: np.ceil,
    Op.TRUNCATE: np.trunc,
    Op.ROUND: _half_away,
    Op.ADD: np.add,
    Op.SUBTRACT: np.subtract,
    Op.MULTIPLY: np.multiply,
    Op.DIVIDE: np.divide,
    Op.MINIMUM: np.minimum,
    Op.MAXIMUM: np.maximum,
    Op.POWER: _power,
    Op.QUOTIENT: lambda x, y: np.trunc(x / y),
    Op.FLOORED: lambda x, y: np.floor(x / y),
    Op.MODULO: lambda x, y: x - y * np.floor(x / y),
    Op.REMAINDER: np.fmod,
}
_TESTS: dict[Op, Callable[..., NDArray[np.bool_]]] = {
    Op.LESS: np.less,
    Op.AT_MOST: np.less_equal,
    Op.GREATER: np.greater,
    Op.AT_LEAST: np.greater_equal,
    Op.EQUAL: np.equal,
    Op.UNEQUAL: np.not_equal,
}
