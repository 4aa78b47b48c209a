"""The search in plain Python: the specification of the core's.

An item is a box in a state, with the leaves it owes where leaves are counted. It is the best of
its leaf rules and of its branches; a branch is a call, or a split with both its sides. Each item
has two numbers: `low`, the log weight of the best derivation found, and `high`, which no derivation
exceeds. AO* (Nilsson 1980): follow the branches of the largest `high` from the start to an item
that is not open, open it, and bring the numbers on the way back up to date.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.engines.search.compiled import Poll, Ranked
from slp.ir.tree_grammar import CallRule, LeafRule
from slp.problem.core import leaves_owed
from slp.problem.problem import Problem
from slp.reference.boxes import BoxSplit, Geometry
from slp.reference.local_process import LocalProcess

__all__ = ["PlainRanking", "PlainSearch", "log_parted", "plain_search"]

#: Box, state, leaves owed (0 where leaves are not counted).
ItemKey: TypeAlias = tuple[int, int, int]


@dataclass
class Branch:
    """A call, or a split with its two sides."""

    log_weight: float
    below: tuple[Item, ...]
    split: BoxSplit | None

    @property
    def low(self) -> float:
        """The value of the best derivation found."""
        return self.log_weight + sum(item.low for item in self.below)

    @property
    def high(self) -> float:
        """The bound on all of them."""
        highs = [item.high for item in self.below]
        return -math.inf if -math.inf in highs else self.log_weight + sum(highs)


@dataclass
class Item:
    """See the module. `stops` are the values of the leaf rules, of an open item."""

    key: ItemKey
    low: float
    high: float
    open: bool = False
    stops: list[float] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)

    @property
    def stop(self) -> float:
        """The value of the best leaf rule."""
        return max(self.stops, default=-math.inf)

    def update(self) -> None:
        """Both numbers from those of the branches."""
        self.low = max([self.low, self.stop, *(b.low for b in self.branches)])
        self.high = min(self.high, max([self.stop, *(b.high for b in self.branches)]))


def plain_search(problem: Problem, likelihood: bool) -> PlainSearch:
    """The search of a problem."""
    geometry = Geometry(problem.grammar, problem.table)
    return PlainSearch(LocalProcess(problem.grammar, geometry), likelihood)


class PlainSearch:
    """The search for the best derivation of a local process.

    Attributes
    ----------
    low : log of the largest value found; -inf before any.
    high : no derivation has a larger one.
    steps : items opened.
    """

    def __init__(self, process: LocalProcess, likelihood: bool) -> None:
        self.process, self.likelihood = process, likelihood
        self.table = process.geometry.table
        self.owed = leaves_owed(process.grammar, self.table)
        self.items: dict[ItemKey, Item] = {}
        self.steps = 0
        root = process.root
        starts = [self._item(root.box, root.state, k) for k in range(max(1, self.owed))]
        self.start = Item((root.box, -1, 0), -math.inf, math.inf, open=True)
        self.start.branches = [Branch(0.0, (item,), None) for item in starts]
        self.start.update()

    @property
    def low(self) -> float:
        """See the class."""
        return self.start.low

    @property
    def high(self) -> float:
        """See the class."""
        return max(self.start.high, self.start.low)

    def run(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Search until the best is certain (True) or `stop` says so (False)."""
        while self.start.high > self.start.low:
            if stop():
                return False
            self.step()
        return True

    def step(self) -> None:
        """Open one item, or bring one up to date whose branches others have decided."""
        path = [self.start]
        while path[-1].open and path[-1].high > path[-1].low:
            branch = max(path[-1].branches, key=lambda b: b.high)
            path.append(max(branch.below, key=lambda item: item.high - item.low))
        if not path[-1].open:
            self._open(path[-1])
        for item in reversed(path):
            item.update()

    def cuts(self) -> NDArray[Any]:
        """The best derivation's tree in preorder, as `slp.problem.tree_on_table.tree_of_nodes`
        takes it, shape (N, 3); N is 0 if none was found. They are integers of any length."""
        out: list[tuple[int, int, int]] = []
        stack = [self.start] if self.low > -math.inf else []
        while stack:
            item = stack.pop()
            found = [b for b in item.branches if b.low >= item.low and item.low > item.stop]
            if not found:
                out.append((-1, 0, 0))
                continue
            branch = found[0]
            if branch.split is not None:
                out.append(self.cut(item.key[0], branch.split))
            stack += reversed(branch.below)
        return np.array(out, object).reshape(-1, 3)

    def ranking(self, *, known: bool) -> PlainRanking:
        """As of `slp.engines.search.compiled.CompiledSearch`; none are known besides the best."""
        return PlainRanking(self, nothing=known)

    def open(self, item: Item) -> None:
        """Find the leaf rules and branches of an item, once."""
        if not item.open:
            self._open(item)
            item.update()

    def cut(self, box: int, split: BoxSplit) -> tuple[int, int, int]:
        """A split of a box as a row of `cuts`."""
        own = self.process.geometry.cuts[split.cut]
        return own.feature, own.low, own.high

    # --- items ---------------------------------------------------------------------------------

    def _item(self, box: int, state: int, owed: int) -> Item:
        key = (box, state, owed)
        if key not in self.items:
            high = 0.0 if self.process.grammar.normalise else math.inf
            if self.likelihood:
                high += log_parted(self.process, box)
            self.items[key] = Item(key, -math.inf, high)
        return self.items[key]

    def _open(self, item: Item) -> None:
        self.steps += 1
        item.open = True
        box, state, owed = item.key
        goal = self.process.goal(box, state)
        for taken in goal.rules:
            if isinstance(taken.rule, LeafRule):
                if owed == 0:
                    fit = self.process.log_marginal(box, state) if self.likelihood else 0.0
                    item.stops.append(taken.log_weight + fit)
            elif isinstance(taken.rule, CallRule):
                below = self._item(box, taken.rule.state, owed)
                item.branches.append(Branch(taken.log_weight, (below,), None))
            else:
                for split, log_p in zip(taken.splits, taken.log_probabilities, strict=True):
                    weight = taken.log_weight + log_p
                    for left, right in self._ways(owed):
                        sides = (
                            self._item(split.split.left, split.left_state, left),
                            self._item(split.split.right, split.right_state, right),
                        )
                        item.branches.append(Branch(weight, sides, split.split))

    def _ways(self, owed: int) -> list[tuple[int, int]]:
        """The leaves that the sides of a split owe beyond one each."""
        return [(k, owed - 1 - k) for k in range(owed)] if self.owed else [(0, 0)]


@dataclass(order=True)
class _PartOfDerivation:
    """A part of a derivation: what was decided, from left to right. The smallest has the largest
    bound on the derivations that it may become."""

    cost: float
    number: int
    value: float = field(compare=False)
    cuts: tuple[tuple[int, int, int], ...] = field(compare=False)
    undecided: tuple[Item, ...] = field(compare=False)


class PlainRanking:
    """Derivations by falling value: A* over parts of derivations (Hart, Nilsson & Raphael 1968).

    Attributes
    ----------
    bound : no derivation that was not given out has a larger value.
    """

    def __init__(self, search: PlainSearch, *, nothing: bool = False) -> None:
        self._search, self._number = search, 0
        self._heap: list[_PartOfDerivation] = []
        if not nothing:
            self._push(0.0, (), (search.start,))

    @property
    def bound(self) -> float:
        """See the class."""
        return -self._heap[0].cost if self._heap else -math.inf

    def next(self, poll: Poll | None = None) -> tuple[bool, Ranked | None]:
        """As of `slp.engines.search.compiled.Ranking`."""
        while self._heap:
            if poll is not None and not poll(self._search.steps, 0, 0):
                return False, None
            part = heapq.heappop(self._heap)
            if not part.undecided:
                cuts = np.array(part.cuts, np.int32).reshape(-1, 3)
                return True, Ranked(cuts, part.value, part.value)
            item, *others = part.undecided
            self._search.open(item)
            for stop in item.stops:
                self._push(part.value + stop, (*part.cuts, (-1, 0, 0)), tuple(others))
            for branch in item.branches:
                split, own = branch.split, part.cuts
                if split is not None:
                    own = (*own, self._search.cut(item.key[0], split))
                self._push(part.value + branch.log_weight, own, (*branch.below, *others))
        return True, None

    def _push(
        self, value: float, cuts: tuple[tuple[int, int, int], ...], undecided: tuple[Item, ...]
    ) -> None:
        highs = [item.high for item in undecided]
        if value > -math.inf and -math.inf not in highs:
            self._number += 1
            part = _PartOfDerivation(-(value + sum(highs)), self._number, value, cuts, undecided)
            heapq.heappush(self._heap, part)


def log_parted(process: LocalProcess, box: int) -> float:
    """Log of a bound on the marginal likelihood of any partition of a box's rows into leaves."""
    table = process.geometry.table
    rows = process.geometry.members([box])[0].astype(bool)
    return table.leaf.log_parted(table.statistics[rows])
