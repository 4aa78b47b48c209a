"""Weights of rules in a box, by hand: chart and enumeration share them, so they need their own
test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from slp.ir.tree_grammar import CallRule, LeafRule, Rule
from slp.reference.boxes import Geometry
from slp.reference.rule_weights import leaf_allowed, log_rule_weights
from tests.engines.cases import cells, make_grammar, make_table, numeric, split_rule

#: Rows of classes a, b, b; the boxes hold all, one of each, and the first.
TABLE = make_table([numeric("x", 3)], [[0], [1], [2]], [0, 1, 1])
BOXES = [0b111, 0b011, 0b001]


def weights(possible: list[bool], **options: Any) -> list[float]:
    """Weights of a leaf (1), a split (2) and a call (5), as probabilities, in one box."""
    split = split_rule(cells(TABLE), 0, 0, log_weight=math.log(2))
    rules: list[Rule] = [LeafRule(0.0, ("a",)), split, CallRule(math.log(5), 1)]
    grammar = make_grammar(TABLE, [rules, [LeafRule(0.0)]], **options)
    mask = np.array(possible, np.bool_)[:, None]
    own = np.array([[rule.log_weight] for rule in rules])
    return np.exp(log_rule_weights(grammar, rules, own, mask)[:, 0]).tolist()


def test_labels_are_shared_among_applicable_rules() -> None:
    assert weights([True, True, True]) == pytest.approx([1 / 8, 2 / 8, 5 / 8])
    assert weights([True, False, True])[::2] == pytest.approx([1 / 6, 5 / 6])


def test_a_forbidden_leaf_gives_its_share_away_or_keeps_it() -> None:
    restricted = weights([False, True, True], failure="restrict")
    assert restricted[1:] == pytest.approx([2 / 7, 5 / 7])
    conditioned = weights([False, True, True], failure="condition")
    assert conditioned[1:] == pytest.approx([2 / 8, 5 / 8])
    no_split = weights([False, False, True], failure="condition")
    assert no_split[2] == pytest.approx(5 / 6)


def test_weights_are_left_as_they_are() -> None:
    assert weights([True, False, True], normalise=False) == pytest.approx([1, 2, 5])


def test_majority_allows_ties() -> None:
    geometry = Geometry(make_grammar(TABLE, [[]]), TABLE)

    def allowed(*majority: str) -> list[bool]:
        return leaf_allowed(LeafRule(0.0, majority), geometry, BOXES).tolist()

    assert allowed() == [True, True, True]
    assert allowed("a") == [False, True, True]
    assert allowed("b") == [True, True, False]
    assert allowed("a", "b") == [False, True, False]
