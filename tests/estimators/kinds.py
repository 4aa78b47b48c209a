"""Kinds of tables and responses that estimators are given, and the same table given plainly."""

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
TEXT = ":- use(growtree). :- support(max_depth(2))."
PROGRAM = slp.parse(TEXT)
SIDES = slp.parse(f"{TEXT} :- feature(_, [missing(side), new(average)]).")

_SPANS = pa.month_day_nano_interval()

Made = Callable[[], Any]


def fit(
    X: Any, y: Any = Y, program: slp.Program | str = PROGRAM, **options: Any
) -> slp.SLPTreeClassifier:
    made = slp.SLPTreeClassifier(program, engine="exact", draws=0, random_state=0, **options)
    return made.fit(X, y)


def _with(fill: Any, made: Callable[[Any], Any]) -> Made:
    return lambda: made(np.where(HOLES, fill, A.astype(object)))


def objects(cells: Any) -> pd.DataFrame:
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
    "decimals": lambda: objects([[Decimal(int(i)) for i in row] for row in A]),
    "fractions": lambda: objects([[Fraction(int(i)) for i in row] for row in A]),
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
    "masked": lambda: np.ma.masked_array(A, mask=HOLES),
    "array": _with(np.nan, lambda cells: cells.astype(float)),
    "array float32": _with(np.nan, lambda cells: cells.astype(np.float32)),
    "sparse": _with(np.nan, lambda cells: scipy.sparse.csr_array(cells.astype(float))),
    "list of None": _with(None, lambda cells: cells.tolist()),
    "list of NaN": _with(np.nan, lambda cells: cells.tolist()),
    "frame": _with(np.nan, lambda cells: pd.DataFrame(cells.astype(float), columns=NAMES)),
    "Int64": _with(pd.NA, lambda cells: objects(cells).astype("Int64")),
    "pyarrow": _with(None, lambda cells: objects(cells).astype("double[pyarrow]")),
    "pandas sparse": _with(np.nan, lambda c: objects(c).astype(pd.SparseDtype(float, np.nan))),
    "polars": _with(None, lambda c: pl.DataFrame(c.tolist(), schema=NAMES, orient="row")),
    "polars NaN": _with(np.nan, lambda c: pl.DataFrame(c.astype(float), schema=NAMES)),
    "arrow": _with(None, lambda c: pa.Table.from_pandas(objects(c).astype(float))),
    **{f"objects of {fill}": _with(fill, objects) for fill in (None, np.nan, pd.NA, pd.NaT)},
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
    "lazy, without its column": (lambda: POLARS.lazy().select(pl.col("d")), "E410"),
    "arrow of spans": (lambda: ARROW.set_column(0, "a", [pa.nulls(12, _SPANS)]), r"E4"),
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
