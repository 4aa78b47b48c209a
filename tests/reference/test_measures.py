"""Split probabilities, by hand, on one box of two features.

Feature 0 has gaps 1 and 3 in a range of 8, feature 1 has one cut with gap 2 in a range of 4; the
second cut of feature 0 parts the rows as the one of feature 1 does. Feature weights are 1 and 3; a
third feature, without splits in this box, has 1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from slp.ir.program import Measure
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE
from slp.problem.split_measures import RuleWeights, splits_taken_over
from slp.reference.split_measures import SplitArrays, log_split_probabilities

SPLITS = SplitArrays(
    n_boxes=1,
    feature_weights=np.array([1.0, 3.0]),
    box=np.zeros(3, np.int64),
    cut=np.arange(3),
    cell=np.arange(3),
    feature=np.array([0, 0, 1]),
    gap=np.array([1.0, 3.0, 2.0]),
    log_length=np.log([1 / 8, 3 / 8, 1 / 2]),
    log_share=np.full(3, np.nan),
    log_mass=np.full(3, np.nan),
    log_density=np.full(3, np.nan),
    pair=np.array([7, 8, 8]),
)


@pytest.mark.parametrize(
    ("measure", "valid", "want"),
    [
        ("feature_then_cut", [1, 1, 1], [1 / 8, 1 / 8, 3 / 4]),
        ("feature_then_cut", [1, 1, 0], [1 / 2, 1 / 2, 0]),
        ("all", [1, 1, 1], [1 / 3, 1 / 3, 1 / 3]),
        ("all", [0, 1, 1], [0, 1 / 2, 1 / 2]),
        ("gap", [1, 1, 1], [1 / 16, 3 / 16, 3 / 4]),
        ("gap", [0, 1, 1], [0, 1 / 4, 3 / 4]),
        ("each", [1, 0, 1], [1, 0, 1]),
        ("partition", [1, 1, 1], [1, 1, 0]),
        ("partition", [1, 0, 1], [1, 0, 1]),
        ("per_feature", [1, 1, 1], [1 / 4, 1 / 4, 1 / 2]),
        ("per_feature", [1, 1, 0], [1 / 4, 1 / 4, 0]),
        ("range", [1, 1, 1], [1 / 40, 3 / 40, 3 / 10]),
        ("range", [0, 1, 0], [0, 3 / 40, 0]),
        ("all", [0, 0, 0], [0, 0, 0]),
    ],
)
def test_split_probabilities(measure: Measure, valid: list[int], want: list[float]) -> None:
    have = np.exp(
        log_split_probabilities(measure, SPLITS, np.array(valid, np.bool_), RuleWeights(5.0))
    )
    np.testing.assert_allclose(have, want, rtol=1e-14)


@pytest.mark.parametrize(
    ("measure", "want"),
    [
        ("feature_then_cut", [1 / 28, 1 / 28, 3 / 4]),
        ("gap", [1 / 28, 1 / 28, 3 / 4]),
        ("per_feature", [1 / 14, 1 / 14, 1 / 2]),
    ],
)
def test_cuts_with_shares_of_their_own(measure: Measure, want: list[float]) -> None:
    """Each cut of feature 0 has a seventh of it, and five sevenths are lost."""
    splits = replace(SPLITS, log_share=np.log([1 / 7, 1 / 7, np.nan]))
    have = np.exp(log_split_probabilities(measure, splits, np.ones(3, np.bool_)))
    np.testing.assert_allclose(have, want, rtol=1e-14)


def test_boxes_side_by_side_do_not_mix() -> None:
    both = SplitArrays(
        n_boxes=2,
        feature_weights=np.array([1.0, 3.0]),
        box=np.array([0, 0, 1, 1, 1]),
        cut=np.arange(5),
        cell=np.arange(5),
        feature=np.array([0, 1, 0, 0, 1]),
        gap=np.array([1.0, 1.0, 1.0, 3.0, 2.0]),
        log_length=np.log(np.full(5, 0.1)),
        log_share=np.full(5, np.nan),
        log_mass=np.full(5, np.nan),
        log_density=np.full(5, np.nan),
        pair=np.array([1, 1, 7, 8, 8]),
    )
    have = np.exp(log_split_probabilities("partition", both, np.ones(5, np.bool_)))
    assert have.tolist() == [1, 0, 1, 1, 0]
    have = np.exp(log_split_probabilities("gap", both, np.ones(5, np.bool_)))
    np.testing.assert_allclose(have, [1 / 4, 3 / 4, 1 / 16, 3 / 16, 3 / 4], rtol=1e-14)


def test_groups_of_features() -> None:
    """The first two features are a group, of which the second box can split on one alone."""
    splits = SplitArrays(
        n_boxes=2,
        feature_weights=np.array([1.0, 3.0, 7.0]),
        box=np.array([0, 0, 0, 0, 1, 1]),
        cut=np.arange(6),
        cell=np.arange(6),
        feature=np.array([0, 0, 1, 2, 1, 2]),
        gap=np.array([1.0, 3.0, 1.0, 1.0, 1.0, 1.0]),
        log_length=np.log(np.full(6, 0.1)),
        log_share=np.full(6, np.nan),
        log_mass=np.full(6, np.nan),
        log_density=np.full(6, np.nan),
        pair=np.arange(6),
        feature_groups=np.array([0, 0, 1]),
    )
    every = np.ones(6, np.bool_)
    have = np.exp(log_split_probabilities("feature_then_cut", splits, every))
    np.testing.assert_allclose(have, [1 / 16, 1 / 16, 3 / 8, 1 / 2, 1 / 2, 1 / 2], rtol=1e-14)
    have = np.exp(log_split_probabilities("gap", splits, every))
    np.testing.assert_allclose(have, [1 / 32, 3 / 32, 3 / 8, 1 / 2, 1 / 2, 1 / 2], rtol=1e-14)


def test_what_the_measure_is_taken_over() -> None:
    left = np.array([0, FORBIDDEN, OUTSIDE, 4], np.int32)
    assert splits_taken_over(left, "restrict").tolist() == [True, False, False, True]
    assert splits_taken_over(left, "condition").tolist() == [True, True, False, True]
