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

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import ScoredTree
from slp.results.saved.archive import Archive, DamagedError
from slp.results.saved.tables import statistics_are_sound
from slp.trees import Leaf, Split, Tree
from slp.trees.tree import Asked, tree_of_preorder


class SavedTrees(DrawnTrees):
    """Trees whose leaves' statistics (K, k) are known without the rows of the table."""

    def __init__(
        self,
        table: Table,
        trees: Sequence[ScoredTree],
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


def trees_to_members(folder: str, table: Table, trees: Sequence[Tree]) -> dict[str, Any]:
    """Trees, whose leaves know their statistics, as the arrays above."""
    number = {f.name: i for i, f in enumerate(table.features)}
    feature: list[int] = []
    operand: list[float] = []
    missing: list[int] = []
    sides: dict[bytes, int] = {}  # by test, its place
    n_sides = 0
    statistics, added = [], []
    for node in (node for tree in trees for node in tree.nodes()):
        if isinstance(node, Split):
            f = number[node.feature]
            feature.append(f)
            kind = table.features[f].kind
            missing.append(kind.side_to_number(node.test))
            if kind.tests_have_sides:
                own = kind.test_to_sides(node.test).tobytes()
                operand.append(sides.setdefault(own, n_sides))
                n_sides = max(n_sides, sides[own] + len(own))
            else:
                operand.append(kind.test_to_number(node.test))
            continue
        assert node.predictive is not None
        feature.append(-1)
        operand.append(0.0)
        missing.append(0)
        statistics.append(node.predictive.statistics)
        added.append(node.predictive.added)
    members = {
        f"{folder}/feature.npy": np.array(feature, np.int32),
        f"{folder}/operand.npy": np.array(operand, np.float64),
        f"{folder}/statistics.npy": np.array(statistics, np.float64),
    }
    if any(missing):
        members[f"{folder}/missing.npy"] = np.array(missing, np.uint8)
    if sides:
        members[f"{folder}/sides.npy"] = np.frombuffer(b"".join(sides), np.uint8)
    known = [own for own in added if own is not None]
    if known:
        assert len(known) == len(added)
        members[f"{folder}/added.npy"] = np.array(known, np.float64)
    return members


def trees_of_members(archive: Archive, folder: str, table: Table) -> list[Tree]:
    """The trees of a file."""
    feature = archive.array(f"{folder}/feature.npy", np.int32, None)
    operand = archive.array(f"{folder}/operand.npy", np.float64, len(feature))
    missing = np.zeros(len(feature), np.uint8)
    if f"{folder}/missing.npy" in archive.contents:
        missing = archive.array(f"{folder}/missing.npy", np.uint8, len(feature))
    _check_nodes(table, feature, operand)
    if missing[feature < 0].any():
        raise DamagedError("its trees are not sound")
    k, n_leaves = table.leaf.n_statistics, int((feature < 0).sum())
    statistics = archive.array(f"{folder}/statistics.npy", np.float64, n_leaves, k)
    sound = statistics_are_sound(table.leaf, statistics)
    added = None
    if f"{folder}/added.npy" in archive.contents:
        added = archive.array(f"{folder}/added.npy", np.float64, n_leaves, k)
        sound = sound and bool(np.isfinite(added).all())
    if not sound:
        raise DamagedError("the leaves of its trees are not sound")
    leaves = iter(
        [
            Leaf.of(table.leaf, own, None if added is None else added[i])
            for i, own in enumerate(statistics)
        ]
    )
    sides = np.empty(0, np.uint8)
    if f"{folder}/sides.npy" in archive.contents:
        sides = archive.array(f"{folder}/sides.npy", np.uint8, None)
    tests = _tests(table, feature.tolist(), operand.tolist(), missing.tolist(), sides)
    return list(_parted(next(leaves) if test is None else test for test in tests))


def _check_nodes(table: Table, feature: NDArray[Any], operand: NDArray[Any]) -> None:
    of_table = (-1 <= feature) & (feature < len(table.features))
    if not of_table.all() or np.isnan(operand).any():
        raise DamagedError("its trees are not sound")


def _tests(
    table: Table,
    feature: list[int],
    operand: list[float],
    missing: list[int],
    sides: NDArray[np.uint8],
) -> Iterator[Asked | None]:
    for f, value, way in zip(feature, operand, missing, strict=True):
        if f < 0:
            yield None
            continue
        own = table.features[f]
        try:
            if own.kind.tests_have_sides:
                place = int(value) if value.is_integer() and value >= 0 and not way else len(sides)
                test = own.kind.test_of_sides(sides[place : place + own.kind.n_values])
            else:
                test = own.kind.test_of_numbers(value, way)
            yield own.name, test
        except ValueError as e:
            raise DamagedError("its trees are not sound") from e


def _parted(nodes: Iterator[Leaf | Asked]) -> Iterator[Tree]:
    """The trees of nodes in preorder, tree after tree."""
    own: list[Leaf | Asked] = []
    still_open = 1
    for node in nodes:
        own.append(node)
        still_open += -1 if isinstance(node, Leaf) else 1
        if still_open == 0:
            yield tree_of_preorder(own)
            own, still_open = [], 1
    if own:
        raise DamagedError("its last tree has no end")
