"""Paths of new rows down random trees: of a tree, no more is drawn than what the row meets.

Reference: Sullivan, Tiwari, Thrun & Piech (2023), Bayesian decision trees via tractable priors and
probabilistic context-free grammars, Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.columns import LEFT, UNTOLD, Test
from slp.data.table import Table, misses
from slp.problem.new_rows import rows_as_numbers
from slp.trees import Leaf
from slp.trees.parts import Asked


@dataclass(frozen=True)
class TreePath:
    """The way of a row down a tree.

    Attributes
    ----------
    tests : what it meets, the root's first: feature and test, as `Split.asked`.
    goes_left : for each of them, whether the row goes left there.
    leaf : the leaf that it ends in.
    """

    tests: tuple[Asked, ...]
    goes_left: tuple[bool, ...]
    leaf: Leaf


class Sides:
    """The side that one new row (of `Table.new_rows`, shape (d,)) takes at tests of features."""

    def __init__(self, table: Table, row: NDArray[np.object_]) -> None:
        self._features, self._row = table.features, row
        self._numbers = rows_as_numbers(table, row[None])[0]
        self._ways: dict[tuple[int, Test], int] = {}

    def misses(self, f: int) -> bool:
        """Whether the row misses the value of a feature."""
        return misses(self._row[f])

    def goes_left(self, f: int, test: Test) -> bool | None:
        """Whether the row goes left at a test of a feature; None where that says no side."""
        way = self._ways.get((f, test))
        if way is None:
            (way,) = self._features[f].kind.ways(test, self._numbers[f : f + 1]).tolist()
            self._ways[f, test] = way
        return None if way == UNTOLD else way == LEFT
