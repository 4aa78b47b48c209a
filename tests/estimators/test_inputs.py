"""Kinds of tables and responses that estimators are given: each gives the probabilities of the same
table given plainly, or an error with a code."""

from __future__ import annotations

import numpy as np
import pytest

import slp
from tests.estimators.kinds import (
    HOLES,
    LEVELS,
    MISSING,
    NUMBERS,
    PLAIN,
    PROGRAM,
    REFUSED,
    REFUSED_RESPONSES,
    RESPONSES,
    SIDES,
    TEXTS,
    A,
    Y,
    fit,
)


@pytest.fixture(scope="module")
def plain() -> slp.SLPTreeClassifier:
    return fit(PLAIN)


@pytest.mark.filterwarnings("ignore:X .* feature names")
@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers(kind: str, plain: slp.SLPTreeClassifier) -> None:
    want, made = plain.predict_proba(PLAIN), NUMBERS[kind]
    fitted = fit(made())
    np.testing.assert_allclose(fitted.predict_proba(made()), want, rtol=1e-12)
    np.testing.assert_allclose(fitted.feature_importances_, plain.feature_importances_, rtol=1e-12)
    assert fitted.n_features_in_ == 3
    with_names = kind.startswith(("arrow", "gives", "polars", "pandas", "index"))
    assert hasattr(fitted, "feature_names_in_") == (with_names or kind in ("decimals", "fractions"))
    for rows in (A, PLAIN):
        np.testing.assert_allclose(fitted.predict_proba(rows), want, rtol=1e-12)
    np.testing.assert_allclose(plain.predict_proba(made()), want, rtol=1e-12)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", LEVELS)
def test_levels(kind: str) -> None:
    fitted = fit(LEVELS[kind]())
    want = fit(TEXTS).predict_proba(TEXTS)
    np.testing.assert_allclose(fitted.predict_proba(LEVELS[kind]()), want, rtol=1e-12)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", MISSING)
def test_missing_values(kind: str) -> None:
    fitted = fit(MISSING[kind]())
    declared = fit(PLAIN.mask(HOLES), program=SIDES)
    want = declared.predict_proba(PLAIN.mask(HOLES))
    np.testing.assert_allclose(fitted.predict_proba(MISSING[kind]()), want, rtol=1e-12)
    table = fitted.posterior_.table
    names = ", ".join(table.feature_names[1:])
    assert f"missing values take a side of: {names}" in table.notes


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused(kind: str, plain: slp.SLPTreeClassifier) -> None:
    made, code = REFUSED[kind]
    for estimator in (slp.SLPTreeClassifier, slp.SLPTreeRegressor):
        with pytest.raises(slp.DataError, match=code):
            estimator(PROGRAM, engine="exact", draws=0).fit(made(), Y)
    if kind not in ("infinite in a frame", "no rows of a frame"):  # which can be predicted
        with pytest.raises(slp.DataError, match=r"error\[E"):
            plain.predict(made())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", RESPONSES)
def test_responses(kind: str, plain: slp.SLPTreeClassifier) -> None:
    found = fit(PLAIN, RESPONSES[kind]())
    np.testing.assert_allclose(found.predict_proba(A), plain.predict_proba(A), rtol=1e-12)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", REFUSED_RESPONSES)
def test_responses_that_are_refused(kind: str) -> None:
    made, code = REFUSED_RESPONSES[kind]
    for estimator in (slp.SLPTreeClassifier, slp.SLPTreeRegressor):
        for X in (PLAIN, A):
            with pytest.raises(slp.DataError, match=code):
                estimator(PROGRAM, engine="exact", draws=0).fit(X, made())
