"""Columns of levels without an order, of which a split parts one from the rest.

`code = i` says that the value is `levels[i]`. With `missing(level)` the last level may be
`MISSING`, which stands for missing values. A cut is the pair (code, code) of the level tested,
which goes left. Of a box with two levels, the test is on the first, and names the second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from slp.columns.kind import ColumnKind, Scores
from slp.columns.names import name_text
from slp.columns.tests import LEFT, MISSING, RIGHT, Absent, Is, IsMissing, Side, Test
from slp.columns.words import BoxRows, Part, TestWords
from slp.messages.tree_texts import NO_LEVEL_OF_COLUMN, NO_SECOND_LEVEL, NO_THRESHOLD_OF_LEVELS
from slp.source import visible

#: How many levels a report shows.
_SHOWN = 8
#: Less than all codes.
NO_CODE = -2.0


@dataclass(frozen=True, eq=False)
class Nominal(ColumnKind):
    """Levels. `missing` is "level" where a missing value is one more."""

    levels: tuple[str, ...]
    new: Absent | None = None
    missing: Literal["level"] | None = None

    word: ClassVar[str] = "categorical"
    categorical: ClassVar[bool] = True
    core: ClassVar[int] = 2
    #: The most levels, None for any number.
    most_levels: ClassVar[int | None] = None
    #: What an archive and the digest of a table say of how levels are split.
    flags: ClassVar[tuple[str, ...]] = ()

    @property
    def n_values(self) -> int:
        """See `ColumnKind`."""
        return len(self.levels)

    @property
    def names(self) -> tuple[str, ...]:
        """See `ColumnKind`."""
        return self.levels

    @cached_property
    def numbers_by_name(self) -> Mapping[str, float]:
        """See `ColumnKind`: the codes."""
        return {level: float(code) for code, level in enumerate(self.levels)}

    def numbers_of_codes(self) -> NDArray[np.float64]:
        """See `ColumnKind`: the codes."""
        return np.arange(self.n_values, dtype=np.float64)

    def marks(self) -> tuple[str, ...]:
        """See `ColumnKind`."""
        return self.flags

    # --- cuts ------------------------------------------------------------------------------

    def cuts(
        self, present: Sequence[tuple[int, int]], scores: Scores
    ) -> Iterator[tuple[int, int, int]]:
        """See `ColumnKind`."""
        # Of two levels, `= a` and `= b` are one split, on the first.
        tests = present[: len(present) - 1] if len(present) <= 2 else present
        for code, rows in tests:
            yield code, code, rows

    def cut_between(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int]:
        """See `ColumnKind`."""
        code = int(left[0]) if len(left) else -1
        return code, code

    def other_way(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int] | None:
        """See `ColumnKind`."""
        others = np.unique(right)
        if len(others) != 1 or not len(left) or others[0] > left[0]:
            return None
        return int(others[0]), int(others[0])

    def n_cells(self, n_breakpoints: int) -> int:
        """See `ColumnKind`: the levels."""
        return self.n_values

    def left_sides(self) -> tuple[str | tuple[str, ...], ...]:
        """See `ColumnKind`."""
        return self.levels

    def cell(self, low: int, high: int, breakpoints: NDArray[np.float64]) -> int:
        """See `ColumnKind`."""
        return low

    # --- tests -----------------------------------------------------------------------------

    @property
    def test_depends_on_box(self) -> bool:
        """See `ColumnKind`."""
        return self.n_values > 2

    def test(self, low: int, high: int, codes: NDArray[Any] | None = None) -> Test:
        """See `ColumnKind`."""
        return self.is_level(low, None, self._other(low, codes))

    def _other(self, code: int, codes: NDArray[Any] | None) -> int | None:
        """The second level of a box of two, whose rows have these codes and a test is on the level
        `code`; None of a box of more, or where that is not known."""
        if not self.test_depends_on_box:
            return 1 - code if self.n_values == 2 else None
        if codes is None:
            return None
        others = codes[(codes != code) & (codes < self.n_values)]
        return int(others[0]) if len(others) and (others == others[0]).all() else None

    def is_level(self, code: int, side: Side | None, other: int | None) -> Is | IsMissing:
        """The test on one level, in a box that has the `other` one alone besides, None where there
        are more."""
        level = self.levels[code]
        second = None if other is None else self.levels[other]
        absent = "average" if second is None else self.way_of_untold(missing=False)
        if self.missing is None:
            return Is(level, side, other=second, absent=absent)
        if level == MISSING:
            return IsMissing()
        return Is(level, "right", missing_level=True, other=second, absent=absent)

    def asks(self, test: Test) -> bool:
        """See `ColumnKind`."""
        return isinstance(test, Is | IsMissing) and self.takes(test.formula)

    def ways(self, test: Test, numbers: NDArray[np.float64]) -> NDArray[np.uint8]:
        """See `ColumnKind`."""
        if isinstance(test, IsMissing) and self.missing is None:  # a level may be called so
            return np.where(np.isnan(numbers), LEFT, RIGHT).astype(np.uint8)
        return super().ways(test, numbers)

    def goes_left(self, codes: NDArray[Any], low: int, high: int) -> NDArray[np.bool_]:
        """See `ColumnKind`."""
        return np.asarray(codes == low)

    def code_of(self, level: str) -> float:
        """See `ColumnKind`."""
        return self.numbers_by_name.get(level, math.nan)

    def operands(self, test: Test) -> tuple[float, float]:
        """See `ColumnKind`."""
        assert isinstance(test, Is | IsMissing)
        second = test.other if isinstance(test, Is) else None
        if isinstance(test, IsMissing) and self.missing is None:
            return NO_CODE, math.nan
        return self.code_of(test.level), math.nan if second is None else self.code_of(second)

    def test_to_number(self, test: Test) -> float:
        """See `ColumnKind`: the code, and k times the code of the second level, from 1, if the test
        has one; k is the number of levels."""
        assert isinstance(test, Is | IsMissing)
        second = test.other if isinstance(test, Is) else None
        place = 0 if second is None else self.levels.index(second) + 1
        return float(self.levels.index(test.level) + self.n_values * place)

    def test_of_number(self, number: float, side: Side | None) -> Test:
        """See `ColumnKind`."""
        if not (number.is_integer() and self.levels and number >= 0):
            raise ValueError("no code of levels")
        second, first = divmod(int(number), self.n_values)
        if second > self.n_values or second == first + 1:
            raise ValueError("no code of a second level")
        return self.is_level(first, side, second - 1 if second else None)

    # --- words and archive -----------------------------------------------------------------

    def test_of_words(self, words: TestWords, box: BoxRows) -> Test:
        """See `ColumnKind`."""
        words.check_no_side()
        if words.sign != "=":
            words.fail("sign", NO_THRESHOLD_OF_LEVELS, forms=self._forms(words.feature))
        if words.on_missing and self.missing is not None:
            return IsMissing()
        code = self._code_of_words(words, "operand", words.level)
        second = None if words.other is None else self._code_of_words(words, "other", words.other)
        if second == code:
            words.fail("other", NO_SECOND_LEVEL)
        return self.is_level(code, None, second)

    def _forms(self, feature: str) -> str:
        """How tests look, as text."""
        return f"`{name_text(feature)} = ..`"

    def _code_of_words(self, words: TestWords, part: Part, level: str | None) -> int:
        """The code of a level in the text of a test."""
        if level not in self.levels:
            words.fail(part, NO_LEVEL_OF_COLUMN, levels=self.description[1])
        return self.levels.index(level)

    @property
    def description(self) -> tuple[str, str]:
        """See `ColumnKind`."""
        shown = ", ".join(map(visible, self.levels[:_SHOWN]))
        more = len(self.levels) - _SHOWN
        return "categories", shown + (f" and {more} more" if more > 0 else "")

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """See `ColumnKind`."""
        return (("missing values are a level of", ""),) if self.missing == "level" else ()

    def to_plain(self) -> dict[str, Any]:
        """See `ColumnKind`."""
        said = {"missing": self.missing, "new": self.new}
        own = {key: value for key, value in said.items() if value}
        flags = dict.fromkeys(self.flags, True)
        return {"kind": "levels", "levels": list(self.levels), **own, **flags}
