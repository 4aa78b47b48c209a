"""Estimators with members stacked by prediction: they predict, and refuse what is of trees."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import slp
from slp.errors import SlpError
from slp.runner.effort import LEVELS

PROGRAM = ":- use(growtree). :- support(max_depth(2))."
QUICK = {"engine": "stacked", "members": 8, "draws": 40, "effort": "quick", "random_state": 2}


@pytest.fixture(scope="module", autouse=True)
def few_steps() -> Iterator[None]:
    """Runs of effort quick make few steps: what is tested does not depend on their number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(LEVELS, "quick", replace(LEVELS["quick"], untempered=0.05))
        yield


def test_a_classifier_and_a_regressor_predict() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(440, 2))
    number = X[:, 0] + rng.normal(size=440) / 3
    y = np.where(number > 0, "up", "down")
    tree = slp.SLPTreeClassifier(PROGRAM, **QUICK).fit(X, y)
    told = tree.predict_proba(X)
    assert np.array_equal(told, tree.posterior_.predict_proba(X))
    assert tree.score(X, y) > 0.8 and list(tree.classes_) == ["down", "up"]
    assert np.array_equal(pickle.loads(pickle.dumps(tree)).predict_proba(X), told)
    assert np.array_equal(clone(tree).fit(X, y).predict_proba(X), told)
    assert tree.predict_interval(X).shape == (440, 2, 2)
    for name in ("tree_", "feature_importances_"):
        with pytest.raises(SlpError, match="E559"):
            getattr(tree, name)
    with pytest.raises(SlpError, match="E559"):
        tree.sample_trees(3)
    assert slp.SLPTreeRegressor(PROGRAM, **QUICK).fit(X, number).score(X, number) > 0.5
