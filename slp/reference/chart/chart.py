"""Exact inference on the packed forest: inside and outside scores, and all quantities from them.

With w(e) the weight of edge e (with the likelihood of leaves for the posterior), Q = inside, and
p(e) = w(e) Q(left) Q(right) / Q(item), the probability of e given that a derivation visits its
item:

    visits(item)   = sum over edges e that lead to it of visits(item of e) x p(e),   visits(0) = 1
    outside(item)  = visits(item) Q(0) / Q(item)     = d Q(0) / d Q(item)
    d log Q(0) / d log w(e) = visits(item of e) p(e)

Reference: Goodman (1999), Semiring parsing. The k best are those of `slp.engines.shared.kbest`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.shared.kbest import KBest
from slp.engines.shared.near_best import near_best
from slp.problem.ambiguity import derivations_are_trees
from slp.reference.chart.forest import CALL, LEAF, Forest
from slp.reference.chart.lengths import depth_distribution, leaf_distribution
from slp.reference.chart.rows import ChartOfRows
from slp.reference.chart.semirings import best_score, fold, log_sum, tree_count, usage
from slp.reference.cut_trees import Renderer
from slp.reference.local_process import LocalProcess
from slp.reference.tree_weights import log_weight_of_tree
from slp.results.averages.left_out import HeldRows, LeftOut
from slp.results.averages.over_trees import (
    NEGLIGIBLE,
    ScoredTree,
    ScoredTrees,
)
from slp.results.averages.paths import Sides, TreePath
from slp.trees import Leaf, Tree
from slp.trees.parts import Asked


@dataclass(frozen=True, eq=False)
class _RankedEdges:
    """The edges of a forest for `KBest`; `best`, shape (N + 1,), is the log weight of each item's
    best derivation."""

    forest: Forest
    weight: NDArray[np.float64]
    best: NDArray[np.float64]

    def ranked(self, item: int) -> Iterator[tuple[float, int, int]]:
        e, f = self.forest.edges(item), self.forest
        scores = self.weight[e] + self.best[f.left[e]] + self.best[f.right[e]]
        for score, edge in zip(scores.tolist(), range(e.start, e.stop), strict=True):
            yield score, edge, len(self.children(item, edge))

    def children(self, item: int, edge: int) -> tuple[int, ...]:
        both = int(self.forest.left[edge]), int(self.forest.right[edge])
        return tuple(child for child in both if child != self.forest.n_items)

    def log_weight(self, item: int, edge: int) -> float:
        return float(self.weight[edge])


class Chart(ChartOfRows):
    """The distribution over trees that a forest stands for (a `TreeDistribution`).

    With `likelihood` the leaves' marginal likelihoods are in the weights: the posterior; without,
    the prior.
    """

    def __init__(self, forest: Forest, likelihood: bool) -> None:
        self.forest, self.likelihood = forest, likelihood
        self.renderer = Renderer(forest.geometry)

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: without the cache of goals."""
        return {name: value for name, value in vars(self).items() if name != "_process"}

    def other(self, likelihood: bool) -> Chart:
        """The same forest with or without likelihood."""
        if likelihood == self.likelihood:
            return self
        out = Chart(self.forest, likelihood)
        out.statistics, out.log_likelihood = self.statistics, self.log_likelihood
        return out

    @cached_property
    def derivations_are_trees(self) -> bool:
        """Whether it is certain that no tree has two derivations."""
        return derivations_are_trees(self.forest.grammar)

    @property
    def left_out(self) -> float:
        """No tree is left out."""
        return 0.0

    # --- weights and probabilities -------------------------------------------------------------

    @cached_property
    def statistics(self) -> NDArray[np.float64]:
        """Sufficient statistics of the leaves that items can be, shape (L, k)."""
        f = self.forest
        return f.geometry.leaf_statistics([f.boxes[b] for b in f.leaf_box.tolist()], f.leaf_prior)

    @cached_property
    def log_likelihood(self) -> NDArray[np.float64]:
        """Log marginal likelihood of each leaf that an item can be, shape (L,)."""
        return self.forest.geometry.table.leaf.log_marginal(self.statistics)

    @cached_property
    def edge_weight(self) -> NDArray[np.float64]:
        """log w of the edges, shape (E,)."""
        if not self.likelihood:
            return self.forest.log_weight
        out = self.forest.log_weight.copy()
        out[self._leaf_edges] += self.log_likelihood[self.forest.item_leaf[self._leaf_items]]
        return out

    @cached_property
    def log_inside(self) -> NDArray[np.float64]:
        """log Q of every item and of the unit item, shape (N + 1,)."""
        return fold(self.forest, log_sum(self.edge_weight))

    @property
    def log_total(self) -> float:
        """log Q(0): log of the weight of all trees together."""
        return float(self.log_inside[0])

    @cached_property
    def edge_probability(self) -> NDArray[np.float64]:
        """Probability of each edge given that its item is visited, shape (E,)."""
        f = self.forest
        own = np.where(self.log_inside > -np.inf, self.log_inside, 0.0)
        out = np.empty(f.n_edges)
        for items, e, sizes in f.by_level():
            below = self.log_inside[f.left[e]] + self.log_inside[f.right[e]]
            np.exp(self.edge_weight[e] + below - np.repeat(own[items], sizes), out=out[e])
        return out

    @cached_property
    def visits(self) -> NDArray[np.float64]:
        """Expected number of times that a random derivation visits each item, shape (N,)."""
        f = self.forest
        out = np.zeros(f.n_items + 1)
        out[0] = 1.0
        for items, e, sizes in f.by_level():
            flow = np.repeat(out[items], sizes) * self.edge_probability[e]
            np.add.at(out, f.left[e], flow)
            np.add.at(out, f.right[e], flow)
        return out[:-1]

    @property
    def log_outside(self) -> NDArray[np.float64]:
        """Log of d Q(0) / d Q(item), shape (N,); -inf where no derivation visits the item."""
        with np.errstate(divide="ignore", invalid="ignore"):
            out = np.log(self.visits) + self.log_total - self.log_inside[:-1]
        return np.where(self.visits > 0, out, -np.inf)

    @cached_property
    def _leaf_edges(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.forest.cut == LEAF)

    @cached_property
    def _leaf_items(self) -> NDArray[np.int64]:
        return np.searchsorted(self.forest.first_edge, self._leaf_edges, side="right") - 1

    # --- trees ---------------------------------------------------------------------------------

    def tree_count(self) -> float:
        """Number of derivations; exact below 2**53."""
        with np.errstate(over="ignore"):
            return float(fold(self.forest, tree_count())[0])

    def best(self) -> Iterator[ScoredTree]:
        """Derivations by falling weight."""
        rank = 0
        while (steps := self._k_best.derivation(rank)) is not None:
            yield self._scored([edge for _, edge in steps])
            rank += 1

    @cached_property
    def _k_best(self) -> KBest:
        return KBest(self._ranked)

    @cached_property
    def _ranked(self) -> _RankedEdges:
        best = fold(self.forest, best_score(self.edge_weight))
        return _RankedEdges(self.forest, self.edge_weight, best)

    def near_best(self, slack: float) -> tuple[int, float]:
        """See `TreeDistribution`."""
        count, log_sum = near_best(self._ranked, slack, lambda size: None)
        return count, log_sum + float(self._ranked.best[0])

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """Independent draws, each from the root down: an edge by its probability, then left before
        right."""
        cumulative: dict[int, NDArray[np.float64]] = {}
        drawn = [self._scored(self._draw(rng, cumulative)) for _ in range(n)]
        return ScoredTrees.of(self.forest.geometry.table, drawn)

    def _draw(
        self, rng: np.random.Generator, cumulative: dict[int, NDArray[np.float64]]
    ) -> list[int]:
        f = self.forest
        out: list[int] = []
        stack = [0]
        while stack:
            item = stack.pop()
            if item == f.n_items:
                continue
            edge = self._draw_edge(item, rng, cumulative)
            out.append(edge)
            stack += (int(f.right[edge]), int(f.left[edge]))
        return out

    def _draw_edge(
        self, item: int, rng: np.random.Generator, cumulative: dict[int, NDArray[np.float64]]
    ) -> int:
        total = cumulative.get(item)
        if total is None:
            total = cumulative[item] = np.cumsum(self.edge_probability[self.forest.edges(item)])
        place = int(total.searchsorted(rng.random() * total[-1], side="right"))
        return int(self.forest.first_edge[item]) + min(place, len(total) - 1)

    def draw_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]]:
        """See `TreeDistribution`: as `draw`, but a split's other side is left alone."""
        cumulative: dict[int, NDArray[np.float64]] = {}
        each = [Sides(self.forest.geometry.table, row) for row in rows]
        return [[self._draw_path(sides, rng, cumulative) for _ in range(n)] for sides in each]

    def _draw_path(
        self,
        sides: Sides,
        rng: np.random.Generator,
        cumulative: dict[int, NDArray[np.float64]],
    ) -> TreePath:
        f, geometry = self.forest, self.forest.geometry
        tests: list[Asked] = []
        ways: list[bool] = []
        item = 0
        while f.cut[edge := self._draw_edge(item, rng, cumulative)] != LEAF:
            left, right = int(f.left[edge]), int(f.right[edge])
            if f.cut[edge] == CALL:
                item = left
                continue
            number = int(f.cut[edge])
            cut, box = geometry.cuts[number], f.boxes[f.item_box[item]]
            tests.append((geometry.table.feature_names[cut.feature], geometry.test(number, box)))
            goes_left = sides.goes_left(cut.feature, tests[-1][1])
            if goes_left is None:
                boxes = (f.boxes[f.item_box[child]] for child in (left, right))
                share = geometry.share_left(number, *boxes, missing=sides.misses(cut.feature))
                goes_left = rng.random() < share
            ways.append(goes_left)
            item = left if goes_left else right
        leaf = Leaf.of(geometry.table.leaf, self.statistics[f.item_leaf[item]])
        return TreePath(tuple(tests), tuple(ways), leaf)

    def _scored(self, edges: list[int]) -> ScoredTree:
        """The tree of a derivation given as its edges in preorder."""
        f = self.forest
        items = np.searchsorted(f.first_edge, edges, side="right") - 1
        boxes = f.item_box[items]
        preorder = [
            (f.boxes[box], None if cut == LEAF else cut)
            for box, cut in zip(boxes.tolist(), f.cut[edges].tolist(), strict=True)
            if cut != CALL
        ]
        weight = float(f.log_weight[edges].sum())
        leaves = f.item_leaf[items[f.cut[edges] == LEAF]]
        return ScoredTree(
            self.renderer.tree(preorder), weight, float(self.log_likelihood[leaves].sum())
        )

    def log_weight(self, tree: Tree) -> float:
        """See `slp.reference.tree_weights`."""
        return log_weight_of_tree(self._process, tree)

    @cached_property
    def _process(self) -> LocalProcess:
        return LocalProcess(self.forest.grammar, self.forest.geometry)

    # --- other statistics ----------------------------------------------------------------------

    def leave_out(self, held: HeldRows) -> LeftOut:
        """See `TreeAverages`: by the sum over all trees without the response of each row."""
        geometry = self.forest.geometry
        found = np.empty(len(held.row))
        for i in range(len(held.row)):
            without = self.of_statistics(held.without(geometry.table.statistics, i))
            found[i] = self.log_total - without.log_total
        return LeftOut(found)

    def of_statistics(self, of_rows: NDArray[np.float64]) -> Chart:
        """The same trees where the distinct rows have other statistics, shape (n, k)."""
        out = Chart(self.forest, self.likelihood)
        f = self.forest
        boxes = [f.boxes[b] for b in f.leaf_box.tolist()]
        sums = f.geometry.members(boxes) @ of_rows
        out.statistics = f.geometry.table.leaf.with_prior(sums, f.leaf_prior)
        return out

    # --- summaries -----------------------------------------------------------------------------

    def rule_uses(self) -> NDArray[np.float64]:
        """Expected number of times that each rule is taken, shape (R,)."""
        f = self.forest
        sizes = [len(state.rules) for state in f.grammar.all_states()]
        first = np.cumsum([0, *sizes])
        item = np.repeat(np.arange(f.n_items), np.diff(f.first_edge))
        own = np.flatnonzero(f.rule >= 0)
        number = first[f.item_state[item[own]]] + f.rule[own]
        taken = (np.repeat(self.visits, np.diff(f.first_edge)) * self.edge_probability)[own]
        return np.asarray(np.bincount(number, taken, int(first[-1])), np.float64)

    def usage(self) -> NDArray[np.float64]:
        """For each feature the probability that the tree splits on it anywhere, shape (d,)."""
        d = len(self.forest.grammar.features)
        number = np.arange(d)

        def on_feature(e: slice) -> NDArray[np.bool_]:
            return np.asarray(self._cut_feature[self.forest.cut[e], None] == number)

        return np.asarray(fold(self.forest, usage(self.edge_probability, on_feature, d))[0])

    def expected_splits(self) -> NDArray[np.float64]:
        """For each feature the expected number of splits on it, shape (d,)."""
        f = self.forest
        by_feature = np.zeros(len(f.grammar.features) + 1)  # the last: leaves and calls
        for items, e, sizes in f.by_level():
            taken = np.repeat(self.visits[items], sizes) * self.edge_probability[e]
            feature = self._cut_feature[f.cut[e]]
            by_feature += np.bincount(feature, weights=taken, minlength=len(by_feature))
        return by_feature[:-1]

    def root_splits(self) -> NDArray[np.float64]:
        """For each feature the probability that the root splits on it, shape (d,)."""
        f = self.forest
        whole = max(range(len(f.boxes)), key=lambda box: f.boxes[box])
        item = np.repeat(np.arange(f.n_items), np.diff(f.first_edge))
        here = np.flatnonzero((f.item_box[item] == whole) & (f.cut >= 0))
        taken = (self.visits[item] * self.edge_probability)[here]
        d = len(f.grammar.features)
        return np.asarray(np.bincount(self._cut_feature[f.cut[here]], taken, d), np.float64)

    def leaf_distribution(self) -> NDArray[np.float64]:
        """Probability of k leaves, at index k, until the rest is negligible."""
        return leaf_distribution(self.forest, self.edge_probability, NEGLIGIBLE)

    def depth_distribution(self) -> NDArray[np.float64]:
        """Probability of depth t, at index t, until the rest is negligible."""
        return depth_distribution(self.forest, self.edge_probability, NEGLIGIBLE)
