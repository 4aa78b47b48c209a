"""Values of declared features: numbers with their unit, or as the names of ordered levels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from slp.messages.numbers import OwnText, number_text
from slp.source import visible

#: The side that rows which miss the value take at a split.
Side: TypeAlias = Literal["left", "right"]

#: What becomes of a new row whose level the box of a split by subsets does not have, or which
#: misses a value where the test says no side.
Absent: TypeAlias = Literal["error", "larger", "average"]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.I | re.A)


def numbers_in(levels: Sequence[str]) -> tuple[float, ...] | None:
    """The levels as numbers, None if one of them is no number."""
    if not all(_NUMBER.fullmatch(level) for level in levels):
        return None
    return tuple(map(float, levels))


def level_numbers(levels: Sequence[str]) -> tuple[float, ...]:
    """The number that stands for each level of an ordinal feature: its own where all levels are
    numbers, which then increase, else its place from 0."""
    return numbers_in(levels) or tuple(map(float, range(len(levels))))


class Quantity(OwnText):
    """A number of a feature with declared levels or a declared unit. It computes as a float. As
    text it is the name of its level, or the number with its unit.

    Attributes
    ----------
    levels : all levels of an ordinal feature in order, () of any other feature.
    unit : the declared unit, None if there is none.
    """

    __slots__ = ("levels", "unit")
    levels: tuple[str, ...]
    unit: str | None

    def __new__(cls, value: float, levels: Sequence[str] = (), unit: str | None = None) -> Quantity:
        own = super().__new__(cls, value)
        own.levels, own.unit = tuple(levels), unit
        return own

    @property
    def level(self) -> str | None:
        """The level that it stands for, None if there is none."""
        numbers = level_numbers(self.levels)
        own = float(self)
        return self.levels[numbers.index(own)] if own in numbers else None

    def __format__(self, spec: str) -> str:
        if self.level is not None:
            return visible(self.level)
        shown = format(float(self), spec) if spec else number_text(float(self))
        return shown if self.unit is None else f"{shown} {visible(self.unit)}"

    def __str__(self) -> str:
        return format(self, "")

    def __reduce__(self) -> tuple[Any, ...]:
        return Quantity, (float(self), self.levels, self.unit)


#: The level that stands for a missing value under `missing(level)`, and what the test for missing
#: values is called.
MISSING = "missing"
