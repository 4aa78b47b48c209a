"""Second stage of the chart: from boxes and their states (`reach`) to the packed forest.

The edges are made for one profile at a time, all its boxes side by side, and then sorted by item.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slp.engines.chart.forest import CALL, LEAF, Forest
from slp.engines.chart.reach import Progress, Reach, find_boxes
from slp.engines.chart.states import States
from slp.ir.tree_grammar import CallRule, LeafRule, SplitRule, TreeGrammar
from slp.problem.boxes import Geometry
from slp.problem.rule_weights import leaf_allowed, log_own_weights, log_rule_weights
from slp.problem.split_measures import SplitArrays, flat_transitions, log_shares, splits_taken_over

__all__ = ["build_forest", "forest_of_reach"]


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
    return forest_of_reach(grammar, geometry, reach)


def forest_of_reach(grammar: TreeGrammar, geometry: Geometry, reach: Reach) -> Forest:
    """The forest on given boxes. Grammars that differ only in their weights reach the same boxes,
    and get the same items and edges in the same order."""
    items = _Items(grammar, reach)
    blocks = [_root_block(items), *_profile_blocks(grammar, geometry, reach, items)]
    return _without_dead_edges(_assemble(grammar, geometry, reach, items, blocks))


class _Items:
    """Numbers of items: by size of the box, then so that calls lead to later items, then by box and
    state."""

    def __init__(self, grammar: TreeGrammar, reach: Reach) -> None:
        states = reach.states
        sizes = np.array([len(p) for p in states.profiles], np.int64)[reach.profile]
        first = np.concatenate([[0], np.cumsum(sizes)])
        box = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        by_profile = [np.array(p, np.int64) for p in states.profiles]
        product = np.concatenate([by_profile[p] for p in reach.profile])
        rows = np.array([b.bit_count() for b in reach.boxes])[box]
        rank = _call_ranks(grammar)[product // states.n_owed]
        order = np.lexsort((-rank, -rows))
        self.n_owed = states.n_owed
        self.start = states.start
        self.profile = reach.profile
        self.box = np.concatenate([[0], box[order]]).astype(np.int32)
        self.state = np.concatenate([[-1], product[order] // states.n_owed]).astype(np.int32)
        step = (np.diff(rows[order]) != 0) | (np.diff(rank[order]) != 0)
        ends = np.flatnonzero(step) + 2
        self.levels = np.concatenate([[0, 1], ends, [len(self.box)]]).astype(np.int64)
        self.unit = len(self.box)
        self._number = np.empty(len(order), np.int32)
        self._number[order] = np.arange(1, len(order) + 1, dtype=np.int32)
        self._first = first
        self._position = np.full(
            (len(by_profile), len(grammar.all_states()) * states.n_owed), -1, np.int32
        )
        for p, products in enumerate(by_profile):
            self._position[p, products] = np.arange(len(products))

    def find(self, box: NDArray[np.int32], product: NDArray[np.int32] | int) -> NDArray[np.int32]:
        """Items of boxes in product states, -1 where the box is not reached in it. Broadcasts."""
        position = self._position[self.profile[box], product]
        found = self._number[np.minimum(self._first[box] + position, len(self._number) - 1)]
        return np.where(position < 0, np.int32(-1), found)


def _call_ranks(grammar: TreeGrammar) -> NDArray[np.int64]:
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


@dataclass(frozen=True, eq=False)
class _Block:
    """Edges of one rule in the boxes of one profile; `parent` ascends. The other fields are those
    of `Forest`."""

    parent: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    cut: NDArray[np.int32]
    rule: int
    log_weight: NDArray[np.float64]


def _root_block(items: _Items) -> _Block:
    calls = items.find(np.zeros(len(items.start), np.int32), np.array(items.start, np.int32))
    calls = calls[calls >= 0]
    return _unary(np.zeros(len(calls), np.int32), calls, items.unit, CALL, -1, np.zeros(len(calls)))


def _unary(
    parent: NDArray[np.int32],
    child: NDArray[np.int32],
    unit: int,
    cut: int,
    rule: int,
    log_weight: NDArray[np.float64],
) -> _Block:
    units = np.full(len(parent), unit, np.int32)
    return _Block(parent, child, units, np.full(len(parent), cut, np.int32), rule, log_weight)


def _profile_blocks(
    grammar: TreeGrammar, geometry: Geometry, reach: Reach, items: _Items
) -> Iterator[_Block]:
    """The edges of all boxes, profile by profile."""
    cuts = geometry.cuts
    feature = np.array([c.feature for c in cuts], np.int64)
    gap = np.array([c.gap for c in cuts], np.float64)
    cell = np.array([c.cell for c in cuts], np.int64)
    by_box = _groups(reach.profile, len(reach.states.profiles))
    by_split = _groups(reach.profile[reach.parent], len(reach.states.profiles))
    for profile, (boxes, splits) in enumerate(zip(by_box, by_split, strict=True)):
        if not reach.states.profiles[profile]:
            continue
        left, right = reach.left[splits], reach.right[splits]
        cut = reach.cut[splits]
        arrays = SplitArrays(
            n_boxes=len(boxes),
            feature_weights=grammar.feature_weights,
            box=np.searchsorted(boxes, reach.parent[splits]),
            feature=feature[cut],
            gap=gap[cut],
            pair=np.minimum(left, right).astype(np.int64),
        )
        group = _Profile(
            grammar, geometry, reach, items, boxes, left, right, cut, cell[cut], arrays
        )
        for state, products in _by_state(reach.states, profile).items():
            yield from group.blocks(state, products)


def _by_state(states: States, profile: int) -> dict[int, list[int]]:
    """Product states of a profile, by grammar state."""
    out: dict[int, list[int]] = {}
    for product in states.profiles[profile]:
        out.setdefault(product // states.n_owed, []).append(product)
    return out


def _groups(key: NDArray[np.int32], n_groups: int) -> list[NDArray[np.int64]]:
    """Positions of each key 0 .. n_groups - 1, ascending."""
    order = np.argsort(key, kind="stable")
    return np.split(order, np.searchsorted(key[order], np.arange(1, n_groups)))


class _Profile:
    """The boxes that share a profile and their splits, side by side."""

    def __init__(
        self,
        grammar: TreeGrammar,
        geometry: Geometry,
        reach: Reach,
        items: _Items,
        boxes: NDArray[np.int64],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        cut: NDArray[np.int32],
        cell: NDArray[np.int64],
        arrays: SplitArrays,
    ) -> None:
        self.grammar, self.geometry, self.states, self.items = (
            grammar,
            geometry,
            reach.states,
            items,
        )
        self.boxes = boxes.astype(np.int32)
        self.rows = [reach.boxes[b] for b in boxes]
        self.left, self.right, self.cut, self.cell, self.arrays = left, right, cut, cell, arrays
        self._shares: dict[tuple[str, bytes], NDArray[np.float64]] = {}

    def blocks(self, state: int, products: list[int]) -> Iterator[_Block]:
        """The edges of all boxes in one grammar state, rule by rule."""
        rules = self.grammar.states[state].rules
        if not rules:
            return
        possible = np.ones((len(rules), len(self.boxes)), np.bool_)
        shares: dict[int, NDArray[np.float64]] = {}
        for r, rule in enumerate(rules):
            if isinstance(rule, SplitRule):
                shares[r] = self._log_shares(rule)
                drawn = self.arrays.box[shares[r] > -np.inf]
                possible[r] = np.bincount(drawn, minlength=len(self.boxes)) > 0
            elif isinstance(rule, LeafRule):
                possible[r] = leaf_allowed(rule, self.geometry, self.rows)
        own = log_own_weights(self.grammar, state, self.geometry, self.rows)
        possible &= own > -np.inf
        weights = log_rule_weights(self.grammar, rules, own, possible)
        for product in products:
            parent = self.items.find(self.boxes, product)
            for r, rule in enumerate(rules):
                if isinstance(rule, SplitRule):
                    yield from self._split_blocks(r, rule, product, parent, weights[r], shares[r])
                elif isinstance(rule, CallRule):
                    called = rule.state * self.states.n_owed + product % self.states.n_owed
                    child = self.items.find(self.boxes, called)
                    yield _unary(parent, child, self.items.unit, CALL, r, weights[r])
                elif self.states.may_stop(product):
                    stops = np.flatnonzero(possible[r])
                    units = np.full(len(stops), self.items.unit, np.int32)
                    yield _unary(parent[stops], units, self.items.unit, LEAF, r, weights[r][stops])

    def _log_shares(self, rule: SplitRule) -> NDArray[np.float64]:
        counted = splits_taken_over(flat_transitions(rule)[:, 0], self.grammar.failure)
        key = (rule.measure, counted.tobytes())
        if key not in self._shares:
            self._shares[key] = log_shares(rule.measure, self.arrays, counted[self.cell])
        return self._shares[key]

    def _split_blocks(
        self,
        r: int,
        rule: SplitRule,
        product: int,
        parent: NDArray[np.int32],
        log_weight: NDArray[np.float64],
        share: NDArray[np.float64],
    ) -> Iterator[_Block]:
        steps = flat_transitions(rule)[self.cell]
        live = np.flatnonzero((steps[:, 0] >= 0) & (share > -np.inf))
        box, steps = self.arrays.box[live], steps[live] * self.states.n_owed
        left, right = self.left[live], self.right[live]
        weight = log_weight[box] + share[live]
        for i, j in self.states.dealt(product):
            one = self.items.find(left, steps[:, 0] + np.int32(i))
            other = self.items.find(right, steps[:, 1] + np.int32(j))
            keep = (one >= 0) & (other >= 0)
            if keep.all():
                yield _Block(parent[box], one, other, self.cut[live], r, weight)
            else:
                yield _Block(
                    parent[box[keep]], one[keep], other[keep], self.cut[live][keep], r, weight[keep]
                )


def _assemble(
    grammar: TreeGrammar, geometry: Geometry, reach: Reach, items: _Items, blocks: list[_Block]
) -> Forest:
    """Blocks joined into one array a field, sorted by parent and then in the order of the
    blocks."""
    count = np.zeros(items.unit, np.int64)
    for block in blocks:
        parents, sizes, _ = _runs(block.parent)
        count[parents] += sizes
    first_edge = np.concatenate([[0], np.cumsum(count)])
    n_edges = int(first_edge[-1])
    free = first_edge[:-1].copy()
    left, right, cut, rule = (np.empty(n_edges, np.int32) for _ in range(4))
    log_weight = np.empty(n_edges)
    for i, block in enumerate(blocks):
        parents, sizes, within = _runs(block.parent)
        place = free[block.parent] + within
        free[parents] += sizes
        left[place], right[place], cut[place] = block.left, block.right, block.cut
        rule[place], log_weight[place] = block.rule, block.log_weight
        blocks[i] = _NOTHING  # so that memory is freed while the arrays fill
    return Forest(
        grammar,
        geometry,
        reach.boxes,
        items.box,
        items.state,
        items.levels,
        first_edge,
        left,
        right,
        cut,
        rule,
        log_weight,
    )


_NONE = np.empty(0, np.int32)
_NOTHING = _Block(_NONE, _NONE, _NONE, _NONE, -1, np.empty(0))


def _runs(
    keys: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Of ascending keys: the distinct ones, how often each occurs, and each key's place in its
    run."""
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    sizes = np.diff(first, append=len(keys))
    return keys[first], sizes, np.arange(len(keys)) - np.repeat(first, sizes)


def _without_dead_edges(forest: Forest) -> Forest:
    """The same derivations, without edges to items that derive nothing, and without edges of rules
    that do not exist in their box."""
    exists = forest.log_weight > -np.inf
    alive = np.zeros(forest.n_items + 1, np.bool_)
    alive[-1] = True
    for level in reversed(range(len(forest.levels) - 1)):
        first, last = forest.levels[level], forest.levels[level + 1]
        a, b = forest.first_edge[first], forest.first_edge[last]
        ends = exists[a:b] & alive[forest.left[a:b]] & alive[forest.right[a:b]]
        total = np.concatenate([[0], np.cumsum(ends)])
        alive[first:last] = np.diff(total[forest.first_edge[first : last + 1] - a]) > 0
    keep = exists & alive[forest.left] & alive[forest.right]
    if keep.all():
        return forest
    kept = np.concatenate([[0], np.cumsum(keep)])
    return replace(
        forest,
        first_edge=kept[forest.first_edge],
        left=forest.left[keep],
        right=forest.right[keep],
        cut=forest.cut[keep],
        rule=forest.rule[keep],
        log_weight=forest.log_weight[keep],
    )
