"""`twig`: a subtree of at most two levels of splits, drawn anew.

A node v is drawn uniformly, among the E(T) whose subtrees have at most two levels. Its subtree is
drawn anew from the top. A node u on the first two levels becomes a leaf or is split, in proportion
to the weights of the trees of at most one split there,

    s(u, leaf)  =  w(u) M(u)^power
    s(u, c)     =  W(u, c) [M(left) M(right)]^power  b(u)

with w(u) the weight of its leaf rules, and W and M as in `informed`. b(u) is roughly the weight of
the leaves on both sides: the product of the weights of the leaf rules in the states of both sides
of the first split that the rule of u's state proposes, as if all rules applied there. On the third
level all nodes are leaves. With S(u) the sum of s(u, .), a subtree is drawn with the probability

    p  =  product over its nodes u on the first two levels of s(u, what it has) / S(u)

    ratio = R  x  E(T) / E(T')  x  p(old subtree) / p(new subtree)

with R as in `cgm`. The move is its own move back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from slp.ir.tree_grammar import LeafRule, SplitRule
from slp.reference.mh.moves.choosing import Chooser
from slp.reference.mh.moves.cut_trees import LEAF, CutTree
from slp.reference.mh.moves.proposal import Moved
from slp.reference.mh.moves.weighed_tree import BoxStates, WeighedSplits, WeighedTree

#: Levels of splits of a subtree that is drawn anew, at most.
LEVELS = 2


def move(choose: Chooser, here: WeighedTree) -> Moved | None:
    """The move."""
    i = choose.among([i for i in range(len(here.cuts)) if levels(here, i) <= LEVELS])
    new = _drawn(choose, here, here.box_states(i), LEVELS)
    back = (i, *_choices(here, i, LEVELS))
    return Moved(None if new is None else here.with_subtree(i, new), back)


def levels(here: WeighedTree, i: int) -> int:
    """Levels of splits of a node's subtree."""
    if here.cuts[i] == LEAF:
        return 0
    return 1 + max(levels(here, here.child(i, side)) for side in (0, 1))


def _choices(here: WeighedTree, i: int, most: int) -> tuple[int, ...]:
    """The choices that draw a node's subtree."""
    if most == 0:
        return ()
    if here.cuts[i] == LEAF:
        return (LEAF,)
    below = (_choices(here, here.child(i, side), most - 1) for side in (0, 1))
    return (here.cuts[i], *(choice for side in below for choice in side))


def _drawn(choose: Chooser, here: WeighedTree, at: BoxStates, most: int) -> CutTree | None:
    """A subtree in preorder; None at a dead end."""
    if most == 0:
        return (LEAF,)
    stumps = _stumps(here, at)
    if not stumps.cuts:
        return None
    cut = choose.among(*stumps)
    if cut == LEAF:
        return (LEAF,)
    sides = [_drawn(choose, here, side, most - 1) for side in here.sides(at, cut)]
    left, right = sides
    return None if left is None or right is None else (cut, *left, *right)


def _stumps(here: WeighedTree, at: BoxStates) -> WeighedSplits:
    """The trees of at most one split at a node: `LEAF`, and its splits, with log s(u, .)."""
    target = here.target
    stops = [
        taken.log_weight
        for state in at.states
        for taken in target.process.goal(at.box, state).rules
        if isinstance(taken.rule, LeafRule)
    ]
    cuts, weights = here.informed_splits(at)
    below = _log_below(here, at.states) if cuts else 0.0
    weights = [weight + below for weight in weights]
    if stops:
        own = target.power * here.log_marginal(at) if target.power else 0.0
        cuts, weights = [LEAF, *cuts], [_log_sum(stops) + own, *weights]
    return WeighedSplits(cuts, weights)


def _log_below(here: WeighedTree, states: Iterable[int]) -> float:
    """log b(u), by the first of the states that has a rule that splits."""
    grammar = here.target.process.grammar
    for state in states:
        for rule in grammar.states[state].rules:
            if isinstance(rule, SplitRule):
                pairs = (pair for feature in rule.transitions for pair in feature.tolist())
                first = next((pair for pair in pairs if pair[0] >= 0), ())
                return sum(_log_leaf(here, side) for side in first)
    return 0.0


def _log_leaf(here: WeighedTree, state: int) -> float:
    """Log of the weight of a leaf in a state as if all its rules applied; 0 where none ends."""
    grammar = here.target.process.grammar
    rules = grammar.states[state].rules
    leaves = _log_sum(rule.log_weight for rule in rules if isinstance(rule, LeafRule))
    if leaves == -math.inf:
        return 0.0
    return leaves - _log_sum(rule.log_weight for rule in rules) * grammar.normalise


def _log_sum(logs: Iterable[float]) -> float:
    return float(np.logaddexp.reduce([-math.inf, *logs]))
