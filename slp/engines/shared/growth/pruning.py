"""From a grown tree to one that is kept: exact pruning, and pruning until tests hold.

The value of a node is its log joint: log weight under the program plus log marginal likelihood,

    value(node) = log_stop + log_likelihood                      where it stops
    value(node) = log_split + value(left) + value(right)         where it splits.

The best pruning takes the larger of the two at each node, from the leaves up, so it is the best of
all prunings of the tree, by induction.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.shared.growth.plan import LEAF, Grown


class Pruning:
    """A pruning of a grown tree: at first the tree itself, but for splits above goals that can
    neither stop nor split, which end where the nearest goal above can stop.

    Attributes
    ----------
    grown : the tree.
    value : the log joint of each of its nodes in the pruning, float64, shape (N,); -inf where
        the node has no tree.
    """

    def __init__(self, grown: Grown) -> None:
        self.grown = grown
        self._children = grown.children()
        self._stop = (grown.log_stop + grown.log_likelihood).tolist()
        self._splits = [feature >= 0 for feature in grown.feature.tolist()]
        self.value: list[float] = []
        self._evaluate(lambda stop, split: split == -math.inf < stop)

    @property
    def possible(self) -> bool:
        """Whether there is a tree."""
        return self.value[0] > -math.inf

    def nodes(self) -> list[int]:
        """The nodes of the pruning in preorder, by their numbers in the tree."""
        out, stack = [], [0]
        while stack:
            i = stack.pop()
            out.append(i)
            if self._splits[i]:
                stack += reversed(self._children[i])
        return out

    def splits(self) -> list[int]:
        """Those of the nodes that split."""
        return [i for i in self.nodes() if self._splits[i]]

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return len(self.splits()) + 1

    def cuts(self) -> NDArray[Any]:
        """The nodes as `slp.problem.tree_on_table.tree_of_nodes` takes them, int32, shape (N, 3);
        from the plain engine integers of any length."""
        grown, kept = self.grown, np.array(self.nodes())
        splits = np.array(self._splits)[kept]
        columns = (grown.feature[kept], grown.low[kept], grown.high[kept])
        table = np.stack(columns, axis=1)
        table = table if table.dtype == object else table.astype(np.int32)
        table[~splits] = (LEAF, 0, 0)
        return table

    def leaves(self) -> NDArray[np.int64]:
        """The numbers of the leaves, from left to right."""
        return np.array([i for i in self.nodes() if not self._splits[i]], np.int64)

    def log_weight(self) -> float:
        """Log weight under the program of the derivation that was grown."""
        own = [i for i in self.nodes() if self._splits[i]]
        split = float(self.grown.log_split[own].sum())
        return split + float(self.grown.log_stop[self.leaves()].sum())

    def log_likelihood(self) -> float:
        """Sum of the leaves' log marginal likelihoods, as they were grown."""
        return float(self.grown.log_likelihood[self.leaves()].sum())

    def prune_best(self) -> None:
        """Go to the best of all prunings."""
        self._evaluate(lambda stop, split: stop >= split)

    def prune_until(self, holds: Callable[[], bool]) -> bool:
        """Prune split after split until a test holds; whether it came to hold. Of the splits above
        leaves alone, or above what cannot stop, the one that costs the least log joint goes
        first."""
        while not holds():
            if not self._prune_cheapest():
                return False
        return True

    def prune_to_features(self, most: int) -> bool:
        """Prune all splits on the feature whose loss costs the least log joint, until at most
        `most` features are left; whether they are."""
        while len(used := self._used()) > most:
            costs = {f: self._cost_without(f) for f in sorted(used)}
            cheapest = min(costs, key=lambda f: costs[f])
            if costs[cheapest] == math.inf:
                return False
            self._splits = self._without(cheapest)
            self._evaluate(lambda stop, split: False)
        return True

    def _used(self) -> set[int]:
        return {int(self.grown.feature[i]) for i in self.splits()}

    def _cost_without(self, feature: int) -> float:
        before, splits, value = self.value[0], self._splits, self.value
        self._splits = self._without(feature)
        self._evaluate(lambda stop, split: False)
        cost = before - self.value[0]
        self._splits, self.value = splits, value
        return cost

    def _without(self, feature: int) -> list[bool]:
        """Which nodes split if none splits on a feature: the goal, or the nearest above it that can
        stop, stops."""
        out = list(self._splits)
        above: dict[int, int] = {}
        for i in self.splits():
            above |= dict.fromkeys(self._children[i], i)
        for i in self.splits():
            if self.grown.feature[i] == feature:
                at = i
                while self._stop[at] == -math.inf and at in above:
                    at = above[at]
                out[at] = False
        return out

    def _prune_cheapest(self) -> bool:
        """Prune one split; False if none can be."""
        best, cost = -1, math.inf
        open_below: dict[int, bool] = {}  # whether some split below a node can be pruned
        for i in reversed(self.nodes()):
            left, right = self._children[i]
            below = self._splits[i] and (open_below[left] or open_below[right])
            can = self._splits[i] and self._stop[i] > -math.inf
            open_below[i] = below or can
            if can and not below and self.value[i] - self._stop[i] <= cost:
                best, cost = i, self.value[i] - self._stop[i]
        if best < 0:
            return False
        self._splits[best] = False
        self._evaluate(lambda stop, split: False)
        return True

    def _evaluate(self, stops: Callable[[float, float], bool]) -> None:
        """Values from the leaves up; a split becomes a leaf where `stops` says so of the values of
        stopping and of splitting."""
        value = list(self._stop)
        log_split = self.grown.log_split.tolist()
        for i in range(len(value) - 1, -1, -1):
            if self._splits[i]:
                left, right = self._children[i]
                split = log_split[i] + value[left] + value[right]
                if stops(self._stop[i], split):
                    self._splits[i] = False
                else:
                    value[i] = split
        self.value = value
