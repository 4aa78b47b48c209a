"""Columns of levels without an order, of which a split parts some from the others.

A cut is a pair of groups of levels, those on the left side, which have the first level of the box,
and those on the right: each number has the codes as its binary digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from slp.columns.kind import ColumnKind, Scores
from slp.columns.levels import NO_CODE, Nominal
from slp.columns.names import name_text
from slp.columns.tests import Absent, In, Side, Test
from slp.columns.words import BoxRows, TestWords
from slp.ir.program import LevelSplits
from slp.messages import Wording
from slp.messages.files import SUBSETS_NOT_EXPANDED
from slp.messages.on_table import NOT_WITH_SUBSETS
from slp.messages.tree_texts import LEVELS_LEFT_OUT, NO_LEVELS_IN_BRACES, NO_OTHER_LEVELS

#: The most levels of a column: they have 2^11 - 1 partitions.
MOST_PARTED = 12


@dataclass(frozen=True, eq=False)
class Subsets(Nominal):
    """Levels, split by subsets."""

    most_levels: ClassVar[int | None] = MOST_PARTED
    core: ClassVar[int] = 3
    flags: ClassVar[tuple[str, ...]] = ("subsets",)
    compiled: ClassVar[bool] = False
    not_with: ClassVar[Wording] = NOT_WITH_SUBSETS
    not_by_level: ClassVar[Wording] = NOT_WITH_SUBSETS
    not_expanded: ClassVar[Wording] = SUBSETS_NOT_EXPANDED
    instead_of_concepts: ClassVar[str] = "`subsets`"

    def goes_left(self, codes: NDArray[Any], low: int, high: int) -> NDArray[np.bool_]:
        """See `ColumnKind`."""
        return ColumnKind.goes_left(self, codes, low, high)

    def left_sides(self) -> tuple[tuple[str, ...], ...]:
        """See `ColumnKind`: group i has the levels of the binary digits of i + 1."""
        return tuple(self._of(cell + 1) for cell in range(self.n_cells(0)))

    def _of(self, group: int) -> tuple[str, ...]:
        """The levels of a group, the set of whose codes is in the binary digits of a number."""
        return tuple(level for code, level in enumerate(self.levels) if group >> code & 1)

    def cuts(
        self, present: Sequence[tuple[int, int]], scores: Scores
    ) -> Iterator[tuple[int, int, int]]:
        """See `ColumnKind`: all partitions of the levels in two groups, the one with the first
        level on the left."""
        coded = [(1 << code, rows) for code, rows in present]
        every = sum(code for code, _ in coded)
        for chosen in range((1 << max(len(coded) - 1, 0)) - 1):
            group, left = coded[0]
            for i, (code, rows) in enumerate(coded[1:]):
                if chosen >> i & 1:
                    group, left = group | code, left | rows
            yield group, every ^ group, left

    def cut_between(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int]:
        """See `ColumnKind`."""
        return _group(left), _group(right)

    def other_way(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int] | None:
        """See `ColumnKind`."""
        return (_group(right), _group(left)) if right.min() < left.min() else None

    def n_cells(self, n_breakpoints: int) -> int:
        """See `ColumnKind`: the groups."""
        return max(1, (1 << self.n_codes) - 2)

    def cell(self, low: int, high: int, breakpoints: NDArray[np.float64]) -> int:
        """See `ColumnKind`."""
        return low - 1

    @property
    def test_depends_on_box(self) -> bool:
        """See `ColumnKind`."""
        return False

    def test(self, low: int, high: int, codes: NDArray[Any] | None = None) -> Test:
        """See `ColumnKind`."""
        return In(self._of(low), self._of(high), self.way_of_untold(missing=False))

    def asks(self, test: Test) -> bool:
        """See `ColumnKind`: a test on one level is one on a group, too."""
        return test.by_level

    def operands(self, test: Test) -> tuple[float, float]:
        """See `ColumnKind`: a test of groups has no two numbers, so no value passes."""
        return (NO_CODE, math.nan) if isinstance(test, In) else super().operands(test)

    def test_to_number(self, test: Test) -> float:
        """See `ColumnKind`: 2^k times the group on the left, and the group on the right; k is the
        number of levels."""
        assert isinstance(test, In)
        left, right = (
            sum(1 << self.levels.index(name) for name in group)
            for group in (test.levels, test.others)
        )
        return float(left << self.n_values | right)

    def test_of_number(self, number: float, side: Side | None) -> Test:
        """See `ColumnKind`."""
        if not number.is_integer() or not 0 <= number < 1 << 2 * self.n_values:
            raise ValueError("no groups of levels")
        left, right = divmod(int(number), 1 << self.n_values)
        if left & right or not left or not right:
            raise ValueError("no groups of levels")
        return self.test(left, right)

    def _forms(self, feature: str) -> str:
        """See `Nominal`."""
        return f"`{name_text(feature)} in {{..}}` or `{name_text(feature)} = ..`"

    def test_of_words(self, words: TestWords, box: BoxRows) -> Test:
        """See `ColumnKind`: the levels of the other side are all others that the box has."""
        if words.sign != "in":
            return super().test_of_words(words, box)
        words.check_no_side()
        levels, shortened = words.levels or ((), None)
        if len(set(levels)) < len(levels) or not levels:
            words.fail("operand", NO_LEVELS_IN_BRACES)
        codes = [self._code_of_words(words, "operand", level) for level in levels]
        present = sorted({*np.unique(box.codes).tolist(), *codes})
        if shortened is not None:
            return self._shortened(words, box, codes, shortened)
        others = tuple(self.levels[code] for code in present if code not in codes)
        if not others:
            words.fail("operand", NO_OTHER_LEVELS)
        absent = self.way_of_untold(missing=False)
        return In(tuple(self.levels[code] for code in sorted(codes)), others, absent)

    def _shortened(
        self, words: TestWords, box: BoxRows, codes: list[int], sizes: tuple[int, int]
    ) -> Test:
        """The one test of the box with these levels first on the left side, and with as many levels
        on the left side and in all."""
        found = []
        present = [(code, 1 << code) for code in np.unique(box.codes).tolist()]
        for low, high, _ in self.cuts(present, box.scores):
            left = [code for code, _ in present if low >> code & 1]
            if left[: len(codes)] == codes and (len(left), len(present)) == sizes:
                found.append((low, high))
        if len(found) != 1:
            tests = "more than one test" if found else "no test"
            words.fail("operand", LEVELS_LEFT_OUT, found=tests)
        return self.test(*found[0])

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """See `ColumnKind`."""
        return *super().notes, ("splits by subsets of levels of", "")


@dataclass(frozen=True)
class SplitsBySubsets(LevelSplits):
    """What `subsets` declares, with the most levels of a column."""

    most: int

    def words(self) -> str:
        """See `LevelSplits`."""
        return f"is split by subsets of its levels, {self.most} at most"

    def kind(
        self, levels: tuple[str, ...], new: Absent | None, missing: Literal["level"] | None
    ) -> Subsets:
        """See `LevelSplits`."""
        return Subsets(levels, new, missing)


def _group(codes: NDArray[Any]) -> int:
    """The group of levels that some codes make."""
    return sum(1 << int(code) for code in np.unique(codes))
