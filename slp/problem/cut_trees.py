"""From boxes and cuts to `Tree`, and back: the rows that a tree's test sends left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from slp.data.table import Feature
from slp.problem.boxes import Geometry
from slp.trees import Leaf, Split, Tree

__all__ = ["Part", "Renderer", "parts_of_tree", "rows_left"]


class Part(NamedTuple):
    """A node of a tree on a table: its box and, where it splits, the feature, the boxes of its
    sides and the positions of its children among the parts."""

    box: int
    split: Split | None = None
    feature: int = -1
    left_box: int = 0
    right_box: int = 0
    left: int = -1
    right: int = -1


class Renderer:
    """Makes trees with canonical thresholds and leaf summaries."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self._leaves: dict[int, Leaf] = {}

    def tree(self, preorder: Iterable[tuple[int, int | None]]) -> Tree:
        """A tree from its nodes in preorder: each box, with the number of its cut (None: a
        leaf)."""
        done: list[Leaf | Split] = []
        for box, cut in reversed(list(preorder)):
            if cut is None:
                done.append(self._leaf(box))
            else:
                c = self.geometry.cuts[cut]
                name = self.geometry.table.features[c.feature].name
                done.append(Split(name, c.threshold, c.level, left=done.pop(), right=done.pop()))
        return Tree(done.pop())

    def _leaf(self, box: int) -> Leaf:
        if box not in self._leaves:
            statistics = self.geometry.statistics([box])[0]
            self._leaves[box] = Leaf.of(self.geometry.table.leaf, statistics)
        return self._leaves[box]


def parts_of_tree(geometry: Geometry, tree: Tree) -> list[Part] | None:
    """The nodes of a tree with the rows that they hold, the root first; None if the codes do not
    tell."""
    names = geometry.table.feature_names
    nodes = [tree.root]
    boxes = [geometry.root]
    out: list[Part] = []
    for node in nodes:  # grows while it is read
        box = boxes[len(out)]
        if isinstance(node, Leaf):
            out.append(Part(box))
            continue
        left = rows_left(geometry, box, node)
        if left is None:
            return None
        right, place = box ^ left, len(nodes)
        out.append(Part(box, node, names.index(node.feature), left, right, place, place + 1))
        nodes += [node.left, node.right]
        boxes += [left, right]
    return out


def rows_left(geometry: Geometry, box: int, split: Split) -> int | None:
    """The rows of a box that a tree's test sends left.

    None if that cannot be told from the codes (a threshold inside a bin that holds rows of the
    box), or if the table has no such feature, or the test is not of the feature's kind.
    """
    table = geometry.table
    if split.feature not in table.feature_names:
        return None
    f = table.feature_names.index(split.feature)
    feature = table.features[f]
    left = 0
    for code, rows in geometry.rows_by_code[f]:
        if here := box & rows:
            side = _goes_left(feature, code, split)
            if side is None:
                return None
            left |= here if side else 0
    return left


def _goes_left(feature: Feature, code: int, split: Split) -> bool | None:
    """Whether rows of a code pass a test; None if the code does not tell."""
    if feature.levels is not None:
        return None if split.level is None else feature.levels[code] == split.level
    if split.threshold is None:
        return None
    if feature.values is not None:
        return bool(feature.values[code] < split.threshold)
    cuts = feature.cuts
    assert cuts is not None
    if code < len(cuts) and cuts[code] <= split.threshold:  # value < cuts[code]
        return True
    if code > 0 and cuts[code - 1] >= split.threshold:  # value >= cuts[code - 1]
        return False
    return None
