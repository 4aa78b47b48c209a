"""Columns of levels in a hierarchy, of which a split parts those under one concept from the others.

Levels are in the order of the hierarchy, so that those under a concept follow each other; levels
that it knows and the table lacks are among them. Concepts are numbered: a level by its code, then
those above levels, the most special ones first. A cut is the pair (number, number) of a concept,
whose levels go left. Of the concepts that part the rows of a box alike, the first one is the cut.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from slp.columns.kind import Scores
from slp.columns.levels import NO_CODE, Nominal
from slp.columns.names import name_text
from slp.columns.tests import MISSING, Absent, Is, Side, Test
from slp.columns.words import BoxRows, TestWords
from slp.ir.hierarchies import Hierarchy
from slp.ir.program import LevelSplits
from slp.messages import Wording
from slp.messages.hierarchies import CONCEPTS_NOT_EXPANDED, NOT_WITH_CONCEPTS

#: A concept above levels: its name, and the codes of its first and its last level.
Span = tuple[str, int, int]


@dataclass(frozen=True, eq=False)
class Concepts(Nominal):
    """Levels of a hierarchy. `spans` are the concepts above levels, as they are numbered."""

    spans: tuple[Span, ...] = ()

    core: ClassVar[int] = 5
    flags: ClassVar[tuple[str, ...]] = ("concepts",)
    compiled: ClassVar[bool] = False
    not_with: ClassVar[Wording] = NOT_WITH_CONCEPTS
    not_expanded: ClassVar[Wording] = CONCEPTS_NOT_EXPANDED

    @property
    def core_numbers(self) -> NDArray[np.float64]:
        """See `ColumnKind`: the first and the last code of each concept above levels."""
        return np.array([end for _, *ends in self.spans for end in ends], np.float64)

    def marks(self) -> tuple[str, ...]:
        """See `ColumnKind`."""
        return (*self.flags, *(f"{name} {a} {b}" for name, a, b in self.spans))

    def _ends(self, number: int) -> tuple[int, int]:
        """The codes of the first and the last level of a concept."""
        if number < self.n_values:
            return number, number
        return self.spans[number - self.n_values][1:]

    # --- cuts ------------------------------------------------------------------------------

    def cuts(
        self, present: Sequence[tuple[int, int]], scores: Scores
    ) -> Iterator[tuple[int, int, int]]:
        """See `ColumnKind`."""
        every = 0
        for _, rows in present:
            every |= rows
        met: set[int] = set()
        for number in range(self.n_cells(0)):
            first, last = self._ends(number)
            left = 0
            for code, rows in present:
                left |= rows if first <= code <= last else 0
            if left not in (0, every) and not met & {left, every ^ left}:
                met.add(left)
                yield number, number, left

    def cut_between(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int]:
        """See `ColumnKind`."""
        found = self._parting(left, right)
        return found, found

    def other_way(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int] | None:
        """See `ColumnKind`."""
        if not len(left) or not len(right):
            return None
        here, there = self._parting(left, right), self._parting(right, left)
        return (there, there) if there >= 0 and not 0 <= here < there else None

    def _parting(self, left: NDArray[Any], right: NDArray[Any]) -> int:
        """The first concept with all levels on the left and none on the right, -1 if none is."""
        for number in range(self.n_cells(0) if len(left) else 0):
            if self._has(number, left).all() and not self._has(number, right).any():
                return number
        return -1

    def _has(self, number: int, codes: NDArray[Any]) -> NDArray[np.bool_]:
        first, last = self._ends(number)
        return np.asarray((codes >= first) & (codes <= last))

    def n_cells(self, n_breakpoints: int) -> int:
        """See `ColumnKind`: the levels and the concepts."""
        return self.n_values + len(self.spans)

    def left_sides(self) -> tuple[str | tuple[str, ...], ...]:
        """See `ColumnKind`: by their names."""
        return (*self.levels, *(name for name, _, _ in self.spans))

    # --- tests -----------------------------------------------------------------------------

    def test(self, low: int, high: int, codes: NDArray[Any] | None = None) -> Test:
        """See `ColumnKind`."""
        if low < self.n_values:
            return super().test(low, high, codes)
        name, first, last = self.spans[low - self.n_values]
        under = self.levels[first : last + 1]
        if self.missing is None:
            return Is(name, under=under)
        return Is(name, "right", missing_level=True, under=under)

    def goes_left(self, codes: NDArray[Any], low: int, high: int) -> NDArray[np.bool_]:
        """See `ColumnKind`."""
        return self._has(low, codes)

    def operands(self, test: Test) -> tuple[float, float]:
        """See `ColumnKind`: a test of several levels has no two numbers, so no value passes."""
        several = isinstance(test, Is) and test.under
        return (NO_CODE, math.nan) if several else super().operands(test)

    def test_to_number(self, test: Test) -> float:
        """See `ColumnKind`: as of a column whose levels are the concepts."""
        names, second = self.left_sides(), test.other if isinstance(test, Is) else None
        place = 0 if second is None else self.levels.index(second) + 1
        assert not isinstance(test.tested, float)
        return float(names.index(test.tested) + len(names) * place)

    def test_of_number(self, number: float, side: Side | None) -> Test:
        """See `ColumnKind`."""
        if not (number.is_integer() and number >= 0) or side is not None:
            raise ValueError("no number of a concept")
        second, first = divmod(int(number), self.n_cells(0))
        if second > self.n_values or (second and first >= self.n_values) or second == first + 1:
            raise ValueError("no code of a second level")
        if first >= self.n_values:
            return self.test(first, first)
        return self.is_level(first, None, second - 1 if second else None)

    # --- words and archive -----------------------------------------------------------------

    def test_of_words(self, words: TestWords, box: BoxRows) -> Test:
        """See `ColumnKind`."""
        names = [name for name, _, _ in self.spans]
        if words.sign != "=" or words.other is not None or words.level not in names:
            return super().test_of_words(words, box)
        words.check_no_side()
        number = self.n_values + names.index(words.level)
        return self.test(number, number)

    def _forms(self, feature: str) -> str:
        """See `Nominal`."""
        return f"`{name_text(feature)} = ..` with a level or a concept"

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """See `ColumnKind`."""
        return *super().notes, ("splits by concepts of levels of", "")

    def to_plain(self) -> dict[str, Any]:
        """See `ColumnKind`."""
        return {**super().to_plain(), "spans": [list(span) for span in self.spans]}


@dataclass(frozen=True)
class SplitsByConcepts(LevelSplits):
    """What a hierarchy of a column's levels declares."""

    hierarchy: Hierarchy
    most: None = None

    def words(self) -> str:
        """See `LevelSplits`."""
        return "is split by concepts of its levels"

    def kind(
        self, levels: tuple[str, ...], new: Absent | None, missing: Literal["level"] | None
    ) -> Concepts:
        """See `LevelSplits`. Missing values are the last level, under no concept."""
        own = [level for level in levels if missing is None or level != MISSING]
        ordered = self.hierarchy.in_order(own)
        spans = tuple(_spans(self.hierarchy, ordered, set(own)))
        return Concepts((*ordered, *levels[len(own) :]), new, missing, spans)


def _spans(hierarchy: Hierarchy, ordered: Sequence[str], there: Collection[str]) -> Iterator[Span]:
    """The concepts with several levels of the table, those with the fewest first. Of concepts with
    the same levels the lowest one stands for all."""
    under: dict[str, list[int]] = {}
    depth: dict[str, int] = {}
    for code, level in enumerate(ordered):
        path = hierarchy.path(level)
        for i, concept in enumerate(path[1:]):
            under.setdefault(concept, []).append(code)
            depth[concept] = len(path) - i
    known = [(name, [c for c in codes if ordered[c] in there]) for name, codes in under.items()]
    known.sort(key=lambda x: (len(x[1]), len(under[x[0]]), -depth[x[0]], under[x[0]][0]))
    met: set[tuple[int, ...]] = set()
    for name, codes in known:
        if len(codes) > 1 and tuple(under[name]) not in met:
            met.add(tuple(under[name]))
            yield name, under[name][0], under[name][-1]
