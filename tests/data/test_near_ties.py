"""W408: numbers of a column that are almost equal, and the line that rounds them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slp
from slp.data.near_ties import near_tie_warnings


def _found(values: list[float], declared: str = "") -> list[str]:
    frame = pl.DataFrame({"x": values, "y": ["a", "b"] * (len(values) // 2)})
    program = slp.parse(f":- use(growtree). {declared}")
    warnings = program.posterior(frame, draws=0).table.warnings
    return [w.message for w in warnings if w.code == "W408"]


def test_once_a_column_with_the_number_of_pairs() -> None:
    near = [0.3, 0.1 + 0.2, 1.0, np.nextafter(1.0, 2.0), 5.0, 6.0]
    assert _found(near) == [
        "column `x` has 2 pairs of almost equal values, such as 0.3 and 0.30000000000000004 (rows "
        "1 and 2), which a split may part"
    ]


@pytest.mark.parametrize("units", [1, 4, 5])
def test_up_to_four_units_in_the_last_place(units: int) -> None:
    for low in (1.0, -3.0, 1e-200, 1e300):
        high = low
        for _ in range(units):
            high = float(np.nextafter(high, np.inf))
        assert bool(_found([low, high])) == (units <= 4)


def test_only_where_a_cut_parts_them() -> None:
    near = [0.3, 0.1 + 0.2, 1.0, 2.0]
    assert not _found(near, ":- feature(x, [cuts([0.5])]).")
    assert _found(near, ":- feature(x, [cuts([0.30000000000000004])]).")
    assert not _found([0.3, 0.3, 1.0, 2.0])


def test_it_is_an_slp_warning() -> None:
    frame = pl.DataFrame({"x": [0.3, 0.1 + 0.2], "y": ["a", "b"]})
    with pytest.warns(slp.SlpWarning, match="W408"):
        slp.load("growtree").posterior(frame, draws=0)


def test_the_lines_that_it_names_round_the_column() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        few = random.standard_normal(8) * 10.0 ** random.integers(-250, 250)
        x = np.sort(np.concatenate([few, np.nextafter(few, np.inf)]))
        (warning,) = near_tie_warnings("x", x, np.arange(len(x), dtype=np.int32))
        lines = re.search(r"in pandas (.*), in polars (.*); or", str(warning.help))
        assert lines is not None
        in_pandas = {"frame": pd.DataFrame({"x": x})}
        in_polars = {"frame": pl.DataFrame({"x": x}), "polars": pl}
        exec(lines[1], in_pandas)  # noqa: S102  # the line of the message
        exec(lines[2], in_polars)  # noqa: S102
        for frame in (in_pandas["frame"], in_polars["frame"]):
            assert len(np.unique(np.asarray(frame["x"]))) == len(few)
