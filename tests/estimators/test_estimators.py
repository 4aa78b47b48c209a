"""Estimators: scikit-learn's own checks, and the tools that take an estimator."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.inspection import PartialDependenceDisplay, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

import slp
from slp.data import GivenResponse

matplotlib.use("Agg")

HERE = Path(__file__).parent
X, Y = load_iris(return_X_y=True, as_frame=True)
#: Programs whose exact sums take little time.
SHALLOW = ":- use(growtree). :- support(max_depth(2)). :- feature(_, [bins(quantile, 3)])."
#: `auto` takes exact sums of few features, and chains of many.
FEW_ROUNDS = ["rounds=1", "draws=20", "chains=1", "warmup=50", "thin=1"]
FEW_ROUNDS += [f"program={SHALLOW}"]


def _credit() -> tuple[pd.DataFrame, pd.Series]:
    table = pd.read_csv(HERE / "credit.csv")
    return table.drop(columns="y"), table["y"]


# --- scikit-learn's checks -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SLPTreeClassifier", ["engine=modal"]),
        ("SLPTreeClassifier", FEW_ROUNDS),
        ("SLPTreeRegressor", FEW_ROUNDS),
    ],
    ids=["modal classes", "classes", "numbers"],
)
def test_scikit_learns_checks_pass_and_none_is_skipped(name: str, options: list[str]) -> None:
    command = [sys.executable, str(HERE / "all_checks.py"), name, *options]
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=850)
    assert run.returncode == 0, run.stdout + run.stderr


# --- parameters ----------------------------------------------------------------------------------


def test_options_of_engines_are_parameters() -> None:
    given = slp.SLPTreeClassifier(engine="modal", look_ahead=1).get_params()
    assert given["look_ahead"] == 1 and given["chains"] == 4
    assert given["program__alpha"] == 0.95
    assert clone(slp.SLPTreeClassifier(chains=2)).chains == 2
    with pytest.raises(TypeError, match="no parameter `chain`"):
        slp.SLPTreeClassifier(chain=2)


def test_a_parameter_of_the_program_is_set_by_its_name() -> None:
    made = slp.SLPTreeClassifier(engine="modal").set_params(program__alpha=0.5, restarts=2)
    assert made.parameters == {"alpha": 0.5} and made.restarts == 2
    assert made.get_params()["program__beta"] == 0.75
    assert clone(made).parameters == {"alpha": 0.5}
    with pytest.raises(ValueError, match="gamma"):
        made.set_params(program__gamma=1)


def test_a_program_is_text_a_path_a_name_or_a_program(tmp_path: Path) -> None:
    path = tmp_path / "own.slp"
    path.write_text(":- use(growtree).")
    programs = ["growtree", ":- use(growtree).", path, str(path), slp.load("growtree")]
    found = [
        slp.SLPTreeClassifier(program, engine="modal").fit(X, Y).predict_proba(X)
        for program in programs
    ]
    assert all(np.array_equal(found[0], other) for other in found[1:])


def test_a_leaf_model_of_the_other_response_is_refused() -> None:
    with pytest.raises(slp.DataError, match="SLPTreeRegressor predicts numbers"):
        slp.SLPTreeRegressor(":- use(growtree). :- leaf(dirichlet(1)).").fit(X, Y)
    with pytest.raises(slp.DataError, match="SLPTreeClassifier predicts classes"):
        slp.SLPTreeClassifier(":- use(growtree). :- leaf(gamma_poisson(1, 1)).").fit(X, Y)


# --- fitting and predicting ----------------------------------------------------------------------


def test_predictions_are_those_of_the_posterior() -> None:
    labels = Y.map({0: "10", 1: "9", 2: "2"})  # numbers in text are in another order for slp
    fitted = slp.SLPTreeClassifier(SHALLOW).fit(X, labels)
    posterior = slp.parse(SHALLOW).posterior(X, labels)
    order = [posterior.table.leaf.classes.index(c) for c in fitted.classes_]
    assert fitted.classes_.tolist() == ["10", "2", "9"] and order != [0, 1, 2]
    np.testing.assert_array_equal(fitted.predict_proba(X), posterior.predict_proba(X)[:, order])
    np.testing.assert_array_equal(fitted.predict(X), posterior.predict(X))
    np.testing.assert_array_equal(
        fitted.predict_interval(X[:3], 0.8), posterior.predict_interval(X[:3], 0.8)[:, order]
    )
    assert fitted.tree_ == posterior.map_tree()
    uses = [use.expected_splits for use in posterior.split_probabilities().values()]
    np.testing.assert_allclose(fitted.feature_importances_, np.array(uses) / sum(uses))
    assert len(fitted.sample_trees(3, random_state=1)) == 3


def test_a_regressor_reads_few_whole_numbers_as_numbers() -> None:
    rows, y = load_diabetes(return_X_y=True, as_frame=True)
    fitted = slp.SLPTreeRegressor(engine="modal").fit(rows, y.round(-2).astype(int))
    assert not fitted.posterior_.table.leaf.classes
    assert fitted.predict(rows).dtype == np.float64
    assert fitted.predict_interval(rows[:2]).shape == (2, 2)
    importances = fitted.feature_importances_
    assert importances.shape == (10,) and importances.sum() == pytest.approx(1)


def test_a_classifier_reads_many_whole_numbers_as_classes() -> None:
    rows = np.repeat(np.arange(30.0), 3)[:, None]
    fitted = slp.SLPTreeClassifier(engine="modal").fit(rows, rows[:, 0].astype(int))
    assert fitted.predict_proba(rows).shape == (90, 30)


@pytest.mark.parametrize("made", [np.asarray, pl.DataFrame, pd.DataFrame])
def test_any_kind_of_table(made: Any) -> None:
    fitted = slp.SLPTreeClassifier(engine="modal").fit(made(X.to_numpy()), Y)
    same = slp.SLPTreeClassifier(engine="modal").fit(X, Y)
    np.testing.assert_array_equal(fitted.predict(made(X.to_numpy())), same.predict(X))


def test_a_program_may_ignore_a_column_of_an_array() -> None:
    fitted = slp.SLPTreeClassifier(":- use(growtree). :- ignore(x3).", engine="modal")
    fitted.fit(X.to_numpy(), Y)
    assert fitted.feature_importances_[3] == 0 and fitted.predict(X.to_numpy()).shape == (150,)


def test_before_a_fit_there_is_nothing() -> None:
    made = slp.SLPTreeClassifier()
    for what in ("tree_", "feature_importances_"):
        with pytest.raises(NotFittedError):
            getattr(made, what)
    with pytest.raises(NotFittedError):
        made.sample_trees(1)


def test_a_fitted_estimator_is_pickled_and_copied() -> None:
    fitted = slp.SLPTreeClassifier(SHALLOW, random_state=1).fit(X, Y)
    for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        np.testing.assert_array_equal(other.predict_proba(X), fitted.predict_proba(X))


def test_the_seed_makes_the_draws() -> None:
    def trees(random_state: Any) -> list[slp.Tree]:
        made = slp.SLPTreeClassifier(SHALLOW, random_state=random_state, draws=20, n_jobs=2)
        return [draw.tree for draw in made.fit(X, Y).posterior_.draws]

    assert trees(3) == trees(3) != trees(4)
    assert trees(np.random.RandomState(5)) == trees(np.random.RandomState(5))


# --- weights of rows -----------------------------------------------------------------------------


@pytest.mark.parametrize("response", ["classes", "numbers", "counts"])
@pytest.mark.parametrize("engine", ["exact", "enumerate"])
def test_a_weight_is_repetition(response: str, engine: str) -> None:
    rng = np.random.default_rng(4)
    rows, weights = rng.integers(0, 3, (12, 2)).astype(float), rng.integers(0, 4, 12)
    y = rng.integers(0, 2, 12) if response != "numbers" else rng.normal(size=12)
    leaf = ":- leaf(gamma_poisson(1, 1))." if response == "counts" else ""
    program = slp.parse(f":- use(growtree). {leaf}")
    weighted = program.posterior(rows, y, sample_weight=weights, engine=engine)
    repeated = program.posterior(
        np.repeat(rows, weights, axis=0), np.repeat(y, weights), engine=engine
    )
    assert weighted.log_evidence == pytest.approx(repeated.log_evidence, rel=1e-12)
    np.testing.assert_allclose(
        weighted.predict_interval(rows), repeated.predict_interval(rows), atol=1e-9
    )


@pytest.mark.parametrize("kind", ["quantile", "width"])
def test_bins_count_weights(kind: str) -> None:
    rng = np.random.default_rng(5)
    program = slp.parse(f":- use(growtree). :- feature(_, [bins({kind}, 4)]).")
    for _ in range(20):
        rows, weights = rng.integers(0, 30, (25, 1)).astype(float), rng.integers(0, 4, 25)
        y = rng.integers(0, 2, 25)
        weighted = program.compile(rows, GivenResponse(y, weights)).table.features[0]
        repeated = program.compile(np.repeat(rows, weights, axis=0), np.repeat(y, weights))
        np.testing.assert_array_equal(
            weighted.kind.numbers, repeated.table.features[0].kind.numbers
        )


def test_min_leaf_counts_rows_and_not_their_weights() -> None:
    rows, y = np.array([[0.0], [1.0]]), [0, 1]
    program = slp.parse(":- use(growtree). :- support(min_leaf(2)).")
    assert program.posterior(rows, y, sample_weight=[5, 5]).tree_count() == 1


@pytest.mark.parametrize(
    "weights", [[1, 2], [[1], [2], [3]], [0, 0, 0], [1, -1, 1], [1e-12, 1, 1], [1, 1, np.nan]]
)
def test_other_weights_are_refused(weights: Any) -> None:
    with pytest.raises(slp.DataError) as caught:
        slp.load("growtree").posterior([[1], [2], [3]], [0, 1, 1], sample_weight=weights)
    assert [d.code for d in caught.value.diagnostics] == ["E437"]


def test_a_class_without_weight_has_no_probability() -> None:
    fitted = slp.SLPTreeClassifier(engine="modal")
    fitted.fit([[1], [2], [3]], ["a", "b", "c"], sample_weight=[1, 0, 1])
    assert fitted.classes_.tolist() == ["a", "b", "c"]
    assert fitted.predict_proba([[1]])[0, 1] == 0
    assert fitted.predict_interval([[1]])[0, 1].tolist() == [0, 0]


# --- tools ---------------------------------------------------------------------------------------


def test_a_pipeline_of_columns() -> None:
    rows, y = _credit()
    texts = rows.select_dtypes(exclude="number").columns
    columns = ColumnTransformer(
        [("levels", OneHotEncoder(sparse_output=False, handle_unknown="ignore"), texts)],
        remainder="passthrough",
    ).set_output(transform="pandas")
    pipe = Pipeline([("columns", columns), ("tree", slp.SLPTreeClassifier(engine="modal"))])
    pipe.fit(rows[:150], y[:150], tree__sample_weight=np.ones(150))
    assert pipe.predict_proba(rows[150:]).shape == (50, 2)
    assert pipe[-1].n_features_in_ > len(rows.columns)
    plain = slp.SLPTreeClassifier(engine="modal").fit(rows[:150], y[:150])  # takes text as it is
    assert plain.score(rows[:150], y[:150]) > 0.75


def test_weights_are_routed_as_metadata() -> None:
    weights = np.arange(150) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        made = slp.SLPTreeClassifier(engine="modal")
        assert "sample_weight" in made.get_metadata_routing().fit.requests
        made.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipe = Pipeline([("same", FunctionTransformer()), ("tree", made)])
        pipe.fit(X, Y, sample_weight=weights)
        scores = cross_val_score(made, X, Y, cv=3, params={"sample_weight": weights})
    alone = slp.SLPTreeClassifier(engine="modal").fit(X, Y, sample_weight=weights)
    np.testing.assert_array_equal(pipe.predict_proba(X), alone.predict_proba(X))
    assert scores.shape == (3,) and pipe[-1].posterior_.table.n_rows == 100


def test_a_grid_search_over_a_parameter_of_the_program() -> None:
    grid = {"program__alpha": [0.0, 0.95], "engine": ["modal"]}
    search = GridSearchCV(slp.SLPTreeClassifier(), grid, cv=3).fit(X, Y)
    assert search.best_params_["program__alpha"] == 0.95 and search.best_score_ > 0.9
    assert search.best_estimator_.posterior_.engine == "modal"


def test_cross_validation() -> None:
    scores = cross_val_score(slp.SLPTreeClassifier(SHALLOW), X, Y, cv=3, scoring="neg_log_loss")
    assert (scores > -0.5).all()


def test_calibration() -> None:
    made = CalibratedClassifierCV(slp.SLPTreeClassifier(engine="modal"), cv=3).fit(X, Y)
    assert made.score(X, Y) > 0.9


def test_permutation_importance() -> None:
    fitted = slp.SLPTreeClassifier(engine="modal").fit(X, Y)
    found = permutation_importance(fitted, X, Y, n_repeats=3, random_state=1)
    assert found.importances_mean.argmax() in fitted.feature_importances_.nonzero()[0]


def test_partial_dependence() -> None:
    fitted = slp.SLPTreeClassifier(engine="modal").fit(X, Y)
    shown = PartialDependenceDisplay.from_estimator(fitted, X, [3], target=0, grid_resolution=5)
    line = shown.lines_[0, 0].get_ydata()
    assert line[0] > 0.8 and line[-1] < 0.2


def test_a_parameter_of_the_program_is_named() -> None:
    with pytest.raises(TypeError, match="set_params\\(program__alpha=...\\)"):
        slp.SLPTreeClassifier("growtree", alpha=0.5)
    with pytest.raises(TypeError, match=":- support\\(max_depth"):
        slp.SLPTreeClassifier("growtree", max_depth=3)
    with pytest.raises(TypeError, match="no parameter `depth`$"):
        slp.SLPTreeClassifier("growtree", depth=3)


@pytest.mark.parametrize(("labels", "shown"), [(["a", "b", "a"], "a"), ([True, False, True], True)])
def test_a_regressor_says_who_predicts_classes(labels: list[Any], shown: object) -> None:
    frame = pd.DataFrame({"age": [1, 2, 3], "dose": [1, 2, 2]})
    with pytest.raises(slp.DataError) as raised:
        slp.SLPTreeRegressor("growtree").fit(frame, labels)
    (found,) = raised.value.diagnostics
    assert (found.code, found.help) == ("E430", "take SLPTreeClassifier")
    assert found.message.endswith(f"the response holds `{shown}` in row 1")


def test_missing_values_of_arrays_are_taken_where_the_program_declares_them() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(60, 2))
    y = np.where(values[:, 0] > 0, "p", "n")
    values[::5, 0] = values[::7, 1] = np.nan
    program = ":- use(growtree). :- support(max_depth(2)). :- feature(_, [missing(side)])."
    fitted = slp.SLPTreeClassifier(program, random_state=1).fit(values, y)
    frame = pd.DataFrame(values, columns=["x0", "x1"])
    same = slp.SLPTreeClassifier(program, random_state=1).fit(frame, y)
    np.testing.assert_array_equal(fitted.predict_proba(values), same.predict_proba(frame))
    assert fitted.score(values, y) > 0.85
    with pytest.raises(ValueError, match="infinity"):
        fitted.predict(np.full((1, 2), np.inf))
