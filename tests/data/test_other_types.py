"""Columns of rows to predict whose cells are of another type than at fit: each cell means a value
of the type at fit, or the column is refused; it is never a column of new levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slp
from slp.data import read_columns
from slp.results import Posterior

_BOOLEAN, _TWO, _NUMBERS = [False, True], [0, 1], [20, 41]


def _fitted(cells: Any, declared: str = "") -> Posterior:
    """The first of two values means `a`, the second `b`."""
    frame = pd.DataFrame({"e": pd.Series(cells)}).loc[[0, 1] * 8].reset_index(drop=True)
    program = slp.parse(f":- use(growtree). {declared}")
    return program.posterior(frame, ["a", "b"] * 8, draws=0)


def _category(cells: list[Any]) -> pd.Series:
    return pd.Series(cells).astype("category")


#: Cells at fit, a declaration, and cells that mean the same.
SAME = [
    (_BOOLEAN, "", [[0, 1], [0.0, 1.0], ["False", "True"], ["false", "true"], ["0", "1"]]),
    (_BOOLEAN, ":- feature(e, [numeric]).", [[0, 1], ["False", "True"]]),
    (_TWO, "", [_BOOLEAN, [0.0, 1.0], ["0", "1"], ["False", "True"]]),
    (_TWO, ":- feature(e, [categorical]).", [_BOOLEAN, ["0", "1.0"], ["False", "True"]]),
    (_NUMBERS, "", [["20", "41"], [20.0, 41.0]]),
    (["1", "2"], "", [[1, 2], [1.0, 2.0]]),
    (["01", "02"], "", [[1, 2]]),
    (["1", "?"], "", [["1", "?"]]),
    (["true", "false"], "", [[True, False], [1, 0]]),
    (["False", "True"], "", [_BOOLEAN, _TWO]),
    (_category([1, 2]), "", [["1", "2"], ["1.0", "2.0"], [1.0, 2.0]]),
    (["lo", "hi"], ":- feature(e, [ordinal([lo, hi])]).", [_category(["lo", "hi"])]),
    ([1, 2], ":- feature(e, [ordinal([1, 2])]).", [["1.0", "2"], [1.0, 2.0]]),
]

#: Cells at fit, a declaration, and columns that do not match one to one.
OTHER = [
    (_BOOLEAN, "", [[0, 2], ["no", "yes"], ["true", "maybe"]]),
    (_NUMBERS, "", [_BOOLEAN]),
    (_NUMBERS, ":- feature(e, [cuts([30])]).", [_BOOLEAN]),
    (["f", "m"], "", [_BOOLEAN, _TWO, [1.5, 2.5]]),
    (["1", "2"], "", [_BOOLEAN]),
    (["1", "1.0"], "", [[1, 1]]),
    (_category([1, 2]), "", [["a", "b"], _BOOLEAN, ["1", "b"]]),
]


def _kinds(cells: Any) -> list[Any]:
    """The cells in frames and arrays of several kinds."""
    own = list(cells)
    kinds = [
        pd.DataFrame({"e": pd.Series(cells)}),
        pd.DataFrame({"e": pd.Series(own, dtype=object)}),
        pd.DataFrame({"e": _category(own)}),
        pl.DataFrame({"e": own}),
        np.array([[cell] for cell in own], dtype=object),
        [[cell] for cell in own],
    ]
    if all(isinstance(cell, bool) for cell in own):
        kinds.append(pd.DataFrame({"e": pd.array(own, dtype="boolean")}))
    if all(type(cell) is int for cell in own):
        kinds.append(pd.DataFrame({"e": pd.array(own, dtype="Int64")}))
    return kinds


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("fit", "declared", "same"), SAME)
def test_cells_that_mean_the_same(fit: Any, declared: str, same: list[Any]) -> None:
    posterior = _fitted(fit, declared)
    tree = posterior.map_tree()
    for cells in [fit, *same]:
        for rows in _kinds(cells):
            assert posterior.predict(rows).tolist() == ["a", "b"], rows
            if hasattr(rows, "columns"):
                assert tree.predict(rows).tolist() == ["a", "b"], rows


@pytest.mark.parametrize(("fit", "declared", "others"), OTHER)
def test_other_cells_are_refused(fit: Any, declared: str, others: list[Any]) -> None:
    posterior = _fitted(fit, declared)
    for cells in others:
        for rows in _kinds(cells):
            with pytest.raises(slp.DataError, match="E447.*`e` holds .* held .* at fit"):
                posterior.predict_proba(rows)


def test_a_new_level_of_the_same_type_stays_one() -> None:
    with pytest.warns(slp.SlpWarning, match="W440"):
        _fitted(["f", "m"]).predict(pd.DataFrame({"e": ["x"]}))


def test_a_tree_refuses_what_its_tests_cannot_mean() -> None:
    for fit, cells in ((_BOOLEAN, ["no", "yes"]), (["f", "m"], _TWO), (_NUMBERS, _BOOLEAN)):
        tree = _fitted(fit).map_tree()
        with pytest.raises(slp.DataError, match="E447.*the tests of the tree"):
            tree.predict(pd.DataFrame({"e": cells}))


@pytest.mark.parametrize("cells", [[0, 1, None], ["False", "True", None]])
def test_missing_cells_are_not_looked_at(cells: list[Any]) -> None:
    rows = pd.DataFrame({"e": pd.Series(cells)})
    for missing in ("missing(level)", "missing(side), new(average)"):
        posterior = _fitted(_BOOLEAN, f":- feature(e, [categorical, {missing}]).")
        assert posterior.predict(rows)[:2].tolist() == ["a", "b"]


@pytest.mark.parametrize("with_table", [False, True])
def test_saved_runs_know_the_type(tmp_path: Path, with_table: bool) -> None:
    path = tmp_path / "run.slpz"
    for fit, cells in ((_BOOLEAN, _TWO), (_TWO, _BOOLEAN)):
        frame = pd.DataFrame({"e": fit * 8})
        program = slp.load("growtree")
        program.posterior(frame, ["a", "b"] * 8, draws=50, seed=1).save(path, table=with_table)
        loaded = slp.load_posterior(path)
        assert loaded.predict(pd.DataFrame({"e": cells})).tolist() == ["a", "b"]
        with pytest.raises(slp.DataError, match=r"E4(47|21)"):
            loaded.predict(pd.DataFrame({"e": ["no", "yes"]}))


def test_files(tmp_path: Path) -> None:
    csv, parquet = tmp_path / "new.csv", tmp_path / "new.parquet"
    csv.write_text("e\nFalse\nTrue\n")
    pl.DataFrame({"e": [0, 1]}).write_parquet(parquet)
    posterior = _fitted(_BOOLEAN)
    for path in (csv, parquet):
        assert posterior.predict(read_columns(str(path))).tolist() == ["a", "b"]
