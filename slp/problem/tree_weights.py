"""The weight of one tree: the sum over all derivations that part the rows as it does.

The specification: the core does the same for many trees at once
(`native/core/mcmc/tree_weights.hpp`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from slp.ir.tree_grammar import CallRule, LeafRule
from slp.problem.cut_trees import Part, parts_of_tree
from slp.problem.local_process import Choices, LocalProcess, SplitAlternative
from slp.trees import Tree

__all__ = ["TreeWeight", "log_weight_of_tree", "weight_of_tree"]


class TreeWeight(NamedTuple):
    """Log of the weight of all derivations of a tree together, under the program as written and
    without likelihood and tests on the finished tree, the number of leaves among them; -inf if
    there is none. `example` is the heaviest of them, as its choices in preorder; else empty."""

    log_weight: float
    example: tuple[Choices, ...] = ()


_NO_WEIGHT = TreeWeight(-math.inf)


class _Step(NamedTuple):
    """A choice at a goal that derives a part of the tree: the choice, its log weight, and the
    (goal, part) pairs that it leads to."""

    rule: int
    split: int
    log_weight: float
    below: tuple[tuple[int, int, int], ...]


_Place = tuple[int, int, int]  # box, state, part


def weight_of_tree(process: LocalProcess, tree: Tree) -> TreeWeight:
    """The weight of all derivations that part the table's rows as a tree does; `_NO_WEIGHT` also if
    the codes do not determine how it parts them.

    A split is matched by one that leaves the same two sets of rows, on the same feature or, under
    the measure `partition`, on any.
    """
    geometry = process.geometry
    parts = parts_of_tree(geometry, tree)
    if parts is None:
        return _NO_WEIGHT
    done: dict[_Place, float] = {}
    steps: dict[_Place, list[_Step]] = {}
    start = (geometry.root, process.root.state, 0)
    stack: list[_Place] = [start]
    while stack:
        place = stack[-1]
        if place in done:
            stack.pop()
            continue
        if place not in steps:
            steps[place] = _steps(process, place, parts)
            missing = [p for step in steps[place] for p in step.below if p not in done]
            if missing:
                stack += missing
                continue
        stack.pop()
        terms = [_score(step, done) for step in steps[place]]
        done[place] = float(np.logaddexp.reduce(terms)) if terms else -math.inf
    if done[start] == -math.inf:
        return _NO_WEIGHT
    return TreeWeight(done[start], _example(process, start, steps, done))


def log_weight_of_tree(process: LocalProcess, tree: Tree) -> float:
    """The log weight of a tree that has as many leaves as the grammar allows, else -inf."""
    most = process.grammar.max_leaves
    if most is not None and tree.n_leaves > most:
        return -math.inf
    return weight_of_tree(process, tree).log_weight


def _score(step: _Step, done: dict[_Place, float]) -> float:
    return step.log_weight + sum(done[p] for p in step.below)


def _example(
    process: LocalProcess,
    start: _Place,
    steps: dict[_Place, list[_Step]],
    done: dict[_Place, float],
) -> tuple[Choices, ...]:
    choices: list[Choices] = []
    stack = [start]
    while stack:
        place = stack.pop()
        step = max(steps[place], key=lambda s: _score(s, done))
        choices.append((process.goal(*place[:2]), step.rule, step.split))
        stack += reversed(step.below)
    return tuple(choices)


def _steps(process: LocalProcess, place: _Place, parts: list[Part]) -> list[_Step]:
    box, state, number = place
    part = parts[number]
    out = []
    for r, taken in enumerate(process.goal(box, state).rules):
        if isinstance(taken.rule, CallRule):
            out.append(_Step(r, -1, taken.log_weight, ((box, taken.rule.state, number),)))
        elif isinstance(taken.rule, LeafRule):
            if part.feature < 0:
                out.append(_Step(r, -1, taken.log_weight, ()))
        elif part.feature >= 0:
            for i, split in enumerate(taken.splits):
                feature = process.geometry.cuts[split.split.cut].feature
                if feature == part.feature or taken.rule.measure == "partition":
                    for below in _sides(split, part):
                        out.append(_Step(r, i, taken.log_weight + taken.log_shares[i], below))
    return out


def _sides(alternative: SplitAlternative, part: Part) -> Iterator[tuple[_Place, _Place]]:
    """The goals that a split leads to, if it parts the rows as the tree does, in either order of
    sides."""
    (_, left, right), left_state, right_state = alternative
    if (left, right) == (part.left_box, part.right_box):
        yield (left, left_state, part.left), (right, right_state, part.right)
    elif (left, right) == (part.right_box, part.left_box):
        yield (left, left_state, part.right), (right, right_state, part.left)
