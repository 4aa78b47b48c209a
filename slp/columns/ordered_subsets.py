"""Columns of levels that a split parts between neighbours in the order of their responses.

The order is that of the box: by share of a class, mean or rate (Fisher 1958); of more classes by
the first principal direction of the shares (Coppersmith, Hong & Hosking 1999). A cut is a pair of
groups, as of all subsets, but of any number of levels. See docs/design/ordered-levels.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from slp.columns.kind import Scores
from slp.columns.subsets import Subsets
from slp.columns.tests import Absent, In, Test
from slp.ir.program import LevelSplits
from slp.messages import Wording
from slp.messages.on_table import NOT_WITH_ORDER


@dataclass(frozen=True, eq=False)
class OrderedSubsets(Subsets):
    """Levels, split by those subsets that the order of their responses in the box gives."""

    core: ClassVar[int] = 4
    most_levels: ClassVar[int | None] = None
    flags: ClassVar[tuple[str, ...]] = (*Subsets.flags, "ordered")
    looks_at_response: ClassVar[str] = "subsets(ordered)"
    leaves_weight_out: ClassVar[bool] = True
    not_named: ClassVar[Wording] = NOT_WITH_ORDER
    numbered_by_core: ClassVar[bool] = True

    def cuts(
        self, present: Sequence[tuple[int, int]], scores: Scores
    ) -> Iterator[tuple[int, int, int]]:
        """See `ColumnKind`: between levels of different scores, ascending. The group with the first
        level of the box is the left one."""
        if len(present) < 2:
            return
        first = 1 << present[0][0]
        every, box = sum(1 << code for code, _ in present), 0
        for _, rows in present:
            box |= rows
        found = scores([rows for _, rows in present])
        group = below = 0
        order = np.argsort(found, kind="stable").tolist()
        for i, following in zip(order, order[1:], strict=False):
            code, rows = present[i]
            group, below = group | 1 << code, below | rows
            if found[i] < found[following]:
                if group & first:
                    yield group, every ^ group, below
                else:
                    yield every ^ group, group, box ^ below

    def log_share(self, low: int, high: int) -> float:
        """See `ColumnKind`: one of the 2^(k-1) - 1 partitions of the k levels in the box."""
        k = (low | high).bit_count()
        return -(k - 1) * math.log(2) - math.log1p(-(2.0 ** (1 - k)))

    def n_cells(self, n_breakpoints: int) -> int:
        """See `ColumnKind`: one."""
        return 1

    def cell(self, low: int, high: int, breakpoints: NDArray[np.float64]) -> int:
        """See `ColumnKind`."""
        return 0

    def left_sides(self) -> tuple[tuple[str, ...], ...]:
        """See `ColumnKind`: rules do not tell the sides apart."""
        return (self.levels,)

    def left_of_cut(self, low: int, high: int) -> NDArray[np.bool_]:
        """See `ColumnKind`."""
        return np.array([low >> code & 1 for code in range(self.n_values)], np.bool_)

    @property
    def tests_have_sides(self) -> bool:
        """See `ColumnKind`."""
        return True

    def test_to_sides(self, test: Test) -> NDArray[np.uint8]:
        """See `ColumnKind`."""
        assert isinstance(test, In)
        left, right = np.isin(self.levels, test.levels), np.isin(self.levels, test.others)
        return np.asarray(left + 2 * right, np.uint8)

    def test_of_sides(self, sides: NDArray[np.uint8]) -> Test:
        """See `ColumnKind`."""
        if len(sides) != self.n_values or not {1, 2} <= {*sides.tolist()} <= {0, 1, 2}:
            raise ValueError("no groups of levels")
        left, right = (tuple(np.array(self.levels)[sides == way].tolist()) for way in (1, 2))
        return In(left, right, self.way_of_untold(missing=False))

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """See `ColumnKind`."""
        return *super().notes, ("levels are in the order of the response in splits of", "")


@dataclass(frozen=True)
class SplitsInOrder(LevelSplits):
    """What `subsets(ordered)` declares."""

    most: None = None

    def words(self) -> str:
        """See `LevelSplits`."""
        return "is split between its levels in the order of the response in the box"

    def kind(
        self, levels: tuple[str, ...], new: Absent | None, missing: Literal["level"] | None
    ) -> OrderedSubsets:
        """See `LevelSplits`."""
        return OrderedSubsets(levels, new, missing)
