"""The locally normalised program: at each goal, the choices that can be drawn and their weights.

A *goal* is a box in a state. The first choice at a goal is a rule. If the rule splits, the second
choice is a split. The alternatives of a choice are those with positive weight that do not fail at
once. So forbidden splits and forbidden leaves are not alternatives. With w the weight of an
alternative under the program (`slp.reference.rule_weights`, `slp.problem.split_measures`) and Z the
sum of w over a choice's alternatives, the local process draws

    q(alternative) = w(alternative) / Z(choice),

so a derivation's weight divided by the probability of drawing it is the product of Z over its
choices. Z is 1 wherever the program is normalised and nothing fails. Under `failure(condition)`,
and for the lost probabilities of `per_feature` and `range`, Z is below 1. Another chain could draw
forbidden splits too, and fail. It would leave the same distribution invariant, but would not mix
better, by Peskun's ordering: it moves from x to x' with probability w(x'), this one with w(x')
min(1 / Z(x'), 1 / Z(x)).

A goal without alternatives is a dead end: the derivation fails.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.ir.tree_grammar import CallRule, LeafRule, Rule, SplitRule, TreeGrammar
from slp.problem.remembered import Remembered
from slp.problem.split_measures import (
    flat_transitions,
    splits_taken_over,
    weights_of_rule,
)
from slp.reference.boxes import BoxSplit, Geometry
from slp.reference.node_tests import NodeTests
from slp.reference.rule_weights import leaf_allowed, log_own_weights, log_rule_weights
from slp.reference.split_measures import SplitArrays, log_split_probabilities
from slp.trees.predicates import AskedPredicate


class SplitsOfRule(NamedTuple):
    """E splits under a split rule: log probabilities, shape (E,), -inf where a split is none of the
    rule's; and the states of its two sides, shape (E, 2), negative where it fails."""

    log_probability: NDArray[np.float64]
    states: NDArray[np.int32]

    def lasting(self) -> NDArray[np.int64]:
        """Positions of the splits that may be drawn."""
        return np.flatnonzero((self.log_probability > -np.inf) & (self.states[:, 0] >= 0))


class Alternatives(NamedTuple):
    """The choices in a state of R rules in B boxes side by side: the log weight of each rule, shape
    (R, B), -inf where it is not applicable; and the splits of each rule, none if it does not
    split."""

    log_weight: NDArray[np.float64]
    splits: list[SplitsOfRule]


class SplitAlternative(NamedTuple):
    """A split that may be drawn, and the states of its two sides."""

    split: BoxSplit
    left_state: int
    right_state: int


@dataclass(frozen=True, eq=False)
class RuleAlternative:
    """A rule that may be drawn: its position in the state, log weight, and its choice of split.

    `splits`, `log_probabilities` and `cumulative` go together, in canonical order; empty for a rule
    that does not split. `log_total` is log Z of the choice of split (0 where there is none).
    """

    rule: Rule
    position: int
    log_weight: float
    splits: tuple[SplitAlternative, ...] = ()
    log_probabilities: tuple[float, ...] = ()
    cumulative: tuple[float, ...] = ()
    log_total: float = 0.0


@dataclass(frozen=True, eq=False)
class BoxGoal:
    """A box in a state, with the rules that may be drawn; `log_total` is log Z of that choice."""

    box: int
    state: int
    rules: tuple[RuleAlternative, ...]
    cumulative: tuple[float, ...]
    log_total: float


#: The choices at a goal: rule and split (-1 if the rule does not split), by position among the
#: alternatives.
Choices: TypeAlias = tuple[BoxGoal, int, int]


class LocalProcess:
    """The local process of a grammar on a table, and of predicates on nodes, which forbid splits
    and leaves as local constraints do. Goals are cached; chains may share one process."""

    def __init__(
        self,
        grammar: TreeGrammar,
        geometry: Geometry,
        predicates: Sequence[AskedPredicate] = (),
    ) -> None:
        self.grammar, self.geometry = grammar, geometry
        self.node_tests = NodeTests(grammar, geometry, predicates)
        self.lock = threading.RLock()  # only one thread at a time may number cuts
        self._goals: Remembered[tuple[int, int], BoxGoal] = Remembered()
        self._log_marginals: Remembered[tuple[int, int], float] = Remembered()

    @property
    def root(self) -> BoxGoal:
        """All rows in the start state."""
        return self.goal(self.geometry.root, self.grammar.start)

    def goal(self, box: int, state: int) -> BoxGoal:
        """The goal of a box in a state."""
        found = self._goals.get((box, state))
        if found is None:
            with self.lock:
                found = self._goals[box, state] = self._new_goal(box, state)
        return found

    def log_marginal(self, box: int, state: int) -> float:
        """Log marginal likelihood of a box as a leaf, by the prior of leaves in the state."""
        prior = self.leaf_prior(state)
        found = self._log_marginals.get((box, prior))
        if found is None:
            found = self._log_marginals[box, prior] = self._new_log_marginal(box, prior)
        return found

    def leaf_prior(self, state: int) -> int:
        """See `State.leaf_prior`."""
        return self.grammar.states[state].leaf_prior

    def log_gain(self, goal: BoxGoal, rule: int, split: int) -> float:
        """Log of what a choice multiplies the marginal likelihood of the box as a leaf by; 0 where
        the rule does not split."""
        if split < 0:
            return 0.0
        (_, left, right), left_state, right_state = goal.rules[rule].splits[split]
        sides = self.log_marginal(left, left_state) + self.log_marginal(right, right_state)
        return sides - self.log_marginal(goal.box, goal.state)

    def _new_log_marginal(self, box: int, prior: int) -> float:
        statistics = self.geometry.leaf_statistics([box], [prior])
        return float(self.geometry.table.leaf.log_marginal(statistics)[0])

    def _new_goal(self, box: int, state: int) -> BoxGoal:
        rules = self.grammar.states[state].rules
        splits = self.geometry.splits(box) if any(isinstance(r, SplitRule) for r in rules) else []
        weights, groups = self.grammar.feature_weights, self.grammar.groups
        arrays = SplitArrays.of_box(self.geometry, splits, weights, groups)
        found = self.alternatives(state, [box], arrays)
        drawn = []
        for i, (rule, weight) in enumerate(
            zip(rules, found.log_weight[:, 0].tolist(), strict=True)
        ):
            if weight > -np.inf:
                alternative = _alternative(rule, i, weight, splits, found.splits[i])
                if alternative is not None:
                    drawn.append(alternative)
        cumulative, log_total = cumulated([a.log_weight for a in drawn])
        return BoxGoal(box, state, tuple(drawn), cumulative, log_total)

    def alternatives(self, state: int, boxes: Sequence[int], arrays: SplitArrays) -> Alternatives:
        """The choices in a state, in boxes side by side, with the splits of these boxes.

        Raises
        ------
        ProgramError
            E520: see `log_own_weights`.
        """
        rules = self.grammar.states[state].rules
        splits = [self._splits(rule, state, boxes, arrays) for rule in rules]
        possible = np.ones((len(rules), len(boxes)), np.bool_)
        for i, rule in enumerate(rules):
            if isinstance(rule, LeafRule):
                held = leaf_allowed(rule, self.geometry, boxes).tolist()
                possible[i] = [
                    h and self.node_tests.allow(state, box, None)
                    for h, box in zip(held, boxes, strict=True)
                ]
            elif isinstance(rule, SplitRule):
                drawn = arrays.box[splits[i].log_probability > -np.inf]
                possible[i] = np.bincount(drawn, minlength=len(boxes)) > 0
        own = log_own_weights(self.grammar, state, self.geometry, boxes)
        weights = log_rule_weights(self.grammar, rules, own, possible)
        return Alternatives(np.where(possible, weights, -np.inf), splits)

    def _splits(
        self, rule: Rule, state: int, boxes: Sequence[int], arrays: SplitArrays
    ) -> SplitsOfRule:
        if not isinstance(rule, SplitRule):
            return SplitsOfRule(np.empty(0), np.empty((0, 2), np.int32))
        steps = flat_transitions(rule)[arrays.cell]
        steps = self.node_tests.forbid(state, boxes, arrays, steps)
        valid = splits_taken_over(steps[:, 0], self.grammar.failure)
        own = weights_of_rule(rule, self.grammar, self.geometry.table)
        return SplitsOfRule(log_split_probabilities(rule.measure, arrays, valid, own), steps)


def _alternative(
    rule: Rule, position: int, log_weight: float, splits: list[BoxSplit], found: SplitsOfRule
) -> RuleAlternative | None:
    """A rule as an alternative; None if every split of a split rule is forbidden."""
    if not isinstance(rule, SplitRule):
        return RuleAlternative(rule, position, log_weight)
    left = found.lasting().tolist()
    if not left:
        return None
    log_probability = tuple(found.log_probability[left].tolist())
    cumulative, log_total = cumulated(log_probability)
    states = found.states[left].tolist()
    alternatives = tuple(
        SplitAlternative(splits[e], *sides) for e, sides in zip(left, states, strict=True)
    )
    return RuleAlternative(
        rule, position, log_weight, alternatives, log_probability, cumulative, log_total
    )


def goals_below(goal: BoxGoal, rule: int, split: int) -> list[tuple[int, int]]:
    """Box and state of each goal that choices lead to, left before right."""
    taken = goal.rules[rule]
    if isinstance(taken.rule, LeafRule):
        return []
    if isinstance(taken.rule, CallRule):
        return [(goal.box, taken.rule.state)]
    sides, left_state, right_state = taken.splits[split]
    return [(sides.left, left_state), (sides.right, right_state)]


def cumulated(log_weights: Sequence[float]) -> tuple[tuple[float, ...], float]:
    """Cumulative weights for drawing, the largest weight taken as 1, and the log of their sum."""
    if not log_weights:
        return (), -np.inf
    top = max(log_weights)
    sums: NDArray[np.float64] = np.cumsum(np.exp(np.array(log_weights) - top))
    return tuple(sums.tolist()), float(top + np.log(sums[-1]))
