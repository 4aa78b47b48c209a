"""The weight of one tree: the sum over all its derivations.

The specification: the core does the same for many trees at once
(`native/core/mcmc/tree_weights.hpp`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from slp.ir.tree_grammar import CallRule, LeafRule
from slp.reference.cut_trees import Part, parts_of_tree
from slp.reference.local_process import Choices, LocalProcess, SplitAlternative
from slp.trees import Tree


class TreeWeight(NamedTuple):
    """Log of the weight of all derivations of a tree together, under the program as written and
    without likelihood and tests on the finished tree, the number of leaves among them; -inf if
    there is none. `example` is the heaviest of them, as its choices in preorder; else empty."""

    log_weight: float
    example: tuple[Choices, ...] = ()


_NO_WEIGHT = TreeWeight(-math.inf)

#: A box, a state, and the number of a node of the tree.
PlaceOnTable: TypeAlias = tuple[int, int, int]


class WeighedChoice(NamedTuple):
    """A choice at a goal that derives a part of the tree: the choice, its log weight, and the
    places that it leads to."""

    rule: int
    split: int
    log_weight: float
    below: tuple[PlaceOnTable, ...]


class TreeDerivations:
    """All derivations of one tree, as sums over the places that they reach.

    With W(place) the weight of what is below a place, W is the sum over the steps there of the
    step's weight times W of the places that it leads to. Each place is computed once.

    Parameters
    ----------
    start : the root's box in the start state, and the number of the tree's root.
    steps : the steps at a place.

    Attributes
    ----------
    log_weight : log of the weight of all derivations together; -inf if there is none.
    """

    def __init__(
        self,
        process: LocalProcess,
        start: PlaceOnTable,
        steps: Callable[[PlaceOnTable], list[WeighedChoice]],
    ) -> None:
        self._process, self._start = process, start
        self._done: dict[PlaceOnTable, float] = {}
        self._steps: dict[PlaceOnTable, list[WeighedChoice]] = {}
        self._sum(steps)
        self.log_weight = self._done[start]

    def heaviest(self) -> tuple[Choices, ...]:
        """The heaviest derivation, as its choices in preorder; there is one."""
        return self.derivation(lambda scores: scores.index(max(scores)))

    def _sum(self, steps: Callable[[PlaceOnTable], list[WeighedChoice]]) -> None:
        done, known = self._done, self._steps
        stack = [self._start]
        while stack:
            place = stack[-1]
            if place in done:
                stack.pop()
                continue
            if place not in known:
                known[place] = steps(place)
                missing = [p for step in known[place] for p in step.below if p not in done]
                if missing:
                    stack += missing
                    continue
            stack.pop()
            terms = [self._score(step) for step in known[place]]
            done[place] = float(np.logaddexp.reduce(terms)) if terms else -math.inf

    def _score(self, step: WeighedChoice) -> float:
        return step.log_weight + sum(self._done[p] for p in step.below)

    def derivation(self, choose: Callable[[list[float]], int]) -> tuple[Choices, ...]:
        """One derivation, as its choices in preorder; there is one. `choose` is given the log
        weights of the derivations by each step at a place, and gives a step's number. Drawn in
        proportion to the weights, the derivation is drawn in proportion to its own."""
        choices: list[Choices] = []
        stack = [self._start]
        while stack:
            place = stack.pop()
            steps = self._steps[place]
            step = steps[choose([self._score(s) for s in steps])]
            choices.append((self._process.goal(*place[:2]), step.rule, step.split))
            stack += reversed(step.below)
        return tuple(choices)


def weight_of_tree(process: LocalProcess, tree: Tree) -> TreeWeight:
    """The weight of all derivations of a tree, its thresholds aside; `_NO_WEIGHT` also if
    the codes do not determine how it parts them.

    A split is matched by one on the same feature that leaves the same two sets of rows; by one on
    any feature where every split of the program is by `partition` (`TreeGrammar.by_partition`).
    """
    geometry = process.geometry
    parts = parts_of_tree(geometry, tree)
    if parts is None:
        return _NO_WEIGHT
    start = (geometry.root, process.root.state, 0)
    found = TreeDerivations(process, start, lambda place: _steps(process, place, parts))
    if found.log_weight == -math.inf:
        return _NO_WEIGHT
    return TreeWeight(found.log_weight, found.heaviest())


def log_weight_of_tree(process: LocalProcess, tree: Tree) -> float:
    """The log weight of a tree that has as many leaves as the grammar allows, else -inf."""
    most = process.grammar.max_leaves
    if most is not None and tree.n_leaves > most:
        return -math.inf
    return weight_of_tree(process, tree).log_weight


def _steps(process: LocalProcess, place: PlaceOnTable, parts: list[Part]) -> list[WeighedChoice]:
    box, state, number = place
    part = parts[number]
    out = []
    for r, taken in enumerate(process.goal(box, state).rules):
        if isinstance(taken.rule, CallRule):
            out.append(WeighedChoice(r, -1, taken.log_weight, ((box, taken.rule.state, number),)))
        elif isinstance(taken.rule, LeafRule):
            if part.feature < 0:
                out.append(WeighedChoice(r, -1, taken.log_weight, ()))
        elif part.feature >= 0:
            for i, split in enumerate(taken.splits):
                feature = process.geometry.cuts[split.split.cut].feature
                if feature == part.feature or process.grammar.by_partition:
                    for below in _sides(split, part):
                        out.append(
                            WeighedChoice(
                                r, i, taken.log_weight + taken.log_probabilities[i], below
                            )
                        )
    return out


def _sides(
    alternative: SplitAlternative, part: Part
) -> Iterator[tuple[PlaceOnTable, PlaceOnTable]]:
    """The goals that a split leads to, if it parts the rows as the tree does, in either order of
    sides."""
    (_, left, right), left_state, right_state = alternative
    if (left, right) == (part.left_box, part.right_box):
        yield (left, left_state, part.left), (right, right_state, part.right)
    elif (left, right) == (part.right_box, part.left_box):
        yield (left, left_state, part.right), (right, right_state, part.left)
