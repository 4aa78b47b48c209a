"""The tests of splits: what sends a row left.

A test of a feature whose missing values take a side (`missing(side)`) says which side it is, where
a row of the box misses the value. Of a categorical feature declared `missing(level)` a missing
value is a level of its own: a test on another level sends it right, and the test on it is
`IsMissing`.

What every test says: `by_level`, whether it is on levels and not on a number; `number`, its
threshold, None of one on levels; `tested`, the number or the levels; `names`, the levels that it
names; `names_all`, whether it names those of both sides, so that any other has none;
`missing_level`, whether a missing value is a level to it; `concept`, the name of the levels that it
asks for, None where they have none; `absent`, what becomes of a row of which it says no side;
`formula`, what makes the feature of columns, None of a column; its words and its JSON data.

`ways` is the one definition in Python of which side a row goes to. The core has it in
`native/core/problem/columns/row_test.hpp`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.columns.formula import Formula
from slp.columns.names import SIDE_WORDS, name_text
from slp.columns.quantities import level_of, numbers_in, quantity_text
from slp.columns.thresholds import bound_in_32_bits
from slp.messages.numbers import number_text

#: The level that stands for a missing value under `missing(level)`, and what the test for missing
#: values is called.
MISSING = "missing"

#: The side that rows which miss the value take at a split.
Side: TypeAlias = Literal["left", "right"]

#: What becomes of a new row of which a test says no side: its level is neither of the two that the
#: box of the split has, or in no group of a split by subsets; or it misses the value, and no row of
#: the box did.
Absent: TypeAlias = Literal["error", "larger", "average"]

#: What a row does at a test: UNTOLD where the test says no side of it.
RIGHT, LEFT, UNTOLD = 0, 1, 2
_WAYS: dict[Side | None, int] = {"right": RIGHT, "left": LEFT, None: UNTOLD}

#: The most levels that text for people lists one by one: at least as many as `subsets` takes, so
#: that the text of its tests has all.
MOST_TOLD = 12

#: Levels that go left, and those that go right; None are all others.
Groups: TypeAlias = tuple[tuple[str, ...], tuple[str, ...] | None]


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
    formula : what makes the feature of columns, None of a column.
    """

    number: float
    missing: Side | None = None
    unit: str | None = field(default=None, compare=False, repr=False)
    order: tuple[str, ...] = field(default=(), compare=False, repr=False)
    formula: Formula | None = field(default=None, compare=False, repr=False)
    level: ClassVar[None] = None
    by_level: ClassVar[bool] = False
    names_all: ClassVar[bool] = False
    missing_level: ClassVar[bool] = False
    absent: ClassVar[Absent] = "error"
    concept: ClassVar[None] = None

    @property
    def tested(self) -> float:
        """What the value is compared with."""
        return self.number

    @property
    def names(self) -> tuple[str, ...]:
        """The levels that it names."""
        return self.order

    @property
    def threshold(self) -> float | str:
        """What is printed, but for a unit: the number, or the name of the level for which it
        stands."""
        named = level_of(self.number, self.order)
        return self.number if named is None or numbers_in(self.order) else named

    @property
    def alone(self) -> Below:
        """The test itself."""
        return self

    def words(self, number: float) -> str:
        """A number of the feature as text: its level, or the number with its unit."""
        return quantity_text(number, self.unit, self.order)

    @property
    def text(self) -> str:
        """The threshold as text: `ii`, `3 mg`."""
        return self.words(self.number)

    def condition(self, feature: str) -> str:
        """`age < 24`; `age <= 23.5` if values are compared in 32 bits, as in scikit-learn. With a
        side for missing values `age < 24 or missing` on the left one, `age < 24 and not missing` on
        the right one."""
        return self.sides(feature)[0]

    def sides(self, feature: str) -> tuple[str, str]:
        """What holds of the rows on the left side, in words, and of those on the right one:
        `age < 24`, `age >= 24`."""
        bound = None if self.unit or self.order else bound_in_32_bits(self.number)
        signs = ("<", ">=") if bound is None else ("<=", ">")
        text = self.text if bound is None else number_text(bound)
        return _with_side(f"{feature} {signs[0]} {text}", f"{feature} {signs[1]} {text}", self)

    def column(self, feature: str) -> str:
        """The column of numbers or of an indicator that the test needs, as export names it."""
        return feature

    def to_dict(self) -> dict[str, Any]:
        """The test as JSON data (docs/api.md)."""
        side, named = _side_to_dict(self.missing), level_of(self.number, self.order)
        if named is not None:
            return {"threshold": named, "order": list(self.order), **side}
        unit = {} if self.unit is None else {"unit": self.unit}
        return {"threshold": self.number, **unit, **side, **_formula_to_dict(self.formula)}


@dataclass(frozen=True)
class Is:
    """Whether the value is one level, or one of the levels of a concept.

    Attributes
    ----------
    level : its name.
    missing : the side of rows that miss the value, None where the test says none.
    missing_level : whether a missing value is a level of the feature, another than this; then
        `missing` is "right".
    other : the level that goes right, where the box of the split has two; None where it has more,
        all of which go right.
    under : the levels of the concept that `level` is; () of a level itself.
    absent : what becomes of a new row with neither of two levels; "average" where there are more.
    """

    level: str
    missing: Side | None = None
    missing_level: bool = False
    other: str | None = None
    absent: Absent = "average"
    formula: ClassVar[None] = None
    under: tuple[str, ...] = ()
    threshold: ClassVar[None] = None
    number: ClassVar[None] = None
    by_level: ClassVar[bool] = True
    names_all: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.other == self.level:
            raise ValueError("the two levels of a test are one")
        if self.under and self.other is not None:
            raise ValueError("a test on a concept sends all other levels right")
        if self.other is None and self.absent != "average":
            raise ValueError("a test that names one level tells the side of all others")
        if self.missing_level and (self.missing != "right" or self.level == MISSING):
            raise ValueError("where a missing value is a level, it goes right of any other level")

    @property
    def names(self) -> tuple[str, ...]:
        """The levels that it names."""
        if self.under:
            return self.under
        return (self.level,) if self.other is None else (self.level, self.other)

    @property
    def tested(self) -> str:
        """What the value is compared with."""
        return self.level

    @property
    def concept(self) -> str | None:
        """The concept that it asks for, None of a level."""
        return self.level if self.under else None

    @property
    def groups(self) -> Groups:
        """See `Groups`."""
        return self.under or (self.level,), None if self.other is None else (self.other,)

    @property
    def alone(self) -> Is:
        """The test without the second level, which follows from the rows of a box."""
        return replace(self, other=None, absent="average")

    def condition(self, feature: str) -> str:
        """`colour = red`, and of two levels `sex = f, else m`. A side for missing values stands as
        in `Below.condition`."""
        side = "" if self.missing_level else _side_text(self.missing)
        second = "" if self.other is None else f", else {name_text(self.other)}"
        return f"{feature} = {_level_text(self.level)}{side}{second}"

    def sides(self, feature: str) -> tuple[str, str]:
        """See `Below.sides`: `colour = red`, `colour is not red`; `sex = f`, `sex = m`."""
        left = f"{feature} = {_level_text(self.level)}"
        right = f"{feature} is not {_level_text(self.level)}"
        if self.other is not None:
            right = f"{feature} = {name_text(self.other)}"
        return (left, right) if self.missing_level else _with_side(left, right, self)

    def column(self, feature: str) -> str:
        """See `Below.column`: as `pandas.get_dummies` names it."""
        return f"{feature}={self.level}"

    def to_dict(self) -> dict[str, Any]:
        """The test as JSON data (docs/api.md)."""
        side = {"missing": "level"} if self.missing_level else _side_to_dict(self.missing)
        pair = {} if self.other is None else {"other": self.other, "absent": self.absent}
        under = {"under": list(self.under)} if self.under else {}
        return {"level": self.level, **under, **pair, **side}


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
    formula: ClassVar[None] = None
    threshold: ClassVar[None] = None
    number: ClassVar[None] = None
    missing: ClassVar[None] = None
    by_level: ClassVar[bool] = True
    names_all: ClassVar[bool] = True
    missing_level: ClassVar[bool] = True
    concept: ClassVar[None] = None

    @property
    def tested(self) -> tuple[str, ...]:
        """What the value is compared with."""
        return self.levels

    @property
    def alone(self) -> In:
        """The test itself."""
        return self

    def _parts(self) -> tuple[frozenset[str], frozenset[str], Absent]:
        return frozenset(self.levels), frozenset(self.others), self.absent

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, In) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._parts())

    @property
    def names(self) -> tuple[str, ...]:
        """The levels that it names."""
        return *self.levels, *self.others

    @property
    def groups(self) -> Groups:
        """See `Groups`."""
        return self.levels, self.others

    def condition(self, feature: str) -> str:
        """`colour in {blue, red}`; of more than `MOST_TOLD` levels the first two, and how many of
        those of both sides."""
        told = list(map(name_text, self.levels))
        if len(told) > MOST_TOLD:
            told = [*told[:2], f"... {len(told):,} of {len(self.names):,}"]
        return f"{feature} in {{{', '.join(told)}}}"

    def sides(self, feature: str) -> tuple[str, str]:
        """See `Below.sides`: with all levels of both sides."""
        left, right = (", ".join(map(name_text, group)) for group in (self.levels, self.others))
        return f"{feature} in {{{left}}}", f"{feature} in {{{right}}}"

    def column(self, feature: str) -> str:
        """See `Below.column`: one that is 1 in the rows that go left."""
        return f"{feature} in {{{', '.join(self.levels)}}}"

    @property
    def level(self) -> tuple[str, ...]:
        """The levels on the left side."""
        return self.levels

    def to_dict(self) -> dict[str, Any]:
        """The test as JSON data (docs/api.md)."""
        return {"levels": list(self.levels), "others": list(self.others), "absent": self.absent}


@dataclass(frozen=True)
class IsMissing:
    """Whether the value is missing; such rows go left. `formula` as of `Below`."""

    formula: Formula | None = field(default=None, compare=False, repr=False)
    threshold: ClassVar[None] = None
    number: ClassVar[None] = None
    level: ClassVar[str] = MISSING
    missing: ClassVar[Side] = "left"
    tested: ClassVar[str] = MISSING
    by_level: ClassVar[bool] = True
    names_all: ClassVar[bool] = False
    missing_level: ClassVar[bool] = True
    absent: ClassVar[Absent] = "error"
    concept: ClassVar[None] = None
    names: ClassVar[tuple[str, ...]] = ()
    groups: ClassVar[Groups] = ((MISSING,), None)

    @property
    def alone(self) -> IsMissing:
        """The test itself."""
        return self

    def condition(self, feature: str) -> str:
        """`age = missing`."""
        return f"{feature} = {MISSING}"

    def sides(self, feature: str) -> tuple[str, str]:
        """See `Below.sides`."""
        return f"{feature} = {MISSING}", f"{feature} is not {MISSING}"

    def column(self, feature: str) -> str:
        """See `Below.column`: as `pandas.get_dummies` names it."""
        return f"{feature}={MISSING}"

    def to_dict(self) -> dict[str, Any]:
        """The test as JSON data (docs/api.md)."""
        return {"level": MISSING, "missing": "level", **_formula_to_dict(self.formula)}


#: What a test asks.
Test: TypeAlias = Below | Is | In | IsMissing


def ways(
    test: Test,
    values: NDArray[Any],
    missing: NDArray[np.bool_],
    code: Callable[[str], Any] = str,
) -> NDArray[np.uint8]:
    """What m rows do at a test, shape (m,): LEFT, RIGHT, or UNTOLD.

    `values` (m,) are numbers if the test is by threshold, else levels, or what `code` makes of
    them. `missing` (m,) are the rows that miss a value which is no level of its own.
    """
    told: NDArray[np.uint8]
    if isinstance(test, Below):
        told = np.less(values, test.number).astype(np.uint8)
    else:
        left, right = test.groups
        told = _among(values, left, code).astype(np.uint8)
        if right is not None:
            told[(told == RIGHT) & ~_among(values, right, code)] = UNTOLD
    told[missing] = _WAYS[test.missing]
    return told


def _among(
    values: NDArray[Any], group: Sequence[str], code: Callable[[str], Any]
) -> NDArray[np.bool_]:
    if len(group) == 1:
        return np.asarray(np.equal(values, code(group[0])))
    return np.isin(values, [code(level) for level in group])


def _level_text(level: str) -> str:
    """A level that is tested: in quotes if it has the name of the test for missing values."""
    return f"'{level}'" if level == MISSING else name_text(level)


def _side_to_dict(side: Side | None) -> dict[str, str]:
    return {} if side is None else {"missing": side}


def _formula_to_dict(formula: Formula | None) -> dict[str, str]:
    return {} if formula is None else formula.to_plain()


def _side_text(side: Side | None) -> str:
    return "" if side is None else SIDE_WORDS[side]


def _with_side(left: str, right: str, test: Below | Is) -> tuple[str, str]:
    """Both sides in words, with the side of missing values."""
    if test.missing is None:
        return left, right
    other: Side = "right" if test.missing == "left" else "left"
    return left + SIDE_WORDS[test.missing], right + SIDE_WORDS[other]
