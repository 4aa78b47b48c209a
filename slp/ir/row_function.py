"""A rule's label and tests that ask how many rows its box has: arithmetic over N, in postfix.

`RowFunction.code` runs on a stack of float64. It is the tests, in the order of the guards, then the
label, if that depends on the rows too. A test takes two numbers off the stack; where it does not
hold, the rule does not apply. Arithmetic is that of floats: exact for whole numbers below 2**53.
Whatever gives no finite number (a division by zero, the logarithm of 0) is a *fault*.
`slp.ir.row_values` evaluates it; this module needs no NumPy, as the installation imports it to make
the parser's tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

__all__ = ["ROUNDING", "UNARY", "Instruction", "Op", "RowFunction", "row_function_in_words"]


class Op(IntEnum):
    """What an instruction does; the core's enumeration has the same order.

    `CONSTANT` pushes its operand, `ROWS` the number of rows, `COUNT` that of the rows of class
    number `operand` of `RowFunction.classes`. From `LESS` on they are tests.
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


#: A label this little below 0 is 0 with a rounding error (`1 - 0.1 * 10`).
ROUNDING = 1e-12

Instruction: TypeAlias = tuple[Op, float]


@dataclass(frozen=True)
class RowFunction:
    """`code` is (instruction, operand) after (instruction, operand); `classes` are those whose rows
    it counts. `labelled`: the label is what is left on the stack; else it is the rule's own."""

    code: tuple[Instruction, ...]
    labelled: bool
    classes: tuple[str, ...] = ()


#: Instructions that take one number off the stack; the others but `CONSTANT`, `ROWS` and `COUNT`
#: take two.
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
    """The label, None where it does not depend on the rows, and the tests, as arithmetic over N,
    the number of rows, and N(class)."""
    stack: list[str] = []
    tests: list[str] = []
    for op, operand in function.code:
        if op is Op.CONSTANT:
            stack.append(f"{operand:g}")
        elif op is Op.ROWS:
            stack.append("N")
        elif op is Op.COUNT:
            stack.append(f"N({function.classes[int(operand)]})")
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
    """Without the brackets around the whole."""
    return text[1:-1] if text.startswith("(") else text
