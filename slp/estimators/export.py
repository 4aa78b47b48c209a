"""Trees as fitted estimators of scikit-learn, for the libraries that take these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import NODE_DTYPE
from sklearn.tree._tree import Tree as FittedTree

from slp.errors import DataError
from slp.leaves import Label, label_array, sorted_labels
from slp.messages.trees import LEAVES_WITHOUT_ROWS, LINES_IN_LEAVES, NAME_OF_TEST_MISSING
from slp.trees import Leaf, Split, Tree


def tree_to_sklearn(tree: Tree, feature_names: Sequence[str] | None = None) -> Any:
    """A fitted `DecisionTreeClassifier` or `DecisionTreeRegressor`: see `slp.Tree.to_sklearn`."""
    leaves = [leaf.summary for leaf in tree.leaves()]
    names = _columns([tree], feature_names)
    contents = _contents(list(tree.nodes()))
    return _fitted(tree, names, contents, _classes(leaves) if "counts" in leaves[0] else ())


def trees_to_sklearn(
    trees: Sequence[Tree],
    weights: NDArray[np.float64],
    classes: tuple[Label, ...],
    feature_names: Sequence[str] | None = None,
) -> Any:
    """A fitted `RandomForestClassifier` or, without classes, `RandomForestRegressor`, whose mean is
    the sum of what trees predict by their weights (U,): see `slp.AveragedTrees.to_sklearn`."""
    names = _columns(trees, feature_names)
    made: Any = RandomForestClassifier() if classes else RandomForestRegressor()
    made.estimators_ = [
        _fitted(tree, names, _predicted(list(tree.nodes()), len(trees) * weight), classes)
        for tree, weight in zip(trees, weights.tolist(), strict=True)
    ]
    made.n_estimators = len(trees)
    made.n_features_in_ = len(names)
    made.feature_names_in_ = np.array(names, dtype=object)
    made.n_outputs_ = made.estimators_[0].n_outputs_
    if classes:
        made.classes_, made.n_classes_ = label_array(classes), len(classes)
    return made


def _columns(trees: Sequence[Tree], feature_names: Sequence[str] | None) -> list[str]:
    """The names of the columns that estimators take."""
    splits = (n for tree in trees for n in tree.nodes() if isinstance(n, Split))
    columns = list(dict.fromkeys(node.test.column(node.feature) for node in splits))
    names = columns if feature_names is None else list(map(str, feature_names))
    absent = [column for column in columns if column not in names]
    if absent:
        raise DataError(NAME_OF_TEST_MISSING(name=absent[0]))
    return names


#: Rows (or their weight) of each node (N,), what it predicts (N, C) or (N, 1), its impurity (N,).
_Contents: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _laid_out(nodes: Sequence[Leaf | Split], names: Sequence[str], of: _Contents) -> NDArray[Any]:
    """The nodes of a tree as scikit-learn keeps them."""
    left, right = _children(nodes)
    place = {name: j for j, name in enumerate(names)}
    laid_out = np.zeros(len(nodes), NODE_DTYPE)
    rows, _, impurity = of
    for i, node in enumerate(nodes):
        if isinstance(node, Leaf):
            asks = (-1, -1, -2, -2.0)  # scikit-learn's TREE_LEAF and TREE_UNDEFINED
        elif isinstance(tested := node.test.tested, str | tuple):
            # the row of an indicator column with 1 goes right
            asks = (right[i], left[i], place[node.test.column(node.feature)], 0.5)
            laid_out[i]["missing_go_to_left"] = node.missing == "right"
        else:  # scikit-learn sends x <= threshold left
            threshold = np.nextafter(float(tested), -np.inf)
            asks = (left[i], right[i], place[node.feature], threshold)
            laid_out[i]["missing_go_to_left"] = node.missing == "left"
        laid_out[["left_child", "right_child", "feature", "threshold"]][i] = asks
        laid_out[i]["impurity"] = impurity[i]
        laid_out[i]["n_node_samples"] = math.ceil(rows[i])
        laid_out[i]["weighted_n_node_samples"] = rows[i]
    return laid_out


def _children(nodes: Sequence[Leaf | Split]) -> tuple[list[int], list[int]]:
    """The numbers of the children of nodes in preorder, -1 of leaves."""
    left, right = [-1] * len(nodes), [-1] * len(nodes)
    roots: list[int] = []  # of the subtrees behind, the nearest last
    for i in reversed(range(len(nodes))):
        if isinstance(nodes[i], Split):
            left[i], right[i] = roots.pop(), roots.pop()
        roots.append(i)
    return left, right


def _contents(nodes: Sequence[Leaf | Split]) -> _Contents:
    """Of nodes with their rows: the shares of classes, or the mean; Gini's index, or the variance
    of the means of the leaves below."""
    left, right = _children(nodes)
    leaves = [node.summary for node in nodes if isinstance(node, Leaf)]
    if any("line" in summary for summary in leaves):
        raise DataError(LINES_IN_LEAVES())
    of_classes = all("counts" in summary for summary in leaves)
    if not of_classes and not all("mean" in summary for summary in leaves):
        raise DataError(LEAVES_WITHOUT_ROWS())
    classes = _classes(leaves) if of_classes else ()
    sums = np.zeros((len(nodes), len(classes) or 3))  # counts of classes; or n, sum, sum of squares
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if isinstance(node, Split):
            sums[i] = sums[left[i]] + sums[right[i]]
        elif of_classes:
            sums[i] = [node.summary["counts"].get(c, 0) for c in classes]
        else:
            n, mean = node.summary["n"], node.summary["mean"]
            sums[i] = n, n * mean, n * mean**2
    rows = sums.sum(axis=1) if of_classes else sums[:, 0]
    own = [node.summary if isinstance(node, Leaf) else {} for node in nodes]
    if of_classes:
        values = sums / rows[:, None]
        for i, told in enumerate(own):
            if "shares" in told:  # a leaf with a prior of its own
                values[i] = [told["shares"].get(c, 0.0) for c in classes]
        return rows, values, 1 - (values**2).sum(axis=1)
    mean = sums[:, 1] / rows
    variance = np.maximum(sums[:, 2] / rows - mean**2, 0.0)
    mean = np.array([told.get("expected", m) for told, m in zip(own, mean, strict=True)])
    return rows, mean[:, None], variance


def _predicted(nodes: Sequence[Leaf | Split], factor: float) -> _Contents:
    """Of nodes what leaves predict by their model, times a factor, and the mean of that over the
    rows; impurities, which say nothing of a factor, are 0."""
    left, right = _children(nodes)
    rows = np.zeros(len(nodes))
    values: list[NDArray[np.float64]] = [np.zeros(0)] * len(nodes)
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if isinstance(node, Split):
            sides = [left[i], right[i]]
            rows[i] = rows[sides].sum()
            values[i] = np.average([values[j] for j in sides], axis=0, weights=rows[sides])
            continue
        if "line" in node.summary:
            raise DataError(LINES_IN_LEAVES())
        assert node.predictive is not None
        rows[i], values[i] = node.rows, node.predictive.values() * factor
    return rows, np.array(values), np.zeros(len(nodes))


def _classes(leaves: Sequence[Any]) -> tuple[Any, ...]:
    named = ({*summary["counts"], *summary.get("shares", ())} for summary in leaves)
    return tuple(sorted_labels(set().union(*named)))


def _fitted(tree: Tree, names: Sequence[str], of: _Contents, classes: tuple[Label, ...]) -> Any:
    """A fitted tree of scikit-learn."""
    nodes = _laid_out(list(tree.nodes()), names, of)
    made: Any = DecisionTreeClassifier() if classes else DecisionTreeRegressor()
    values = of[1][:, None, :] if classes else of[1][:, :, None]  # outputs, then classes of each
    made.n_outputs_ = values.shape[1]
    n_classes = np.full(made.n_outputs_, len(classes) or 1, np.intp)
    made.tree_ = FittedTree(len(names), n_classes, made.n_outputs_)
    made.tree_.__setstate__(
        {
            "max_depth": tree.depth,
            "node_count": len(nodes),
            "nodes": nodes,
            "values": np.ascontiguousarray(values),
        }
    )
    made.n_features_in_ = made.max_features_ = len(names)
    made.feature_names_in_ = np.array(names, dtype=object)
    if classes:
        made.classes_, made.n_classes_ = label_array(classes), len(classes)
    return made
