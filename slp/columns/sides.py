"""Columns whose missing values take a side at each split, around any other kind.

Where a row of the table misses the value, there is one code more, the last. With N codes in all,
`low + N, high + N` is a cut with missing values on the right side, `low + 2 N, high + 2 N` with
these on the left one, and twice the last code is the test for missing values. A cut without a side
is one of a box without missing values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from slp.columns.formula import Formula
from slp.columns.kind import ColumnKind, Scores, Sides
from slp.columns.tests import LEFT, MISSING, UNTOLD, Absent, Below, Is, IsMissing, Side, Test
from slp.columns.words import BoxRows, TestWords
from slp.messages import Wording
from slp.messages.files import SIDES_NOT_EXPANDED
from slp.messages.on_table import NOT_WITH_SIDES

#: The sides in their canonical order, and how many times N they add to a cut.
_SHIFT: dict[Side, int] = {"right": 1, "left": 2}

#: The sides by their number in an archive, and the number of the test for missing values.
_SIDES: tuple[Side | None, ...] = (None, "right", "left")
_ON_MISSING = 3


@dataclass(frozen=True, eq=False)
class Sided(ColumnKind):
    """A column whose values are of the kind `inner`. `holes` tells whether some row of the table
    misses the value."""

    inner: ColumnKind
    holes: bool = False
    new: Absent | None = None
    missing: ClassVar[Literal["side"]] = "side"
    instead_of_concepts: ClassVar[str] = "`missing(side)`"

    # --- codes -----------------------------------------------------------------------------

    @property
    def word(self) -> str:
        """See `ColumnKind`."""
        return self.inner.word

    @property
    def core(self) -> int:
        """See `ColumnKind`."""
        return self.inner.core

    @property
    def categorical(self) -> bool:
        """See `ColumnKind`."""
        return self.inner.categorical

    @property
    def unit(self) -> str | None:
        """See `ColumnKind`."""
        return self.inner.unit

    @property
    def formula(self) -> Formula | None:
        """See `ColumnKind`."""
        return self.inner.formula

    @property
    def range(self) -> tuple[float, float] | None:
        """See `ColumnKind`."""
        return self.inner.range

    @property
    def n_values(self) -> int:
        """See `ColumnKind`."""
        return self.inner.n_values

    @property
    def n_codes(self) -> int:
        """See `ColumnKind`."""
        return self.inner.n_values + self.holes

    @property
    def missing_code(self) -> int | None:
        """See `ColumnKind`."""
        return self.inner.n_values if self.holes else None

    @property
    def names(self) -> tuple[str, ...]:
        """See `ColumnKind`."""
        return self.inner.names

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """See `ColumnKind`."""
        return self.inner.numbers

    @property
    def values(self) -> NDArray[np.float64] | None:
        """See `ColumnKind`."""
        return self.inner.values

    @property
    def shown(self) -> NDArray[np.object_]:
        """See `ColumnKind`."""
        return self.inner.shown

    @property
    def edges(self) -> NDArray[np.float64] | None:
        """See `ColumnKind`."""
        return self.inner.edges

    @property
    def numbers_by_name(self) -> Mapping[str, float] | None:
        """See `ColumnKind`."""
        return self.inner.numbers_by_name

    def numbers_of_codes(self) -> NDArray[np.float64]:
        """See `ColumnKind`."""
        return self.inner.numbers_of_codes()

    def alike(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `ColumnKind`: NaN where the value is missing, which all are alike."""
        there = ~np.isnan(values)
        out = np.full(values.shape, -np.finfo(np.float64).max)  # NaNs would all differ
        out[there] = self.inner.alike(values[there])
        return out

    # --- cuts ------------------------------------------------------------------------------

    def cuts(
        self, present: Sequence[tuple[int, int]], scores: Scores
    ) -> Iterator[tuple[int, int, int]]:
        """See `ColumnKind`: those of the values that are there, twice where some are missing, with
        these on the right side, then on the left one; last the test for missing values."""
        if not present or present[-1][0] != self.missing_code:
            yield from self.inner.cuts(present, scores)
            return
        (code, missing), there = present[-1], present[:-1]
        if not there:
            return
        for low, high, left in self.inner.cuts(there, scores):
            for side in _SHIFT:
                own = self._with_side(low, high, side)
                yield *own, left | missing if side == "left" else left
        yield code, code, missing

    def _with_side(self, low: int, high: int, side: Side | None) -> tuple[int, int]:
        shift = 0 if side is None else self.n_codes * _SHIFT[side]
        return low + shift, high + shift

    def without_side(self, low: int, high: int) -> tuple[int, int, Side | None]:
        """See `ColumnKind`."""
        if not self.holes or low < self.n_codes:
            return low, high, None
        side: Side = "right" if low < 2 * self.n_codes else "left"
        return low % self.n_codes, high % self.n_codes, side

    def cut_between(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int]:
        """See `ColumnKind`."""
        missing = self.missing_code
        if missing is None:
            return self.inner.cut_between(left, right)
        if (left == missing).all() and len(left):
            return missing, missing
        side: Side | None = "left" if missing in left else "right" if missing in right else None
        cut = self.inner.cut_between(left[left != missing], right[right != missing])
        return self._with_side(*cut, side) if min(cut) >= 0 else cut

    def other_way(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int] | None:
        """See `ColumnKind`."""
        missing = self.missing_code
        if missing is None:
            return self.inner.other_way(left, right)
        if (right == missing).all():
            return missing, missing
        if (left == missing).all():
            return None
        side: Side | None = "right" if missing in left else "left" if missing in right else None
        cut = self.inner.other_way(left[left != missing], right[right != missing])
        return None if cut is None else self._with_side(*cut, side)

    def n_cells(self, n_breakpoints: int) -> int:
        """See `ColumnKind`: one more, the last, for the test for missing values."""
        return self.inner.n_cells(n_breakpoints) + self.holes

    def cell(self, low: int, high: int, breakpoints: NDArray[np.float64]) -> int:
        """See `ColumnKind`."""
        low, high, _ = self.without_side(low, high)
        if low == self.missing_code:
            return self.n_cells(len(breakpoints)) - 1
        return self.inner.cell(low, high, breakpoints)

    def left_sides(self) -> tuple[str | tuple[str, ...], ...] | None:
        """See `ColumnKind`."""
        own = self.inner.left_sides()
        return own if own is None or not self.holes else (*own, MISSING)

    def gap(self, low: int, high: int) -> float:
        """See `ColumnKind`."""
        low, high, _ = self.without_side(low, high)
        return self.inner.mean_gap if low == self.missing_code else self.inner.gap(low, high)

    def log_length(self, low: int, high: int) -> float:
        """See `ColumnKind`."""
        low, high, _ = self.without_side(low, high)
        return math.nan if low == self.missing_code else self.inner.log_length(low, high)

    def most_parts(self, codes: Sequence[int]) -> float:
        """See `ColumnKind`: with or without the missing rows, or these alone."""
        if not codes or codes[-1] != self.missing_code:
            return self.inner.most_parts(codes)
        return 2 * self.inner.most_parts(codes[:-1]) + (not self.categorical)

    # --- tests -----------------------------------------------------------------------------

    @property
    def test_depends_on_box(self) -> bool:
        """See `ColumnKind`."""
        return self.inner.test_depends_on_box

    def test(self, low: int, high: int, codes: NDArray[Any] | None = None) -> Test:
        """See `ColumnKind`."""
        low, high, side = self.without_side(low, high)
        if low == self.missing_code:
            return IsMissing(self.formula)
        own = self.inner.test(low, high, codes)
        assert isinstance(own, Below | Is)
        return own if side is None else replace(own, missing=side)

    def codes_beside(self, number: float) -> tuple[int, int] | None:
        """See `ColumnKind`."""
        return self.inner.codes_beside(number)

    def asks(self, test: Test) -> bool:
        """See `ColumnKind`."""
        own = isinstance(test, IsMissing) and self.takes(test.formula)
        return own or self.inner.asks(test)

    def ways(self, test: Test, numbers: NDArray[np.float64]) -> NDArray[np.uint8]:
        """See `ColumnKind`."""
        return self.inner.ways(test, numbers)

    def goes_left(self, codes: NDArray[Any], low: int, high: int) -> NDArray[np.bool_]:
        """See `ColumnKind`."""
        if self.holes:
            return super().goes_left(codes, low, high)
        return self.inner.goes_left(codes, low, high)

    def marks(self) -> tuple[str, ...]:
        """See `ColumnKind`."""
        return ("missing",) * self.holes

    @property
    def compiled(self) -> bool:
        """See `ColumnKind`: rows with a value."""
        return self.inner.compiled

    @property
    def not_with(self) -> Wording | None:
        """See `ColumnKind`."""
        return NOT_WITH_SIDES if self.holes else self.inner.not_with

    @property
    def not_by_level(self) -> Wording | None:
        """See `ColumnKind`."""
        return self.inner.not_by_level

    @property
    def not_expanded(self) -> Wording | None:
        """See `ColumnKind`."""
        return SIDES_NOT_EXPANDED if self.holes else self.inner.not_expanded

    def code_of(self, level: str) -> float:
        """See `ColumnKind`."""
        return self.inner.code_of(level)

    def operands(self, test: Test) -> tuple[float, float]:
        """See `ColumnKind`."""
        return self.inner.operands(test)

    def sides(self, test: Test) -> Sides:
        """See `ColumnKind`."""
        left, untold = self.inner.sides(test)
        if self.holes:
            (way,) = self.ways(test, np.array([math.nan]))
            left, untold = np.append(left, way == LEFT), np.append(untold, way == UNTOLD)
        return left, untold

    def test_to_number(self, test: Test) -> float:
        """See `ColumnKind`: 0 of the test for missing values."""
        return 0.0 if isinstance(test, IsMissing) else self.inner.test_to_number(test)

    def side_to_number(self, test: Test) -> int:
        """See `ColumnKind`: `_ON_MISSING` of the test for missing values."""
        return _ON_MISSING if isinstance(test, IsMissing) else _SIDES.index(test.missing)

    def test_of_numbers(self, number: float, side: int) -> Test:
        """See `ColumnKind`."""
        if side == _ON_MISSING:
            return IsMissing(self.formula)
        if side > _ON_MISSING:
            raise ValueError("no side of missing values")
        return self.test_of_number(number, _SIDES[side])

    def test_of_number(self, number: float, side: Side | None) -> Test:
        """See `ColumnKind`."""
        return self.inner.test_of_number(number, side)

    def on_a_cut(self, test: Test) -> Test | None:
        """See `ColumnKind`."""
        return self.inner.on_a_cut(test)

    def is_on_missing(self, test: Test) -> bool:
        """See `ColumnKind`."""
        return isinstance(test, IsMissing)

    # --- words and archive -----------------------------------------------------------------

    def test_of_words(self, words: TestWords, box: BoxRows) -> Test:
        """See `ColumnKind`."""
        if words.on_missing and words.side is None:
            return IsMissing(self.formula)
        own = self.inner.test_of_words(replace(words, side=None), box)
        assert isinstance(own, Below | Is)
        return own if words.side is None else replace(own, missing=words.side)

    def words(self, number: float) -> str:
        """See `ColumnKind`."""
        return self.inner.words(number)

    @property
    def description(self) -> tuple[str, str]:
        """See `ColumnKind`."""
        return self.inner.description

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """See `ColumnKind`."""
        own = (("missing values take a side of", ""),) if self.holes else ()
        return *self.inner.notes, *own

    def to_plain(self) -> dict[str, Any]:
        """See `ColumnKind`."""
        said = {"holes": self.holes, "new": self.new}
        own = {key: value for key, value in said.items() if value}
        return {**self.inner.to_plain(), "missing": "side", **own}

    def with_numbers(self, numbers: NDArray[np.float64]) -> ColumnKind:
        """See `ColumnKind`."""
        return replace(self, inner=self.inner.with_numbers(numbers))
