"""Numbers of 2^53 and above are not whole, and the probability of the only class is 1."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import DataError
from slp.ir.whole import is_whole


def test_whole_numbers() -> None:
    x = np.array([0.0, -3.0, 0.5, 2.0**53 - 1, 2.0**53, -(2.0**53), 1e20, np.inf, np.nan])
    assert is_whole(x).tolist() == [True, True, False, True, *[False] * 5]
    assert is_whole(np.array([1, 2**53 - 1, 2**53, -(2**63)])).tolist() == [
        True,
        True,
        False,
        False,
    ]
    assert is_whole(np.array([2**70, 3], dtype=object)).tolist() == [False, True]


@pytest.mark.parametrize("y", [[1.3e20, 2.1e20, 0.4e20], [2**53, 2**53 + 2, 1], [2**70, 1, 2]])
def test_a_response_of_large_numbers_is_numeric(y: list[float]) -> None:
    table = pl.DataFrame({"x": [0, 1, 2], "y": np.array(y, np.float64)})
    posterior = slp.load("growtree").posterior(table, engine="exact", draws=0)
    assert not posterior.table.leaf.classes


def test_integers_of_any_size_may_be_declared_classes() -> None:
    ids = [2**60 + 1, 2**60 + 2, 2**60 + 1]
    table = pl.DataFrame({"x": [0, 1, 2], "y": ids})
    program = slp.parse(":- use(growtree). :- leaf(dirichlet(1)).")
    assert program.posterior(table, engine="exact", draws=0).table.leaf.classes == (*ids[:2],)
    floats = table.with_columns(pl.col("y").cast(pl.Float64))
    with pytest.raises(DataError):
        program.posterior(floats, engine="exact", draws=0)


def test_the_probability_of_the_only_class_is_1() -> None:
    table = pl.DataFrame({"x": [0, 1, 2], "y": ["a"] * 3})
    posterior = slp.load("growtree").posterior(table, engine="exact", draws=0)
    assert posterior.predict_interval(table.select("x")).tolist() == [[[1.0, 1.0]]] * 3
