"""A given tree on a coded table: the distinct rows that each node holds, found by their codes.

All rows are in one array, and the rows of a node are a range of it. So a tree of any size takes one
number a row, whatever the number of cuts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.problem.numbered_cuts import as_cuts
from slp.trees import Leaf, Split, Tree
from slp.trees.leaf_priors import prior_in
from slp.trees.regions import EVERYWHERE
from slp.trees.tree import tree_of_preorder


class PlacedNode(NamedTuple):
    """A node of a tree on a table.

    Attributes
    ----------
    begin, end : the range of its rows in `TreeOnTable.rows`.
    feature : the feature that it splits on, -1 at a leaf.
    low, high : the cut, as `slp.columns` has it: of a threshold the largest code on its left
        side and the smallest on its right, which are neighbours in the node; of a test on a level
        both are its code. -1 where there is none.
    left, right : positions of its children among the nodes, -1 at a leaf.
    """

    begin: int
    end: int
    feature: int = -1
    low: int = -1
    high: int = -1
    left: int = -1
    right: int = -1


@dataclass(frozen=True, eq=False)
class TreeOnTable:
    """A tree's nodes, the root first and parents before their children.

    Attributes
    ----------
    rows : intp, shape (n,). The distinct rows of the table, those of each leaf ascending.
    """

    table: Table
    nodes: tuple[PlacedNode, ...]
    rows: NDArray[np.intp]

    def rows_of(self, node: PlacedNode) -> NDArray[np.intp]:
        """The rows of a node; of a leaf ascending."""
        return self.rows[node.begin : node.end]


def place_tree(table: Table, tree: Tree) -> TreeOnTable | None:
    """A tree's nodes on a table. A side of a split may hold no rows.

    None if the codes do not determine the rows of a node (a threshold inside a bin that holds rows
    of the node), if the table has no such feature, or if a test does not fit the feature's kind.
    """
    features = {f.name: (i, f) for i, f in enumerate(table.features)}
    n = len(table.counts)
    order = np.arange(n)
    source = [tree.root]
    runs = [(0, n)]
    nodes: list[PlacedNode] = []
    for node in source:  # grows while it is read
        begin, end = runs[len(nodes)]
        if isinstance(node, Leaf):
            nodes.append(PlacedNode(begin, end))
            continue
        if node.feature not in features:
            return None
        f, feature = features[node.feature]
        rows = order[begin:end]
        codes = table.codes[rows, f]
        goes_left = _goes_left(feature, codes, node)
        if goes_left is None:
            return None
        left, right = rows[goes_left], rows[~goes_left]
        middle, child = begin + len(left), len(source)
        order[begin:middle], order[middle:end] = left, right
        low, high = feature.kind.cut_between(codes[goes_left], codes[~goes_left])
        nodes.append(PlacedNode(begin, end, f, low, high, child, child + 1))
        source += [node.left, node.right]
        runs += [(begin, middle), (middle, end)]
    return TreeOnTable(table, tuple(nodes), order)


def canonical_nodes(placed: TreeOnTable) -> NDArray[Any] | None:
    """The nodes in preorder with canonical tests: feature (-1 at a leaf) and the cut as
    `slp.columns` has it, shape (N, 3): int32, or integers of any length for sets of many levels.
    None if a side of a split holds no rows.

    Of two levels left in a node `= a` and `= b` are one split, on the level sorted first. If the
    tree has the other one, its sides are exchanged.
    """
    out: list[tuple[int, int, int]] = []
    stack = [0]
    while stack:
        node = placed.nodes[stack.pop()]
        if node.feature < 0:
            out.append((-1, 0, 0))
            continue
        sides = placed.nodes[node.left], placed.nodes[node.right]
        if any(side.begin == side.end for side in sides):
            return None
        low, high, below = node.low, node.high, (node.right, node.left)
        feature = placed.table.features[node.feature]
        if feature.kind.categorical or feature.kind.missing_code is not None:
            left, right = (placed.table.codes[placed.rows_of(s), node.feature] for s in sides)
            other = feature.kind.other_way(left, right)
            if other is not None:
                (low, high), below = other, (node.left, node.right)
        out.append((node.feature, low, high))
        stack += below
    return as_cuts(out)


def tree_of_nodes(table: Table, nodes: Sequence[Sequence[int]], leaves: Sequence[Leaf]) -> Tree:
    """The tree of nodes as `canonical_nodes` gives them, and of its leaves in the same order."""
    left, codes = iter(leaves), codes_of_levels(table, nodes)
    return tree_of_preorder(
        next(left)
        if f < 0
        else (table.features[f].name, table.features[f].kind.test(low, high, codes.get(i)))
        for i, (f, low, high) in enumerate(nodes)
    )


def codes_of_levels(table: Table, nodes: Sequence[Sequence[int]]) -> dict[int, NDArray[np.int32]]:
    """For the position of each node in preorder whose test depends on the levels of its box, the
    codes of its rows."""
    asked = [f >= 0 and table.features[f].kind.test_depends_on_box for f, _, _ in nodes]
    out: dict[int, NDArray[np.int32]] = {}
    if not any(asked):
        return out
    last = len(asked) - 1 - asked[::-1].index(True)
    stack = [np.arange(len(table.counts))]
    for i, (f, low, high) in enumerate(nodes[: last + 1]):
        rows = stack.pop()
        if f < 0:
            continue
        codes = table.codes[rows, f]
        if asked[i]:
            out[i] = codes
        left = table.features[f].kind.left_of_cut(low, high)[codes]
        stack += [rows[~left], rows[left]]
    return out


def log_likelihood_of_tree(table: Table, tree: Tree) -> float:
    """Sum of the leaves' log marginal likelihoods; -inf if the codes do not determine their
    rows."""
    placed = place_tree(table, tree)
    if placed is None:
        return -math.inf
    nodes = canonical_nodes(placed) if table.leaf.in_boxes else None
    if nodes is not None:
        sums = statistics_of_nodes(table, nodes.tolist())
    else:  # of one prior, or a side of a split holds no rows, so that the tree has no weight
        leaves = [node for node in placed.nodes if node.feature < 0]
        sums = np.array([table.statistics[placed.rows_of(own)].sum(axis=0) for own in leaves])
    return float(table.leaf.log_marginal(sums).sum())


def statistics_of_nodes(table: Table, nodes: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The statistics of the leaves, each with its prior, of a tree given by its nodes as
    `canonical_nodes` has them, (K, k)."""
    codes, sums, priors = codes_of_levels(table, nodes), [], []
    stack = [(np.arange(len(table.counts)), EVERYWHERE)]
    for i, (f, low, high) in enumerate(nodes):
        rows, region = stack.pop()
        if f < 0:
            sums.append(table.statistics[rows].sum(axis=0))
            priors.append(prior_in(region, table.leaf))
            continue
        feature = table.features[f]
        left = feature.kind.left_of_cut(low, high)[table.codes[rows, f]]
        sides = region.parts(feature.name, feature.kind.test(low, high, codes.get(i)))
        stack += [(rows[~left], sides[1]), (rows[left], sides[0])]
    return table.leaf.with_prior(np.array(sums), priors)


def _goes_left(
    feature: Feature, codes: NDArray[np.int32], split: Split
) -> NDArray[np.bool_] | None:
    """Which codes of some rows pass a test; None if a code does not determine it."""
    if not feature.kind.asks(split.test):
        return None
    left, untold = feature.kind.sides(split.test)
    return None if untold[codes].any() else left[codes]
