"""Trees as fitted estimators of scikit-learn, and the libraries that take these."""

from __future__ import annotations

import dtreeviz
import matplotlib
import numpy as np
import onnxruntime
import pandas as pd
import pytest
from skl2onnx import to_onnx
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text, plot_tree

import slp

matplotlib.use("Agg")

X, Y = load_iris(return_X_y=True, as_frame=True)
TREE = slp.SLPTreeClassifier(engine="modal").fit(X, Y).tree_
ROWS, NUMBERS = load_diabetes(return_X_y=True, as_frame=True)
MEANS = slp.SLPTreeRegressor(engine="modal").fit(ROWS, NUMBERS).tree_


def test_a_classifier_predicts_as_the_tree() -> None:
    made = TREE.to_sklearn(list(X.columns))
    assert isinstance(made, DecisionTreeClassifier)
    np.testing.assert_array_equal(made.predict(X), TREE.predict(X))
    np.testing.assert_array_equal(made.get_depth(), TREE.depth)
    leaf = TREE.leaves()[0].summary["counts"]
    row = X[TREE.apply(X) == 0][:1]
    shares = [leaf.get(c, 0) / sum(leaf.values()) for c in made.classes_]
    np.testing.assert_allclose(made.predict_proba(row)[0], shares)
    assert made.feature_importances_.sum() == pytest.approx(1)


def test_impurities_and_importances_are_those_of_scikit_learn() -> None:
    theirs = DecisionTreeClassifier(max_leaf_nodes=6, random_state=1).fit(X, Y)
    ours = slp.Tree.from_sklearn(theirs).to_sklearn(list(X.columns))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)
    np.testing.assert_array_equal(ours.apply(X) >= 0, theirs.apply(X) >= 0)
    np.testing.assert_allclose(sorted(ours.tree_.impurity), sorted(theirs.tree_.impurity))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


def test_a_regressor_predicts_the_means_of_leaves() -> None:
    made = MEANS.to_sklearn(list(ROWS.columns))
    assert isinstance(made, DecisionTreeRegressor)
    np.testing.assert_allclose(made.predict(ROWS), MEANS.predict(ROWS))
    spread = np.var(MEANS.predict(ROWS))  # between leaves
    assert made.tree_.impurity[0] == pytest.approx(spread)


def test_the_columns_are_those_of_the_tests_by_default() -> None:
    made = TREE.to_sklearn()
    assert made.feature_names_in_.tolist() == list(TREE.features)
    np.testing.assert_array_equal(made.predict(X[list(TREE.features)]), TREE.predict(X))


def test_a_level_is_an_indicator_column() -> None:
    rows = pd.DataFrame({"colour": list("abcabc") * 6, "size": np.arange(36) % 5})
    y = ((rows.colour == "b") | (rows["size"] > 3)).astype(int)
    tree = slp.SLPTreeClassifier(engine="modal").fit(rows, y).tree_
    assert "colour" in tree.features
    columns = pd.get_dummies(rows, prefix_sep="=")
    made = tree.to_sklearn(list(columns.columns))
    np.testing.assert_array_equal(made.predict(columns), tree.predict(rows))


def test_a_single_leaf() -> None:
    tree = slp.Tree.from_dict({"counts": {"no": 3, "yes": 1}})
    made = tree.to_sklearn(["x"])
    assert made.predict([[0.0]]).tolist() == ["no"] and made.get_n_leaves() == 1


def test_what_cannot_be_made() -> None:
    bare = slp.Tree.from_dict({"feature": "age", "threshold": 3, "left": {}, "right": {}})
    with pytest.raises(slp.DataError) as caught:
        bare.to_sklearn()
    assert caught.value.diagnostics[0].code == "E642"
    with pytest.raises(slp.DataError) as caught:
        TREE.to_sklearn(["age"])
    assert caught.value.diagnostics[0].code == "E643"


# --- libraries -----------------------------------------------------------------------------------


@pytest.mark.parametrize("of", ["classes", "numbers"])
def test_libraries_that_take_a_tree_of_scikit_learn(of: str) -> None:
    tree, rows, y = (TREE, X, Y) if of == "classes" else (MEANS, ROWS, NUMBERS)
    names = list(rows.columns)
    made = tree.to_sklearn(names)
    n_nodes = 2 * tree.n_leaves - 1
    assert len(plot_tree(made)) >= n_nodes
    assert export_text(made, feature_names=names).count("|---") >= n_nodes - 1
    cells = rows.to_numpy(np.float32)
    model = to_onnx(made, cells[:1])
    session = onnxruntime.InferenceSession(model.SerializeToString())
    predicted = session.run(None, {"X": cells})[0].reshape(-1)
    np.testing.assert_allclose(predicted, made.predict(rows), rtol=1e-6)
    classes = [str(c) for c in made.classes_] if of == "classes" else None
    drawn = dtreeviz.model(made, rows, y, target_name="y", feature_names=names, class_names=classes)
    assert drawn.view(fontname="DejaVu Sans").dot.count("leaf") >= tree.n_leaves
