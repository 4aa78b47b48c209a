"""The trees of a saved run as arrays, and averages over them.

feature     int32 (N,): of each node in preorder, tree after tree, the number of its feature; -1
            at a leaf
operand     float64 (N,): the threshold, or the number of the level; of a test with two of k levels
            k times the number of the second, from 1, is added; 0 at a leaf, and of the test
            for missing values; of a test by subsets of k levels 2^k times the group on the left and
            the group on the right, whose binary digits are their levels; of a test with any number
            of levels (`ColumnKind.tests_have_sides`) its place in `sides`
sides       uint8 (S,), where there are such tests: of each a number for each level, 1 on the left
            side, 2 on the right, 0 on none
missing     uint8 (N,), where some values take a side alone: 0 where a test says no side, 1 the
            right side, 2 the left one, 3 of the test for missing values
statistics  float64 (K, k): of the rows in each leaf
added       float64 (K, k), of `modal` under smoothing alone: what is added to them to predict
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.columns import Test
from slp.columns.kind import ColumnKind
from slp.data.table import Table
from slp.problem.tree_arrays import TreeArrays, arrays_of_numbers
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import ScoredTrees
from slp.results.saved.archive import Archive, DamagedError
from slp.results.saved.tables import statistics_are_sound


class SavedTrees(DrawnTrees):
    """Trees whose leaves' statistics (K, k) are known without the rows of the table."""

    def __init__(
        self,
        table: Table,
        trees: ScoredTrees,
        chains: Sequence[NDArray[np.int64]],
        log_weights: Sequence[NDArray[np.float64]] | None,
        averaged: NDArray[np.float64],
        threads: int,
    ) -> None:
        super().__init__(table, trees, chains, threads, None, log_weights)
        self._of = (table, trees, chains, log_weights, averaged, threads)

    def __reduce__(self) -> tuple[type[SavedTrees], tuple[Any, ...]]:
        return SavedTrees, self._of

    @cached_property
    def _statistics(self) -> NDArray[np.float64]:
        return self._of[4]


def trees_to_members(folder: str, table: Table, trees: TreeArrays) -> dict[str, Any]:
    """Trees as the arrays above."""
    members = shapes_to_members(folder, table, trees)
    members[f"{folder}/statistics.npy"] = trees.statistics
    if trees.added is not None:
        members[f"{folder}/added.npy"] = trees.added
    return members


def shapes_to_members(folder: str, table: Table, trees: TreeArrays) -> dict[str, Any]:
    """Trees without what is in their leaves."""
    kinds = [feature.kind for feature in table.features]
    places, sides = _sides_of(trees, kinds)

    def operand(f: int, test: Test) -> float:
        if kinds[f].tests_have_sides:
            return places[kinds[f].test_to_sides(test).tobytes()]
        return kinds[f].test_to_number(test)

    members = {
        f"{folder}/feature.npy": trees.features(),
        f"{folder}/operand.npy": trees.by_node(operand, 0.0, np.float64),
    }
    missing = trees.by_node(lambda f, test: kinds[f].side_to_number(test), 0, np.uint8)
    if missing.any():
        members[f"{folder}/missing.npy"] = missing
    if sides:
        members[f"{folder}/sides.npy"] = np.frombuffer(sides, np.uint8)
    return members


def _sides_of(trees: TreeArrays, kinds: Sequence[ColumnKind]) -> tuple[dict[bytes, int], bytes]:
    """The sides of tests that no number tells, with their places, and all of them one after the
    other, in the order of the nodes."""
    places: dict[bytes, int] = {}
    n_sides = 0
    _, first = np.unique(trees.nodes, return_index=True)
    for f, test in (trees.tests[i] for i in trees.nodes[np.sort(first)] if i >= 0):
        if kinds[f].tests_have_sides:
            own = kinds[f].test_to_sides(test).tobytes()
            if places.setdefault(own, n_sides) == n_sides:
                n_sides += len(own)
    return places, b"".join(places)


def trees_of_members(archive: Archive, folder: str, table: Table) -> TreeArrays:
    """The trees of a file."""
    feature = archive.array(f"{folder}/feature.npy", np.int32, None)
    k, n_leaves = table.leaf.n_statistics, int((feature < 0).sum())
    statistics = archive.array(f"{folder}/statistics.npy", np.float64, n_leaves, k)
    sound = statistics_are_sound(table.leaf, statistics)
    added = None
    if f"{folder}/added.npy" in archive.contents:
        added = archive.array(f"{folder}/added.npy", np.float64, n_leaves, k)
        sound = sound and bool(np.isfinite(added).all())
    if not sound:
        raise DamagedError("the leaves of its trees are not sound")
    return shapes_of_members(archive, folder, table, statistics, added)


def shapes_of_members(
    archive: Archive,
    folder: str,
    table: Table,
    statistics: NDArray[np.float64],
    added: NDArray[np.float64] | None = None,
) -> TreeArrays:
    """The trees of a file, with what is in their leaves (K, k)."""
    feature = archive.array(f"{folder}/feature.npy", np.int32, None)
    operand = archive.array(f"{folder}/operand.npy", np.float64, len(feature))
    missing = np.zeros(len(feature), np.uint8)
    if f"{folder}/missing.npy" in archive.contents:
        missing = archive.array(f"{folder}/missing.npy", np.uint8, len(feature))
    _check_nodes(table, feature, operand)
    if missing[feature < 0].any():
        raise DamagedError("its trees are not sound")
    sides = np.empty(0, np.uint8)
    if f"{folder}/sides.npy" in archive.contents:
        sides = archive.array(f"{folder}/sides.npy", np.uint8, None)
    numbers = np.stack([feature, operand, missing], axis=1).astype(np.float64)
    test_of = partial(_test, table, sides)
    return arrays_of_numbers(table, numbers, test_of, _starts(feature), statistics, added)


def _check_nodes(table: Table, feature: NDArray[Any], operand: NDArray[Any]) -> None:
    of_table = (-1 <= feature) & (feature < len(table.features))
    if not of_table.all() or np.isnan(operand).any():
        raise DamagedError("its trees are not sound")


def _test(table: Table, sides: NDArray[np.uint8], f: int, value: float, way: int) -> Test:
    kind = table.features[f].kind
    try:
        if kind.tests_have_sides:
            place = int(value) if value.is_integer() and value >= 0 and not way else len(sides)
            return kind.test_of_sides(sides[place : place + kind.n_values])
        return kind.test_of_numbers(value, way)
    except ValueError as e:
        raise DamagedError("its trees are not sound") from e


def _starts(feature: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where the trees of nodes in preorder start, tree after tree, and the number of nodes."""
    # One subtree less is to come after a leaf, one more after a split: a tree ends where all its
    # leaves outnumber its splits for the first time.
    least = np.minimum.accumulate(np.cumsum([0, *np.where(feature < 0, -1, 1)]))
    ends = np.flatnonzero(np.diff(least) < 0) + 1
    if len(feature) and (not len(ends) or ends[-1] != len(feature)):
        raise DamagedError("its last tree has no end")
    return np.concatenate([[0], ends]).astype(np.int64)
