"""Whatever the table: a coded table that keeps its invariants, or an `SlpError`."""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from slp.data import read_frame, table_of
from slp.errors import SlpError
from slp.ir.leaves import LeafDeclaration
from slp.ir.program import Bins, CheckedProgram, Cuts, FeatureDeclaration

CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.sampled_from([0.0, -0.0, 1.5, 1e308, -1e308, 5e-324, float("inf")]),
    st.sampled_from(["a", "b", "", " ", "nan", "1", "1e5", "\u0664", "é", "true", "\ud800"]),
    st.text(max_size=3),
    st.just(datetime.date(2020, 1, 1)),
    st.just([1]),
)
SIMPLE = st.one_of(st.integers(-2, 2), st.floats(-2, 2), st.sampled_from(["a", "b", "1"]))
KINDS = (
    st.lists(CELLS, min_size=3, max_size=3),
    st.lists(SIMPLE, min_size=1, max_size=1),
    st.lists(SIMPLE, min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=2, max_size=2),
    st.just(["a", "b", "c"]),
    st.lists(st.integers(), min_size=3, max_size=3),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
    st.lists(st.text(max_size=3), min_size=3, max_size=3),
)
DECLARATIONS = st.lists(
    st.builds(
        FeatureDeclaration,
        st.sampled_from([None, "x0", "x1", "x2", "nowhere"]),
        st.sampled_from([None, None, None, "numeric", "categorical"]),
        st.sampled_from([None, Cuts((0.0, 1.5)), Bins("quantile", 3), Bins("width", 3)]),
    ),
    max_size=2,
)
LEAVES = st.sampled_from(
    [
        None,
        None,
        None,
        None,
        None,
        LeafDeclaration("dirichlet", (1.0,)),
        LeafDeclaration("dirichlet", (), listed=(1.0, 2.0)),
        LeafDeclaration("normal_inverse_gamma", (0.0, 0.1, 2.0, 1.0)),
        LeafDeclaration("gamma_poisson", (1.0, 1.0)),
        LeafDeclaration("gamma_exponential", (1.0, 1.0)),
    ]
)


@st.composite
def rows(draw):
    """n rows of d cells, every column drawn from a palette of its own."""
    n = draw(st.one_of(st.integers(1, 6), st.integers(2, 6), st.integers(0, 6)))
    d = draw(st.one_of(st.integers(2, 4), st.integers(3, 4), st.integers(0, 4)))
    palettes = [draw(st.one_of(*KINDS)) for _ in range(d)]
    return [[draw(st.sampled_from(p)) for p in palettes] for _ in range(n)]


@st.composite
def programs(draw):
    return CheckedProgram(
        "test",
        None,
        (),
        response=draw(st.sampled_from([None, None, None, None, "x1", "y"])),
        event=draw(st.sampled_from([None, None, None, None, None, "x0"])),
        leaf=draw(LEAVES),
        features=tuple(draw(DECLARATIONS)),
        ignored=tuple(draw(st.sets(st.sampled_from(["x0", "x2"]), max_size=1))),
    )


def check_invariants(table, n_rows):
    assert table.n_rows == n_rows == table.counts.sum() == len(table.row_of)
    assert len(table.counts) == len(table.codes) == len(table.statistics)
    assert len(np.unique(table.codes, axis=0)) == len(table.codes)
    assert table.codes.shape[1] == len(table.features) > 0
    for feature, codes in zip(table.features, table.codes.T, strict=True):
        assert 0 <= codes.min() <= codes.max() < feature.kind.n_codes
        edges = feature.kind.numbers
        assert (edges is None) == feature.kind.categorical
        if edges is not None:
            assert (np.diff(edges) > 0).all()
    assert table.statistics.shape[1] == table.leaf.n_statistics
    whole = table.leaf.log_marginal(table.statistics.sum(axis=0))
    assert np.isfinite(whole)


def table_or_fault(program, X, y=None):
    try:
        return table_of(program, X, y)
    except SlpError as e:
        assert str(e)
        assert all(d.code.startswith("E4") for d in e.diagnostics)
        return None


MODEST = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(programs(), rows(), st.sampled_from(["list", "array", "pandas", "polars"]))
@MODEST
def test_tables_from_python(program, rows, form):
    X = rows
    if form == "array":
        X = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                X[i, j] = cell
    elif form == "pandas":
        # Some versions of pandas keep text in Arrow, which refuses lone surrogates.
        assume(not any("\ud800" <= c <= "\udfff" for row in rows for c in "".join(map(str, row))))
        X = pd.DataFrame(rows, columns=[f"x{j}" for j in range(len(rows[0]) if rows else 0)])
    elif form == "polars":
        columns = {f"x{j}": list(cells) for j, cells in enumerate(zip(*rows, strict=True))}
        X = pl.DataFrame({k: pl.Series(k, v, dtype=pl.Object) for k, v in columns.items()})
    table = table_or_fault(program, X)
    if table is not None:
        check_invariants(table, len(rows))


@pytest.mark.slow
@given(programs(), rows(), st.data())
@MODEST
def test_responses_from_python(program, rows, data):
    n = data.draw(st.sampled_from([len(rows), len(rows), len(rows), len(rows) + 1]))
    y = data.draw(
        st.one_of(
            st.lists(SIMPLE, min_size=n, max_size=n),
            st.lists(CELLS, min_size=n, max_size=n),
            st.sampled_from(["x0", "y"]),
        )
    )
    table = table_or_fault(program, rows, y)
    if table is not None:
        check_invariants(table, len(rows))
        predicted = (
            table.new_rows([row[: len(table.features)] for row in rows])
            if (table.feature_names == tuple(f"x{j}" for j in range(len(rows[0]))))
            else None
        )
        if predicted is not None:
            assert predicted.shape == (len(rows), len(table.features))


TEXT = st.one_of(
    st.text(alphabet='ab1,2.\n\r" \t;-e', max_size=40),
    st.text(max_size=20),
)


@given(TEXT)
@settings(max_examples=150, deadline=None)
def test_text_files(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("fuzz") / "t.csv"
    path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
    check_file(path)


@pytest.mark.slow
@given(st.binary(max_size=60), st.sampled_from(["t.csv", "t.csv.gz", "t.parquet"]))
@settings(max_examples=60, deadline=None)
def test_any_bytes(tmp_path_factory, content, name):
    path = tmp_path_factory.mktemp("fuzz") / name
    path.write_bytes(content)
    check_file(path)


def check_file(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            frame = read_frame(path)
        except SlpError as e:
            assert all(d.code.startswith("E40") for d in e.diagnostics)
            return
        assert frame.height > 0
        table = table_or_fault(CheckedProgram("test", None, ()), frame)
    if table is not None:
        check_invariants(table, frame.height)
