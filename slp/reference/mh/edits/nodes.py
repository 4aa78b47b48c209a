"""Edited trees on a table: nodes shared between trees, and the edits possible at each.

A node stores how many leaves of its subtree can be grown, and how many of its nodes can be pruned
and changed. So the root tells whether a kind of edit applies to a tree, and at how many places. An
edit makes new nodes only on the path to its place.

A *change* gives a node another split of its box. The tests below stay, on other rows. The change is
admissible if every leaf below then has `min_leaf` rows; then the boxes above these leaves have them
too. Let m be the rows of the node's box that pass all tests between it and a leaf. A leaf on the
left gets the rows in both m and the split's left side, and a leaf on the right likewise.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.ir.program import Measure
from slp.problem.remembered import Remembered
from slp.reference.boxes import BoxSplit, Geometry
from slp.reference.cut_trees import rows_left
from slp.reference.split_measures import SplitArrays, log_split_probabilities

#: The kinds of edits, as positions in `EditNode.places`.
GROW, PRUNE, CHANGE = 0, 1, 2
KINDS = ("grow", "prune", "change")


@dataclass(frozen=True, eq=False, slots=True)
class EditNode:
    """A node of a tree and what is below it; made by `Nodes` alone.

    Attributes
    ----------
    box, depth : its rows; splits above it.
    split, parts : its split, and the nodes of its left and right side; None and () at a leaf.
    options : positions, among the splits of the box, of those that an edit may take here: at a leaf
        to grow it (none at the greatest depth), else to change it.
    places : how many nodes of the subtree can be grown, pruned, changed.
    n_leaves : leaves of the subtree.
    log_likelihood : sum of the log marginal likelihoods of its leaves.
    """

    box: int
    depth: int
    split: BoxSplit | None
    parts: tuple[EditNode, ...]
    options: tuple[int, ...]
    places: tuple[int, int, int]
    n_leaves: int
    log_likelihood: float

    @property
    def cut(self) -> int | None:
        """The number of the cut that splits it, None at a leaf."""
        return None if self.split is None else self.split.cut

    @property
    def prunable(self) -> bool:
        """Whether its two children are leaves."""
        return self.n_leaves == 2

    def place_here(self, kind: int) -> bool:
        """Whether an edit of a kind applies at this node itself."""
        if kind == PRUNE:
            return self.prunable
        return bool(self.options) and (kind == GROW) == (self.split is None)


class SplitChoice(NamedTuple):
    """A choice among splits of a box: their positions among its splits, cumulative
    probabilities under the measure for drawing, and log probabilities."""

    options: tuple[int, ...]
    cumulative: tuple[float, ...]
    log_probabilities: tuple[float, ...]


class _Box(NamedTuple):
    """Cached data of a box. `by_side`: position of the split of a feature that has these rows on
    its left side, or, for a categorical feature, on its right side with -1 - position."""

    splits: list[BoxSplit]
    by_side: dict[tuple[int, int], int]
    log_marginal: float


class Nodes:
    """Makes nodes on a table, each only once. Chains may share one instance.

    Parameters
    ----------
    measure : how a split is chosen: one that sums to 1 over the splits it is taken over.
    feature_weights : float64, shape (d,).
    groups : int64, shape (d,). The groups of features, None if there are none.
    max_depth : greatest depth of a leaf, None for no limit.
    """

    def __init__(
        self,
        geometry: Geometry,
        measure: Measure = "feature_then_cut",
        feature_weights: NDArray[np.float64] | None = None,
        max_depth: int | None = None,
        groups: NDArray[np.int64] | None = None,
    ) -> None:
        d = len(geometry.table.features)
        self.geometry, self.measure, self.max_depth = geometry, measure, max_depth
        self.feature_weights = np.ones(d) if feature_weights is None else feature_weights
        self.groups = groups
        self._least = geometry.least_size
        self._lock = threading.RLock()  # only one thread at a time may number cuts
        self._boxes: Remembered[int, _Box] = Remembered()
        self._left_rows: dict[int, int] = {}
        self._choices: Remembered[tuple[int, tuple[int, ...]], SplitChoice] = Remembered()
        # A node keeps its parts, so no other object can have their ids while it exists.
        self._nodes: Remembered[tuple[int, int, int, int, int], EditNode] = Remembered()

    # --- nodes -----------------------------------------------------------------------------

    def leaf(self, box: int, depth: int) -> EditNode:
        """A leaf."""
        key = (box, depth, -1, 0, 0)
        found = self._nodes.get(key)
        if found is None:
            at_the_end = self.max_depth is not None and depth >= self.max_depth
            here = self._box(box)
            options = () if at_the_end else tuple(range(len(here.splits)))
            places = (int(bool(options)), 0, 0)
            found = EditNode(box, depth, None, (), options, places, 1, here.log_marginal)
            self._nodes[key] = found
        return found

    def joined(self, box: int, split: BoxSplit, left: EditNode, right: EditNode) -> EditNode:
        """An inner node whose sides are there."""
        key = (box, left.depth, split.cut, id(left), id(right))
        found = self._nodes.get(key)
        if found is None:
            options = self._changes(box, split, left, right)
            here = (0, int(left.split is None and right.split is None), int(bool(options)))
            found = EditNode(
                box,
                left.depth - 1,
                split,
                (left, right),
                options,
                _sum(here, left.places, right.places),
                left.n_leaves + right.n_leaves,
                left.log_likelihood + right.log_likelihood,
            )
            self._nodes[key] = found
        return found

    def splits(self, box: int) -> list[BoxSplit]:
        """The valid splits of a box, in canonical order."""
        return self._box(box).splits

    def find_split(self, box: int, feature: int, left: int) -> tuple[BoxSplit, bool] | None:
        """The valid split of a box on a feature with these rows on one side, and whether that is
        its right side; None if there is none."""
        here = self._box(box)
        position = here.by_side.get((feature, left))
        if position is None:
            return None
        return here.splits[max(position, -1 - position)], position < 0

    def choice(self, box: int, options: tuple[int, ...]) -> SplitChoice:
        """The choice of a split of a box among options, at least one."""
        key = (box, options)
        found = self._choices.get(key)
        if found is None:
            found = self._choices[key] = self._new_choice(box, options)
        return found

    # --- edits -----------------------------------------------------------------------------

    def edited(self, tree: EditNode, kind: int, place: int, option: int) -> EditNode:
        """The tree after an edit at a place, counted in preorder among those of the kind; `option`
        is a position among the options there; unused when pruning."""
        above, node = _way_to(tree, kind, place)
        new = self._edited_here(node, kind, option)
        for parent, side in reversed(above):
            assert parent.split is not None
            left, right = (new, parent.parts[1]) if side == 0 else (parent.parts[0], new)
            new = self.joined(parent.box, parent.split, left, right)
        return new

    def choice_at(self, tree: EditNode, kind: int, place: int) -> SplitChoice:
        """The choice of a split for growing or changing at a place."""
        node = _way_to(tree, kind, place)[1]
        return self.choice(node.box, node.options)

    def _edited_here(self, node: EditNode, kind: int, option: int) -> EditNode:
        if kind == PRUNE:
            return self.leaf(node.box, node.depth)
        split = self.splits(node.box)[node.options[option]]
        below = node.depth + 1
        if kind == GROW:
            left, right = self.leaf(split.left, below), self.leaf(split.right, below)
        else:
            left = self.on_other_rows(node.parts[0], split.left)
            right = self.on_other_rows(node.parts[1], split.right)
        return self.joined(node.box, split, left, right)

    def on_other_rows(self, node: EditNode, box: int) -> EditNode:
        """The same tests on other rows that give every leaf below enough rows; thresholds are
        canonical for these rows."""
        order: list[tuple[int, int, BoxSplit | None, EditNode | None]] = []
        stack = [(node, box)]
        while stack:
            node, box = stack.pop()
            if node.box == box or node.split is None:
                same = node if node.box == box else self.leaf(box, node.depth)
                order.append((box, node.depth, None, same))
                continue
            split, swapped = self._canonical(node.split.cut, box)
            order.append((box, node.depth, split, None))
            left, right = reversed(node.parts) if swapped else node.parts
            stack += ((right, split.right), (left, split.left))
        done: list[EditNode] = []
        for box, _, taken, ready in reversed(order):
            if ready is not None:
                done.append(ready)
            else:
                assert taken is not None
                done.append(self.joined(box, taken, done.pop(), done.pop()))
        return done.pop()

    def _canonical(self, cut: int, box: int) -> tuple[BoxSplit, bool]:
        """The split of a box that parts it as a cut does, and whether the sides are exchanged."""
        found = self.find_split(box, self.geometry.cuts[cut].feature, box & self._cut_left(cut))
        assert found is not None
        return found

    # --- changes ---------------------------------------------------------------------------

    def _changes(self, box: int, own: BoxSplit, left: EditNode, right: EditNode) -> tuple[int, ...]:
        """Positions of the splits of a box that may replace its split."""
        splits = self.splits(box)
        on_left, on_right = self._rows_of_leaves(left, box), self._rows_of_leaves(right, box)
        if self._least == 1:
            return tuple(
                i
                for i, s in enumerate(splits)
                if s.cut != own.cut
                and all(s.left & rows for rows in on_left)
                and all(s.right & rows for rows in on_right)
            )
        least, count = self._least, self.geometry.size
        return tuple(
            i
            for i, s in enumerate(splits)
            if s.cut != own.cut
            and all(count(s.left & rows) >= least for rows in on_left)
            and all(count(s.right & rows) >= least for rows in on_right)
        )

    def _rows_of_leaves(self, node: EditNode, box: int) -> list[int]:
        """For each leaf below a node, the rows of the box that pass all tests between them, the
        smallest sets first. Empty for a leaf."""
        if node.split is None:
            return []
        out: list[int] = []
        stack = [(node, box)]
        while stack:
            node, rows = stack.pop()
            if node.split is None:
                out.append(rows)
                continue
            left = rows & self._cut_left(node.split.cut)
            stack += ((node.parts[0], left), (node.parts[1], rows ^ left))
        return sorted(out, key=int.bit_count)

    def _cut_left(self, cut: int) -> int:
        """All rows of the table that a cut sends left."""
        found = self._left_rows.get(cut)
        if found is None:
            c, everything = self.geometry.cuts[cut], self.geometry.root
            rows = rows_left(self.geometry, everything, c.feature, c.test)
            found = self._left_rows[cut] = rows
        return found

    # --- what is remembered ----------------------------------------------------------------

    def _box(self, box: int) -> _Box:
        found = self._boxes.get(box)
        if found is None:
            with self._lock:
                found = self._boxes[box] = self._new_box(box)
        return found

    def _new_box(self, box: int) -> _Box:
        geometry = self.geometry
        splits = geometry.splits(box)
        by_side: dict[tuple[int, int], int] = {}
        for i, s in enumerate(splits):
            cut = geometry.cuts[s.cut]
            if cut.test.by_level:
                by_side.setdefault((cut.feature, s.right), -1 - i)
            by_side[cut.feature, s.left] = i
        statistics = geometry.statistics([box])
        return _Box(splits, by_side, float(geometry.table.leaf.log_marginal(statistics)[0]))

    def _new_choice(self, box: int, options: tuple[int, ...]) -> SplitChoice:
        splits = [self.splits(box)[i] for i in options]
        arrays = SplitArrays.of_box(self.geometry, splits, self.feature_weights, self.groups)
        logs = log_split_probabilities(self.measure, arrays, np.ones(len(splits), np.bool_))
        cumulative: NDArray[np.float64] = np.cumsum(np.exp(logs))
        return SplitChoice(options, tuple(cumulative.tolist()), tuple(logs.tolist()))


def _way_to(tree: EditNode, kind: int, place: int) -> tuple[list[tuple[EditNode, int]], EditNode]:
    """The node of an edit of a kind at a place, and the nodes above it, each with the side that
    leads there."""
    above: list[tuple[EditNode, int]] = []
    node = tree
    while not (node.place_here(kind) and place == 0):
        place -= node.place_here(kind)
        on_left = node.parts[0].places[kind]
        side = int(place >= on_left)
        place -= side * on_left
        above.append((node, side))
        node = node.parts[side]
    return above, node


def _sum(*triples: Sequence[int]) -> tuple[int, int, int]:
    grow, prune, change = (sum(column) for column in zip(*triples, strict=True))
    return grow, prune, change
