"""Modal trees grown in plain Python: with `goal_scores` the specification of `native/core/modal`.

At a goal the option of the highest score is taken: stopping before splits, splits in canonical
order, where a later one must be better by `TIE`. Then the sides are decided in the same way. A goal
without options is a dead end: the split above it is left out, and the goal above it decides again.

Smoothing adds to the Dirichlet prior of both sides of a split `smoothing` times the class counts of
the side, for all that is decided there and below.

Reference: Nuti, Jiménez Rugama & Cross (2019), algorithm 3, section 5.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from slp.engines.shared.growth.plan import LEAF, MOST_UNDONE, TIE, UNDECIDED, Ending, Grown, Plan
from slp.leaves import LeafModel
from slp.problem.problem import Problem
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.modal.goal_scores import PlainScorer, SplitOption, split_mix
from slp.trees.predicates import node_predicates


@dataclass
class _GrowingNode:
    box: int
    state: int
    depth: int
    place: int
    leaf: LeafModel
    slack: int
    decided: bool = False
    stops: bool = False
    gains: bool = False
    split: SplitOption | None = None
    children: tuple[_GrowingNode, _GrowingNode] | None = None
    failed: set[tuple[int, int, int]] = field(default_factory=set)
    log_stop: float = -math.inf
    log_likelihood: float = 0.0
    gain: float = 0.0

    @property
    def dead(self) -> bool:
        return self.decided and self.children is None and self.log_stop == -math.inf


def grow_plainly(problem: Problem, plan: Plan, stop: Callable[[], bool]) -> Grown:
    """One tree of a problem. `stop` is asked before each decision."""
    own = node_predicates(problem.program.constraints)
    process = LocalProcess(problem.grammar, Geometry(problem.grammar, problem.table), own)
    return PlainGrower(process, plan, stop).grow()


class PlainGrower(PlainScorer):
    """Grows modal trees on the goals of a local process. `stop` : asked before each decision."""

    def __init__(
        self, process: LocalProcess, plan: Plan, stop: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(process, plan)
        self._stop = stop
        self.root_scores = np.full(len(self.geometry.table.features), -np.inf)

    def grow(self) -> Grown:
        """The tree."""
        process, plan = self.process, self.plan
        root = process.root
        leaf = self.geometry.table.leaf
        top = _GrowingNode(root.box, root.state, 0, 1, leaf, plan.further)
        again, undone = [top], 0
        while again:
            for node in again:
                if not self._grow_below(node):
                    self._decide_stops(top)
                    return self._grown(Ending.STOPPED, top)
            if top.dead:
                return self._grown(Ending.NO_TREE, None)
            again = list(_undo_dead_ends(top))
            undone += len(again)
            if undone > MOST_UNDONE:
                return self._grown(Ending.TOO_MANY_DEAD_ENDS, None)
        return self._grown(Ending.DONE, top)

    def _grow_below(self, node: _GrowingNode) -> bool:
        """Decide a goal and all below it; False if the growth must stop."""
        stack = [node]
        while stack:
            if self._stop():
                return False
            at = stack.pop()
            self._decide(at)
            stack += reversed(at.children or ())
        return True

    def _decide(self, node: _GrowingNode) -> None:
        plan = self.plan
        options = self.options(node.box, node.state)
        drawn = node.depth < plan.drawn_levels
        temperature = plan.temperature if drawn else 1.0
        node.decided, node.log_stop = True, max(options.leaves, default=-math.inf)
        node.log_likelihood = self.log_likelihood(node.leaf, node.box, node.state)
        stop_score = node.log_stop + node.log_likelihood
        stop = stop_score / temperature + (self._noise(node, None) if drawn else 0.0)
        forced = plan.root_feature if node.depth == 0 else -1
        best: tuple[float, float, SplitOption] | None = None
        for splits in _by_rule_and_feature(options.splits):
            own: tuple[float, float, SplitOption] | None = None
            for split in splits:
                score = self.score(node.leaf, split, plan.look_ahead)
                if score == -math.inf or split.key in node.failed:
                    continue
                if forced >= 0 and split.feature != forced:
                    continue
                compared = score / temperature + (self._noise(node, split) if drawn else 0.0)
                if own is None or compared > own[0] + TIE:
                    own = (compared, score, split)
            if own is not None:
                if node.depth == 0 and not node.failed and not node.stops:
                    f = own[2].feature
                    self.root_scores[f] = max(self.root_scores[f], own[1])
                best = own if best is None or own[0] > best[0] + TIE else best
        can_stop = node.log_stop > -math.inf
        node.gains = best is not None and (not can_stop or forced >= 0 or best[0] > stop + TIE)
        if best is None or (node.stops and can_stop) or not (node.gains or node.slack > 0):
            return
        node.split, node.gain = best[2], best[1] - stop_score if can_stop else 0.0
        node.children = self._child(node, False), self._child(node, True)

    def _child(self, node: _GrowingNode, right: bool) -> _GrowingNode:
        split = node.split
        assert split is not None
        box = split.right if right else split.left
        leaf = node.leaf
        if self.plan.smoothing > 0:
            leaf = leaf.with_added(self.plan.smoothing * self.geometry.statistics([box])[0])
        state = split.right_state if right else split.left_state
        slack = self.plan.further if node.gains else node.slack - 1
        return _GrowingNode(box, state, node.depth + 1, 2 * node.place + right, leaf, slack)

    def _noise(self, node: _GrowingNode, split: SplitOption | None) -> float:
        """Gumbel noise of an option, from the seed, the node's place and the option alone: the
        option with the largest sum of score / temperature and noise is drawn as `Plan` says
        (Gumbel 1954)."""
        h = split_mix(self.plan.seed + node.place)
        if split is not None:
            h = split_mix(h + 1 + split.slot)
            h = split_mix(h + split.feature)
            rest = split.low
            while True:  # a set of more than 64 levels has several words
                h = split_mix(h + (rest & 0xFFFFFFFFFFFFFFFF))
                rest >>= 64
                if not rest:
                    break
        return -math.log(-math.log(((h >> 11) + 0.5) * 2.0**-53))

    def _decide_stops(self, top: _GrowingNode) -> None:
        """At the goals that were not decided in time: whether they can stop."""
        for node in _preorder(top):
            if not node.decided:
                leaves = self.options(node.box, node.state).leaves
                node.log_stop = max(leaves, default=-math.inf)
                node.log_likelihood = self.log_likelihood(node.leaf, node.box, node.state)

    def _grown(self, ending: Ending, top: _GrowingNode | None) -> Grown:
        nodes = [] if top is None else list(_preorder(top))
        prior = self.geometry.table.leaf
        k = prior.n_statistics
        cuts = [
            (n.split.feature, n.split.low, n.split.high, n.split.log_weight)
            if n.split is not None
            else (LEAF if n.decided else UNDECIDED, 0, 0, 0.0)
            for n in nodes
        ]
        added = np.zeros((len(nodes), k))
        if prior.classes and not prior.in_boxes:  # whose priors nothing is added to
            own = [n.leaf.concentration - prior.concentration for n in nodes]
            added += np.reshape(own, (-1, k))

        def column(values: list[float]) -> NDArray[np.float64]:
            return np.array(values, np.float64)

        return Grown(
            ending,
            np.array([c[0] for c in cuts], np.int32),
            np.array([c[1] for c in cuts], object),
            np.array([c[2] for c in cuts], object),
            column([n.log_stop for n in nodes]),
            column([n.log_likelihood for n in nodes]),
            column([c[3] for c in cuts]),
            column([n.gain for n in nodes]),
            self.geometry.leaf_statistics(
                [n.box for n in nodes], [self.process.leaf_prior(n.state) for n in nodes]
            ),
            added,
            self.root_scores,
        )


def _by_rule_and_feature(splits: list[SplitOption]) -> Iterator[list[SplitOption]]:
    """The splits in runs of one rule and feature."""
    runs: dict[tuple[int, int], list[SplitOption]] = {}
    for split in splits:
        runs.setdefault((split.slot, split.feature), []).append(split)
    yield from runs.values()


def _preorder(top: _GrowingNode) -> Iterator[_GrowingNode]:
    stack = [top]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(node.children or ())


def _undo_dead_ends(top: _GrowingNode) -> Iterator[_GrowingNode]:
    """The goals that decide again, each without the split that led to a dead end. One that was
    split although stopping is best now stops."""
    stack = [top]
    while stack:
        node = stack.pop()
        if node.children is None:
            continue
        if not any(child.dead for child in node.children):
            stack += reversed(node.children)
            continue
        assert node.split is not None
        if node.gains:
            node.failed.add(node.split.key)
        else:
            node.stops = True
        node.split, node.children, node.decided, node.gain = None, None, False, 0.0
        yield node
