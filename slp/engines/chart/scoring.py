"""The weight that a forest gives to one tree: the sum over all derivations that part the rows as it
does."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.engines.chart.forest import CALL, LEAF, Forest
from slp.ir.tree_grammar import SplitRule
from slp.problem.cut_trees import Part, parts_of_tree
from slp.trees import Tree

__all__ = ["TreeScorer"]


class _Way(NamedTuple):
    """One edge that a node of the tree may take: its log weight and the (item, node) pairs it leads
    to."""

    log_weight: float
    goals: tuple[tuple[int, int], ...]


class TreeScorer:
    """Scores trees against one forest."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    def log_weight(self, tree: Tree) -> float:
        """Log weight of all derivations of a tree under the program as written, without likelihood.

        -inf off the support, and where the codes do not tell how the tree parts the rows. A split
        is matched by a rule's split that leaves the same two sets of rows, on the same feature or,
        under the measure `partition`, on any.
        """
        parts = parts_of_tree(self._forest.geometry, tree)
        if parts is None:
            return -np.inf
        done: dict[tuple[int, int], float] = {}
        ways: dict[tuple[int, int], list[_Way]] = {}
        stack = [(0, 0)]
        while stack:
            goal = stack[-1]
            if goal in done:
                stack.pop()
                continue
            if goal not in ways:
                ways[goal] = self._ways(goal[0], goal[1], parts)
                missing = [g for way in ways[goal] for g in way.goals if g not in done]
                if missing:
                    stack += missing
                    continue
            stack.pop()
            terms = [way.log_weight + sum(done[g] for g in way.goals) for way in ways.pop(goal)]
            done[goal] = float(np.logaddexp.reduce(terms)) if terms else -np.inf
        return done[0, 0]

    def _ways(self, item: int, node: int, parts: list[Part]) -> list[_Way]:
        f, part = self._forest, parts[node]
        e = f.edges(item)
        out = []
        for i in e.start + np.flatnonzero(f.cut[e] == CALL):
            out.append(_Way(float(f.log_weight[i]), ((int(f.left[i]), node),)))
        if part.split is None:
            leaves = e.start + np.flatnonzero(f.cut[e] == LEAF)
            return out + [_Way(float(f.log_weight[i]), ()) for i in leaves]
        straight, swapped = self._number.get(part.left_box), self._number.get(part.right_box)
        if straight is None or swapped is None:
            return out
        splits = e.start + np.flatnonzero(f.cut[e] >= 0)
        first = f.item_box[f.left[splits]]
        second = f.item_box[f.right[splits]]
        same = (first == straight) & (second == swapped)
        crossed = (first == swapped) & (second == straight)
        for i, is_crossed in zip(splits[same | crossed], crossed[same | crossed], strict=True):
            if self._feature[f.cut[i]] != part.feature and not self._by_partition(item, int(i)):
                continue
            nodes = (part.right, part.left) if is_crossed else (part.left, part.right)
            goals = ((int(f.left[i]), nodes[0]), (int(f.right[i]), nodes[1]))
            out.append(_Way(float(f.log_weight[i]), goals))
        return out

    def _by_partition(self, item: int, edge: int) -> bool:
        rule = self._forest.grammar.states[self._forest.item_state[item]].rules[
            self._forest.rule[edge]
        ]
        return isinstance(rule, SplitRule) and rule.measure == "partition"

    @cached_property
    def _number(self) -> dict[int, int]:
        return {box: number for number, box in enumerate(self._forest.boxes)}

    @cached_property
    def _feature(self) -> NDArray[np.int64]:
        return np.array([c.feature for c in self._forest.geometry.cuts], np.int64)
