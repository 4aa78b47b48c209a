"""Paths of new rows down random trees: of a tree, no more is drawn than what the row meets.

Reference: Sullivan, Tiwari, Thrun & Piech (2023), Bayesian decision trees via tractable priors and
probabilistic context-free grammars, Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.columns import Test
from slp.data.table import Table, misses
from slp.problem.cut_routes import LEFT, NEITHER, Router, RowCut
from slp.trees import Leaf
from slp.trees.tree import Asked


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
    """The side that one new row (of `Table.new_rows`, shape (d,)) takes at cuts, each given by its
    feature and the two codes that are neighbours."""

    def __init__(self, table: Table, row: NDArray[np.object_]) -> None:
        self._features, self._row = table.features, row
        self._ways: dict[tuple[int, int, int, Test], int] = {}

    def misses(self, f: int) -> bool:
        """Whether the row misses the value of a feature."""
        return misses(self._row[f])

    def goes_left(self, cut: tuple[int, int, int], test: Test) -> bool | None:
        """Whether the row goes left at a cut with this test; None where that says no side."""
        way = self._ways.get((*cut, test))
        if way is None:
            f = cut[0]
            alone = RowCut(0, test)
            router = Router(self._features[f : f + 1], [alone])
            way = self._ways[*cut, test] = int(router.ways(self._row[f : f + 1])[0])
        return None if way == NEITHER else way == LEFT
