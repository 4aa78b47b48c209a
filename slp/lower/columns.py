"""Tables over split classes while they are made: what a split on each feature leads to.

Three kinds of numbers stand in them in turn: states of the constraints (`slp.lower.product`), goals
of the program (`slp.lower.goals`), and, as the combination of both, states of the grammar. In each,
`FORBIDDEN` and `OUTSIDE` have the meaning of `slp.ir.tree_grammar`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE
from slp.lower.cells import coarse_cells

__all__ = ["Column", "Pair", "SplitTable", "combine", "refusal", "refined", "union"]

#: what lies left and right of a split, or FORBIDDEN twice, or OUTSIDE twice
Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Column:
    """What a split on one feature leads to.

    `pairs` has one item that holds for all thresholds or levels, or one for each of the 2m + 1
    cells of m `breakpoints`, or one for each level of a categorical feature.
    """

    pairs: tuple[Pair, ...]
    breakpoints: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class SplitTable:
    """Columns of the features that differ from others, and the column of all `other` features."""

    other: Column
    by_feature: Mapping[str, Column]

    def column(self, feature: str) -> Column:
        """The column of a feature."""
        return self.by_feature.get(feature, self.other)

    def columns(self) -> Iterator[Column]:
        """All columns."""
        yield self.other
        yield from self.by_feature.values()


def refusal(pairs: Iterable[Pair]) -> int:
    """OUTSIDE if one of the pairs is, else FORBIDDEN if one is, else 0."""
    lowest = min((left for left, _ in pairs), default=0)
    return min(lowest, 0)  # OUTSIDE < FORBIDDEN < 0 <= states


def union(*breakpoints: Iterable[float]) -> tuple[float, ...]:
    """Sorted union of breakpoints."""
    return tuple(sorted(frozenset[float]().union(*breakpoints)))


def refined(column: Column, breakpoints: Sequence[float], n_cells: int) -> tuple[Pair, ...]:
    """The pairs of a column over `n_cells` finer cells, those of `breakpoints` or the levels."""
    if len(column.pairs) == n_cells:
        return column.pairs
    if len(column.pairs) == 1:
        return column.pairs * n_cells
    return tuple(column.pairs[i] for i in coarse_cells(column.breakpoints, breakpoints))


def _combine_columns(a: Column, b: Column, pair: Callable[[Pair, Pair], Pair]) -> Column:
    """The column whose cells are the intersections of the cells of `a` and `b`."""
    if len(a.pairs) == len(b.pairs) == 1:
        return Column((pair(a.pairs[0], b.pairs[0]),))
    if a.breakpoints or b.breakpoints:
        breakpoints = union(a.breakpoints, b.breakpoints)
        n_cells = 2 * len(breakpoints) + 1
    else:
        breakpoints, n_cells = (), max(len(a.pairs), len(b.pairs))
    both = zip(refined(a, breakpoints, n_cells), refined(b, breakpoints, n_cells), strict=True)
    return Column(tuple(pair(p, q) for p, q in both), breakpoints)


def combine(a: SplitTable, b: SplitTable, join: Callable[[int, int], int]) -> SplitTable:
    """The table with `join(x, y)` where `a` has x and `b` has y; it refuses what either does."""

    def pair(p: Pair, q: Pair) -> Pair:
        refused = refusal((p, q))
        return (refused, refused) if refused else (join(p[0], q[0]), join(p[1], q[1]))

    return SplitTable(
        _combine_columns(a.other, b.other, pair),
        {
            f: _combine_columns(a.column(f), b.column(f), pair)
            for f in dict.fromkeys((*a.by_feature, *b.by_feature))
        },
    )


assert OUTSIDE < FORBIDDEN < 0, "`refusal` takes the lowest"
