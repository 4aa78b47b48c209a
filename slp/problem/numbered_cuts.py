"""Cuts as the core writes them, and as `slp.columns` has them.

They are the same two numbers but for columns whose cuts depend on the responses: there the core
numbers the orders of levels that it meets, so that its numbers hold in one problem alone. What is
written down, or given to another problem, has the sets of levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table

if TYPE_CHECKING:
    from slp._core import ExactEngine

#: Nodes or cuts, a row for each, of which the last three columns are feature (below 0: none), low
#: and high: int32 or int64; of Python's integers where some are sets of levels.
Cuts: TypeAlias = NDArray[Any]


def as_cuts(nodes: Sequence[tuple[int, int, int]]) -> Cuts:
    """Nodes, each a feature (below 0: none), low and high, shape (N, 3); at least one."""
    small = max(high for _, *cut in nodes for high in cut) < 2**31
    return np.array(nodes, np.int32 if small else object)


class CoreCuts:
    """The cuts of an `ExactEngine` on a table."""

    def __init__(self, engine: ExactEngine, table: Table) -> None:
        self._engine = engine
        self._numbered = [
            f for f, feature in enumerate(table.features) if feature.kind.numbered_by_core
        ]
        self._sets: dict[tuple[int, int, int], tuple[int, int]] = {}

    def of_data(self, numbers: Sequence[int], width: int) -> Cuts:
        """Cuts that were written down as plain numbers, one after the other, in rows of so many."""
        kind = object if self._numbered else np.int32
        return np.array(numbers, kind).reshape(-1, width)

    def of_core(self, cuts: Cuts) -> Cuts:
        """Cuts that the core wrote, as `slp.columns` has them, shape as given."""
        at = self._numbered_rows(cuts)
        if not len(at):
            return cuts
        out = cuts.astype(object)
        for i in at:
            out[i, -2:] = self.sets(*map(int, cuts[i, -3:]))
        return out

    def to_core(self, cuts: Cuts) -> Cuts:
        """The same in the other direction; int32."""
        at = self._numbered_rows(cuts)
        if len(at):
            cuts = cuts.copy()
            for i in at:
                f, *sides = cuts[i, -3:]
                cuts[i, -2:] = self._engine.cut_of_sides(f, *map(_codes, sides))
        return np.ascontiguousarray(cuts, np.int32)

    def sets(self, f: int, low: int, high: int) -> tuple[int, int]:
        """A cut that the core wrote, on one feature."""
        if f not in self._numbered:
            return low, high
        found = self._sets.get((f, low, high))
        if found is None:
            left, right = self._engine.sides_of_cut(f, low, high)
            found = self._sets[f, low, high] = _set(left), _set(right)
        return found

    def _numbered_rows(self, cuts: Cuts) -> NDArray[np.intp]:
        if not self._numbered:
            return np.empty(0, np.intp)
        return np.flatnonzero(np.isin(cuts[:, -3].astype(np.int64), self._numbered))


def _set(codes: Sequence[int]) -> int:
    """A set of codes as binary digits."""
    return sum(1 << code for code in codes)


def _codes(of: int) -> list[int]:
    """The codes in a set, ascending."""
    return [code for code, digit in enumerate(reversed(bin(of)[2:])) if digit == "1"]
