"""A rule's label and tests that depend on the number of rows of a box: arithmetic over N, in
postfix.

`RowFunction.code` runs on a stack of float64. It has the tests, in the order of the guards, and
then the label if that depends on the rows. A test takes two numbers off the stack. If it does not
hold, the rule does not apply. Arithmetic is in floating point, and exact for integers below 2**53.
A result that is not finite (a division by zero, the logarithm of 0) is a *fault*.
`slp.ir.row_values` evaluates the code. This module needs no NumPy, because the installation imports
it to make the parser's tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from slp.messages.numbers import number_text


class Op(IntEnum):
    """The instructions, in the order of the core's enumeration.

    `CONSTANT` pushes its operand, `ROWS` the number of rows, `COUNT` the number of rows of class
    number `operand` of `RowFunction.classes`. The instructions from `LESS` on are tests.
    """

    CONSTANT = 0
    ROWS = 1
    COUNT = 2
    ADD = 3
    SUBTRACT = 4
    MULTIPLY = 5
    DIVIDE = 6
    MINIMUM = 7
    MAXIMUM = 8
    POWER = 9
    QUOTIENT = 10
    FLOORED = 11
    MODULO = 12
    REMAINDER = 13
    NEGATE = 14
    ABSOLUTE = 15
    SIGN = 16
    EXP = 17
    LOG = 18
    SQRT = 19
    FLOOR = 20
    CEILING = 21
    TRUNCATE = 22
    ROUND = 23
    LESS = 24
    AT_MOST = 25
    GREATER = 26
    AT_LEAST = 27
    EQUAL = 28
    UNEQUAL = 29


#: Stands among the classes of a function for the one that has the most rows in the box.
MOST_ROWS = "\0most"

#: Weights of rows that differ by less, relatively, are equal: `slp.leaves.numbers` has the same.
TIE = 1e-12

#: A label this little below 0 is 0 with a rounding error (`1 - 0.1 * 10`).
ROUNDING = 1e-12

Instruction: TypeAlias = tuple[Op, float]


@dataclass(frozen=True)
class RowFunction:
    """`code` has (instruction, operand) pairs. `classes` are the classes whose rows it counts.
    `labelled`: the label is the number left on the stack; otherwise the label is a constant of the
    rule."""

    code: tuple[Instruction, ...]
    labelled: bool
    classes: tuple[str, ...] = ()


#: Instructions that take one number off the stack. The others take two, except `CONSTANT`, `ROWS`
#: and `COUNT`.
UNARY = {
    Op.NEGATE,
    Op.ABSOLUTE,
    Op.SIGN,
    Op.EXP,
    Op.LOG,
    Op.SQRT,
    Op.FLOOR,
    Op.CEILING,
    Op.TRUNCATE,
    Op.ROUND,
}
_SYMBOLS = {
    Op.ADD: "+",
    Op.SUBTRACT: "-",
    Op.MULTIPLY: "*",
    Op.DIVIDE: "/",
    Op.POWER: "**",
    Op.QUOTIENT: "//",
    Op.FLOORED: "div",
    Op.MODULO: "mod",
    Op.REMAINDER: "rem",
    Op.LESS: "<",
    Op.AT_MOST: "=<",
    Op.GREATER: ">",
    Op.AT_LEAST: ">=",
    Op.EQUAL: "=:=",
    Op.UNEQUAL: "=\\=",
}
_NAMES = {Op.MINIMUM: "min", Op.MAXIMUM: "max", Op.ABSOLUTE: "abs", Op.ROUND: "round"}


def row_function_in_words(function: RowFunction) -> tuple[str | None, list[str]]:
    """The label (None if it does not depend on the rows) and the tests, as arithmetic over the
    number of rows N and N(class)."""
    stack: list[str] = []
    tests: list[str] = []
    for op, operand in function.code:
        if op is Op.CONSTANT:
            stack.append(number_text(operand))
        elif op is Op.ROWS:
            stack.append("N")
        elif op is Op.COUNT:
            outcome = function.classes[int(operand)]
            stack.append("N(most)" if outcome == MOST_ROWS else f"N({outcome})")
        elif op in UNARY:
            x = stack.pop()
            stack.append(f"-{_bracketed(x)}" if op is Op.NEGATE else f"{_name(op)}({_bare(x)})")
        else:
            y, x = stack.pop(), stack.pop()
            if op in _NAMES:
                stack.append(f"{_name(op)}({_bare(x)}, {_bare(y)})")
            elif op >= Op.LESS:
                tests.append(f"{_bare(x)} {_SYMBOLS[op]} {_bare(y)}")
            else:
                stack.append(f"({x} {_SYMBOLS[op]} {y})")
    return (_bare(stack.pop()) if function.labelled else None), tests


def _name(op: Op) -> str:
    return _NAMES.get(op, op.name.lower())


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _bare(text: str) -> str:
    """The text without brackets around the whole."""
    return text[1:-1] if text.startswith("(") else text
