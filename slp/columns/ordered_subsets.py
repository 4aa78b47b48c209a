"""Columns of levels that a split parts between neighbours in the order of their responses.

The order is that of the box: by share of a class, mean or rate (Fisher 1958); of more classes by
the first principal direction of the shares (Coppersmith, Hong & Hosking 1999). A cut is a pair of
groups, as of all subsets, but of any number of levels. See docs/design/ordered-levels.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from slp.columns.kind import Scores
from slp.columns.subsets import Subsets
from slp.columns.tests import Test
from slp.errors import UsageError
from slp.messages.saved import ORDERED_NOT_SAVED

#: The most levels whose groups an archive holds as one number.
_MOST_SAVED = 26


@dataclass(frozen=True, eq=False)
class OrderedSubsets(Subsets):
    """Levels, split by those subsets that the order of their responses in the box gives."""

    core: ClassVar[int] = 4

    @property
    def looks_at_response(self) -> bool:
        """See `ColumnKind`."""
        return True

    def marks(self) -> tuple[str, ...]:
        """See `ColumnKind`."""
        return *super().marks(), "ordered"

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

    def test_to_number(self, test: Test) -> float:
        """See `Subsets`. Raises UsageError E563 if there are too many levels for a
        number."""
        if self.n_values > _MOST_SAVED:
            raise UsageError(ORDERED_NOT_SAVED(levels=self.n_values, most=_MOST_SAVED))
        return super().test_to_number(test)

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """See `ColumnKind`."""
        return *super().notes, ("levels are in the order of the response in splits of", "")

    def to_plain(self) -> dict[str, Any]:
        """See `ColumnKind`."""
        return {**super().to_plain(), "ordered": True}
