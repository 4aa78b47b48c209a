"""Advice on columns of dates, times, durations, periods and intervals: it is run, and the table is
then taken."""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import slp

pytestmark = pytest.mark.filterwarnings("ignore::slp.SlpWarning")  # of columns of one value

DAYS = pd.date_range("2024-03-01 06:00", periods=4)
_ZONED = DAYS.tz_localize("Europe/Vienna")
_SPANS = DAYS - pd.Timestamp(2024, 3, 1)
_HOURS = [datetime.time(6 * i, 30) for i in range(4)]
_BREAKS = pd.date_range("2024-03-01", periods=5)


def _pandas(cells: Any, dtype: Any = None) -> pd.DataFrame:
    return pd.DataFrame({"a": pd.Series(cells, dtype=dtype), "b": [0, 0, 1, 1]})


def _polars(cells: Any) -> pl.DataFrame:
    return pl.DataFrame({"a": cells, "b": [0, 0, 1, 1]})


def _array(cells: Any) -> np.ndarray[Any, Any]:
    out = np.zeros((4, 2), object)
    out[:, 0] = cells
    return out


def _arrow(cells: Any) -> pa.Table:
    return pa.table({"a": cells, "b": [0, 0, 1, 1]})


DATES, SPANS = list(DAYS.date), list(_SPANS.to_pytimedelta())
#: Tables, what their first column is called, and its first number.
TABLES: dict[str, tuple[Any, str, float]] = {
    "pandas": (_pandas(DAYS), "dates or times", 19783.25),
    "pandas, seconds": (_pandas(DAYS.astype("datetime64[s]")), "dates or times", 19783.25),
    "pandas, zone": (_pandas(_ZONED), "dates or times", 19783 + 5 / 24),
    "pandas, missing": (_pandas([*DAYS[:3], pd.NaT]), "dates or times", 19783.25),
    "pandas, objects": (_pandas(DATES, object), "dates or times", 19783),
    "pandas, objects of a zone": (_pandas(list(_ZONED), object), "dates or times", 19783 + 5 / 24),
    "pandas, category": (_pandas(DAYS, "category"), "dates or times", 19783.25),
    "pandas, arrow": (_pandas(DATES, pd.ArrowDtype(pa.date32())), "dates or times", 19783),
    "pandas, whole name": (pd.DataFrame({0: DAYS, 1: [0, 0, 1, 1]}), "dates or times", 19783.25),
    "pandas, durations": (_pandas(_SPANS), "durations", 0.25),
    "pandas, objects of durations": (_pandas(SPANS, object), "durations", 0.25),
    "pandas, times": (_pandas(_HOURS, object), "times of day", 0.5),
    "pandas, periods": (_pandas(DAYS.to_period("D")), "periods", 19783),
    "pandas, objects of periods": (_pandas(list(DAYS.to_period("M")), object), "periods", 19783),
    "pandas, intervals": (_pandas(pd.IntervalIndex.from_breaks(range(5))), "intervals", 0.5),
    "pandas, objects of intervals": (
        _pandas(list(pd.IntervalIndex.from_breaks(range(5))), object),
        "intervals",
        0.5,
    ),
    "pandas, intervals of dates": (
        _pandas(pd.IntervalIndex.from_breaks(_BREAKS)),
        "intervals",
        19783.5,
    ),
    "pandas, intervals of durations": (
        _pandas(pd.IntervalIndex.from_breaks(_BREAKS - _BREAKS[0])),
        "intervals",
        0.5,
    ),
    "polars": (_polars(DATES), "dates or times", 19783),
    "polars, times": (_polars(list(DAYS.to_pydatetime())), "dates or times", 19783.25),
    "polars, zone": (
        _polars(list(DAYS.to_pydatetime())).with_columns(
            pl.col("a").dt.replace_time_zone("Europe/Vienna")
        ),
        "dates or times",
        19783 + 5 / 24,
    ),
    "polars, missing": (_polars([*DATES[:3], None]), "dates or times", 19783),
    "polars, durations": (_polars(SPANS), "durations", 0.25),
    "polars, hours": (_polars(_HOURS), "times of day", 0.5),
    "polars, lazy": (_polars(DATES).lazy(), "dates or times", 19783),
    "arrow": (_arrow(DATES), "dates or times", 19783),
    "arrow, durations": (_arrow(SPANS), "durations", 0.25),
    "arrow, hours": (_arrow(_HOURS), "times of day", 0.5),
    "array": (np.tile(DAYS.to_numpy()[:, None], 2), "dates or times", 19783.25),
    "array, days": (np.tile(DAYS.to_numpy("M8[D]")[:, None], 2), "dates or times", 19783),
    "array, durations": (np.tile(_SPANS.to_numpy()[:, None], 2), "durations", 0.25),
    "objects": (_array(DATES), "dates or times", 19783),
    "objects, times": (_array(list(_ZONED)), "dates or times", 19783),
    "objects, missing": (_array([*DATES[:3], None]), "dates or times", 19783),
    "objects of numpy": (_array(list(DAYS.to_numpy("M8[D]"))), "dates or times", 19783),
    "objects, durations": (_array(SPANS), "durations", 0.25),
    "objects, hours": (_array(_HOURS), "times of day", 0.5),
    "objects, periods": (_array(list(DAYS.to_period("D"))), "periods", 19783),
    "objects, intervals": (_array(list(pd.IntervalIndex.from_breaks(range(5)))), "intervals", 0.5),
    "list": ([[day, 0] for day in DATES], "dates or times", 19783),
}
PROGRAM = slp.parse(":- use(growtree). :- feature(_, [missing(side)]).")


def _followed(error: slp.DataError, **names: Any) -> dict[str, Any]:
    """The names after the code of the advice has run."""
    finding = error.diagnostics[0]
    assert finding.code == "E411" and finding.help is not None
    code = re.fullmatch(r"turn them into numbers, such as [^:]*: (.*); or .*", finding.help)
    assert code is not None, finding.help
    exec(code[1], {"numpy": np, "pandas": pd, "polars": pl}, names)
    return names


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", TABLES)
def test_the_advice_on_a_table_works(kind: str) -> None:
    given, words, first = TABLES[kind]
    for fit in (PROGRAM.posterior, slp.SLPTreeClassifier(PROGRAM, engine="exact", draws=0).fit):
        X = given.copy() if isinstance(given, pd.DataFrame | np.ndarray) else given
        with pytest.raises(slp.DataError, match=f"holds {words}, which") as caught:
            fit(X, ["p", "p", "q", "q"])
        name = "X" if isinstance(given, np.ndarray | list) else "frame"
        made = _followed(caught.value, **{name: X})[name]
        table = PROGRAM.compile(made, ["p", "p", "q", "q"]).table
        assert table.features[0].kind.numbers[0] == pytest.approx(first)
        slp.SLPTreeClassifier(PROGRAM, engine="exact", draws=0).fit(made, ["p", "p", "q", "q"])


RESPONSES: dict[str, tuple[Any, float]] = {
    "pandas": (pd.Series(DAYS), 19783.25),
    "pandas, zone": (pd.Series(_ZONED), 19783 + 5 / 24),
    "pandas, periods": (pd.Series(DAYS.to_period("D")), 19783),
    "polars": (pl.Series(DATES), 19783),
    "polars, durations": (pl.Series(SPANS), 0.25),
    "arrow": (pa.array(DATES), 19783),
    "array": (DAYS.to_numpy(), 19783.25),
    "list": (DATES, 19783),
    "list, durations": (SPANS, 0.25),
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", RESPONSES)
def test_the_advice_on_a_response_works(kind: str) -> None:
    given, first = RESPONSES[kind]
    X = np.arange(4.0)[:, None]
    for fit in (PROGRAM.posterior, slp.SLPTreeRegressor(PROGRAM, engine="exact", draws=0).fit):
        with pytest.raises(slp.DataError, match="E411") as caught:
            fit(X, given)
        y = _followed(caught.value, y=given)["y"]
        assert list(y)[0] == pytest.approx(first, abs=0.25)
        slp.SLPTreeRegressor(PROGRAM, engine="exact", draws=0).fit(X, y)


@pytest.mark.parametrize("text", ["2024-03-01", "2024-03-01 10:00", "2024-03-01T10:00:00Z"])
def test_the_advice_on_text_works(text: str) -> None:
    for library in ("pandas", "polars"):
        frame: Any = _pandas([text] * 4) if library == "pandas" else _polars([text] * 4)
        warned, *_ = PROGRAM.compile(frame, "b").warnings
        assert warned.code == "W405" and warned.help is not None
        code = re.search(rf"in {library} (.*?)(, in polars|; if)", warned.help)
        assert code is not None
        names = {"frame": frame}
        exec(code[1], {"pandas": pd, "polars": pl}, names)
        assert int(names["frame"]["a"][0]) == 19783
