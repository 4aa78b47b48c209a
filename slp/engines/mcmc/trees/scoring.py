"""The weight of one tree under the local process: the sum over all proofs that derive it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from slp.engines.mcmc.trees.local_process import LocalProcess, SplitAlternative
from slp.engines.mcmc.trees.proof import Choices, Proof, proof_of
from slp.ir.tree_grammar import CallRule, LeafRule
from slp.problem.cut_trees import Part, parts_of_tree
from slp.trees import Tree

__all__ = ["ScoredProofs", "proofs_of_tree"]


class ScoredProofs(NamedTuple):
    """Log of the weight of all proofs of a tree together, under the program as written and without
    tests on the finished tree; and one of them, None if there is none."""

    log_weight: float
    example: Proof | None


class _Step(NamedTuple):
    """What may be chosen at a goal to derive a part of the tree: the choice, its log weight, and
    the (goal, part) pairs it leads to."""

    way: int
    split: int
    log_weight: float
    below: tuple[tuple[int, int, int], ...]


_Place = tuple[int, int, int]  # box, state, part


def proofs_of_tree(process: LocalProcess, tree: Tree) -> ScoredProofs:
    """All proofs that part the table's rows as a tree does.

    A split is matched by one that leaves the same two sets of rows, on the same feature or, under
    the measure `partition`, on any.
    """
    geometry = process.geometry
    parts = parts_of_tree(geometry, tree)
    if parts is None:
        return ScoredProofs(-math.inf, None)
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
        return ScoredProofs(-math.inf, None)
    return ScoredProofs(done[start], _example(process, start, steps, done))


def _score(step: _Step, done: dict[_Place, float]) -> float:
    return step.log_weight + sum(done[p] for p in step.below)


def _example(
    process: LocalProcess,
    start: _Place,
    steps: dict[_Place, list[_Step]],
    done: dict[_Place, float],
) -> Proof:
    choices: list[Choices] = []
    stack = [start]
    while stack:
        place = stack.pop()
        step = max(steps[place], key=lambda s: _score(s, done))
        choices.append((process.goal(*place[:2]), step.way, step.split))
        stack += reversed(step.below)
    return proof_of(process, choices)


def _steps(process: LocalProcess, place: _Place, parts: list[Part]) -> list[_Step]:
    box, state, number = place
    part = parts[number]
    out = []
    for w, way in enumerate(process.goal(box, state).ways):
        if isinstance(way.rule, CallRule):
            out.append(_Step(w, -1, way.log_weight, ((box, way.rule.state, number),)))
        elif isinstance(way.rule, LeafRule):
            if part.split is None:
                out.append(_Step(w, -1, way.log_weight, ()))
        elif part.split is not None:
            for i, alternative in enumerate(way.splits):
                feature = process.geometry.cuts[alternative.split.cut].feature
                if feature == part.feature or way.rule.measure == "partition":
                    for below in _sides(alternative, part):
                        out.append(_Step(w, i, way.log_weight + way.log_shares[i], below))
    return out


def _sides(alternative: SplitAlternative, part: Part) -> Iterator[tuple[_Place, _Place]]:
    """What a split leads to, if it parts the rows as the tree does, sides disregarded."""
    (_, left, right), left_state, right_state = alternative
    if (left, right) == (part.left_box, part.right_box):
        yield (left, left_state, part.left), (right, right_state, part.right)
    elif (left, right) == (part.right_box, part.left_box):
        yield (left, left_state, part.right), (right, right_state, part.left)
