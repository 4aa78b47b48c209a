"""Cells: points and open intervals into which breakpoints cut the thresholds of a numeric feature.

Breakpoints b[0] < ... < b[m-1] make 2m + 1 cells, numbered as in `slp.ir.tree_grammar`: cell 2i is
the open interval below b[i], cell 2i + 1 is b[i] itself, cell 2m lies above the last. No breakpoint
lies inside a cell, so a comparison of a threshold with a breakpoint has one answer for a whole
cell, and computing it needs no example threshold (between two adjacent floats there is none).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """The thresholds t with low < t < high or, if low == high, the one threshold t = low.

    The four comparisons are of every t in the cell with a number that is not strictly inside it.
    """

    low: float
    high: float

    @property
    def is_point(self) -> bool:
        """Whether the cell is one breakpoint."""
        return self.low == self.high

    def above(self, x: float) -> bool:
        """t > x."""
        return self.low > x if self.is_point else self.low >= x

    def at_least(self, x: float) -> bool:
        """t >= x."""
        return self.low >= x

    def below(self, x: float) -> bool:
        """t < x."""
        return self.high < x if self.is_point else self.high <= x

    def at_most(self, x: float) -> bool:
        """t <= x."""
        return self.high <= x


def cells_between(breakpoints: Sequence[float]) -> tuple[Cell, ...]:
    """The 2m + 1 cells of m strictly increasing finite breakpoints, in order."""
    out = []
    low = -math.inf
    for b in breakpoints:
        out += [Cell(low, b), Cell(b, b)]
        low = b
    out.append(Cell(low, math.inf))
    return tuple(out)


def coarse_cells(coarse: Sequence[float], fine: Sequence[float]) -> list[int]:
    """For each of the 2m + 1 cells of `fine`, the cell of `coarse`, a subset, that holds it."""
    out = [0]
    for b in fine:
        i = bisect_left(coarse, b)
        hit = i < len(coarse) and coarse[i] == b
        out += [2 * i + 1 if hit else 2 * i, 2 * bisect_right(coarse, b)]
    return out
