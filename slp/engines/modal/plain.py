"""Modal trees in plain Python: the specification of `native/core/modal`.

At a goal (the rows of a box, in a state) the options are stopping by a leaf rule, and each split by
a split rule; call rules lead to the options of the state called. With w the weight of an option
under the program (labels of calls and rule as they are in the box, times the split's share), and L
the marginal likelihood of rows as one leaf,

    score of stopping = log w + log L(box)
    score of a split  = log w + worth(left side) + worth(right side).

The worth of a side is log L + log of its label of stopping (`stop_label`), or log L alone as in the
paper. With look-ahead of k levels it is log S_k, the sum over the side's derivations with at most k
splits on a path:

    S_k(goal) = sum over leaf rules of w L + sum over splits of w S_(k-1)(left) S_(k-1)(right),

with S_0 the worth of a side as a leaf. The option of the highest score is taken: stopping before
splits, splits in canonical order, where a later one must be better by `TIE`. Then the sides are
decided in the same way. A goal without options is a dead end: the split above it is left out, and
the goal above it decides again.

Smoothing adds to the Dirichlet prior of both sides of a split `smoothing` times the class counts of
the side, for all that is decided there and below.

Reference: Nuti, Jiménez Rugama & Cross (2019), algorithms 1 to 3, section 5.2; Buntine (1992) for
look-ahead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.engines.modal.plan import LEAF, MOST_UNDONE, TIE, UNDECIDED, Ending, Grown, Plan
from slp.ir.tree_grammar import CallRule, LeafRule, SplitRule
from slp.leaves import Dirichlet, LeafModel
from slp.problem.boxes import Geometry
from slp.problem.local_process import LocalProcess
from slp.problem.remembered import Remembered
from slp.problem.rule_weights import leaf_allowed, log_own_weights, log_rule_weights
from slp.problem.split_measures import flat_transitions, splits_taken_over


class SplitOption(NamedTuple):
    """A split that a goal may take.

    Attributes
    ----------
    slot : number of its rule among the split rules that the goal reaches through calls.
    feature, low, high : the cut.
    log_weight : of calls, rule and split.
    left, right, left_state, right_state : the goals that it leads to.
    """

    slot: int
    feature: int
    low: int
    high: int
    log_weight: float
    left: int
    right: int
    left_state: int
    right_state: int

    @property
    def key(self) -> tuple[int, int, int]:
        """What tells it from the other splits of the goal."""
        return self.slot, self.feature, self.low


class Options(NamedTuple):
    """The options of a goal: log weights of its leaf rules, and its splits."""

    leaves: list[float]
    splits: list[SplitOption]


@dataclass
class _Node:
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
    children: tuple[_Node, _Node] | None = None
    failed: set[tuple[int, int, int]] = field(default_factory=set)
    log_stop: float = -math.inf
    log_likelihood: float = 0.0
    gain: float = 0.0

    @property
    def dead(self) -> bool:
        return self.decided and self.children is None and self.log_stop == -math.inf


class PlainGrower:
    """Grows modal trees on the goals of a local process. `stop` : asked before each decision."""

    def __init__(
        self, process: LocalProcess, plan: Plan, stop: Callable[[], bool] = lambda: False
    ) -> None:
        self.process, self.plan, self._stop = process, plan, stop
        self.geometry: Geometry = process.geometry
        self.root_scores = np.full(len(self.geometry.table.features), -np.inf)
        self._labels: Remembered[tuple[int, int], float] = Remembered()
        self._inside: Remembered[tuple[int, int, int], float] = Remembered()

    # --- what options are worth ----------------------------------------------------------------

    def options(self, box: int, state: int) -> Options:
        """The options of a goal, in canonical order."""
        out, slots = Options([], []), 0
        stack = [(state, 0.0)]
        while stack:
            at, prefix = stack.pop()
            rules = self.process.grammar.states[at].rules
            goal = self.process.goal(box, at)
            known = {taken.position: taken for taken in goal.rules}
            calls = []
            for r, rule in enumerate(rules):
                taken = known.get(r)
                if isinstance(rule, SplitRule):
                    slots += 1
                if taken is None:
                    continue
                weight = prefix + taken.log_weight
                if isinstance(rule, LeafRule):
                    out.leaves.append(weight)
                elif isinstance(rule, CallRule):
                    calls.append((rule.state, weight))
                else:
                    for alternative, share in zip(taken.splits, taken.log_shares, strict=True):
                        cut, left, right = alternative.split
                        feature = self.geometry.cuts[cut].feature
                        low, high = self._neighbours(feature, box, left)
                        states = alternative.left_state, alternative.right_state
                        sides = (weight + share, left, right, *states)
                        out.splits.append(SplitOption(slots - 1, feature, low, high, *sides))
            stack += reversed(calls)
        return out

    def _neighbours(self, feature: int, box: int, left: int) -> tuple[int, int]:
        """The codes on both sides of a split, as in `slp.problem.tree_on_table`."""
        by_code = self.geometry.rows_by_code[feature]
        low = max(code for code, rows in by_code if rows & left)
        if self.geometry.table.features[feature].categorical:
            return low, low
        return low, min(code for code, rows in by_code if rows & box & ~left)

    def log_likelihood(self, leaf: LeafModel, box: int) -> float:
        """log L of a box under a leaf model, 0 for a prior."""
        if not self.plan.likelihood:
            return 0.0
        return float(leaf.log_marginal(self.geometry.statistics([box]))[0])

    def stop_label(self, box: int, state: int) -> float:
        """Log of the label of stopping on a side, without looking at the side's splits: a split
        rule counts as applicable if the side has two distinct rows or more, twice `min_leaf` rows
        or more, and the rule some transition. 0 where the side must split; -inf where nothing can
        become of it."""
        known = self._labels.get((box, state))
        if known is None:
            known = self._best_label(box, state)
            if known == -math.inf and self._may_split(box) and self._splits(state):
                known = 0.0
            self._labels[box, state] = known
        return known

    def _may_split(self, box: int) -> bool:
        return box.bit_count() >= 2 and self.geometry.count(box) >= 2 * self.geometry.min_leaf

    def _splits(self, state: int) -> bool:
        """Whether some split rule, through calls, may take a transition."""
        for rule in self.process.grammar.states[state].rules:
            if isinstance(rule, SplitRule) and (flat_transitions(rule)[:, 0] >= 0).any():
                return True
            if isinstance(rule, CallRule) and self._splits(rule.state):
                return True
        return False

    def _best_label(self, box: int, state: int) -> float:
        grammar = self.process.grammar
        rules = grammar.states[state].rules
        own = log_own_weights(grammar, state, self.geometry, [box])
        possible = np.ones((len(rules), 1), np.bool_)
        for r, rule in enumerate(rules):
            if isinstance(rule, LeafRule):
                possible[r] = leaf_allowed(rule, self.geometry, [box])
            elif isinstance(rule, SplitRule):
                left = flat_transitions(rule)[:, 0]
                some = bool(splits_taken_over(left, grammar.failure).any())
                possible[r] = some and self._may_split(box)
        weights = log_rule_weights(grammar, rules, own, possible)[:, 0].tolist()
        best = -math.inf
        for r, rule in enumerate(rules):
            if isinstance(rule, LeafRule) and possible[r, 0]:
                best = max(best, weights[r])
            elif isinstance(rule, CallRule) and weights[r] > -math.inf:
                best = max(best, weights[r] + self._best_label(box, rule.state))
        return best

    def worth(self, leaf: LeafModel, box: int, state: int, levels: int) -> float:
        """The worth of a side, with look-ahead of `levels`."""
        if levels == 0:
            label = self.stop_label(box, state)
            if label == -math.inf:
                return label
            return (label if self.plan.stop_labels else 0.0) + self.log_likelihood(leaf, box)
        known = self._inside.get((box, state, levels))
        if known is None:
            known = self._inside[box, state, levels] = self._sum(leaf, box, state, levels)
        return known

    def _sum(self, leaf: LeafModel, box: int, state: int, levels: int) -> float:
        """log S of a goal."""
        options = self.options(box, state)
        terms = [weight + self.log_likelihood(leaf, box) for weight in options.leaves]
        terms += [self.score(leaf, split, levels - 1) for split in options.splits]
        return float(np.logaddexp.reduce(terms)) if terms else -math.inf

    def score(self, leaf: LeafModel, split: SplitOption, levels: int) -> float:
        """The score of a split."""
        left = self.worth(leaf, split.left, split.left_state, levels)
        return split.log_weight + left + self.worth(leaf, split.right, split.right_state, levels)

    # --- growing -------------------------------------------------------------------------------

    def grow(self) -> Grown:
        """The tree."""
        process, plan = self.process, self.plan
        root = process.root
        leaf = self.geometry.table.leaf
        top = _Node(root.box, root.state, 0, 1, leaf, plan.further)
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

    def _grow_below(self, node: _Node) -> bool:
        """Decide a goal and all below it; False if the growth must stop."""
        stack = [node]
        while stack:
            if self._stop():
                return False
            at = stack.pop()
            self._decide(at)
            stack += reversed(at.children or ())
        return True

    def _decide(self, node: _Node) -> None:
        plan = self.plan
        options = self.options(node.box, node.state)
        drawn = node.depth < plan.drawn_levels
        temperature = plan.temperature if drawn else 1.0
        node.decided, node.log_stop = True, max(options.leaves, default=-math.inf)
        node.log_likelihood = self.log_likelihood(node.leaf, node.box)
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
        node.split, node.gain = best[2], best[1] - stop_score
        node.children = self._child(node, False), self._child(node, True)

    def _child(self, node: _Node, right: bool) -> _Node:
        split = node.split
        assert split is not None
        box = split.right if right else split.left
        leaf = node.leaf
        if self.plan.smoothing > 0:
            assert isinstance(leaf, Dirichlet)
            counts = self.geometry.statistics([box])[0]
            added = self.plan.smoothing * counts
            leaf = Dirichlet(leaf.classes, (leaf.concentration + added).tolist())
        state = split.right_state if right else split.left_state
        slack = self.plan.further if node.gains else node.slack - 1
        return _Node(box, state, node.depth + 1, 2 * node.place + right, leaf, slack)

    def _noise(self, node: _Node, split: SplitOption | None) -> float:
        """Gumbel noise of an option, from the seed, the node's place and the option alone: the
        option with the largest sum of score / temperature and noise is drawn as `Plan` says
        (Gumbel 1954)."""
        h = _split_mix(self.plan.seed + node.place)
        if split is not None:
            h = _split_mix(h + 1 + split.slot)
            h = _split_mix(h + split.feature)
            h = _split_mix(h + split.low)
        return -math.log(-math.log(((h >> 11) + 0.5) * 2.0**-53))

    def _decide_stops(self, top: _Node) -> None:
        """At the goals that were not decided in time: whether they can stop."""
        for node in _preorder(top):
            if not node.decided:
                leaves = self.options(node.box, node.state).leaves
                node.log_stop = max(leaves, default=-math.inf)
                node.log_likelihood = self.log_likelihood(node.leaf, node.box)

    def _grown(self, ending: Ending, top: _Node | None) -> Grown:
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
        if isinstance(prior, Dirichlet):
            models = [n.leaf for n in nodes if isinstance(n.leaf, Dirichlet)]
            added += np.reshape([m.concentration - prior.concentration for m in models], (-1, k))

        def column(values: list[float]) -> NDArray[np.float64]:
            return np.array(values, np.float64)

        return Grown(
            ending,
            np.array([c[0] for c in cuts], np.int32),
            np.array([c[1] for c in cuts], np.uint32),
            np.array([c[2] for c in cuts], np.uint32),
            column([n.log_stop for n in nodes]),
            column([n.log_likelihood for n in nodes]),
            column([c[3] for c in cuts]),
            column([n.gain for n in nodes]),
            self.geometry.statistics([n.box for n in nodes]),
            added,
            self.root_scores,
        )


def _by_rule_and_feature(splits: list[SplitOption]) -> Iterator[list[SplitOption]]:
    """The splits in runs of one rule and feature."""
    runs: dict[tuple[int, int], list[SplitOption]] = {}
    for split in splits:
        runs.setdefault((split.slot, split.feature), []).append(split)
    yield from runs.values()


def _preorder(top: _Node) -> Iterator[_Node]:
    stack = [top]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(node.children or ())


def _undo_dead_ends(top: _Node) -> Iterator[_Node]:
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


def _split_mix(x: int) -> int:
    """The core's `split_mix` (`native/core/problem/key.hpp`)."""
    mask = (1 << 64) - 1
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)
