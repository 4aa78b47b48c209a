"""The locally normalised program: at each goal, the choices that can be drawn and their weights.

A *goal* is a box in a state. The first choice at a goal is a rule. If the rule splits, the second
choice is a split. The alternatives of a choice are those with positive weight that do not fail at
once. So forbidden splits and forbidden leaves are not alternatives. With w the weight of an
alternative under the program (`slp.problem.rule_weights`, `slp.problem.split_measures`) and Z the
sum of w over a choice's alternatives, the local process draws

    q(alternative) = w(alternative) / Z(choice),

so a derivation's weight divided by the probability of drawing it is the product of Z over its
choices. Z is 1 wherever the program is normalised and nothing fails. Under `failure(condition)`,
and for the lost shares of `per_feature`, Z is below 1. Another chain could draw forbidden splits
too, and fail. It would leave the same distribution invariant, but would not mix better, by Peskun's
ordering: it moves from x to x' with probability w(x'), this one with w(x') min(1 / Z(x'), 1 /
Z(x)).

A goal without alternatives is a dead end: the derivation fails.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.ir.tree_grammar import FORBIDDEN, LeafRule, Rule, SplitRule, TreeGrammar
from slp.problem.boxes import BoxSplit, Geometry
from slp.problem.node_tests import NodeTests
from slp.problem.remembered import Remembered
from slp.problem.rule_weights import leaf_allowed, log_own_weights, log_rule_weights
from slp.problem.split_measures import SplitArrays, flat_transitions, log_shares, splits_taken_over
from slp.trees.predicates import AskedPredicate

__all__ = ["Choices", "Goal", "LocalProcess", "RuleAlternative", "SplitAlternative", "cumulated"]


#: Log share of a split, and the states of its two sides.
_Share: TypeAlias = tuple[float, tuple[int, int]]


class SplitAlternative(NamedTuple):
    """A split that may be drawn, and the states of its two sides."""

    split: BoxSplit
    left_state: int
    right_state: int


@dataclass(frozen=True, eq=False)
class RuleAlternative:
    """A rule that may be drawn: its position in the state, log weight, and its choice of split.

    `splits`, `log_shares` and `cumulative` go together, in canonical order; empty for a rule that
    does not split. `log_total` is log Z of the choice of split (0 where there is none).
    """

    rule: Rule
    position: int
    log_weight: float
    splits: tuple[SplitAlternative, ...] = ()
    log_shares: tuple[float, ...] = ()
    cumulative: tuple[float, ...] = ()
    log_total: float = 0.0


@dataclass(frozen=True, eq=False)
class Goal:
    """A box in a state, with the rules that may be drawn; `log_total` is log Z of that choice."""

    box: int
    state: int
    rules: tuple[RuleAlternative, ...]
    cumulative: tuple[float, ...]
    log_total: float


#: The choices at a goal: rule and split (-1 if the rule does not split), by position among the
#: alternatives.
Choices: TypeAlias = tuple[Goal, int, int]


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
        self._goals: Remembered[tuple[int, int], Goal] = Remembered()
        self._log_marginals: Remembered[int, float] = Remembered()

    @property
    def root(self) -> Goal:
        """All rows in the start state."""
        return self.goal(self.geometry.root, self.grammar.start)

    def goal(self, box: int, state: int) -> Goal:
        """The goal of a box in a state."""
        found = self._goals.get((box, state))
        if found is None:
            with self.lock:
                found = self._goals[box, state] = self._new_goal(box, state)
        return found

    def log_marginal(self, box: int) -> float:
        """Log marginal likelihood of a box as a leaf."""
        found = self._log_marginals.get(box)
        if found is None:
            found = self._log_marginals[box] = self._new_log_marginal(box)
        return found

    def _new_log_marginal(self, box: int) -> float:
        statistics = self.geometry.statistics([box])
        return float(self.geometry.table.leaf.log_marginal(statistics)[0])

    def _new_goal(self, box: int, state: int) -> Goal:
        rules = self.grammar.states[state].rules
        splits = self.geometry.splits(box) if any(isinstance(r, SplitRule) for r in rules) else []
        arrays = SplitArrays.of_box(self.geometry, splits, self.grammar.feature_weights)
        shares = [self._shares(rule, splits, arrays, box, state) for rule in rules]
        possible = [
            self._possible(rule, own, box, state) for rule, own in zip(rules, shares, strict=True)
        ]
        own = log_own_weights(self.grammar, state, self.geometry, [box])
        weights = log_rule_weights(self.grammar, rules, own, np.array(possible, np.bool_)[:, None])
        alternatives = []
        for i, rule in enumerate(rules):
            if possible[i] and weights[i, 0] > -np.inf:
                found = _alternative(rule, i, float(weights[i, 0]), splits, shares[i])
                if found is not None:
                    alternatives.append(found)
        cumulative, log_total = cumulated([a.log_weight for a in alternatives])
        return Goal(box, state, tuple(alternatives), cumulative, log_total)

    def _possible(self, rule: Rule, shares: Sequence[_Share], box: int, state: int) -> bool:
        """Whether a leaf is allowed, or a measure has a split to choose from."""
        if isinstance(rule, LeafRule):
            by_majority = bool(leaf_allowed(rule, self.geometry, [box])[0])
            return by_majority and self.node_tests.allow(state, box, None)
        return not isinstance(rule, SplitRule) or any(share > -np.inf for share, _ in shares)

    def _shares(
        self, rule: Rule, splits: list[BoxSplit], arrays: SplitArrays, box: int, state: int
    ) -> list[_Share]:
        """The share of each split under a split rule."""
        if not isinstance(rule, SplitRule):
            return []
        cells = np.array([self.geometry.cells[s.cut] for s in splits], np.int64)
        steps = self.node_tests.forbid(state, box, splits, flat_transitions(rule)[cells])
        valid = splits_taken_over(steps[:, 0], self.grammar.failure)
        log_share = log_shares(rule.measure, arrays, valid)
        states = [(left, right) for left, right in steps.tolist()]
        return list(zip(log_share.tolist(), states, strict=True))


def _alternative(
    rule: Rule,
    position: int,
    log_weight: float,
    splits: list[BoxSplit],
    shares: list[_Share],
) -> RuleAlternative | None:
    """A rule as an alternative; None if every split of a split rule is forbidden."""
    if not isinstance(rule, SplitRule):
        return RuleAlternative(rule, position, log_weight)
    left = [
        (SplitAlternative(split, *states), share)
        for split, (share, states) in zip(splits, shares, strict=True)
        if share > -np.inf and states[0] != FORBIDDEN
    ]
    if not left:
        return None
    log_shares = tuple(share for _, share in left)
    cumulative, log_total = cumulated(log_shares)
    kept = tuple(alternative for alternative, _ in left)
    return RuleAlternative(rule, position, log_weight, kept, log_shares, cumulative, log_total)


def cumulated(log_weights: Sequence[float]) -> tuple[tuple[float, ...], float]:
    """Cumulative weights for drawing, the largest weight taken as 1, and the log of their sum."""
    if not log_weights:
        return (), -np.inf
    top = max(log_weights)
    sums: NDArray[np.float64] = np.cumsum(np.exp(np.array(log_weights) - top))
    return tuple(sums.tolist()), float(top + np.log(sums[-1]))
