"""Values of declared features: numbers with their unit, or as the names of ordered levels, and
levels one of which stands for missing values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from slp.messages.numbers import OwnText, number_text
from slp.source import visible

#: The side that rows which miss the value take at a split.
Side: TypeAlias = Literal["left", "right"]

#: What becomes of a new row whose level the box of a split by subsets does not have.
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
    """A number of a feature with declared levels or a declared unit, or a threshold that says where
    missing values go. It computes as a float. As text it is the name of its level, or the number
    with its unit. It equals numbers of the same value with the same side of missing values.

    Attributes
    ----------
    levels : all levels of an ordinal feature in order, () of any other feature.
    unit : the declared unit, None if there is none.
    missing : of a threshold, the side of rows that miss the value (`missing(side)`), None where no
        row of the box missed it.
    """

    __slots__ = ("levels", "missing", "unit")
    levels: tuple[str, ...]
    unit: str | None
    missing: Side | None

    def __new__(
        cls,
        value: float,
        levels: Sequence[str] = (),
        unit: str | None = None,
        missing: Side | None = None,
    ) -> Quantity:
        own = super().__new__(cls, value)
        own.levels, own.unit, own.missing = tuple(levels), unit, missing
        return own

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | float):
            return NotImplemented
        same = self.missing == getattr(other, "missing", None)
        return same and float(self) == float(other)

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash(float(self))

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
        return Quantity, (float(self), self.levels, self.unit, self.missing)


#: The level that stands for a missing value under `missing(level)`, and the name of the test for
#: missing values under `missing(side)`.
MISSING = "missing"


class LevelOrMissing(str):
    """A level of a feature declared `missing(level)`: a row that misses the value has the level
    `MISSING`. It is a string in all else."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return LevelOrMissing, (str(self),)


class SidedLevel(str):
    """A level of a feature declared `missing(side)` in a test that says where missing values go. It
    is a string in all else, and equals strings of the same text with the same side.

    Attributes
    ----------
    missing : the side of rows that miss the value.
    """

    __slots__ = ("missing",)
    missing: Side

    def __new__(cls, level: str, missing: Side) -> SidedLevel:
        own = super().__new__(cls, level)
        own.missing = missing
        return own

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return NotImplemented
        return self.missing == getattr(other, "missing", None) and str(self) == str(other)

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return SidedLevel, (str(self), self.missing)


class OneOf(str):
    """The test of a feature declared `subsets`: rows whose level is one of `levels` go left, those
    with one of the `others` right. It is a string in all else, as which it is `{a, b}`.

    Attributes
    ----------
    levels, others : the levels on both sides: those that the box of the split has.
    absent : what becomes of a new row with another level: an `error`, or it goes to the `larger`
        side or, for the `average`, to both.
    """

    __slots__ = ("absent", "levels", "others")
    levels: tuple[str, ...]
    others: tuple[str, ...]
    absent: Absent

    def __new__(
        cls, levels: Sequence[str], others: Sequence[str], absent: Absent = "error"
    ) -> OneOf:
        own = super().__new__(cls, f"{{{', '.join(map(str, levels))}}}")
        own.levels, own.others = tuple(map(str, levels)), tuple(map(str, others))
        own.absent = absent
        return own

    def _parts(self) -> tuple[frozenset[str], frozenset[str], Absent]:
        return frozenset(self.levels), frozenset(self.others), self.absent

    def __eq__(self, other: object) -> bool:
        if isinstance(other, OneOf):
            return self._parts() == other._parts()
        return False if isinstance(other, str) else NotImplemented

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash(self._parts())

    def __reduce__(self) -> tuple[Any, ...]:
        return OneOf, (self.levels, self.others, self.absent)


#: The test for missing values of any feature: rows that miss the value go left.
IS_MISSING = LevelOrMissing(MISSING)


def side_of_missing(threshold: float | None, level: str | None) -> Side | None:
    """The side that rows which miss the value take under a test by threshold or level, None where
    it says none."""
    if isinstance(level, LevelOrMissing):
        return "left" if level == MISSING else "right"
    found: Side | None = getattr(threshold if level is None else level, "missing", None)
    return found
