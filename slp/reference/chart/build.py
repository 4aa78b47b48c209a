"""From boxes and their states (`reach`) to the packed forest of all derivations.

What may be chosen in a state, and with which weight, `slp.reference.local_process` says, for all
boxes of the state side by side.

An item is (box, state, k). With `max_leaves` it derives the trees of exactly k + 1 leaves, k = 0 to
K - 1, and a split distributes them over its sides in every way. Without, K = 1 and k says nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.contract import Progress
from slp.ir.tree_grammar import CallRule, SplitRule, TreeGrammar
from slp.problem.core import leaves_owed
from slp.reference.boxes import Geometry
from slp.reference.chart.forest import CALL, LEAF, Forest, without_dead_edges
from slp.reference.chart.reach import Reach, find_boxes
from slp.reference.local_process import LocalProcess

#: Codes of the item of the whole, before all others, and of the unit item, after them.
_WHOLE, _UNIT = -1, np.iinfo(np.int64).max

_Ints = NDArray[np.int64]


def build_forest(
    grammar: TreeGrammar, geometry: Geometry, memory: int, progress: Progress | None = None
) -> Forest:
    """The forest of a grammar on a table, without edges that no derivation uses.

    Raises
    ------
    BudgetError
        It would need more than `memory` bytes (E501).
    """
    reach = find_boxes(grammar, geometry, memory, progress)
    if progress is not None:
        progress(len(reach.boxes), "building the chart")
    return forest_of_reach(grammar, reach)


def forest_of_reach(grammar: TreeGrammar, reach: Reach) -> Forest:
    """The forest on given boxes. Grammars that differ only in their weights reach the same boxes,
    and get the same items and edges in the same order."""
    return _Builder(grammar, reach).forest()


def weights_of_rules(grammar: TreeGrammar, reach: Reach) -> dict[int, list[NDArray[np.float64]]]:
    """For each state that is reached, the log weights of its rules in each of its boxes
    (`Reach.reached`), -inf where a rule does not apply."""
    process = LocalProcess(grammar, reach.geometry)
    out = {}
    for state, boxes in reach.reached.items():
        marked = np.zeros(len(reach.boxes), np.bool_)
        marked[boxes] = True
        splits, _ = reach.splits.of_some(marked)
        found = process.alternatives(state, [reach.boxes[b] for b in boxes.tolist()], splits)
        out[state] = list(found.log_weight)
    return out


class _Builder:
    def __init__(self, grammar: TreeGrammar, reach: Reach) -> None:
        self.grammar, self.reach = grammar, reach
        self.n_states = len(grammar.all_states())
        self.n_owed = max(1, leaves_owed(grammar, reach.geometry.table))
        self.items: list[_Ints] = []
        #: columns of the edges, in blocks: parent, left and right (codes of items), cut, rule, log
        #: weight
        self.columns: list[list[NDArray[Any]]] = [[] for _ in range(6)]

    def forest(self) -> Forest:
        for k in range(self.n_owed):
            start = self._code(np.zeros(1, np.int64), self.grammar.start, k)
            self._add(_WHOLE, start, _UNIT, CALL, -1, 0.0)
        process = LocalProcess(self.grammar, self.reach.geometry)
        for state, boxes in self.reach.reached.items():
            self._add_state(process, state, boxes)
        return without_dead_edges(self._assembled())

    def _add_state(self, process: LocalProcess, state: int, boxes: _Ints) -> None:
        """The items of all boxes that are reached in a state, and their edges."""
        reach = self.reach
        marked = np.zeros(len(reach.boxes), np.bool_)
        marked[boxes] = True
        weighted = replace(
            reach.splits,
            feature_weights=self.grammar.feature_weights,
            feature_groups=self.grammar.groups,
        )
        splits, held = weighted.of_some(marked)
        found = process.alternatives(state, [reach.boxes[b] for b in boxes.tolist()], splits)
        for k in range(self.n_owed):
            self.items.append(self._code(boxes[reach.sizes[boxes] > k], state, k))
        for r, rule in enumerate(self.grammar.states[state].rules):
            weight = found.log_weight[r]
            if isinstance(rule, SplitRule):
                e = found.splits[r].lasting()
                e = e[weight[splits.box[e]] > -np.inf]
                total = weight[splits.box[e]] + found.splits[r].log_probability[e]
                one, other = found.splits[r].states[e].astype(np.int64).T
                left, right = reach.left[held][e], reach.right[held][e]
                parent, cut = boxes[splits.box[e]], splits.cut[e].astype(np.int32)
                for k, i, j in self._dealt():
                    of = self._code(parent, state, k)
                    self._add(
                        of, self._code(left, one, i), self._code(right, other, j), cut, r, total
                    )
                continue
            here = np.flatnonzero(weight > -np.inf)
            if isinstance(rule, CallRule):
                for k in range(self.n_owed):
                    of, called = (self._code(boxes[here], s, k) for s in (state, rule.state))
                    self._add(of, called, _UNIT, CALL, r, weight[here])
            else:
                self._add(self._code(boxes[here], state, 0), _UNIT, _UNIT, LEAF, r, weight[here])

    def _dealt(self) -> list[tuple[int, int, int]]:
        """k of an item, and those of the two sides of its split."""
        if self.grammar.max_leaves is None:
            return [(0, 0, 0)]
        return [(k, i, k - 1 - i) for k in range(self.n_owed) for i in range(k)]

    def _code(self, box: NDArray[Any], state: _Ints | int, k: int) -> _Ints:
        """Numbers of items before they are sorted."""
        return (box.astype(np.int64) * self.n_states + state) * self.n_owed + k

    def _add(self, *columns: NDArray[Any] | float) -> None:
        """Add edges by their columns; a number stands for a column that is the same for all."""
        blocks = np.broadcast_arrays(*columns)
        for column, block in zip(self.columns, blocks, strict=True):
            column.append(block)

    def _assembled(self) -> Forest:
        """The forest, with items numbered by falling size of their boxes, then so that calls lead
        to later ones, and the edges of an item in the order in which they were added."""
        codes = np.sort(np.concatenate(self.items))
        box, state = np.divmod(codes // self.n_owed, self.n_states)
        size = self.reach.sizes[box]
        rank = _call_ranks(self.grammar)[state]
        order = np.lexsort((-rank, -size))
        ends = np.flatnonzero((np.diff(size[order]) != 0) | (np.diff(rank[order]) != 0)) + 2
        codes = np.concatenate([[_WHOLE], codes, [_UNIT]])
        number = np.empty(len(codes), np.int64)
        number[np.concatenate([[0], order + 1, [-1]])] = np.arange(len(codes))

        def numbers(wanted: _Ints) -> NDArray[np.int32]:
            place = np.searchsorted(codes, wanted)
            return np.where(codes[place] == wanted, number[place], -1).astype(np.int32)

        parent, left, right = (numbers(self._column(i)) for i in range(3))
        # What owes more leaves than its box has rows is no item.
        kept = np.flatnonzero((parent >= 0) & (left >= 0) & (right >= 0))
        kept = kept[np.argsort(parent[kept], kind="stable")]
        return Forest(
            self.grammar,
            self.reach.geometry,
            self.reach.boxes,
            np.concatenate([[0], box[order]]).astype(np.int32),
            np.concatenate([[-1], state[order]]).astype(np.int32),
            np.concatenate([[0, 1], ends, [len(codes) - 1]]),
            np.searchsorted(parent[kept], np.arange(len(codes))),
            left[kept],
            right[kept],
            self._column(3)[kept].astype(np.int32),
            self._column(4)[kept].astype(np.int32),
            self._column(5)[kept],
        )

    def _column(self, i: int) -> NDArray[Any]:
        """A column of the edges; its blocks are dropped."""
        column = np.concatenate(self.columns[i])
        self.columns[i] = []
        return column


def _call_ranks(grammar: TreeGrammar) -> _Ints:
    """For each state the length of the longest sequence of calls from it, shape (S,)."""
    rank = np.zeros(len(grammar.all_states()), np.int64)
    calls = [(s, rule.state) for s, rule in grammar.rules() if isinstance(rule, CallRule)]
    settled = False
    while not settled:
        settled = True
        for caller, called in calls:
            if rank[caller] <= rank[called]:
                rank[caller] = rank[called] + 1
                settled = False
    return rank
