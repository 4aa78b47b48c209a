"""The distinct splits of a box, by the definitions of docs/language.md, on raw rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from slp.columns import MISSING
from slp.ir.constraints import Support
from tests.spec.concepts import concepts_in_order
from tests.spec.example import Cut, Example, Groups, Node, Value, goes_left
from tests.spec.orders import places_in_order


@dataclass(frozen=True)
class CutsOfBoxes:
    """The splits of boxes of a table, each with the rows of its sides."""

    example: Example
    support: Support

    def valid(self, node: Node) -> list[Cut]:
        """Every structurally valid split of the box, by feature and then by threshold or level."""
        support = self.support
        if support.max_depth is not None and node.depth >= support.max_depth:
            return []
        cuts = [c for f in range(len(self.example.features)) for c in self._cuts_of(f, node.rows)]
        return [c for c in cuts if all(self._large_enough(s) for s in (c.left, c.right))]

    def _large_enough(self, rows: tuple[int, ...]) -> bool:
        support = self.support
        if support.min_weight is not None:
            return math.fsum(self.example.weights_of(rows)) >= support.min_weight - 1e-9
        return len(rows) >= support.min_leaf

    def _cuts_of(self, f: int, rows: tuple[int, ...]) -> Iterator[Cut]:
        """The splits of the rows that have the value; if others miss it, each in two versions, with
        these rows right and left, and last missing against present."""
        missing = tuple(r for r in rows if self.example.misses(f, self.example.rows[r][f]))
        there = tuple(r for r in rows if r not in missing)
        for cut in self._plain_cuts_of(f, there) if there else ():
            if not missing:
                yield cut
                continue
            left, right = (tuple(sorted((*own, *missing))) for own in (cut.left, cut.right))
            yield replace(cut, test=(cut.plain, "right"), right=right)
            yield replace(cut, test=(cut.plain, "left"), left=left)
        if missing and there:
            yield Cut(f, MISSING, self._mean_gap(f), None, missing, there)

    def _mean_gap(self, f: int) -> Fraction:
        """The mean distance of neighbouring values in the table; 1 of levels and bins."""
        numbers = {row[f] for row in self.example.rows if not isinstance(row[f], str)}
        if self.example.features[f] in self.example.cuts or len(numbers) < 2:
            return Fraction(1)
        least, most = self.range_of(f)
        return (Fraction(most) - Fraction(least)) / (len(numbers) - 1)

    def _plain_cuts_of(self, f: int, rows: tuple[int, ...]) -> Iterator[Cut]:
        codes = {r: self.example.coded(f, self.example.rows[r][f]) for r in rows}
        order = _sort_key([row[f] for row in self.example.rows])
        present = sorted(set(codes.values()), key=order)
        if self.example.features[f] in self.example.parted:
            subsets = self._ordered_subsets_of if self.example.ordered else self._subsets_of
            yield from subsets(f, rows, list(map(str, present)))
            return
        if self.example.features[f] in self.example.above:
            yield from self._concepts_of(f, rows)
            return
        if any(isinstance(x, str) for x in present):
            for level in present[:1] if len(present) == 2 else present if len(present) > 2 else []:
                left = tuple(r for r in rows if codes[r] == level)
                right = tuple(r for r in rows if codes[r] != level)
                yield Cut(f, level, Fraction(1), None, left, right)
            return
        declared = self.example.cuts.get(self.example.features[f])
        least, most = self.range_of(f)
        for low, high in zip(present, present[1:], strict=False):
            assert not isinstance(low, str) and not isinstance(high, str)
            if declared is None:
                far = math.isinf(high - low)
                middle = low / 2 + high / 2 if far else low + (high - low) / 2
                test = middle if middle > low else high
            else:
                between = declared[int(low) : int(high)]
                test = between[(len(between) - 1) // 2]
            left = tuple(r for r in rows if codes[r] <= low)
            right = tuple(r for r in rows if codes[r] > low)
            gap = Fraction(high) - Fraction(low)
            length = gap / (Fraction(most) - Fraction(least))
            yield Cut(f, test, gap, length, left, right, (low, high))

    def _ordered_subsets_of(
        self, f: int, rows: tuple[int, ...], present: list[str]
    ) -> Iterator[Cut]:
        """The partitions of the levels that lie between two that differ in their shares of the
        classes."""
        classes = sorted(set(self.example.y))
        of = [[self.example.y[r] for r in rows if self.example.rows[r][f] == x] for x in present]
        shares = [tuple(Fraction(y.count(c), len(y)) for c in classes) for y in of]
        places = places_in_order(shares, [len(y) for y in of])
        order = sorted(range(len(present)), key=lambda i: (places[i], shares[i], i))
        between = [i for i in range(1, len(order)) if shares[order[i - 1]] != shares[order[i]]]
        below = [{present[j] for j in order[:i]} for i in between]
        share = Fraction(1, max(2 ** (len(present) - 1) - 1, 1))
        for cut in self._subsets_of(f, rows, present):
            assert isinstance(cut.test, Groups)
            if {*cut.test.left} in below or {*cut.test.right} in below:
                yield replace(cut, share=share)

    def _concepts_of(self, f: int, rows: tuple[int, ...]) -> Iterator[Cut]:
        """Of the levels and concepts that part the rows alike, in either way, the most special."""
        column = {str(row[f]) for row in self.example.rows}
        found: dict[frozenset[tuple[int, ...]], tuple[str, tuple[int, ...], tuple[int, ...]]] = {}
        for test in concepts_in_order(self.example.above[self.example.features[f]], column):
            left = tuple(r for r in rows if goes_left(test, str(self.example.rows[r][f])))
            right = tuple(r for r in rows if r not in left)
            if left and right:
                found.setdefault(frozenset((left, right)), (test, left, right))
        for test, left, right in found.values():
            yield Cut(f, test, Fraction(1), None, left, right)

    def _subsets_of(self, f: int, rows: tuple[int, ...], present: list[str]) -> Iterator[Cut]:
        """All partitions of the levels in two groups; the first level is on the left side."""
        for size in range(1, len(present)):
            for group in combinations(present, size):
                if group[0] != present[0]:
                    continue
                test = Groups(group, [x for x in present if x not in group])
                left = tuple(r for r in rows if self.example.rows[r][f] in group)
                right = tuple(r for r in rows if r not in left)
                yield Cut(f, test, Fraction(1), None, left, right)

    def range_of(self, f: int) -> tuple[float, float]:
        """The least value (or number of a bin) of a numeric feature in the table, and the most."""
        codes = [self.example.coded(f, row[f]) for row in self.example.rows]
        numbers = [x for x in codes if not isinstance(x, str)]
        return min(numbers), max(numbers)


def _sort_key(values: list[Value]) -> Callable[[Value], Any]:
    """Levels that are all integers are sorted as numbers, other levels as text; missing values are
    the last level."""
    levels = [v for v in values if v != MISSING]
    if all(isinstance(v, str) and _is_integer(v) for v in levels):
        return lambda v: (1, 0) if v == MISSING else (0, int(v))
    return lambda v: (v == MISSING, v)


def _is_integer(text: str) -> bool:
    return text.lstrip("-").isdigit()
