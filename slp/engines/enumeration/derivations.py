"""The specification: every derivation of a tree grammar on a table, one by one. For tiny tables.

`slp.engines.chart` must agree with this file in every quantity. The meaning of weights is that of
`slp.ir.tree_grammar`; the split measures are those of `slp.problem.split_measures`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from slp.ir.tree_grammar import FORBIDDEN, CallRule, LeafRule, Rule, SplitRule, TreeGrammar
from slp.problem.boxes import BoxSplit, Geometry
from slp.problem.node_tests import NodeTests
from slp.problem.rule_weights import leaf_allowed, log_own_weights, log_rule_weights
from slp.problem.split_measures import SplitArrays, flat_transitions, log_shares, splits_taken_over
from slp.trees.predicates import AskedPredicate

__all__ = ["MOST_NESTED", "Derivation", "TooDeepError", "derivations"]

#: States one below another in a derivation; each takes some frames of Python's stack.
MOST_NESTED = 150


class TooDeepError(Exception):
    """A derivation has more than `MOST_NESTED` states one below another."""


Choice: TypeAlias = tuple[BoxSplit, float, int, int]


@dataclass(frozen=True)
class Derivation:
    """A derived tree: the box of its root and, where it splits, how.

    `log_weight` is that of the derivation under the program as written, without likelihood; `rules`
    are state and rule, by position, of its steps.
    `partition`: the split stands for every split that parts the rows alike, on whatever feature.
    """

    box: int
    log_weight: float
    split: BoxSplit | None = None
    left: Derivation | None = None
    right: Derivation | None = None
    partition: bool = False
    rules: tuple[tuple[int, int], ...] = ()

    @property
    def cut(self) -> int | None:
        """Number of the root's cut, None at a leaf."""
        return None if self.split is None else self.split.cut

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        if self.left is None or self.right is None:
            return 1
        return self.left.n_leaves + self.right.n_leaves


def derivations(
    grammar: TreeGrammar, geometry: Geometry, predicates: Sequence[AskedPredicate] = ()
) -> Iterator[Derivation]:
    """Every derivation of weight above zero, in the order of rules and splits. Predicates are on
    nodes.

    Raises
    ------
    TooDeepError
        One is too deep for this plain recursion.
    """
    most = geometry.root.bit_count() if grammar.max_leaves is None else grammar.max_leaves
    tests = NodeTests(grammar, geometry, predicates)
    for derivation in _derive(grammar, geometry, tests, geometry.root, grammar.start, 0):
        if derivation.n_leaves <= most:
            yield derivation


def _derive(
    g: TreeGrammar, geometry: Geometry, tests: NodeTests, box: int, state: int, above: int
) -> Iterator[Derivation]:
    if above > MOST_NESTED:
        raise TooDeepError
    rules = g.states[state].rules
    splits = geometry.splits(box)
    choices = [_split_choices(g, geometry, tests, rule, splits, box, state) for rule in rules]
    leaf = tests.allow(state, box, None)
    can_be = [_possible(geometry, r, c, box, leaf) for r, c in zip(rules, choices, strict=True)]
    own = log_own_weights(g, state, geometry, [box])
    possible = np.array(can_be, np.bool_) & (own[:, 0] > -np.inf)
    weights = log_rule_weights(g, rules, own, possible[:, None])[:, 0]
    taken = [((state, r),) for r in range(len(rules))]
    for rule, chosen, weight, can, step in zip(
        rules, choices, weights.tolist(), possible, taken, strict=True
    ):
        if isinstance(rule, LeafRule):
            if can:
                yield Derivation(box, weight, rules=step)
        elif not can:
            continue
        elif isinstance(rule, CallRule):
            for d in _derive(g, geometry, tests, box, rule.state, above + 1):
                yield replace(d, log_weight=weight + d.log_weight, rules=step + d.rules)
        else:
            for split, share, left_state, right_state in chosen:
                if left_state == FORBIDDEN:  # the share is kept, and the derivation fails
                    continue
                for left in _derive(g, geometry, tests, split.left, left_state, above + 1):
                    for right in _derive(g, geometry, tests, split.right, right_state, above + 1):
                        total = weight + share + left.log_weight + right.log_weight
                        partition = rule.measure == "partition"
                        steps = step + left.rules + right.rules
                        yield Derivation(box, total, split, left, right, partition, steps)


def _possible(geometry: Geometry, rule: Rule, chosen: list[Choice], box: int, leaf: bool) -> bool:
    if isinstance(rule, LeafRule):
        return leaf and bool(leaf_allowed(rule, geometry, [box])[0])
    return isinstance(rule, CallRule) or bool(chosen)


def _split_choices(
    g: TreeGrammar,
    geometry: Geometry,
    tests: NodeTests,
    rule: Rule,
    splits: list[BoxSplit],
    box: int,
    state: int,
) -> list[Choice]:
    """What a rule may draw in one box: (split, log share, left state, right state); the states may
    be FORBIDDEN. Nothing, if it is no split rule."""
    if not isinstance(rule, SplitRule):
        return []
    cuts = [geometry.cuts[s.cut] for s in splits]
    pairs: dict[int, int] = {}
    arrays = SplitArrays(
        n_boxes=1,
        feature_weights=g.feature_weights,
        box=np.zeros(len(splits), np.int64),
        feature=np.array([c.feature for c in cuts], np.int64),
        gap=np.array([c.gap for c in cuts], np.float64),
        pair=np.array(
            [pairs.setdefault(min(s.left, s.right), len(pairs)) for s in splits], np.int64
        ),
    )
    steps = flat_transitions(rule)[np.array([c.cell for c in cuts], np.int64)]
    steps = tests.forbid(state, box, splits, steps)
    shares = log_shares(rule.measure, arrays, splits_taken_over(steps[:, 0], g.failure))
    return [
        (split, share, left, right)
        for split, share, (left, right) in zip(splits, shares.tolist(), steps.tolist(), strict=True)
        if share > -np.inf
    ]
