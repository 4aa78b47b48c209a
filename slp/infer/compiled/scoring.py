"""The weight of one tree: the sum over all derivations that part the rows as it does, followed
along the tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.infer.compiled.items import CALL, LEAF, Items
from slp.infer.tree_on_table import PlacedNode, place_tree
from slp.ir.tree_grammar import SplitRule, TreeGrammar
from slp.trees import Tree

__all__ = ["log_weight_of_tree"]


class _Way(NamedTuple):
    """One way that a node of the tree may take: its log weight and the (item, node) pairs it leads
    to."""

    log_weight: float
    goals: tuple[tuple[int, int], ...]


def log_weight_of_tree(items: Items, grammar: TreeGrammar, tree: Tree, n_owed: int) -> float:
    """Log weight of all derivations of a tree under the program as written, without likelihood.

    -inf off the support, and where the codes do not tell how the tree parts the rows. A split is
    matched by a rule's split that leaves the same two sets of rows, on the same feature or, under
    the measure `partition`, on any.
    """
    placed = place_tree(items.table, tree)
    if placed is None:
        return -np.inf
    scorer = _Scorer(items, grammar, placed.nodes, n_owed)
    done: dict[tuple[int, int], float] = {}
    ways: dict[tuple[int, int], list[_Way]] = {}
    stack = [(0, 0)]
    while stack:
        goal = stack[-1]
        if goal in done:
            stack.pop()
            continue
        if goal not in ways:
            ways[goal] = scorer.ways(*goal)
            missing = [g for way in ways[goal] for g in way.goals if g not in done]
            if missing:
                stack += missing
                continue
        stack.pop()
        terms = [way.log_weight + sum(done[g] for g in way.goals) for way in ways.pop(goal)]
        done[goal] = float(np.logaddexp.reduce(terms)) if terms else -np.inf
    return done[0, 0]


class _Scorer:
    def __init__(
        self, items: Items, grammar: TreeGrammar, nodes: tuple[PlacedNode, ...], n_owed: int
    ) -> None:
        self._items, self._grammar, self._nodes, self._n_owed = items, grammar, nodes, n_owed

    def ways(self, item: int, number: int) -> list[_Way]:
        """The ways of an item that agree with a node of the tree."""
        ways, node = self._items.ways(item), self._nodes[number]
        out = [
            _Way(float(ways.log_weight[i]), ((self._items.children(item, int(i))[0], number),))
            for i in np.flatnonzero(ways.feature == CALL)
        ]
        if node.feature < 0:
            leaves = np.flatnonzero(ways.feature == LEAF)
            return out + [_Way(float(ways.log_weight[i]), ()) for i in leaves]
        left = self._items.goes_left(item, (node.feature, node.low, node.high))
        if left.all() or not left.any():
            return out
        for i in np.flatnonzero(self._may_match(item, node)).tolist():
            goes_left = self._items.goes_left(item, ways.cut(i))
            crossed = bool(goes_left[0] != left[0])
            if not np.array_equal(goes_left, ~left if crossed else left):
                continue
            first, second = self._items.children(item, i)
            below = (node.right, node.left) if crossed else (node.left, node.right)
            out.append(_Way(float(ways.log_weight[i]), ((first, below[0]), (second, below[1]))))
        return out

    def _may_match(self, item: int, node: PlacedNode) -> NDArray[np.bool_]:
        """Splits on the node's feature (of thresholds the one between the same codes) and, under
        `partition`, on any."""
        ways = self._items.ways(item)
        out = ways.feature == node.feature
        if not self._items.table.features[node.feature].categorical:
            out &= ways.low == node.low
        if item > 0:
            rules = self._grammar.states[self._items.product[item] // self._n_owed].rules
            for r, rule in enumerate(rules):
                if isinstance(rule, SplitRule) and rule.measure == "partition":
                    out |= (ways.rule == r) & (ways.feature >= 0)
        return np.asarray(out)
