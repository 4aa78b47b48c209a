"""Pictures of features that miss values, and that split by subsets."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes

import slp
import slp.plot
from slp.plot.points import grid_of, rows_of, typical

FRAME = pl.DataFrame(
    {
        "size": [1.0, 2.0, None, 4.0, 5.0, None, 3.0, 2.5, 6.0],
        "colour": ["red", None, "blue", None, None, "green", "blue", "red", "red"],
        "stage": ["low", "high", None, "mid", "mid", "low", None, "high", "mid"],
        "y": ["a", "b", "a", "b", "b", "a", "b", "b", "b"],
    }
)


@pytest.fixture(scope="module")
def sided() -> slp.Posterior:
    program = slp.parse(
        ":- use(growtree). :- feature(_, [missing(side), new(average)]). "
        ":- feature(stage, [ordinal([low, mid, high])])."
    )
    return program.posterior(FRAME, seed=1, draws=200)


def test_grids_and_typical_rows_are_of_the_values_that_are_there(sided: slp.Posterior) -> None:
    rows = rows_of(sided, None, None)
    assert typical(rows, sided.table).tolist() == [[3.0, "red", "mid"]]
    grids = [grid_of(sided.table, f, rows, 30).values.tolist() for f in range(3)]
    assert grids[0] == [1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0]
    assert grids[1:] == [["blue", "green", "red"], ["low", "mid", "high"]]
    none = np.full((2, 3), None, object)
    assert typical(none, sided.table).tolist() == [[None, None, None]]


@pytest.mark.parametrize("names", [("size", "stage"), ("colour", "size"), ("stage", "colour")])
def test_heat_maps_and_curves(sided: slp.Posterior, ax: Axes, names: tuple[str, str]) -> None:
    slp.plot.heat_map(sided, *names, ax=ax)
    told = ax.collections[0].get_array()
    assert told is not None and np.isfinite(np.asarray(told)).all()
    slp.plot.dependence(sided, names[0])


def test_splits_on_missing_values_stand_beside_the_others(sided: slp.Posterior, ax: Axes) -> None:
    slp.plot.thresholds(sided, ["size", "stage"], ax=ax)
    beside = [text.get_text() for text in ax.texts if "missing" in text.get_text()]
    expected = sided.split_probabilities()
    assert len(beside) == 2
    for name, text in zip(("size", "stage"), beside, strict=True):
        whole, on_missing = text.removesuffix(" missing").split(", ")
        assert whole == f"{expected[name].expected_splits:.3g}"
        assert 0 < float(on_missing) < float(whole)


def test_levels_of_missing_values_and_of_subsets(ax: Axes) -> None:
    program = slp.parse(
        ":- use(growtree). :- feature(colour, [subsets, missing(level), new(larger)]). "
        ":- feature(stage, [missing(level)])."
    )
    posterior = program.posterior(FRAME.drop("size"), seed=1, draws=100)
    slp.plot.heat_map(posterior, "colour", "stage", ax=ax)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["blue", "green", "red", "missing"]
    slp.plot.thresholds(posterior)
