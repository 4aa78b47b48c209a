"""From boxes and cuts to `Tree`, and back: the rows that a tree's test sends left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from slp.columns import Test
from slp.problem.tree_on_table import place_tree
from slp.reference.boxes import Geometry
from slp.trees import Leaf, Tree
from slp.trees.leaf_priors import prior_in
from slp.trees.parts import Asked
from slp.trees.regions import EVERYWHERE
from slp.trees.tree import tree_of_preorder


class Part(NamedTuple):
    """A node of a tree on a table: its box and, where it splits, the feature (-1 at a leaf), the
    boxes of its sides and the positions of its children among the parts."""

    box: int
    feature: int = -1
    left_box: int = 0
    right_box: int = 0
    left: int = -1
    right: int = -1


class Renderer:
    """Makes trees with canonical thresholds and leaf summaries."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self._leaves: dict[tuple[int, int], Leaf] = {}

    def tree(self, preorder: Iterable[tuple[int, int | None]]) -> Tree:
        """A tree from its nodes in preorder: each box, with the number of its cut (None: a
        leaf)."""
        names = self.geometry.table.feature_names
        flat: list[Leaf | Asked] = []
        regions, model = [EVERYWHERE], self.geometry.table.leaf
        for box, cut in preorder:
            region = regions.pop()
            if cut is None:
                flat.append(self._leaf(box, prior_in(region, model)))
                continue
            asked = names[self.geometry.cuts[cut].feature], self.geometry.test(cut, box)
            flat.append(asked)
            # Without boxes no prior depends on the region.
            regions += reversed(region.parts(*asked)) if model.in_boxes else (region, region)
        return tree_of_preorder(flat)

    def _leaf(self, box: int, prior: int) -> Leaf:
        if (box, prior) not in self._leaves:
            statistics = self.geometry.leaf_statistics([box], [prior])[0]
            self._leaves[box, prior] = Leaf.of(self.geometry.table.leaf, statistics)
        return self._leaves[box, prior]


def parts_of_tree(geometry: Geometry, tree: Tree) -> list[Part] | None:
    """The nodes of a tree with their rows, the root first; None if the codes do not determine the
    rows."""
    placed = place_tree(geometry.table, tree)
    if placed is None:
        return None
    boxes = [geometry.box_of(placed.rows_of(node)) for node in placed.nodes]
    return [
        Part(box)
        if node.feature < 0
        else Part(box, node.feature, boxes[node.left], boxes[node.right], node.left, node.right)
        for box, node in zip(boxes, placed.nodes, strict=True)
    ]


def rows_left(geometry: Geometry, box: int, f: int, test: Test) -> int:
    """The rows of a box that a test on feature `f` sends left, without the rows whose side the
    codes do not determine."""
    left, _ = geometry.table.features[f].kind.sides(test)
    out = 0
    for code, rows in geometry.rows_by_code[f]:
        if left[code]:
            out |= box & rows
    return out
