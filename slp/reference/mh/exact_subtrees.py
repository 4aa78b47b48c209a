"""`q_exact`: whole subtrees from their exact distribution, by the chart's inside scores.

A goal (box, state) *fits* if a bound on the boxes inside its box is small. The bound depends on the
rows of the box alone, and the distribution of its subtree given the rest on the goal alone:

    p(s)  proportional to  w(s) L(s)^power

Choose a row of the data uniformly, take the highest goal on its path that fits, and draw that
goal's subtree from p. Goals above it are kept, so the reverse move chooses the same goal:

    ratio = [w(x') L(x')^power / p(s')] / [w(x) L(x)^power / p(s)] = 1

where every constraint is local. Tests on the finished tree (`max_leaves`, global constraints) are
not in p; if a proposal breaks one, the chain stays.
"""

from __future__ import annotations

import copy
import math
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.proposals import Proposed
from slp.problem.remembered import Remembered
from slp.reference.boxes import Geometry
from slp.reference.chart import Chart, Forest, build_forest
from slp.reference.chart.forest import CALL, LEAF
from slp.reference.derivations import TreeProof, proof_of
from slp.reference.local_process import BoxGoal, Choices, LocalProcess
from slp.reference.mh.proof import path_to_row, replaced
from slp.reference.mh.target import Target
from slp.runner.randomness import Randomness

#: The most charts kept; the least recently used one is dropped first.
_MOST_CHARTS = 64


class SubtreeCharts:
    """The charts of goals, made on first use. Chains may share them.

    `most_boxes` : a box fits if `most_boxes_within` is at most this.
    """

    def __init__(self, process: LocalProcess, most_boxes: float) -> None:
        self._process, self._most_boxes = process, most_boxes
        self._fits: Remembered[int, bool] = Remembered()
        self._forests: OrderedDict[tuple[int, int], Forest] = OrderedDict()
        self._charts: OrderedDict[tuple[int, int, float], PowerChart] = OrderedDict()

    def fits(self, goal: BoxGoal) -> bool:
        """Whether a goal fits. The answer does not depend on what is cached."""
        if goal.box not in self._fits:
            bound = most_boxes_within(self._process.geometry, goal.box)
            self._fits[goal.box] = bound <= self._most_boxes
        return self._fits[goal.box]

    def draw(self, randomness: Randomness, goal: BoxGoal, power: float) -> TreeProof:
        """The proof of a goal that fits and derives something, drawn from p."""
        with self._process.lock:
            chart = self._chart(goal, power)
        return proof_of(self._process, chart.draw_choices(randomness, self._process))

    def _chart(self, goal: BoxGoal, power: float) -> PowerChart:
        key = goal.box, goal.state, power
        if key not in self._charts:
            self._charts[key] = PowerChart(self._forest(goal), power)
            if len(self._charts) > _MOST_CHARTS:
                self._charts.popitem(last=False)
        self._charts.move_to_end(key)
        return self._charts[key]

    def _forest(self, goal: BoxGoal) -> Forest:
        key = goal.box, goal.state
        if key not in self._forests:
            grammar = replace(self._process.grammar, start=goal.state, max_leaves=None)
            geometry = copy.copy(self._process.geometry)
            geometry.root = goal.box
            self._forests[key] = build_forest(grammar, geometry, sys.maxsize)
            if len(self._forests) > _MOST_CHARTS:
                self._forests.popitem(last=False)
        self._forests.move_to_end(key)
        return self._forests[key]


def most_boxes_within(geometry: Geometry, box: int) -> float:
    """A bound on the boxes inside a box: for its m distinct rows, and c codes of a feature that
    occur there, the smaller of 2^m and the product over features of c (c + 1) / 2 (2^c for levels;
    (c - 1) c + 1 where one of the codes is that of missing values)."""
    bound = 1.0
    for feature, by_code in zip(geometry.table.features, geometry.rows_by_code, strict=True):
        here = [code for code, rows in by_code if rows & box]
        bound *= feature.kind.most_parts(here)
        if bound == math.inf:
            break
    return min(bound, 2.0 ** min(box.bit_count(), 1000))


class PowerChart(Chart):
    """A chart whose weights include the likelihood to some power."""

    def __init__(self, forest: Forest, power: float) -> None:
        super().__init__(forest, likelihood=True)
        leaves = np.flatnonzero(forest.cut == LEAF)
        items = np.searchsorted(forest.first_edge, leaves, side="right") - 1
        weight = forest.log_weight.copy()
        if power:
            weight[leaves] += power * self.log_likelihood[forest.item_leaf[items]]
        self.edge_weight = weight
        self._cumulative: dict[int, list[float]] = {}

    def draw_choices(self, randomness: Randomness, process: LocalProcess) -> list[Choices]:
        """Draw a derivation, as choices in preorder."""
        f = self.forest
        out: list[Choices] = []
        stack = [int(f.left[f.edges(0)][0])]  # item 0 only calls the goal
        while stack:
            item = stack.pop()
            edge = int(f.first_edge[item]) + randomness.among(self._cumulated_edges(item))
            goal = process.goal(f.boxes[f.item_box[item]], int(f.item_state[item]))
            out.append(_choices(goal, int(f.rule[edge]), int(f.cut[edge])))
            if f.cut[edge] != LEAF:
                below = [int(f.left[edge])] if f.cut[edge] == CALL else _sides(f, edge)
                stack += reversed(below)
        return out

    def _cumulated_edges(self, item: int) -> list[float]:
        if item not in self._cumulative:
            p: NDArray[np.float64] = self.edge_probability[self.forest.edges(item)]
            self._cumulative[item] = np.cumsum(p).tolist()
        return self._cumulative[item]


def _sides(forest: Forest, edge: int) -> Sequence[int]:
    return [int(forest.left[edge]), int(forest.right[edge])]


def _choices(goal: BoxGoal, position: int, cut: int) -> Choices:
    """An edge as choices of the local process."""
    rule = next(i for i, alternative in enumerate(goal.rules) if alternative.position == position)
    if cut < 0:
        return goal, rule, -1
    splits = goal.rules[rule].splits
    return goal, rule, next(i for i, s in enumerate(splits) if s.split.cut == cut)


@dataclass(frozen=True, eq=False)
class ExactSubtree:
    """The proposal `q_exact`; see the module's docstring for its ratio."""

    charts: SubtreeCharts
    name: str = "q_exact"
    period: int = 1

    def propose(
        self, randomness: Randomness, target: Target, old: TreeProof, turn: int
    ) -> Proposed[TreeProof] | None:
        """See `Proposal`. Nothing can be proposed if no goal on the row's path fits."""
        table = target.process.geometry.table
        row = int(table.row_of[randomness.index(table.n_rows)])
        for position, node in path_to_row(old, row):
            if self.charts.fits(node.goal):
                new = self.charts.draw(randomness, node.goal, target.power)
                return Proposed(replaced(target.process, old, position, new), 0.0)
        return None
