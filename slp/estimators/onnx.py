"""Forests of scikit-learn that stand for an average of trees, as ONNX models.

skl2onnx makes the values of each leaf of a classifier sum to 1, which drops the weights of trees.
So the one operator that such a model has is made here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.late import late_import
from slp.leaves import label_text

#: Versions of the operators and of the format, which runtimes of the last years read.
_OPERATORS, _ML_OPERATORS, _FORMAT = 17, 3, 8


def forest_to_onnx(made: Any) -> Any:
    """An `onnx.ModelProto` of a fitted forest of `trees_to_sklearn`: see
    `slp.AveragedTrees.to_onnx`."""
    helper, kinds = late_import("onnx.helper"), late_import("onnx").TensorProto
    classes = getattr(made, "classes_", None)
    nodes, leaves = _attributes(made)
    inputs = [helper.make_tensor_value_info("X", kinds.FLOAT, [None, made.n_features_in_])]
    if classes is None:
        own = {f"target_{key}": value for key, value in leaves.items()}
        node = helper.make_node(
            "TreeEnsembleRegressor",
            ["X"],
            ["variable"],
            domain="ai.onnx.ml",
            n_targets=1,
            **nodes,
            **own,
        )
        outputs = [helper.make_tensor_value_info("variable", kinds.FLOAT, [None, 1])]
    else:
        whole = classes.dtype.kind in "bi"
        if whole:
            labels = {"classlabels_int64s": classes.astype(np.int64).tolist()}
        else:
            labels = {"classlabels_strings": list(map(label_text, classes.tolist()))}
        own = {f"class_{key}": value for key, value in leaves.items()}
        node = helper.make_node(
            "TreeEnsembleClassifier",
            ["X"],
            ["label", "probabilities"],
            domain="ai.onnx.ml",
            post_transform="NONE",
            **nodes,
            **own,
            **labels,
        )
        kind = kinds.INT64 if whole else kinds.STRING
        outputs = [
            helper.make_tensor_value_info("label", kind, [None]),
            helper.make_tensor_value_info("probabilities", kinds.FLOAT, [None, len(classes)]),
        ]
    graph = helper.make_graph([node], "average_of_trees", inputs, outputs)
    imports = [
        helper.make_opsetid("", _OPERATORS),
        helper.make_opsetid("ai.onnx.ml", _ML_OPERATORS),
    ]
    return helper.make_model(graph, opset_imports=imports, ir_version=_FORMAT)


def _attributes(made: Any) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Attributes of the nodes of all trees, and, without their prefix, of the values of leaves. Of
    two classes the second alone has values, under the number 0, as skl2onnx writes them: with both,
    onnxruntime takes the second whenever its probability is above 0."""
    nodes: dict[str, list[Any]] = {}
    leaves: dict[str, list[Any]] = {"treeids": [], "nodeids": [], "ids": [], "weights": []}
    for number, estimator in enumerate(made.estimators_):
        tree = estimator.tree_
        inner = tree.children_left >= 0
        own = {
            "treeids": [number] * tree.node_count,
            "nodeids": list(range(tree.node_count)),
            "featureids": np.where(inner, tree.feature, 0).tolist(),
            "modes": np.where(inner, "BRANCH_LEQ", "LEAF").tolist(),
            "values": np.where(inner, _in_32_bits(tree.threshold), 0.0).tolist(),
            "truenodeids": np.where(inner, tree.children_left, 0).tolist(),
            "falsenodeids": np.where(inner, tree.children_right, 0).tolist(),
            "missing_value_tracks_true": np.where(inner, tree.missing_go_to_left, 0).tolist(),
        }
        for key, value in own.items():
            nodes.setdefault(f"nodes_{key}", []).extend(value)
        for leaf in np.flatnonzero(~inner).tolist():
            values = (tree.value[leaf].ravel() / len(made.estimators_)).tolist()
            for outcome, value in enumerate(values[1:] if len(values) == 2 else values):
                leaves["treeids"].append(number)
                leaves["nodeids"].append(leaf)
                leaves["ids"].append(outcome)
                leaves["weights"].append(value)
    return nodes, leaves


def _in_32_bits(thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each threshold the largest 32-bit number that is not above it: the same values of 32 bits
    are at most either."""
    with np.errstate(over="ignore"):
        near = thresholds.astype(np.float32)
    lower = np.nextafter(near, np.float32(-np.inf))
    return np.where(near > thresholds, lower, near).astype(np.float64)
