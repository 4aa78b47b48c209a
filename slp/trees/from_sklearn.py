"""Fitted scikit-learn trees as `Tree`. scikit-learn itself is not imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from slp.columns import Below
from slp.columns.thresholds import threshold_below
from slp.errors import DataError
from slp.leaves import Label, label_of
from slp.messages.trees import NOT_A_FITTED_TREE, WRONG_NUMBER_OF_NAMES
from slp.trees.parts import Leaf, Node, Split
from slp.trees.tree import Tree


def tree_from_sklearn(estimator: Any, feature_names: Sequence[str] | None = None) -> Tree:
    """The tree of a fitted `DecisionTreeClassifier` or `DecisionTreeRegressor`.

    Leaves carry rows by class, or their number and mean; nothing where rows were weighted.

    Raises
    ------
    DataError
        E640: it is not a single fitted tree with one response. E641: the number of names differs
        from the number of features.
    """
    fitted = getattr(estimator, "tree_", None)
    if fitted is None or getattr(estimator, "n_outputs_", 1) != 1:
        raise DataError(NOT_A_FITTED_TREE(given=type(estimator).__name__))
    names = _names(estimator, feature_names)
    classes = [label_of(c) for c in getattr(estimator, "classes_", ())]
    done: dict[int, Node] = {}
    for i in reversed(range(fitted.node_count)):  # children come after their parents
        left, right = int(fitted.children_left[i]), int(fitted.children_right[i])
        if left < 0:
            done[i] = Leaf(_summary(fitted, i, classes))
        else:
            threshold = threshold_below(float(fitted.threshold[i]))
            name = names[int(fitted.feature[i])]
            done[i] = Split(name, Below(threshold), done[left], done[right])
    return Tree(done[0])


def _names(estimator: Any, given: Sequence[str] | None) -> list[str]:
    n = int(estimator.n_features_in_)
    if given is None:
        given = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(n)])
    names = [str(name) for name in given]
    if len(names) != n:
        raise DataError(WRONG_NUMBER_OF_NAMES(given=len(names), features=n))
    return names


def _summary(fitted: Any, i: int, classes: list[Label]) -> dict[str, Any]:
    rows, weight = int(fitted.n_node_samples[i]), float(fitted.weighted_n_node_samples[i])
    if rows != weight:
        return {}
    value = fitted.value[i, 0]
    if not classes:
        return {"n": rows, "mean": float(value[0])}
    counts = np.rint(value / value.sum() * rows).astype(int).tolist()
    return {"counts": {c: k for c, k in zip(classes, counts, strict=True) if k}}
