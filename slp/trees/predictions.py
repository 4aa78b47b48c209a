"""What the leaves of a tree predict of rows: classes, means, medians of durations, lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import DataError
from slp.leaves import Label, LeafModel, decided, label_array
from slp.messages.trees import NOTHING_TO_PREDICT_FROM, TREE_VALUE_MISSING
from slp.trees.parts import Leaf
from slp.trees.route import shares_of_rows
from slp.trees.row_columns import RowColumns
from slp.trees.tree import Tree


def leaf_predictions(tree: Tree) -> NDArray[Any]:
    """Prediction of each leaf from its summary, shape (K,): class labels in their own type, or
    float64 means.

    Raises
    ------
    DataError
        E610 a leaf says nothing to predict from.
    """
    return label_array([_leaf_prediction(leaf) for leaf in tree.leaves()])


def predict_rows(tree: Tree, X: Any) -> NDArray[Any]:
    """The prediction of each row's leaf, shape (n,): see `Tree.predict`.

    Raises
    ------
    DataError
        As `route_rows` and `leaf_predictions`; E606, E607 of a column that a leaf's line needs.
    """
    columns = RowColumns(X, tree)
    rows, where, share = shares_of_rows(tree, columns)
    lines: list[Any] = [leaf.summary.get("line") for leaf in tree.leaves()]
    if None in lines:
        return _averaged(tree, rows, where, share)
    of_part = np.array([line["intercept"] for line in lines])[where]
    for name in dict.fromkeys(name for line in lines for name in line["slopes"]):
        slopes = np.array([line["slopes"].get(name, 0.0) for line in lines])
        values = columns.numbers(name)
        if np.isnan(values).any():
            row = int(np.argmax(np.isnan(values))) + 1
            raise DataError(TREE_VALUE_MISSING(row=row, feature=name))
        of_part += slopes[where] * values[rows]
    return np.bincount(rows, share * of_part, columns.n_rows)


def _averaged(
    tree: Tree, rows: NDArray[np.int64], where: NDArray[np.int64], share: NDArray[np.float64]
) -> NDArray[Any]:
    """The prediction of each row, whose shares are in these leaves: that of its leaf; of several
    the class of most rows by their shares, or the mean, or the decision."""
    told, leaves = leaf_predictions(tree), tree.leaves()
    classes = listed_classes(leaves)
    whole = share == 1
    out = np.empty(int(rows.max(initial=-1)) + 1, told.dtype)
    out[rows[whole]] = told[where[whole]]
    for row in np.unique(rows[~whole]).tolist():
        own = rows == row
        parts = [leaves[i] for i in where[own].tolist()]
        out[row] = _prediction_of_parts(parts, share[own], classes)
    return out


def deciding_model(leaves: Sequence[Leaf]) -> LeafModel | None:
    """The model of leaves under a declared loss, by which rows that are in several of them are
    decided; None where there is no loss, or a leaf has no model."""
    models = [None if leaf.predictive is None else leaf.predictive.model for leaf in leaves]
    first = models[0]
    return first if None not in models and first is not None and first.loss is not None else None


def listed_classes(leaves: Sequence[Leaf]) -> tuple[Label, ...]:
    """The classes of leaves in the order in which these list them; () unless all leaves have
    some."""
    counts = [leaf.summary.get("shares") or leaf.summary.get("counts") or {} for leaf in leaves]
    return tuple(dict.fromkeys(c for own in counts for c in own)) if all(counts) else ()


def share_of_classes(leaves: Sequence[Leaf], classes: tuple[Label, ...]) -> NDArray[np.float64]:
    """The share of each class among the rows of leaves, or the probability where a leaf has a prior
    of its own, shape (K, C)."""
    told = [leaf.summary.get("shares") or leaf.summary["counts"] for leaf in leaves]
    shares = np.array([[own.get(c, 0) for c in classes] for own in told], np.float64)
    rows = [1 if "shares" in leaf.summary else leaf.rows for leaf in leaves]
    return np.asarray(shares / np.array(rows, np.float64)[:, None])


def _prediction_of_parts(
    leaves: list[Leaf], shares: NDArray[np.float64], classes: tuple[Label, ...]
) -> Label:
    """The prediction of a row with these shares in leaves: the class of most rows, each leaf's
    counting as its share, the mean, or the median of the mixture; under a declared loss the
    decision by the leaves' probabilities. Sums go from left to right, as in the languages that
    trees are written in (`slp.trees.exports`)."""
    model = deciding_model(leaves)
    if model is not None:
        known = [leaf.predictive for leaf in leaves if leaf.predictive is not None]
        each = np.array([own.values() for own in known])
        return model.classes[int(decided(shares @ each, model.loss))]
    if classes:
        of_leaves = share_of_classes(leaves, classes)
        sums = sum(share * own for share, own in zip(shares.tolist(), of_leaves, strict=True))
        return classes[int(np.argmax(sums))]
    if any("events" in leaf.summary for leaf in leaves):
        return _median_of_parts(leaves, shares)
    means = [float(_leaf_prediction(leaf)) for leaf in leaves]
    return float(sum(share * mean for share, mean in zip(shares.tolist(), means, strict=True)))


def _median_of_parts(leaves: list[Leaf], shares: NDArray[np.float64]) -> float:
    """The median of a mixture of durations, by bisection; inf where no number reaches it."""

    def passed(y: float) -> bool:
        return float(shares @ [_share_ended(leaf, y) for leaf in leaves]) >= 0.5

    low, high = 0.0, 1.0
    while not passed(high):
        low, high = high, 2 * high
        if high == math.inf:
            return high
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high


def _share_ended(leaf: Leaf, y: float) -> float:
    """P(duration <= y) by the leaf's model; without one that of an exponential distribution."""
    if leaf.predictive is not None:
        return float(leaf.predictive.model.cdf(leaf.predictive.statistics, np.array(y)))
    n, events, mean = (leaf.summary.get(key) or 0 for key in ("n", "events", "mean"))
    return -math.expm1(-y * events / (n * mean)) if events else 0.0


def _leaf_prediction(leaf: Leaf) -> Label:
    if leaf.predictive is not None and leaf.predictive.model.loss is not None:
        decision: Label = leaf.predictive()["decision"]
        return decision
    counts: Mapping[Label, float] | None = leaf.summary.get("shares", leaf.summary.get("counts"))
    if counts:
        return max(counts, key=lambda outcome: counts[outcome])
    if "events" in leaf.summary:
        return _median_duration(leaf)
    mean = leaf.summary.get("expected", leaf.summary.get("mean"))
    if mean is not None:
        return float(mean)
    raise DataError(NOTHING_TO_PREDICT_FROM())


def _median_duration(leaf: Leaf) -> float:
    """The median of the leaf's model; without a model log(2) times the durations over the events,
    that of an exponential distribution. It is inf where no event was seen and no model is known."""
    if leaf.predictive is not None:
        median = leaf.predictive()["median"]
        return math.inf if median is None else float(median)
    if "median" in leaf.summary:
        return float(leaf.summary["median"])
    n, events, mean = (leaf.summary.get(key) or 0 for key in ("n", "events", "mean"))
    return float(math.log(2) * n * mean / events) if events else math.inf
