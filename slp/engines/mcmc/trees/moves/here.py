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

from slp.engines.mcmc.trees.moves.cut_trees import LEAF, CutTree, PlacedTree
from slp.engines.mcmc.trees.target import Target
from slp.ir.tree_grammar import CallRule, LeafRule
from slp.problem.local_process import LocalProcess
from slp.problem.tree_weights import Place, Step, TreeDerivations


class WeighedSplits(NamedTuple):
    """The splits of a node, by the numbers of their cuts, and the logs of their weights."""

    cuts: list[int]
    log_weights: list[float]

    def only(self, kept: Iterable[int]) -> WeighedSplits:
        """Those among some cuts."""
        wanted = set(kept)
        pairs = [(c, w) for c, w in zip(*self, strict=True) if c in wanted]
        return WeighedSplits([c for c, _ in pairs], [w for _, w in pairs])


class Spot(NamedTuple):
    """A box, and the states that derivations can have there."""

    box: int
    states: tuple[int, ...]


class Here(PlacedTree):
    """A tree, with the states and the splits of its nodes."""

    def __init__(self, target: Target, cuts: CutTree) -> None:
        self.target = target
        self._process = target.process
        super().__init__(self._process.geometry, cuts)
        self._spots: dict[int, Spot] = {}

    def spot(self, i: int) -> Spot:
        """The box and the states of a node."""
        if i not in self._spots:
            if i == 0:
                found = first_spot(self._process)
            else:
                parent = self.parents[i]
                sides = self.sides(self.spot(parent), self.cuts[parent])
                found = sides[0 if i == parent + 1 else 1]
            self._spots[i] = found
        return self._spots[i]

    def sides(self, spot: Spot, cut: int) -> tuple[Spot, Spot]:
        """Both sides of a split."""
        return sides_of(self._process, spot, cut)

    def can_stop(self, i: int) -> bool:
        """Whether a node can be a leaf."""
        box, states = self.spot(i)
        goals = [self._process.goal(box, state) for state in states]
        return any(isinstance(taken.rule, LeafRule) for goal in goals for taken in goal.rules)

    def splits(self, spot: Spot) -> WeighedSplits:
        """The splits of a node, with log W(v, c)."""
        terms: dict[int, list[float]] = {}
        for state in spot.states:
            for taken in self._process.goal(spot.box, state).rules:
                for split, share in zip(taken.splits, taken.log_shares, strict=True):
                    terms.setdefault(split.split.cut, []).append(taken.log_weight + share)
        sums = [float(np.logaddexp.reduce(of_cut)) for of_cut in terms.values()]
        return WeighedSplits(list(terms), sums)

    def informed_splits(self, spot: Spot) -> WeighedSplits:
        """The splits of a node, with the log of W(v, c) [M(left) M(right)]^power, where M is the
        marginal likelihood of a side as a leaf."""
        cuts, weights = self.splits(spot)
        if self.target.power:
            for i, cut in enumerate(cuts):
                sides = self.sides(spot, cut)
                both = sum(self._process.log_marginal(side.box) for side in sides)
                weights[i] += self.target.power * both
        return WeighedSplits(cuts, weights)

    def derivations(self) -> TreeDerivations:
        """All derivations of the tree."""
        process = self._process
        start = (process.root.box, process.root.state, 0)
        return TreeDerivations(process, start, self._steps)

    def _steps(self, place: Place) -> list[Step]:
        box, state, i = place
        out = []
        for r, taken in enumerate(self._process.goal(box, state).rules):
            if isinstance(taken.rule, CallRule):
                out.append(Step(r, -1, taken.log_weight, ((box, taken.rule.state, i),)))
            elif isinstance(taken.rule, LeafRule):
                if self.cuts[i] == LEAF:
                    out.append(Step(r, -1, taken.log_weight, ()))
            else:
                for j, (split, left, right) in enumerate(taken.splits):
                    if split.cut == self.cuts[i]:
                        below = (
                            (split.left, left, self.child(i, 0)),
                            (split.right, right, self.child(i, 1)),
                        )
                        out.append(Step(r, j, taken.log_weight + taken.log_shares[j], below))
        return out


def first_spot(process: LocalProcess) -> Spot:
    """All rows in the start state."""
    return _with_calls(process, process.root.box, (process.root.state,))


def sides_of(process: LocalProcess, spot: Spot, cut: int) -> tuple[Spot, Spot]:
    """Both sides of a split; without states if no rule makes it."""
    states: tuple[list[int], list[int]] = ([], [])
    boxes = (0, 0)
    for state in spot.states:
        for taken in process.goal(spot.box, state).rules:
            for split, left, right in taken.splits:
                if split.cut == cut:
                    boxes = (split.left, split.right)
                    states[0].append(left)
                    states[1].append(right)
    left_spot, right_spot = (
        _with_calls(process, box, of_side) for box, of_side in zip(boxes, states, strict=True)
    )
    return left_spot, right_spot


def _with_calls(process: LocalProcess, box: int, states: Iterable[int]) -> Spot:
    """The states, and those that they call in the box, each once."""
    found: dict[int, None] = {}
    stack = list(states)
    while stack:
        state = stack.pop()
        if state not in found:
            found[state] = None
            rules = [taken.rule for taken in process.goal(box, state).rules]
            stack += [rule.state for rule in rules if isinstance(rule, CallRule)]
    return Spot(box, tuple(found))
