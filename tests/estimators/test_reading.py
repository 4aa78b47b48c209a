"""Missing values without a declaration, sparse matrices, names of columns, weights of classes, and
parameters that a program lacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import slp
from tests.estimators.kinds import (
    ARROW,
    HOLES,
    NAMES,
    PLAIN,
    POLARS,
    PROGRAM,
    SIDES,
    TEXT,
    TEXTS,
    A,
    Y,
    fit,
)

# --- missing values ------------------------------------------------------------------------------


def test_what_the_program_says_of_missing_values_holds() -> None:
    holes = PLAIN.mask(HOLES)
    for said in ("_, [missing(error)]", "b, [missing(error)]"):
        with pytest.raises(slp.DataError, match="E420.*`b`"):
            fit(holes, program=f"{TEXT} :- feature({said}).")
    texts = TEXTS.mask(HOLES)
    declared = f"{TEXT} :- feature(_, [missing(level)])."
    fitted = fit(texts, program=declared)
    assert fitted.posterior_.table.features[1].kind.names == ("u", "v", "w", "missing")
    by_subsets = f"{TEXT} :- feature(_, [new(error)]). :- feature(b, [subsets])."
    kinds = [f.kind for f in fit(texts, program=by_subsets).posterior_.table.features]
    assert [kind.missing for kind in kinds] == [None, "level", "side"]


def test_new_rows_that_miss_values() -> None:
    fitted = fit(np.where(HOLES, np.nan, A))
    assert fitted.predict_proba([[1.0, np.nan, np.nan]]).shape == (1, 2)  # the two in no row at fit
    for rows in ([[np.nan, 1.0, 1.0]], [[None, 1, 1]], np.array([[pd.NA, 1, 1]])):
        with pytest.raises(slp.DataError, match=r"E420.*`x0`[^$]*missing\(side\), new\(average\)"):
            fitted.predict(rows)
    declared = fit(A, program=SIDES)
    assert declared.predict([[np.nan, 1.0, 1.0]]).shape == (1,)


def test_a_saved_posterior_knows_the_sides(tmp_path: Any) -> None:
    holes = PLAIN.mask(HOLES)
    posterior = fit(holes).posterior_
    for table in (False, True):
        posterior.save(tmp_path / "run.slpz", table=table)
        found = slp.load_posterior(tmp_path / "run.slpz").map_tree()
        assert (found.predict(holes) == posterior.map_tree().predict(holes)).all()


# --- sparse matrices, names, weights --------------------------------------------------------------


def test_a_sparse_matrix_is_made_dense_within_the_memory() -> None:
    large = scipy.sparse.csr_array((2000, 2000))
    small = scipy.sparse.csr_array((3, 2000))
    with pytest.raises(slp.BudgetError, match=r"E501[^$]*10\.0 MiB[^$]*2,000 rows[^$]*95\.4 MiB"):
        fit(large, np.zeros(2000), memory="10MiB")
    fitted = fit(A, memory="10MiB")
    with pytest.raises(slp.BudgetError, match="E501"):
        fitted.predict(large)
    with pytest.raises(slp.BudgetError, match="E501"):
        slp.load("growtree").posterior(large, np.zeros(2000), memory="10MiB")
    assert fit(small, [0, 1, 1]).predict(small).shape == (3,)


def test_encoded_levels_that_are_sparse() -> None:
    def piped(sparse: bool) -> Any:
        encoder = OneHotEncoder(sparse_output=sparse, handle_unknown="ignore")
        columns = ColumnTransformer([("levels", encoder, NAMES)], sparse_threshold=float(sparse))
        return make_pipeline(columns, slp.SLPTreeClassifier(PROGRAM, engine="exact")).fit(TEXTS, Y)

    assert scipy.sparse.issparse(piped(True)[0].transform(TEXTS))
    new = TEXTS.replace("u", "other")
    np.testing.assert_array_equal(piped(True).predict_proba(new), piped(False).predict_proba(new))


def test_a_whole_number_names_a_column() -> None:
    frame = pd.DataFrame(np.column_stack([A, Y]))
    want = PROGRAM.posterior(PLAIN, Y, draws=0).predict_proba(A)
    for name in (3, np.int64(3), "3"):
        posterior = PROGRAM.posterior(frame, name, draws=0)
        assert posterior.table.response == "3"
        np.testing.assert_array_equal(posterior.predict_proba(A), want)
        assert slp.compare([PROGRAM], frame, name, folds=2, seed=1).response == "3"
    with pytest.raises(slp.DataError, match="E425.*`7`"):
        PROGRAM.posterior(frame, 7)


def test_a_tree_takes_the_same_tables() -> None:
    named, whole = fit(PLAIN).tree_, fit(pd.DataFrame(A)).tree_
    want = named.predict(PLAIN)
    for X in (POLARS.lazy(), ARROW):
        assert (named.predict(X) == want).all()
    assert (whole.predict(pd.DataFrame(A)) == want).all()
    assert (fit(A).tree_.predict(scipy.sparse.csr_array(A)) == want).all()


def test_weights_that_are_no_weights() -> None:
    weights = np.ones(12)
    for given in (pd.Series(weights), pl.Series(weights), weights.tolist(), weights.astype(object)):
        np.testing.assert_array_equal(
            fit(A).fit(A, Y, given).predict_proba(A), fit(A).predict_proba(A)
        )
    holed = np.ma.masked_array(weights, mask=HOLES[:, 1])
    wrong = (scipy.sparse.csr_array(weights[None]), {1: 2}, [None, *weights[1:]], holed, "abc", 3.0)
    for given in wrong:
        with pytest.raises(slp.DataError, match="E437"):
            fit(A).fit(A, Y, given)


def test_columns_go_by_place_if_only_one_side_has_names() -> None:
    named = PLAIN.set_axis(["x2", "x1", "x0"], axis=1)
    with pytest.warns(UserWarning, match="feature names"):
        found = fit(named).predict_proba(A)
    np.testing.assert_allclose(found, fit(A).predict_proba(A), rtol=1e-12)
    shuffled = pd.DataFrame(A)[[2, 0, 1]]
    np.testing.assert_allclose(fit(pd.DataFrame(A)).predict_proba(shuffled), found, rtol=1e-12)


def test_weights_of_classes_multiply_those_of_rows() -> None:
    weights = np.arange(1, 13)
    by_class = {0: 3, 1: 2}
    want = fit(A).fit(A, Y, weights * np.where(Y == 0, 3, 2))
    found = fit(A, class_weight=by_class).fit(A, Y, weights)
    np.testing.assert_array_equal(found.predict_proba(A), want.predict_proba(A))
    frame = PLAIN.assign(w=weights)
    declared = fit(frame, program=f"{TEXT} :- row_weight(w).", class_weight=by_class)
    np.testing.assert_allclose(declared.predict_proba(frame), want.predict_proba(A), rtol=1e-12)
    balanced = fit(A[:9], Y[:9], class_weight="balanced")
    by_rows = fit(A).fit(A[:9], Y[:9], np.where(Y[:9] == 0, 9 / 8, 9 / 10))
    assert (Y[:9] == 0).sum() == 4
    np.testing.assert_allclose(balanced.predict_proba(A), by_rows.predict_proba(A), rtol=1e-12)
    for wrong in ({5: 1.0}, "even", {0: -1.0, 1: 1.0}):
        with pytest.raises(slp.DataError, match="E415|E437"):
            fit(A, class_weight=wrong)
    with pytest.raises(TypeError, match="no parameter `class_weight`"):
        slp.SLPTreeRegressor(class_weight="balanced")


# --- parameters of another program ---------------------------------------------------------------


def test_a_parameter_that_the_new_program_lacks_is_refused_by_name() -> None:
    made = slp.SLPTreeClassifier("growtree", parameters={"alpha": 0.5})
    with pytest.raises(ValueError, match="E106.*denison.* has no parameter `alpha`"):
        made.set_params(program="denison")
    assert made.program == "growtree" and made.parameters == {"alpha": 0.5}
    with pytest.raises(ValueError, match="E106.*`phi`"):
        made.set_params(program__phi=2)
    with pytest.raises(ValueError, match="E106.*growtree.* has no parameter `alfa`.*\n.*`alpha`"):
        made.set_params(program__alfa=0.5)
    made.set_params(program="denison", parameters=None, program__phi=3)
    assert made.parameters == {"phi": 3} and made.get_params()["program__phi"] == 3


def test_a_grid_over_programs() -> None:
    rows, y = np.repeat(A, 2, 0), np.repeat(Y, 2)
    made = slp.SLPTreeClassifier(engine="modal", parameters={"alpha": 0.5})
    with pytest.raises(ValueError, match="E106.*`alpha`"):
        GridSearchCV(made, {"program": ["growtree", "denison"]}, cv=2).fit(rows, y)
    made.set_params(parameters=None)
    of_each = [
        {"program": ["growtree"], "program__alpha": [0.5]},
        {"program": ["denison"], "program__phi": [2.0]},
    ]
    search = GridSearchCV(made, of_each, cv=2, error_score="raise").fit(rows, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
