"""Weights of a state's rules in boxes: which rules are applicable, and the normaliser.

The definitions are those of `slp.ir.tree_grammar`; everything is on the log scale.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slp.ir.row_values import evaluate_rows
from slp.ir.tree_grammar import LeafRule, Rule, TreeGrammar
from slp.leaves import label_text
from slp.leaves.numbers import TIE
from slp.reference.boxes import Geometry
from slp.reference.label_checks import check_labels, row_counts


def leaf_allowed(rule: LeafRule, geometry: Geometry, boxes: Sequence[int]) -> NDArray[np.bool_]:
    """Whether each box may be a leaf: no class outnumbers those that `rule.majority` lists. Shape
    (B,)."""
    holds = np.ones(len(boxes), np.bool_)
    if not rule.majority:
        return holds
    counts = geometry.statistics(boxes)  # of a leaf model for classes: rows of each class
    classes = list(map(label_text, geometry.table.leaf.classes))
    most = counts.max(axis=1)
    for outcome in rule.majority:
        own = counts[:, classes.index(outcome)] if outcome in classes else np.zeros(len(boxes))
        holds &= own >= most * (1 - TIE)
    return holds


def log_own_weights(
    g: TreeGrammar, state: int, geometry: Geometry, boxes: Sequence[int]
) -> NDArray[np.float64]:
    """Log weight of each rule of a state in each box, as the program has it, shape (R, B); -inf
    where the rule does not exist.

    Raises
    ------
    ProgramError
        E520: a label that depends on the rows of a box is no probability there, or the labels of
        the state do not sum to 1.
    """
    rules = g.states[state].rules
    fixed = np.array([r.log_weight for r in rules]).reshape(len(rules), 1)
    if all(r.rows is None for r in rules):
        return np.broadcast_to(fixed, (len(rules), len(boxes)))
    rows = np.array([geometry.count(box) for box in boxes], np.float64)
    holds = np.ones((len(rules), len(boxes)), np.bool_)
    label = np.repeat(np.exp(fixed), len(boxes), axis=1)
    for r, rule in enumerate(rules):
        if rule.rows is not None:
            counts = row_counts(rule.rows, geometry, boxes)
            found = evaluate_rows(rule.rows, rows, counts)
            holds[r], label[r] = found.holds, label[r] * found.label
    check_labels(g, state, holds, label, geometry, boxes)
    with np.errstate(divide="ignore"):
        return np.where(holds, np.log(np.where(holds, label, 1.0)), -np.inf)


def log_rule_weights(
    g: TreeGrammar, rules: Sequence[Rule], own: NDArray[np.float64], possible: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Log weight of each rule in each box, shape (R, B); undefined for inapplicable rules.

    log weight = log w(rule) - log sum of w over the applicable rules, or log w(rule) where the
    grammar does not normalise; without the split measure. `own`, shape (R, B), is log w(rule).
    `possible`, shape (R, B), tells for a split rule whether its measure has a split to choose from,
    for a leaf rule whether the leaf is allowed; true for a call rule.
    """
    if not g.normalise or not rules:
        return own
    applicable = possible.copy()
    if g.failure == "condition":
        applicable |= np.array([[isinstance(r, LeafRule)] for r in rules])
    total = np.logaddexp.reduce(np.where(applicable, own, -np.inf), axis=0)
    return own - np.where(total > -np.inf, total, 0.0)
