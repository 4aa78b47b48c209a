"""The tests of splits: what sends a row left.

A test of a feature whose missing values take a side (`missing(side)`) says which side it is, where
a row of the box misses the value. Of a categorical feature declared `missing(level)` a missing
value is a level of its own: a test on another level sends it right, and the test on it is
`IsMissing`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from slp.columns.quantities import level_of, numbers_in, quantity_text
from slp.source import visible

#: The level that stands for a missing value under `missing(level)`, and what the test for missing
#: values is called.
MISSING = "missing"

#: The side that rows which miss the value take at a split.
Side: TypeAlias = Literal["left", "right"]

#: What becomes of a new row whose level the box of a split by subsets does not have, or which
#: misses a value where the test says no side.
Absent: TypeAlias = Literal["error", "larger", "average"]


@dataclass(frozen=True)
class Below:
    """Whether the value is less than a number.

    Tests with the same number are equal, whatever the words for it.

    Attributes
    ----------
    number : the threshold.
    missing : the side of rows that miss the value, None where the test says none.
    unit : the declared unit of the feature, None if there is none.
    order : the levels of an ordinal feature, for one of which the number stands; () of any other.
    """

    number: float
    missing: Side | None = None
    unit: str | None = field(default=None, compare=False, repr=False)
    order: tuple[str, ...] = field(default=(), compare=False, repr=False)
    level: ClassVar[None] = None

    @property
    def threshold(self) -> float | str:
        """What is printed, but for a unit: the number, or the name of the level for which it
        stands."""
        named = level_of(self.number, self.order)
        return self.number if named is None or numbers_in(self.order) else named

    def words(self, number: float) -> str:
        """A number of the feature as text: its level, or the number with its unit."""
        return quantity_text(number, self.unit, self.order)

    @property
    def text(self) -> str:
        """The threshold as text: `ii`, `3 mg`."""
        return self.words(self.number)

    def to_dict(self) -> dict[str, Any]:
        """The test as JSON data (docs/api.md)."""
        side, named = _side_to_dict(self.missing), level_of(self.number, self.order)
        if named is not None:
            return {"threshold": named, "order": list(self.order), **side}
        unit = {} if self.unit is None else {"unit": self.unit}
        return {"threshold": self.number, **unit, **side}


@dataclass(frozen=True)
class Is:
    """Whether the value is one level.

    Attributes
    ----------
    level : its name.
    missing : the side of rows that miss the value, None where the test says none.
    missing_level : whether a missing value is a level of the feature, another than this; then
        `missing` is "right".
    other : the level that goes right, where the box of the split has two; None where it has more,
        all of which go right.
    absent : what becomes of a new row with neither of two levels.
    """

    level: str
    missing: Side | None = None
    missing_level: bool = False
    other: str | None = None
    absent: Absent = "average"
    threshold: ClassVar[None] = None

    def __post_init__(self) -> None:
        if self.other == self.level:
            raise ValueError("the two levels of a test are one")
        if self.missing_level and (self.missing != "right" or self.level == MISSING):
            raise ValueError("where a missing value is a level, it goes right of any other level")

    def to_dict(self) -> dict[str, Any]:
        """The test as JSON data (docs/api.md)."""
        side = {"missing": "level"} if self.missing_level else _side_to_dict(self.missing)
        pair = {} if self.other is None else {"other": self.other, "absent": self.absent}
        return {"level": self.level, **pair, **side}


@dataclass(frozen=True, eq=False)
class In:
    """Whether the value is one of some levels.

    Attributes
    ----------
    levels, others : the levels on the left and on the right side: those that the box of the split
        has. Their order says nothing.
    absent : what becomes of a new row with another level.
    """

    levels: tuple[str, ...]
    others: tuple[str, ...]
    absent: Absent = "average"
    threshold: ClassVar[None] = None
    missing: ClassVar[None] = None

    def _parts(self) -> tuple[frozenset[str], frozenset[str], Absent]:
        return frozenset(self.levels), frozenset(self.others), self.absent

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, In) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._parts())

    @property
    def text(self) -> str:
        """The levels on the left side: `{blue, red}`."""
        return f"{{{', '.join(map(visible, self.levels))}}}"

    @property
    def level(self) -> tuple[str, ...]:
        """The levels on the left side."""
        return self.levels

    def to_dict(self) -> dict[str, Any]:
        """The test as JSON data (docs/api.md)."""
        return {"levels": list(self.levels), "others": list(self.others), "absent": self.absent}


@dataclass(frozen=True)
class IsMissing:
    """Whether the value is missing; such rows go left."""

    threshold: ClassVar[None] = None
    level: ClassVar[str] = MISSING
    missing: ClassVar[Side] = "left"

    def to_dict(self) -> dict[str, Any]:
        """The test as JSON data (docs/api.md)."""
        return {"level": MISSING, "missing": "level"}


#: What a test asks.
Test: TypeAlias = Below | Is | In | IsMissing


def _side_to_dict(side: Side | None) -> dict[str, str]:
    return {} if side is None else {"missing": side}
