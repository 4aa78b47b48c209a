"""Trees as fitted estimators of scikit-learn, and the libraries that take these."""

from __future__ import annotations

import warnings
from typing import Any

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


# --- averages ------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", ["classes", "numbers"])
def test_an_average_is_a_forest(of: str) -> None:
    """Weights are in the leaves of the forest's trees, so that its plain mean is the average; for
    what makes the leaves of a classifier sum to 1, a regressor has the probabilities."""
    rows, y = (X, Y) if of == "classes" else (ROWS, NUMBERS)
    rows = rows.assign(g=np.array(["a", "b", "c"])[np.arange(len(rows)) % 3])
    rows[list(rows.columns[:-1])] = rows[list(rows.columns[:-1])].astype(np.float32)
    text = ":- use(growtree, [alpha = 0.95, beta = 0.5]). :- support(min_leaf(5))."
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of draws that are few
        few = {"rungs": 1, "warmup": 20, "thin": 5, "draws": 60}
        found = slp.parse(text).posterior(rows, y, engine="mh", seed=1, **few)
    average = found.average(20, seed=1)
    assert len(set(average.weights.tolist())) > 1
    columns = pd.get_dummies(rows, prefix_sep="=").astype(np.float64)
    names = list(columns.columns)
    forest, numbers = average.to_sklearn(names), average.to_sklearn(names, regressor=True)
    want = average.predict_proba(rows) if of == "classes" else average.predict(rows)
    have = forest.predict_proba(columns) if of == "classes" else forest.predict(columns)
    np.testing.assert_allclose(have, want, rtol=1e-12)
    np.testing.assert_allclose(numbers.predict(columns), want, rtol=1e-12)
    each = [tree.predict(columns) for tree in numbers.estimators_]
    np.testing.assert_allclose(np.mean(each, axis=0), want, rtol=1e-12)
    session = onnxruntime.InferenceSession(average.to_onnx(names).SerializeToString())
    *label, told = session.run(None, {"X": columns.to_numpy(np.float32)})
    np.testing.assert_allclose(told.reshape(want.shape), want, rtol=1e-6)
    if label:
        np.testing.assert_array_equal(forest.predict(columns), average.predict(rows))
        np.testing.assert_array_equal(label[0], average.predict(rows))


def test_onnx_parts_numbers_of_32_bits_as_the_tree_does() -> None:
    """Missing values too, on the side that the test says."""
    values = np.float32([0.1, 0.2, 0.3, 1 / 3])
    above = np.nextafter(values, np.float32(9))  # a threshold between such two is at neither
    data = pd.DataFrame({"x": [*values, *above, np.nan], "y": list("abababbba")})
    text = ":- use(growtree, [alpha = 0.99, beta = 0]). :- feature(x, [numeric, missing(side)])."
    found = slp.parse(text).posterior(data, "y")
    average = found.average(40, best=True)
    near = np.float32([np.nextafter(v, np.float32(s)) for v in values for s in (-9, 9)])
    cells = np.float32([*values, *near, np.nan])[:, None]
    session = onnxruntime.InferenceSession(average.to_onnx(["x", "x=missing"]).SerializeToString())
    both = np.hstack([cells, np.isnan(cells)]).astype(np.float32)
    told = session.run(None, {"X": both})[1]
    want = average.predict_proba(pd.DataFrame({"x": cells[:, 0].astype(np.float64)}))
    np.testing.assert_allclose(told, want, rtol=1e-5)


def test_onnx_sends_a_declared_cut_right() -> None:
    data = pd.DataFrame({"x": [0.25, 0.5, 0.75] * 4, "y": list("abb") * 4})
    found = slp.parse(":- use(growtree). :- feature(x, [numeric, cuts([0.5])]).").posterior(data)
    average = found.average(2, best=True)
    session = onnxruntime.InferenceSession(average.to_onnx(["x"]).SerializeToString())
    told = session.run(None, {"X": np.float32([[0.25], [0.5], [0.75]])})[1]
    np.testing.assert_allclose(told, average.predict_proba(data[:3]), rtol=1e-5)


@pytest.mark.parametrize("labels", [[1, 2], [False, True], ["a", "it's"]])
def test_onnx_has_the_labels(labels: list[Any]) -> None:
    y = np.repeat(labels, [5, 7])
    found = slp.parse(":- use(growtree).").posterior(np.arange(12.0)[:, None], y)
    average = found.average(3, best=True)
    model = average.to_onnx(["x0"])
    session = onnxruntime.InferenceSession(model.SerializeToString())
    told = session.run(None, {"X": np.float32([[1], [9]])})[0].tolist()
    assert told == average.predict([[1.0], [9.0]]).tolist()  # truth values are 0 and 1


def test_averages_of_lines_are_no_forest() -> None:
    rows = pd.DataFrame({"x": np.arange(12.0)})
    text = ":- use(growtree). :- leaf(normal_linear([x]))."
    average = slp.parse(text).posterior(rows, np.arange(12.0) % 5).average(2, best=True)
    with pytest.raises(slp.DataError, match="E614"):
        average.to_sklearn()
