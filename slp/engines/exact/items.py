"""Items of the compiled chart for Python, opened one by one from the root down.

The core keeps one number for each item and no edges. The edges of an item are computed again on
demand. This costs one box for each node of a tree that is drawn, ranked or scored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.engines.exact.passes import Passes, PassQuantity
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.core import leaves_owed
from slp.problem.numbered_cuts import CoreCuts

if TYPE_CHECKING:
    from slp._core import ExactPass

#: Values of `ItemEdges.feature` for edges without a split.
LEAF, CALL = -1, -2

#: Feature and the two codes that are neighbours.
CutOfCodes = tuple[int, int, int]

# Bytes of a Python object with its entries in lists and dictionaries; of an array without its
# numbers; and of the numbers of one edge, with what draws keep for it.
_PER_OBJECT, _PER_ARRAY, _PER_EDGE = 400, 120, 56

_WORDS: dict[PassQuantity, str] = {
    "total": "drawing and scoring trees",
    "best": "taking the best trees apart",
}


@dataclass(frozen=True, eq=False)
class ItemEdges:
    """The edges of an item, in canonical order, rule after rule. E entries each.

    Attributes
    ----------
    cuts : what its cuts are.
    log_likelihood : log marginal likelihood of the box as a leaf.
    rule, feature, low, high : int32. Rule of the item's state, feature split on (or LEAF, CALL),
        the cut as the core wrote it.
    left_state, right_state : int32. Product states that it leads to.
    log_weight : float64. Weight under the program as written, without likelihood.
    log_left, log_right : float64. Values of these items in the pass; 0 if there is none.
    """

    cuts: CoreCuts
    log_likelihood: float
    rule: NDArray[np.int32]
    feature: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    left_state: NDArray[np.int32]
    right_state: NDArray[np.int32]
    log_weight: NDArray[np.float64]
    log_left: NDArray[np.float64]
    log_right: NDArray[np.float64]

    @property
    def size(self) -> int:
        """Bytes, about."""
        return _PER_OBJECT + 10 * _PER_ARRAY + len(self.rule) * _PER_EDGE

    def scores(self, likelihood: bool) -> NDArray[np.float64]:
        """Log weight of each edge times the values that it leads to."""
        data = np.where(self.feature == LEAF, self.log_likelihood, 0.0) if likelihood else 0.0
        return np.asarray(self.log_weight + data + self.log_left + self.log_right)

    def cut(self, edge: int) -> CutOfCodes:
        """What an edge splits on."""
        f = int(self.feature[edge])
        return f, *self.cuts.sets(f, int(self.low[edge]), int(self.high[edge]))


class Items:
    """Items by number, opened on demand. Item 0 stands for the whole distribution: it calls the
    start state once for each number of leaves that may be owed.

    `rows[i]` are the distinct rows of item i, uint32, ascending; `product[i]` its product state.
    """

    def __init__(
        self,
        passes: Passes,
        grammar: TreeGrammar,
        table: Table,
        quantity: PassQuantity,
        *,
        likelihood: bool,
    ) -> None:
        self._passes, self.table = passes, table
        self._cuts = CoreCuts(passes.engine, table)
        self._quantity, self._likelihood = quantity, likelihood
        self._start = grammar.start
        self._n_owed, self._states = max(1, leaves_owed(grammar, table)), grammar.states
        self._codes = np.ascontiguousarray(table.codes.T)
        everything = np.arange(len(table.counts), dtype=np.uint32)
        self.rows: list[NDArray[np.uint32]] = [everything]
        self.product: list[int] = [-1]
        self._number: dict[tuple[bytes, int], int] = {}
        self._edges: dict[int, ItemEdges] = {}
        self._forget()

    def leaf(self, item: int) -> NDArray[np.float64]:
        """The statistics of an item as a leaf, shape (k,)."""
        state = self._states[self.product[item] // self._n_owed]
        sums = self.table.statistics[self.rows[item]].sum(axis=0)
        return self.table.leaf.with_prior(sums, state.leaf_prior)

    def _forget(self) -> None:
        """Keep item 0 alone."""
        del self.rows[1:], self.product[1:]
        self._number.clear()
        self._edges.clear()
        self.size = 0

    def make_room(self, besides: int) -> bool:
        """Drop all items but the first if they and `besides` bytes take more than half of the
        memory that the passes leave; return whether they were dropped.

        Raises
        ------
        BudgetError
            `besides` alone is more than there is (E501), or the time is over (E540).
        """
        full = self.size > 0 and 2 * (self.size + besides) > self._passes.left()
        if full:
            self._forget()
        self._hold(besides)
        return full

    def hold_besides(self, size: int) -> None:
        """Reserve `size` bytes besides those of the items.

        Raises
        ------
        BudgetError
            There is not enough memory (E501), or the time is over (E540).
        """
        self._hold(self.size + size)

    def _hold(self, size: int) -> None:
        needed = (self._quantity, self._likelihood)
        self._passes.hold(_WORDS[self._quantity], size, needed)

    def edges(self, item: int) -> ItemEdges:
        """The edges of an item."""
        found = self._edges.get(item)
        if found is None:
            found = self._root if item == 0 else self._open(item)
            self._edges[item] = found
            self.size += found.size
            self._hold(self.size)
        return found

    def children(self, item: int, edge: int) -> tuple[int, ...]:
        """Items that an edge leads to: none, one (a call) or two."""
        edges, rows = self.edges(item), self.rows[item]
        feature = int(edges.feature[edge])
        if feature == LEAF:
            return ()
        if feature == CALL:
            return (self._find(rows, int(edges.left_state[edge])),)
        goes_left = self.goes_left(item, edges.cut(edge))
        left = self._find(rows[goes_left], int(edges.left_state[edge]))
        return left, self._find(rows[~goes_left], int(edges.right_state[edge]))

    def ranked(self, item: int) -> Iterator[tuple[float, int, int]]:
        """See `slp.engines.shared.kbest.RankedEdges`."""
        edges = self.edges(item)
        n_children = np.where(edges.feature >= 0, 2, np.where(edges.feature == CALL, 1, 0)).tolist()
        scores = edges.scores(self._likelihood).tolist()
        yield from zip(scores, range(len(scores)), n_children, strict=True)

    def log_weight(self, item: int, edge: int) -> float:
        """Log weight of an edge under the program as written, without likelihood."""
        return float(self.edges(item).log_weight[edge])

    def goes_left(self, item: int, cut: CutOfCodes) -> NDArray[np.bool_]:
        """Which of an item's rows a split sends left."""
        f, low, high = cut
        codes = self._codes[f, self.rows[item]]
        return self.table.features[f].kind.goes_left(codes, low, high)

    @property
    def _pass(self) -> ExactPass:
        return self._passes.get(self._quantity, self._likelihood, "items")

    def _open(self, item: int) -> ItemEdges:
        engine, rows = self._passes.engine, self.rows[item]
        return ItemEdges(self._cuts, *engine.scored_edges(self._pass, rows, self.product[item]))

    @cached_property
    def _root(self) -> ItemEdges:
        """Item 0's calls, with the values of the items called."""
        n = self._n_owed
        states = np.arange(self._start * n, self._start * n + n, dtype=np.int32)
        zeros, calls = np.zeros(n, np.int32), np.full(n, CALL, np.int32)
        values = self._passes.engine.root_values(self._pass)
        rest = (zeros, zeros, states, zeros - 1, np.zeros(n), values, np.zeros(n))
        return ItemEdges(self._cuts, 0.0, zeros - 1, calls, *rest)

    def _find(self, rows: NDArray[np.uint32], product: int) -> int:
        key = (rows.tobytes(), product)
        found = self._number.get(key)
        if found is None:
            found = self._number[key] = len(self.rows)
            self.rows.append(rows)
            self.product.append(product)
            self.size += _PER_OBJECT + 2 * rows.nbytes
        return found
