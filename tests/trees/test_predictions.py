"""What leaves predict of rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from slp.errors import DataError
from slp.leaves import GammaExponential
from slp.trees import Leaf, Tree


def test_leaves_without_a_prediction() -> None:
    with pytest.raises(DataError, match=r"E610.*no counts and no mean to predict from"):
        Tree(Leaf()).predict(pl.DataFrame({"age": [1.0]}))


def test_durations_are_predicted_with_what_is_censored() -> None:
    """Not by the mean of times of which some are cut short."""
    model = GammaExponential(2, 1)
    sums = model.statistics(np.array([[2.0, 1], [3.0, 0], [4.0, 0]])).sum(axis=0)
    leaf = Leaf.of(model, sums)
    median = 10 * (2 ** (1 / 3) - 1)  # of a Lomax distribution: shape 3, scale 10
    assert Tree(leaf).predict(np.zeros((1, 1))) == pytest.approx([median])
    assert Tree(Leaf(leaf.summary)).predict(np.zeros((1, 1))) == pytest.approx([9 * np.log(2)])
    assert Tree(Leaf({"n": 2, "events": 0, "mean": 3.0})).predict(np.zeros((1, 1))) == np.inf
