"""Trees of cuts, the states of tree moves, and their tests on other rows.

A tree is the numbers of its cuts (`Geometry.cuts`) in preorder, with `LEAF` for a leaf. Each cut is
the canonical one of its node's box. So two trees are equal if and only if their tuples are equal.

A move applies tests to other boxes. A test keeps its threshold (or level), and its cut becomes the
canonical one of the resulting split. Information that the reverse move needs may be lost: the
canonical threshold in the new box can part the old box differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

from slp.reference.boxes import BoxSplit, Geometry
from slp.reference.cut_trees import rows_left

#: Numbers of cuts in preorder, `LEAF` where a node does not split.
CutTree: TypeAlias = tuple[int, ...]
LEAF = -1


class PlacedTree:
    """A tree on the table, its nodes numbered in preorder.

    Attributes
    ----------
    cuts : the tree.
    boxes : the rows of each node.
    ends : of each node, the number behind the last of its subtree.
    parents : of each node, -1 of the root.
    """

    def __init__(self, geometry: Geometry, cuts: CutTree) -> None:
        self.geometry, self.cuts = geometry, cuts
        self.boxes: list[int] = []
        self.parents: list[int] = []
        self.ends = [0] * len(cuts)
        stack = [(geometry.root, -1)]
        for i, cut in enumerate(cuts):
            box, parent = stack.pop()
            self.boxes.append(box)
            self.parents.append(parent)
            if cut != LEAF:
                left = passing(geometry, box, cut)
                stack += [(box ^ left, i), (left, i)]
        for i in reversed(range(len(cuts))):
            self.ends[i] = i + 1 if cuts[i] == LEAF else self.ends[self.ends[i + 1]]

    @cached_property
    def internal(self) -> list[int]:
        """The nodes that split."""
        return [i for i, cut in enumerate(self.cuts) if cut != LEAF]

    @cached_property
    def leaves(self) -> list[int]:
        """The nodes that do not."""
        return [i for i, cut in enumerate(self.cuts) if cut == LEAF]

    def child(self, i: int, side: int) -> int:
        """The left (0) or the right (1) child of a node that splits."""
        return self.ends[i + 1] if side else i + 1

    def subtree(self, i: int) -> CutTree:
        """The tree below a node."""
        return self.cuts[i : self.ends[i]]

    def with_subtree(self, i: int, new: CutTree) -> CutTree:
        """The tree with another one below a node."""
        return self.cuts[:i] + new + self.cuts[self.ends[i] :]

    def placed(self, i: int, cut: int, below: Sequence[tuple[int, ...]]) -> CutTree | None:
        """The tree with another test at a node, and the tests of two trees below it. None if one of
        the tests makes no valid split."""
        new = same_tests(self.geometry, self.boxes[i], (cut, *below[0], *below[1]))
        return None if new is None else self.with_subtree(i, new)


def passing(geometry: Geometry, box: int, cut: int) -> int:
    """The rows of a box that pass the test of a cut."""
    c = geometry.cuts[cut]
    return rows_left(geometry, box, c.feature, c.test)


def split_with(geometry: Geometry, box: int, feature: int, left: int) -> BoxSplit | None:
    """The valid split of a box on a feature that has these rows on its left side."""
    for split in geometry.splits(box):
        if split.left == left and geometry.cuts[split.cut].feature == feature:
            return split
    return None


def same_split(geometry: Geometry, box: int, cut: int) -> BoxSplit | None:
    """The valid split of a box that the test of a cut makes. None also if it tests the second of
    two levels: that split is the test on the first, with its sides exchanged."""
    left = passing(geometry, box, cut)
    return split_with(geometry, box, geometry.cuts[cut].feature, left)


def same_tests(geometry: Geometry, box: int, tests: CutTree) -> CutTree | None:
    """The tree with these tests in a box. None if one makes no valid split there."""
    out: list[int] = []
    stack = [box]
    for cut in tests:
        here = stack.pop()
        if cut == LEAF:
            out.append(LEAF)
            continue
        split = same_split(geometry, here, cut)
        if split is None:
            return None
        out.append(split.cut)
        stack += [split.right, split.left]
    return tuple(out)


def restricted(geometry: Geometry, box: int, tree: PlacedTree, i: int) -> CutTree | None:
    """The tree below a node on a part of its rows. Tests that all or none of the rows pass are
    removed. None if another test makes no valid split."""
    out: list[int] = []
    stack = [(box, i)]
    while stack:
        here, at = stack.pop()
        cut = tree.cuts[at]
        if cut == LEAF:
            out.append(LEAF)
            continue
        left = passing(geometry, here, cut)
        if left in (0, here):
            stack.append((here, tree.child(at, 0 if left else 1)))
            continue
        split = same_split(geometry, here, cut)
        if split is None:
            return None
        out.append(split.cut)
        stack += [(split.right, tree.child(at, 1)), (split.left, tree.child(at, 0))]
    return tuple(out)
