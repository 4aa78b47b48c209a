"""Kinds of tables and responses that estimators are given: each gives the probabilities of the same
table given plainly, or an error with a code."""

from __future__ import annotations

import datetime
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import slp

NAMES = ["a", "b", "c"]
A = np.random.default_rng(0).integers(0, 3, (12, 3)).astype(float)
Y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0])
PLAIN = pd.DataFrame(A, columns=NAMES)
POLARS = pl.DataFrame(A, schema=NAMES)
ARROW = pa.table({name: A[:, j] for j, name in enumerate(NAMES)})
HOLES = np.zeros(A.shape, bool)
HOLES[[0, 4, 7], [1, 1, 2]] = True
TEXTS = pd.DataFrame([["uvw"[int(i)] for i in row] for row in A], columns=NAMES)
DAYS = pd.date_range("2024-01-30", periods=12)
_TEXT = ":- use(growtree). :- support(max_depth(2))."
PROGRAM = slp.parse(_TEXT)
SIDES = slp.parse(f"{_TEXT} :- feature(_, [missing(side), new(average)]).")

Made = Callable[[], Any]


def _fitted(
    X: Any, y: Any = Y, program: slp.Program | str = PROGRAM, **options: Any
) -> slp.SLPTreeClassifier:
    made = slp.SLPTreeClassifier(program, engine="exact", draws=0, random_state=0, **options)
    return made.fit(X, y)


def _with(fill: Any, made: Callable[[Any], Any]) -> Made:
    return lambda: made(np.where(HOLES, fill, A.astype(object)))


def _objects(cells: Any) -> pd.DataFrame:
    return pd.DataFrame(cells, columns=NAMES, dtype=object)


class _GivesArrow:
    """What gives an Arrow table, and no more."""

    schema = ARROW.schema

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return ARROW.__arrow_c_stream__(requested_schema)


SPARSE: dict[str, Made] = {
    f"{form}_{kind}": lambda form=form, kind=kind: getattr(scipy.sparse, f"{form}_{kind}")(A)
    for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
    for kind in ("matrix", "array")
}
ARRAYS: dict[str, Made] = {
    f"array {dtype}": lambda dtype=dtype: A.astype(dtype)
    for dtype in "f2 f4 f8 g i1 i2 i4 i8 u1 u2 u4 u8 >f8 >i4 O U".split()
}
TYPES: dict[str, Made] = {
    f"pandas {dtype}": lambda dtype=dtype: PLAIN.astype(dtype)
    for dtype in "Int64 UInt8 Float64 Float32 int64[pyarrow] double[pyarrow] object int8".split()
}
NUMBERS: dict[str, Made] = {
    **SPARSE,
    **ARRAYS,
    **TYPES,
    "sparse integers": lambda: scipy.sparse.csr_array(A.astype(np.int64)),
    "sparse with zeros written out": lambda: scipy.sparse.csr_array(A + 1) - np.ones(A.shape),
    "pandas sparse": lambda: PLAIN.astype(pd.SparseDtype(float, 0.0)),
    "pandas sparse integers": lambda: PLAIN.astype(int).astype(pd.SparseDtype(int, 0)),
    "list": A.tolist,
    "list of tuples": lambda: list(map(tuple, A)),
    "tuple": lambda: tuple(map(tuple, A)),
    "list of text": lambda: A.astype(str).tolist(),
    "objects of text": lambda: A.astype(str).astype(object),
    "matrix": lambda: np.matrix(A),
    "masked": lambda: np.ma.masked_array(A, mask=np.zeros(A.shape, bool)),
    "memoryview": lambda: memoryview(A),
    "columns first": lambda: np.asfortranarray(A),
    "every second": lambda: np.repeat(np.repeat(A, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda: A[::-1].copy()[::-1],
    "index": lambda: PLAIN.set_axis(list("ijklmnopqrst")),
    "whole names": lambda: pd.DataFrame(A),
    "pairs as names": lambda: PLAIN.set_axis(pd.MultiIndex.from_product([["m"], NAMES]), axis=1),
    "decimals": lambda: _objects([[Decimal(int(i)) for i in row] for row in A]),
    "fractions": lambda: _objects([[Fraction(int(i)) for i in row] for row in A]),
    "pandas with arrow": lambda: PLAIN.convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: POLARS,
    "polars float32": lambda: POLARS.cast(pl.Float32),
    "polars uint8": lambda: POLARS.cast(pl.UInt8),
    "polars decimal": lambda: POLARS.cast(pl.Decimal(10, 2)),
    "polars lazy": POLARS.lazy,
    "arrow": lambda: ARROW,
    "arrow in pieces": lambda: pa.concat_tables([ARROW[:5], ARROW[5:]]),
    "arrow batch": lambda: ARROW.to_batches()[0],
    "arrow int8": lambda: ARROW.cast(pa.schema([(name, pa.int8()) for name in NAMES])),
    "gives arrow": _GivesArrow,
    "dask array": lambda: pytest.importorskip("dask.array").from_array(A),
    "xarray": lambda: pytest.importorskip("xarray").DataArray(A),
}
LEVELS: dict[str, Made] = {
    "array": lambda: TEXTS.to_numpy(object),
    "array of text": lambda: TEXTS.to_numpy(object).astype(str),
    "list": lambda: TEXTS.to_numpy(object).tolist(),
    "object": lambda: TEXTS.astype(object),
    "string": lambda: TEXTS.astype("string"),
    "pyarrow": lambda: TEXTS.astype(pd.ArrowDtype(pa.string())),
    "category": lambda: TEXTS.astype("category"),
    "polars": lambda: pl.from_pandas(TEXTS),
    "polars category": lambda: pl.from_pandas(TEXTS).cast(pl.Categorical),
    "polars lazy": lambda: pl.from_pandas(TEXTS).lazy(),
    "arrow": lambda: pa.Table.from_pandas(TEXTS),
    "arrow dictionary": lambda: pa.Table.from_pandas(TEXTS.astype("category")),
}
MISSING: dict[str, Made] = {
    "array": _with(np.nan, lambda cells: cells.astype(float)),
    "array float32": _with(np.nan, lambda cells: cells.astype(np.float32)),
    "sparse": _with(np.nan, lambda cells: scipy.sparse.csr_array(cells.astype(float))),
    "masked": lambda: np.ma.masked_array(A, mask=HOLES),
    "list of None": _with(None, lambda cells: cells.tolist()),
    "list of NaN": _with(np.nan, lambda cells: cells.tolist()),
    "frame": _with(np.nan, lambda cells: pd.DataFrame(cells.astype(float), columns=NAMES)),
    "Int64": _with(pd.NA, lambda cells: _objects(cells).astype("Int64")),
    "pyarrow": _with(None, lambda cells: _objects(cells).astype("double[pyarrow]")),
    "pandas sparse": _with(np.nan, lambda c: _objects(c).astype(pd.SparseDtype(float, np.nan))),
    "polars": _with(None, lambda c: pl.DataFrame(c.tolist(), schema=NAMES, orient="row")),
    "polars NaN": _with(np.nan, lambda c: pl.DataFrame(c.astype(float), schema=NAMES)),
    "arrow": _with(None, lambda c: pa.Table.from_pandas(_objects(c).astype(float))),
    **{f"objects of {fill}": _with(fill, _objects) for fill in (None, np.nan, pd.NA, pd.NaT)},
    **{f"array of {fill}": _with(fill, np.array) for fill in (None, np.nan, pd.NA, pd.NaT)},
}
REFUSED: dict[str, tuple[Made, str]] = {
    "dict": (lambda: {name: A[:, j] for j, name in enumerate(NAMES)}, "E410"),
    "list of dicts": (lambda: PLAIN.to_dict("records"), "E410"),
    "records": (lambda: PLAIN.to_records(index=False), "E410"),
    "series": (lambda: PLAIN["a"], "E410"),
    "polars series": (lambda: POLARS["a"], "E410"),
    "one dimension": (lambda: A[:, 0], "E415"),
    "three dimensions": (lambda: A[:, :, None], "E415"),
    "no dimension": (lambda: np.array(3.0), "E415"),
    "sparse, one dimension": (lambda: scipy.sparse.coo_array(A[:, 0]), "E415"),
    "None": (lambda: None, "E410"),
    "text": (lambda: "growtree", "E410"),
    "generator": (lambda: (row for row in A), "E410"),
    "set": (lambda: {1, 2}, "E410"),
    "range": (lambda: range(12), "E410"),
    "no rows": (lambda: A[:0], "E415"),
    "no columns": (lambda: A[:, :0], "E415"),
    "no rows of a frame": (lambda: PLAIN[:0], "E415"),
    "uneven": (lambda: [*A.tolist()[:-1], [1.0]], "E448"),
    "infinite": (lambda: np.where(HOLES, np.inf, A), "E415"),
    "infinite in a frame": (lambda: pd.DataFrame(np.where(HOLES, np.inf, A)), "E422"),
    "all missing": (lambda: PLAIN.assign(a=np.nan), "E420"),
    "complex": (lambda: A.astype(complex), "E415"),
    "complex in a frame": (lambda: PLAIN.astype(complex), "E412"),
    "bytes": (lambda: A.astype("S"), "E412"),
    "lists in cells": (lambda: POLARS.with_columns(a=pl.Series([[1]] * 12)), "E412"),
    "dicts in cells": (lambda: np.array([[{}, 1, 2]] * 12, dtype=object), "E412"),
    "names twice": (lambda: PLAIN.set_axis(["a", "a", "c"], axis=1), "E407"),
    "arrow, names twice": (lambda: pa.Table.from_arrays(ARROW.columns, ["a", "a", "c"]), "E407"),
    "names of two types": (lambda: PLAIN.set_axis(["a", 1, "c"], axis=1), "E415"),
    "dates": (lambda: PLAIN.assign(a=DAYS), "E411"),
    "dates with a zone": (lambda: PLAIN.assign(a=DAYS.tz_localize("UTC")), "E411"),
    "durations": (lambda: PLAIN.assign(a=DAYS - DAYS[0]), "E411"),
    "periods": (lambda: PLAIN.assign(a=DAYS.to_period("M")), "E411"),
    "intervals": (lambda: PLAIN.assign(a=pd.IntervalIndex.from_breaks(range(13))), "E411"),
    "array of dates": (lambda: A.astype("M8[D]"), "E411"),
    "array of durations": (lambda: A.astype("m8[D]"), "E411"),
    "objects of dates": (lambda: np.array([[datetime.date(2024, 1, 1), 1]] * 12), "E411"),
    "polars dates": (lambda: POLARS.with_columns(a=pl.Series(DAYS.date)), "E411"),
    "arrow dates": (lambda: ARROW.set_column(0, "a", [pa.array(DAYS.date)]), "E411"),
    "dask": (lambda: pytest.importorskip("dask.dataframe").from_pandas(PLAIN), "E410"),
    "xarray data set": (lambda: PLAIN.to_xarray(), "E448"),
}
RESPONSES: dict[str, Made] = {
    "list": Y.tolist,
    "tuple": lambda: tuple(Y.tolist()),
    "int8": lambda: Y.astype(np.int8),
    "floats": lambda: Y.astype(float),
    "booleans": lambda: Y > 0,
    "text": lambda: Y.astype(str),
    "series": lambda: pd.Series(Y, name="y"),
    "series of a whole name": lambda: pd.Series(Y, name=0),
    "Int64": lambda: pd.Series(Y).astype("Int64"),
    "boolean": lambda: pd.Series(Y > 0).astype("boolean"),
    "pyarrow": lambda: pd.Series(Y).astype("int64[pyarrow]"),
    "category": lambda: pd.Series(Y).astype("category"),
    "text of pandas": lambda: pd.Series(Y.astype(str)),
    "index": lambda: pd.Index(Y),
    "polars": lambda: pl.Series(Y),
    "polars lazy": lambda: pl.LazyFrame({"y": Y}),
    "arrow": lambda: pa.array(Y),
    "arrow in pieces": lambda: pa.chunked_array([Y[:5], Y[5:]]),
    "deque": lambda: deque(Y.tolist()),
    "masked": lambda: np.ma.masked_array(Y, mask=np.zeros(12, bool)),
}
REFUSED_RESPONSES: dict[str, tuple[Made, str]] = {
    "sparse": (lambda: scipy.sparse.csr_matrix(Y), "E413"),
    "sparse column": (lambda: scipy.sparse.csc_array(Y[:, None]), "E413"),
    "None": (lambda: None, "E415"),
    "a name": (lambda: "a", "E415"),
    "short": (lambda: Y[:5], "E415"),
    "two columns": (lambda: np.stack([Y, Y], axis=1), "E415"),
    "dict": (lambda: dict(enumerate(Y)), "E410"),
    "generator": (lambda: (label for label in Y), "E415"),
    "NaN": (lambda: np.where(HOLES[:, 1], np.nan, Y), "E415"),
    "None in a list": (lambda: [None, *Y[1:]], "E420"),
    "masked cells": (lambda: np.ma.masked_array(Y, mask=HOLES[:, 1]), "E420"),
    "blank text": (lambda: ["", *Y[1:].astype(str)], "E420|E430"),
    "infinite": (lambda: np.where(HOLES[:, 1], np.inf, Y), "E415"),
    "complex": (lambda: Y.astype(complex), "E415"),
    "bytes": (lambda: Y.astype("S"), "E415|E412"),
    "dates": (lambda: DAYS.to_series(), "E411"),
    "dates with a zone": (lambda: DAYS.tz_localize("UTC").to_series(), "E411"),
    "durations": (lambda: (DAYS - DAYS[0]).to_series(), "E411"),
    "periods": (lambda: DAYS.to_period("D").to_series(), "E411"),
    "intervals": (lambda: pd.Series(pd.cut(Y, 2)), "E411"),
    "dask": (lambda: pytest.importorskip("dask.dataframe").from_pandas(pd.Series(Y)), "E410"),
}


@pytest.fixture(scope="module")
def plain() -> slp.SLPTreeClassifier:
    return _fitted(PLAIN)


@pytest.mark.filterwarnings("ignore:X .* feature names")
@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers(kind: str, plain: slp.SLPTreeClassifier) -> None:
    want, made = plain.predict_proba(PLAIN), NUMBERS[kind]
    fitted = _fitted(made())
    np.testing.assert_allclose(fitted.predict_proba(made()), want, rtol=1e-12)
    np.testing.assert_allclose(fitted.feature_importances_, plain.feature_importances_, rtol=1e-12)
    assert fitted.n_features_in_ == 3
    with_names = kind.startswith(("arrow", "gives", "polars", "pandas", "index"))
    assert hasattr(fitted, "feature_names_in_") == (with_names or kind in ("decimals", "fractions"))
    np.testing.assert_allclose(fitted.predict_proba(A), want, rtol=1e-12)
    if kind != "whole names" and kind != "pairs as names":
        np.testing.assert_allclose(plain.predict_proba(made()), want, rtol=1e-12)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", LEVELS)
def test_levels(kind: str) -> None:
    fitted = _fitted(LEVELS[kind]())
    want = _fitted(TEXTS).predict_proba(TEXTS)
    np.testing.assert_allclose(fitted.predict_proba(LEVELS[kind]()), want, rtol=1e-12)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", MISSING)
def test_missing_values(kind: str) -> None:
    fitted = _fitted(MISSING[kind]())
    declared = _fitted(PLAIN.mask(HOLES), program=SIDES)
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
    found = _fitted(PLAIN, RESPONSES[kind]())
    np.testing.assert_allclose(found.predict_proba(A), plain.predict_proba(A), rtol=1e-12)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", REFUSED_RESPONSES)
def test_responses_that_are_refused(kind: str) -> None:
    made, code = REFUSED_RESPONSES[kind]
    for estimator in (slp.SLPTreeClassifier, slp.SLPTreeRegressor):
        for X in (PLAIN, A):
            with pytest.raises(slp.DataError, match=code):
                estimator(PROGRAM, engine="exact", draws=0).fit(X, made())


# --- missing values ------------------------------------------------------------------------------


def test_what_the_program_says_of_missing_values_holds() -> None:
    holes = PLAIN.mask(HOLES)
    for said in ("_, [missing(error)]", "b, [missing(error)]"):
        with pytest.raises(slp.DataError, match="E420.*`b`"):
            _fitted(holes, program=f"{_TEXT} :- feature({said}).")
    texts = TEXTS.mask(HOLES)
    declared = f"{_TEXT} :- feature(_, [missing(level)])."
    fitted = _fitted(texts, program=declared)
    assert fitted.posterior_.table.features[1].kind.names == ("u", "v", "w", "missing")
    by_subsets = f"{_TEXT} :- feature(_, [new(error)]). :- feature(b, [subsets])."
    kinds = [f.kind for f in _fitted(texts, program=by_subsets).posterior_.table.features]
    assert [kind.missing for kind in kinds] == [None, "level", "side"]


def test_new_rows_that_miss_values() -> None:
    fitted = _fitted(np.where(HOLES, np.nan, A))
    assert fitted.predict_proba([[1.0, np.nan, np.nan]]).shape == (1, 2)  # the two in no row at fit
    for rows in ([[np.nan, 1.0, 1.0]], [[None, 1, 1]], np.array([[pd.NA, 1, 1]])):
        with pytest.raises(slp.DataError, match=r"E420.*`x0`[^$]*missing\(side\), new\(average\)"):
            fitted.predict(rows)
    declared = _fitted(A, program=SIDES)
    assert declared.predict([[np.nan, 1.0, 1.0]]).shape == (1,)


def test_a_saved_posterior_knows_the_sides(tmp_path: Any) -> None:
    holes = PLAIN.mask(HOLES)
    posterior = _fitted(holes).posterior_
    for table in (False, True):
        posterior.save(tmp_path / "run.slpz", table=table)
        found = slp.load_posterior(tmp_path / "run.slpz").map_tree()
        assert (found.predict(holes) == posterior.map_tree().predict(holes)).all()


# --- sparse matrices, names, weights --------------------------------------------------------------


def test_a_sparse_matrix_is_made_dense_within_the_memory() -> None:
    large = scipy.sparse.csr_array((2000, 2000))
    small = scipy.sparse.csr_array((3, 2000))
    with pytest.raises(slp.BudgetError, match=r"E501[^$]*10\.0 MiB[^$]*2,000 rows[^$]*95\.4 MiB"):
        _fitted(large, np.zeros(2000), memory="10MiB")
    fitted = _fitted(A, memory="10MiB")
    with pytest.raises(slp.BudgetError, match="E501"):
        fitted.predict(large)
    with pytest.raises(slp.BudgetError, match="E501"):
        slp.load("growtree").posterior(large, np.zeros(2000), memory="10MiB")
    assert _fitted(small, [0, 1, 1]).predict(small).shape == (3,)


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


def test_columns_go_by_place_if_only_one_side_has_names() -> None:
    named = PLAIN.set_axis(["x2", "x1", "x0"], axis=1)
    with pytest.warns(UserWarning, match="feature names"):
        found = _fitted(named).predict_proba(A)
    np.testing.assert_allclose(found, _fitted(A).predict_proba(A), rtol=1e-12)
    shuffled = pd.DataFrame(A)[[2, 0, 1]]
    np.testing.assert_allclose(_fitted(pd.DataFrame(A)).predict_proba(shuffled), found, rtol=1e-12)


def test_weights_of_classes_multiply_those_of_rows() -> None:
    weights = np.arange(1, 13)
    by_class = {0: 3, 1: 2}
    want = _fitted(A).fit(A, Y, weights * np.where(Y == 0, 3, 2))
    found = _fitted(A, class_weight=by_class).fit(A, Y, weights)
    np.testing.assert_array_equal(found.predict_proba(A), want.predict_proba(A))
    frame = PLAIN.assign(w=weights)
    declared = _fitted(frame, program=f"{_TEXT} :- row_weight(w).", class_weight=by_class)
    np.testing.assert_allclose(declared.predict_proba(frame), want.predict_proba(A), rtol=1e-12)
    balanced = _fitted(A[:9], Y[:9], class_weight="balanced")
    by_rows = _fitted(A).fit(A[:9], Y[:9], np.where(Y[:9] == 0, 9 / 8, 9 / 10))
    assert (Y[:9] == 0).sum() == 4
    np.testing.assert_allclose(balanced.predict_proba(A), by_rows.predict_proba(A), rtol=1e-12)
    for wrong in ({5: 1.0}, "even", {0: -1.0, 1: 1.0}):
        with pytest.raises(slp.DataError, match="E415|E437"):
            _fitted(A, class_weight=wrong)
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
