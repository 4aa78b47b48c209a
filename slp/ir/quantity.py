"""Values of declared features: numbers with their unit, or as the names of ordered levels, and
levels one of which stands for missing values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from slp.source import visible

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


class Quantity(float):
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
        return self.levels[numbers.index(self)] if self in numbers else None

    def __format__(self, spec: str) -> str:
        if self.level is not None:
            return visible(self.level)
        shown = format(float(self), spec)
        return shown if self.unit is None else f"{shown} {visible(self.unit)}"

    def __str__(self) -> str:
        return format(self, ".10g")

    def __reduce__(self) -> tuple[Any, ...]:
        return Quantity, (float(self), self.levels, self.unit)


#: The level that stands for a missing value under `missing(level)`.
MISSING = "missing"


class LevelOrMissing(str):
    """A level of a feature declared `missing(level)`: a row that misses the value has the level
    `MISSING`. It is a string in all else."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return LevelOrMissing, (str(self),)
