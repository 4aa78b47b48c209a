"""A tree before or after a move: the states of its nodes, and the weights of splits there.

The *states of a node* are the states that derivations can have there, given the splits above it and
whatever is below. (If a tree has one derivation, and no state calls another, a node has one state,
that of the derivation.) The weight of a split c at a node v with the box B is

    W(v, c) = sum over the states s of v of  sum over the split rules r of s of  w(r) m(c)

where w(r) is the weight of the rule at (B, s), and m(c) the split probability of c under its
measure. The *splits of a node* are those of positive weight. A leaf *can split* if it has such
splits. A node *can stop* if one of its states has a leaf rule of positive weight. All of this
depends on the splits above the node only, not on a derivation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from slp.ir.tree_grammar import CallRule, LeafRule
from slp.reference.local_process import LocalProcess
from slp.reference.mh.moves.cut_trees import LEAF, CutTree, PlacedTree
from slp.reference.mh.target import Target
from slp.reference.tree_weights import PlaceOnTable, TreeDerivations, WeighedChoice


class WeighedSplits(NamedTuple):
    """The splits of a node, by the numbers of their cuts, and the logs of their weights."""

    cuts: list[int]
    log_weights: list[float]

    def only(self, kept: Iterable[int]) -> WeighedSplits:
        """Those among some cuts."""
        wanted = set(kept)
        pairs = [(c, w) for c, w in zip(*self, strict=True) if c in wanted]
        return WeighedSplits([c for c, _ in pairs], [w for _, w in pairs])


class BoxStates(NamedTuple):
    """A box, and the states that derivations can have there."""

    box: int
    states: tuple[int, ...]


class WeighedTree(PlacedTree):
    """A tree, with the states and the splits of its nodes."""

    def __init__(self, target: Target, cuts: CutTree) -> None:
        self.target = target
        self._process = target.process
        super().__init__(self._process.geometry, cuts)
        self._box_states: dict[int, BoxStates] = {}

    def box_states(self, i: int) -> BoxStates:
        """The box and the states of a node."""
        if i not in self._box_states:
            if i == 0:
                root = self._process.root
                found = _with_calls(self._process, root.box, (root.state,))
            else:
                parent = self.parents[i]
                sides = self.sides(self.box_states(parent), self.cuts[parent])
                found = sides[0 if i == parent + 1 else 1]
            self._box_states[i] = found
        return self._box_states[i]

    def sides(self, box_states: BoxStates, cut: int) -> tuple[BoxStates, BoxStates]:
        """Both sides of a split; without states if no rule makes it."""
        left: list[int] = []
        right: list[int] = []
        boxes = (0, 0)
        for state in box_states.states:
            for taken in self._process.goal(box_states.box, state).rules:
                for split, left_state, right_state in taken.splits:
                    if split.cut == cut:
                        boxes = (split.left, split.right)
                        left.append(left_state)
                        right.append(right_state)
        process = self._process
        return _with_calls(process, boxes[0], left), _with_calls(process, boxes[1], right)

    def can_stop(self, i: int) -> bool:
        """Whether a node can be a leaf."""
        box, states = self.box_states(i)
        goals = [self._process.goal(box, state) for state in states]
        return any(isinstance(taken.rule, LeafRule) for goal in goals for taken in goal.rules)

    def splits(self, box_states: BoxStates) -> WeighedSplits:
        """The splits of a node, with log W(v, c)."""
        terms: dict[int, list[float]] = {}
        for state in box_states.states:
            for taken in self._process.goal(box_states.box, state).rules:
                for split, log_p in zip(taken.splits, taken.log_probabilities, strict=True):
                    terms.setdefault(split.split.cut, []).append(taken.log_weight + log_p)
        sums = [float(np.logaddexp.reduce(of_cut)) for of_cut in terms.values()]
        return WeighedSplits(list(terms), sums)

    def informed_splits(self, box_states: BoxStates) -> WeighedSplits:
        """The splits of a node, with the log of W(v, c) [M(left) M(right)]^power, where M is the
        marginal likelihood of a side as a leaf."""
        cuts, weights = self.splits(box_states)
        if self.target.power:
            for i, cut in enumerate(cuts):
                sides = self.sides(box_states, cut)
                weights[i] += self.target.power * sum(map(self.log_marginal, sides))
        return WeighedSplits(cuts, weights)

    def log_marginal(self, at: BoxStates) -> float:
        """Log marginal likelihood of a node as a leaf, whose prior all of its states share, as the
        path decides it."""
        return self._process.log_marginal(at.box, at.states[0])

    def derivations(self) -> TreeDerivations:
        """All derivations of the tree."""
        process = self._process
        start = (process.root.box, process.root.state, 0)
        return TreeDerivations(process, start, self._steps)

    def _steps(self, place: PlaceOnTable) -> list[WeighedChoice]:
        box, state, i = place
        out = []
        for r, taken in enumerate(self._process.goal(box, state).rules):
            if isinstance(taken.rule, CallRule):
                out.append(WeighedChoice(r, -1, taken.log_weight, ((box, taken.rule.state, i),)))
            elif isinstance(taken.rule, LeafRule):
                if self.cuts[i] == LEAF:
                    out.append(WeighedChoice(r, -1, taken.log_weight, ()))
            else:
                for j, (split, left, right) in enumerate(taken.splits):
                    if split.cut == self.cuts[i]:
                        below = (
                            (split.left, left, self.child(i, 0)),
                            (split.right, right, self.child(i, 1)),
                        )
                        out.append(
                            WeighedChoice(
                                r, j, taken.log_weight + taken.log_probabilities[j], below
                            )
                        )
        return out


def _with_calls(process: LocalProcess, box: int, states: Iterable[int]) -> BoxStates:
    """The states, and those that they call in the box, each once."""
    found: dict[int, None] = {}
    stack = list(states)
    while stack:
        state = stack.pop()
        if state not in found:
            found[state] = None
            rules = [taken.rule for taken in process.goal(box, state).rules]
            stack += [rule.state for rule in rules if isinstance(rule, CallRule)]
    return BoxStates(box, tuple(found))
