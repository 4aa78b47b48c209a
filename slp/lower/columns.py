"""Tables over split classes under construction: the targets of splits on each feature.

They hold three kinds of numbers in turn: states of the constraints (`slp.lower.product`), goals of
the program (`slp.lower.goals`), and states of the grammar, which combine both. In each, `FORBIDDEN`
and `OUTSIDE` have the meaning of `slp.ir.tree_grammar`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from slp.ir.cells import coarse_cells
from slp.ir.program import Measure
from slp.ir.row_function import RowFunction
from slp.ir.tree_grammar import OUTSIDE
from slp.source import SourceSpan

#: The numbers left and right of a split, or FORBIDDEN twice, or OUTSIDE twice. If two tables differ
#: on a split, the lower number wins: OUTSIDE < FORBIDDEN < 0.
Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """The targets of splits on one feature.

    `pairs` has one item for all thresholds or levels, or one for each of the 2m + 1 cells of m
    `breakpoints`, or one for each level of a categorical feature. `of_missing` is that of the test
    for missing values of a numeric feature, None where it is that of all other splits or where
    there is no such test.
    """

    pairs: tuple[Pair, ...]
    breakpoints: tuple[float, ...] = ()
    of_missing: Pair | None = None


#: The column of a feature that a rule never splits on.
NOT_PROPOSED = SplitColumn(((OUTSIDE, OUTSIDE),))


@dataclass(frozen=True, slots=True)
class SplitTable:
    """Columns of the features that differ from others, and the column of all `other` features."""

    other: SplitColumn
    by_feature: Mapping[str, SplitColumn]

    def column(self, feature: str) -> SplitColumn:
        """The column of a feature."""
        return self.by_feature.get(feature, self.other)

    def pairs(self) -> Iterator[Pair]:
        """The targets of splits, with repeats. The last are those of `other`."""
        for column in (*self.by_feature.values(), self.other):
            if column.of_missing is not None:
                yield column.of_missing
            yield from column.pairs


@dataclass(frozen=True, slots=True)
class SplitDraft:
    """A split rule under construction. The cells of its table are not yet those of other rules."""

    log_weight: float
    measure: Measure
    table: SplitTable
    rows: RowFunction | None = None
    span: SourceSpan | None = None


def union(*breakpoints: Iterable[float]) -> tuple[float, ...]:
    """Sorted union of breakpoints."""
    return tuple(sorted(frozenset[float]().union(*breakpoints)))


def refined(
    column: SplitColumn, breakpoints: Sequence[float], n_cells: int, beside: bool = False
) -> tuple[Pair, ...]:
    """The pairs of a column over `n_cells` finer cells, those of `breakpoints` or the levels; with
    `beside` also that of the test that is on no threshold, the last."""
    if beside:
        more = column.pairs[-1] if column.of_missing is None else column.of_missing
        return (*refined(column, breakpoints, n_cells), more)
    if len(column.pairs) == n_cells:
        return column.pairs
    if len(column.pairs) == 1:
        return column.pairs * n_cells
    return tuple(column.pairs[i] for i in coarse_cells(column.breakpoints, breakpoints))


def _combine_columns(
    a: SplitColumn, b: SplitColumn, pair: Callable[[Pair, Pair], Pair]
) -> SplitColumn:
    """The column whose cells are the intersections of the cells of `a` and `b`."""
    of_missing = None
    if a.of_missing is not None or b.of_missing is not None:
        of_missing = pair(a.of_missing or a.pairs[0], b.of_missing or b.pairs[0])
    if len(a.pairs) == len(b.pairs) == 1:
        return SplitColumn((pair(a.pairs[0], b.pairs[0]),), (), of_missing)
    if a.breakpoints or b.breakpoints:
        breakpoints = union(a.breakpoints, b.breakpoints)
        n_cells = 2 * len(breakpoints) + 1
    else:
        breakpoints, n_cells = (), max(len(a.pairs), len(b.pairs))
    both = zip(refined(a, breakpoints, n_cells), refined(b, breakpoints, n_cells), strict=True)
    return SplitColumn(tuple(pair(p, q) for p, q in both), breakpoints, of_missing)


def combine(
    a: SplitTable, b: SplitTable, join: Callable[[int, int], int], n_features: int
) -> SplitTable:
    """The table with `join(x, y)` where `a` has x and `b` has y. It refuses a split that either
    refuses.

    `join` is called only for targets of some split on the `n_features` features.
    """

    def pair(p: Pair, q: Pair) -> Pair:
        refused = min(p[0], q[0])
        if refused < 0:
            return refused, refused
        return join(p[0], q[0]), join(p[1], q[1])

    by_feature = {
        f: _combine_columns(a.column(f), b.column(f), pair)
        for f in dict.fromkeys((*a.by_feature, *b.by_feature))
    }
    if len(by_feature) == n_features:
        return SplitTable(NOT_PROPOSED, by_feature)
    return SplitTable(_combine_columns(a.other, b.other, pair), by_feature)
