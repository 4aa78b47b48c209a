"""The packed forest of all derivations, as flat arrays.

An *item* is a box in a product state; its *edges* are the choices there: a rule and, where it
splits, a split. The weight of a derivation is the product of the weights of its edges, with the
likelihood of the leaves for the posterior:

    inside(item) = sum over its edges e of  weight(e) x inside(left(e)) x inside(right(e))

A leaf edge has the unit item on both sides, a call edge on the right; inside(unit) = 1. Item 0
stands for the whole: its edges call the start state (with `max_leaves`, for every number of
leaves).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slp.ir.tree_grammar import TreeGrammar
from slp.reference.boxes import Geometry

#: Values of `Forest.cut` for edges without a split.
LEAF, CALL = -1, -2


@dataclass(frozen=True, eq=False)
class Forest:
    """All derivations. N items (the unit item, number N, apart), E edges, B boxes, L levels.

    Attributes
    ----------
    grammar, geometry : the grammar and the boxes of the table.
    boxes : the boxes, by number.
    item_box, item_state : int32, shape (N,). Box and grammar state of an item (state -1: item 0).
    levels : int64, shape (L + 1,). Level l is the items levels[l] to levels[l + 1] - 1; edges lead
        to later levels only.
    first_edge : int64, shape (N + 1,). Edges of item i are first_edge[i] to first_edge[i + 1] - 1.
        An item with none derives nothing, and no edge leads to it.
    left, right : int32, shape (E,). Items that an edge leads to.
    cut : int32, shape (E,). Number of the cut in `geometry.cuts`, or LEAF, or CALL.
    rule : int32, shape (E,). Rule of the item's state, by position (-1 at item 0).
    log_weight : float64, shape (E,). Weight of the rule and probability of the split, as written
        in the program.
    """

    grammar: TreeGrammar
    geometry: Geometry
    boxes: list[int]
    item_box: NDArray[np.int32]
    item_state: NDArray[np.int32]
    levels: NDArray[np.int64]
    first_edge: NDArray[np.int64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    cut: NDArray[np.int32]
    rule: NDArray[np.int32]
    log_weight: NDArray[np.float64]

    @property
    def n_items(self) -> int:
        """N; also the number of the unit item."""
        return len(self.item_box)

    @cached_property
    def leaf_box(self) -> NDArray[np.int32]:
        """The box of each leaf that an item can be, a box with a prior; shape (L,)."""
        return self._leaves[0]

    @cached_property
    def leaf_prior(self) -> NDArray[np.int64]:
        """The prior of each leaf that an item can be (`State.leaf_prior`), shape (L,)."""
        return self._leaves[1]

    @cached_property
    def item_leaf(self) -> NDArray[np.int64]:
        """The leaf that each item can be, shape (N,)."""
        return self._leaves[2]

    @cached_property
    def _leaves(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        of_states = np.array([state.leaf_prior for state in self.grammar.all_states()], np.int64)
        priors = np.where(self.item_state < 0, 0, of_states[self.item_state])
        pairs = np.stack([priors, self.item_box], axis=1)
        found, item_leaf = np.unique(pairs, axis=0, return_inverse=True)
        return found[:, 1].astype(np.int32), found[:, 0], item_leaf.reshape(-1)

    @property
    def n_edges(self) -> int:
        """E."""
        return len(self.left)

    def by_level(self) -> Iterator[tuple[slice, slice, NDArray[np.int64]]]:
        """The levels from the root down: items, their edges, and how many edges each item has."""
        for first, last in zip(self.levels[:-1].tolist(), self.levels[1:].tolist(), strict=True):
            bounds = self.first_edge[first : last + 1]
            yield slice(first, last), slice(int(bounds[0]), int(bounds[-1])), np.diff(bounds)

    def edges(self, item: int) -> slice:
        """Edges of one item."""
        return slice(int(self.first_edge[item]), int(self.first_edge[item + 1]))


def without_dead_edges(forest: Forest) -> Forest:
    """The same derivations, without edges to items that derive nothing."""
    alive = np.zeros(forest.n_items + 1, np.bool_)
    alive[-1] = True
    for level in reversed(range(len(forest.levels) - 1)):
        first, last = forest.levels[level], forest.levels[level + 1]
        a, b = forest.first_edge[first], forest.first_edge[last]
        ends = alive[forest.left[a:b]] & alive[forest.right[a:b]]
        total = np.concatenate([[0], np.cumsum(ends)])
        alive[first:last] = np.diff(total[forest.first_edge[first : last + 1] - a]) > 0
    keep = alive[forest.left] & alive[forest.right]
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
