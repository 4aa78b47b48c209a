"""What the options of a goal are worth, in plain Python: a part of the specification of
`native/core/modal`.

At a goal (the rows of a box, in a state) the options are stopping by a leaf rule, and each split by
a split rule; call rules lead to the options of the state called. With w the weight of an option
under the program (labels of calls and rule as they are in the box, times the split's probability),
and L the marginal likelihood of rows as one leaf,

    score of stopping = log w + log L(box)
    score of a split  = log w + worth(left side) + worth(right side).

The worth of a side is log L + log of its label of stopping (`stop_label`), or log L alone as in the
paper. With look-ahead of k levels it is log S_k, the sum over the side's derivations with at most k
splits on a path:

    S_k(goal) = sum over leaf rules of w L + sum over splits of w S_(k-1)(left) S_(k-1)(right),

with S_0 the worth of a side as a leaf.

Reference: Nuti, Jiménez Rugama & Cross (2019), algorithms 1 and 2; Buntine (1992) for look-ahead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from slp.engines.shared.growth.plan import MANY_STATES, Plan
from slp.ir.tree_grammar import CallRule, LeafRule, SplitRule
from slp.leaves import LeafModel
from slp.problem.remembered import Remembered
from slp.problem.split_measures import flat_transitions, splits_taken_over
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.rule_weights import leaf_allowed, log_own_weights, log_rule_weights


class SplitOption(NamedTuple):
    """A split that a goal may take.

    Attributes
    ----------
    slot : number of its rule among the split rules that the goal reaches through calls; if these
        lead to more than `MANY_STATES` states, a hash of the rules that lead to it.
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


def split_mix(x: int) -> int:
    """The core's `split_mix` (`native/core/problem/key.hpp`)."""
    mask = (1 << 64) - 1
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


class PlainScorer:
    """Scores the options of the goals of a local process under a plan."""

    def __init__(self, process: LocalProcess, plan: Plan) -> None:
        self.process, self.plan = process, plan
        self.geometry: Geometry = process.geometry
        self._labels: Remembered[tuple[int, int], float] = Remembered()
        self._inside: Remembered[tuple[int, int, int], float] = Remembered()

    def options(self, box: int, state: int) -> Options:
        """The options of a goal, in canonical order."""
        out, reached, names = Options([], []), 0, list[int]()
        stack = [(state, 0.0, 0)]
        while stack:
            at, prefix, path = stack.pop()
            reached += 1
            rules = self.process.grammar.states[at].rules
            goal = self.process.goal(box, at)
            known = {taken.position: taken for taken in goal.rules}
            calls = []
            for r, rule in enumerate(rules):
                taken = known.get(r)
                name = split_mix(path + r + 1)
                if isinstance(rule, SplitRule):
                    names.append(name)
                if taken is None:
                    continue
                weight = prefix + taken.log_weight
                if isinstance(rule, LeafRule):
                    out.leaves.append(weight)
                elif isinstance(rule, CallRule):
                    calls.append((rule.state, weight, name))
                else:
                    for alternative, log_p in zip(
                        taken.splits, taken.log_probabilities, strict=True
                    ):
                        cut, left, right = alternative.split
                        of = self.geometry.cuts[cut]
                        feature, low, high = of.feature, of.low, of.high
                        states = alternative.left_state, alternative.right_state
                        sides = (weight + log_p, left, right, *states)
                        slot = len(names) - 1
                        out.splits.append(SplitOption(slot, feature, low, high, *sides))
            stack += reversed(calls)
        if reached > MANY_STATES:
            out.splits[:] = [s._replace(slot=names[s.slot]) for s in out.splits]
        return out

    def log_likelihood(self, leaf: LeafModel, box: int, state: int) -> float:
        """log L of a box in a state under a leaf model, 0 for a prior."""
        if not self.plan.likelihood:
            return 0.0
        statistics = self.geometry.leaf_statistics([box], [self.process.leaf_prior(state)])
        return float(leaf.log_marginal(statistics)[0])

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
        return box.bit_count() >= 2 and self.geometry.size(box) >= 2 * self.geometry.least_size

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
            return (label if self.plan.stop_labels else 0.0) + self.log_likelihood(leaf, box, state)
        known = self._inside.get((box, state, levels))
        if known is None:
            known = self._inside[box, state, levels] = self._sum(leaf, box, state, levels)
        return known

    def _sum(self, leaf: LeafModel, box: int, state: int, levels: int) -> float:
        """log S of a goal."""
        options = self.options(box, state)
        terms = [weight + self.log_likelihood(leaf, box, state) for weight in options.leaves]
        terms += [self.score(leaf, split, levels - 1) for split in options.splits]
        return float(np.logaddexp.reduce(terms)) if terms else -math.inf

    def score(self, leaf: LeafModel, split: SplitOption, levels: int) -> float:
        """The score of a split."""
        left = self.worth(leaf, split.left, split.left_state, levels)
        return split.log_weight + left + self.worth(leaf, split.right, split.right_state, levels)
