"""Draws from exact sums: trees and paths of new rows, from the root down, and the trees of
derivations.

Reference: Sullivan, Tiwari, Thrun & Piech (2023), Bayesian decision trees via tractable priors and
probabilistic context-free grammars, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.engines.exact.items import CALL, LEAF, CutOfCodes, Items
from slp.engines.exact.passes import Passes
from slp.problem.new_rows import share_of_untold
from slp.problem.numbered_cuts import Cuts, as_cuts
from slp.problem.tree_arrays import arrays_of_cuts
from slp.problem.tree_on_table import tree_of_nodes
from slp.results.averages.over_trees import ScoredTree, ScoredTrees
from slp.results.averages.paths import Sides, TreePath
from slp.trees import Leaf
from slp.trees.parts import Asked

# Approximate bytes of a drawn tree.
_BYTES_PER_NODE = 600


class DrawsFromSums:
    """Draws from the items of a sum over all trees."""

    def __init__(self, items: Items, passes: Passes, table: Table, *, likelihood: bool) -> None:
        self._items, self._passes, self._table = items, passes, table
        self._likelihood = likelihood

    def trees(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """Independent draws, each from the root down: an edge by its probability, then left before
        right."""
        cumulative: dict[int, NDArray[np.float64]] = {}
        out: list[_Parts] = []
        size = 0
        for _ in range(n):
            with self._passes.working():
                if self._items.make_room(size):
                    cumulative.clear()
                steps = self._draw(rng, cumulative)
                out.append(_Parts.of_steps(self._items, self._table, steps))
                size += len(steps) * (_BYTES_PER_NODE + 8 * self._table.leaf.n_statistics)
        trees = arrays_of_cuts(self._table, [p.cuts for p in out], [p.statistics for p in out])
        weights, fits = ([p.log_weight for p in out], [p.log_likelihood for p in out])
        return ScoredTrees(trees, np.array(weights, np.float64), np.array(fits, np.float64))

    def _draw(
        self, rng: np.random.Generator, cumulative: dict[int, NDArray[np.float64]]
    ) -> list[tuple[int, int]]:
        items = self._items
        out: list[tuple[int, int]] = []
        stack = [0]
        while stack:
            item = stack.pop()
            edge = self._draw_edge(item, rng, cumulative)
            out.append((item, edge))
            stack += reversed(items.children(item, edge))
        return out

    def _draw_edge(
        self, item: int, rng: np.random.Generator, cumulative: dict[int, NDArray[np.float64]]
    ) -> int:
        total = cumulative.get(item)
        if total is None:
            scores = self._items.edges(item).scores(self._likelihood)
            total = cumulative[item] = np.cumsum(np.exp(scores - scores.max()))
        place = int(total.searchsorted(rng.random() * total[-1], side="right"))
        return min(place, len(total) - 1)

    def paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]]:
        """For each new row n paths, each drawn as a tree of which the sides that the row does not
        take are not opened (see `TreeDistribution`)."""
        cumulative: dict[int, NDArray[np.float64]] = {}
        out: list[list[TreePath]] = []
        size = 0
        for row in rows:
            sides = Sides(self._table, row)
            out.append([])
            for _ in range(n):
                with self._passes.working():
                    if self._items.make_room(size):
                        cumulative.clear()
                    path = self._draw_path(sides, rng, cumulative)
                out[-1].append(path)
                per_path = len(path.tests) + 1
                size += per_path * _BYTES_PER_NODE + 8 * self._table.leaf.n_statistics
        return out

    def _draw_path(
        self,
        sides: Sides,
        rng: np.random.Generator,
        cumulative: dict[int, NDArray[np.float64]],
    ) -> TreePath:
        items = self._items
        tests: list[Asked] = []
        ways: list[bool] = []
        item = 0
        while True:
            edge = self._draw_edge(item, rng, cumulative)
            cut = items.edges(item).cut(edge)
            if cut[0] == LEAF:
                break
            children = items.children(item, edge)
            if cut[0] == CALL:
                (item,) = children
                continue
            f, low, high = cut
            feature = self._table.features[f]
            asked = feature.kind.test(low, high, self._table.codes[items.rows[item], f])
            goes_left = sides.goes_left(f, asked)
            if goes_left is None:
                ours, others = (self._table.row_weights[items.rows[i]].sum() for i in children)
                share = share_of_untold(
                    feature, float(ours), float(others), missing=sides.misses(f)
                )
                goes_left = rng.random() < share
            tests.append((feature.name, asked))
            ways.append(goes_left)
            item = children[0 if goes_left else 1]
        return TreePath(tuple(tests), tuple(ways), Leaf.of(self._table.leaf, items.leaf(item)))


class _Parts(NamedTuple):
    """A derivation: its nodes that are no calls in preorder, the statistics of its leaves one after
    the other, log weight and log likelihood."""

    cuts: Cuts
    statistics: NDArray[np.float64]
    log_weight: float
    log_likelihood: float

    @classmethod
    def of_steps(cls, items: Items, table: Table, steps: Sequence[tuple[int, int]]) -> _Parts:
        """That of items and edges in preorder."""
        nodes: list[CutOfCodes] = []
        leaves: list[NDArray[np.float64]] = []
        log_weight = log_likelihood = 0.0
        for item, edge in reversed(steps):
            edges = items.edges(item)
            log_weight += float(edges.log_weight[edge])
            cut = edges.cut(edge)
            if cut[0] == LEAF:
                log_likelihood += edges.log_likelihood
                leaves.append(items.leaf(item))
            if cut[0] != CALL:
                nodes.append(cut)
        return cls(as_cuts(nodes[::-1]), np.concatenate(leaves[::-1]), log_weight, log_likelihood)


def tree_of_steps(items: Items, table: Table, steps: Sequence[tuple[int, int]]) -> ScoredTree:
    """The tree of a derivation given as its items and edges in preorder."""
    parts = _Parts.of_steps(items, table, steps)
    statistics = parts.statistics.reshape(-1, table.leaf.n_statistics)
    leaves = [Leaf.of(table.leaf, own) for own in statistics]
    tree = tree_of_nodes(table, parts.cuts.tolist(), leaves)
    return ScoredTree(tree, parts.log_weight, parts.log_likelihood)
