"""Trees as fitted estimators of scikit-learn, for the libraries that take these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import NODE_DTYPE
from sklearn.tree._tree import Tree as FittedTree

from slp.errors import DataError
from slp.leaves import label_array, sorted_labels
from slp.messages.trees import LEAVES_WITHOUT_ROWS, LINES_IN_LEAVES, NAME_OF_TEST_MISSING
from slp.trees import Leaf, Split, Tree


def tree_to_sklearn(tree: Tree, feature_names: Sequence[str] | None = None) -> Any:
    """A fitted `DecisionTreeClassifier` or `DecisionTreeRegressor`: see `slp.Tree.to_sklearn`."""
    nodes = list(tree.nodes())
    columns = [node.test.column(node.feature) for node in nodes if isinstance(node, Split)]
    names = list(dict.fromkeys(columns)) if feature_names is None else list(map(str, feature_names))
    absent = [column for column in columns if column not in names]
    if absent:
        raise DataError(NAME_OF_TEST_MISSING(name=absent[0]))
    left, right = _children(nodes)
    place = {name: j for j, name in enumerate(names)}
    laid_out = np.zeros(len(nodes), NODE_DTYPE)
    rows, values, impurity = _contents(nodes, left, right)
    for i, node in enumerate(nodes):
        if isinstance(node, Leaf):
            of = (-1, -1, -2, -2.0)  # scikit-learn's TREE_LEAF and TREE_UNDEFINED
        elif isinstance(tested := node.test.tested, str | tuple):
            # the row of an indicator column with 1 goes right
            of = (right[i], left[i], place[node.test.column(node.feature)], 0.5)
            laid_out[i]["missing_go_to_left"] = node.missing == "right"
        else:  # scikit-learn sends x <= threshold left
            threshold = np.nextafter(float(tested), -np.inf)
            of = (left[i], right[i], place[node.feature], threshold)
            laid_out[i]["missing_go_to_left"] = node.missing == "left"
        laid_out[["left_child", "right_child", "feature", "threshold"]][i] = of
        laid_out[i]["impurity"] = impurity[i]
        laid_out[i]["n_node_samples"] = math.ceil(rows[i])
        laid_out[i]["weighted_n_node_samples"] = rows[i]
    return _fitted(laid_out, values, tree, names)


def _children(nodes: Sequence[Leaf | Split]) -> tuple[list[int], list[int]]:
    """The numbers of the children of nodes in preorder, -1 of leaves."""
    left, right = [-1] * len(nodes), [-1] * len(nodes)
    roots: list[int] = []  # of the subtrees behind, the nearest last
    for i in reversed(range(len(nodes))):
        if isinstance(nodes[i], Split):
            left[i], right[i] = roots.pop(), roots.pop()
        roots.append(i)
    return left, right


def _contents(
    nodes: Sequence[Leaf | Split], left: Sequence[int], right: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Rows (or their weight) of each node (N,), the shares of classes (N, C) or the mean (N, 1),
    and the impurity (N,): Gini's index, or the variance of the means of the leaves below."""
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
    if of_classes:
        values = sums / rows[:, None]
        return rows, values, 1 - (values**2).sum(axis=1)
    mean = sums[:, 1] / rows
    variance = np.maximum(sums[:, 2] / rows - mean**2, 0.0)
    return rows, mean[:, None], variance


def _classes(leaves: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(sorted_labels({label for summary in leaves for label in summary["counts"]}))


def _fitted(
    nodes: NDArray[Any], values: NDArray[np.float64], tree: Tree, names: Sequence[str]
) -> Any:
    leaves = [leaf.summary for leaf in tree.leaves()]
    classes = _classes(leaves) if "counts" in leaves[0] else ()
    made: Any = DecisionTreeClassifier() if classes else DecisionTreeRegressor()
    n_classes = np.array([len(classes) or 1], np.intp)
    made.tree_ = FittedTree(len(names), n_classes, 1)
    made.tree_.__setstate__(
        {
            "max_depth": tree.depth,
            "node_count": len(nodes),
            "nodes": nodes,
            "values": np.ascontiguousarray(values[:, None, :]),
        }
    )
    made.n_features_in_ = made.max_features_ = len(names)
    made.feature_names_in_ = np.array(names, dtype=object)
    made.n_outputs_ = 1
    if classes:
        made.classes_, made.n_classes_ = label_array(classes), len(classes)
    return made
