"""Survival curves: the lines are those of the posterior, and Kaplan-Meier's those of the rows."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import UnsupportedError
from slp.plot import picture_bytes, survival
from slp.results import kaplan_meier
from tests.plot.test_predictive import PROGRAMS, N, columns, data

mpl.use("Agg")


def posterior(name: str = "durations", **options: int) -> slp.Posterior:
    text = f":- use(growtree). :- support(max_depth(2)). {PROGRAMS[name]}"
    return slp.parse(text).posterior(data().select(columns(name)), seed=1, draws=0, **options)


def test_the_average_stands_beside_kaplan_meier() -> None:
    found = posterior()
    ax = survival(found)
    km, mean = (line.get_xydata() for line in ax.get_lines())
    times, left = kaplan_meier(data()["durations"].to_numpy(), data()["seen"].to_numpy())
    np.testing.assert_allclose(km, np.column_stack([times, left]))
    assert mean[-1, 0] == data()["durations"].max()
    want = found.survival(data(), mean[1:, 0].tolist()).mean(axis=0)
    np.testing.assert_allclose(mean[1:, 1], want, atol=1e-12)
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() < mean[-1, 1] < band[band[:, 0] == mean[-1, 0], 1].max()
    assert "dashed: Kaplan-Meier" in ax.get_title(loc="left")
    given = survival(found, X=data())
    np.testing.assert_allclose(given.get_lines()[0].get_xydata(), km)


def test_rows_have_a_curve_each() -> None:
    found = posterior()
    ax = survival(found, data().head(2))
    lines = [line.get_xydata() for line in ax.get_lines()]
    assert [line.get_label() for line in ax.get_lines()] == ["row 1", "row 2"]
    for i, own in enumerate(lines):
        want = found.survival(data()[i], own[:, 0].tolist())[0]
        np.testing.assert_allclose(own[:, 1], want, atol=1e-12)


def test_groups_are_of_numbers_and_levels() -> None:
    frame = (
        data()
        .select("a", "durations", "seen")
        .with_columns(level=pl.Series(["p", "q", None] * 8), few=pl.Series([0, 1] * 12))
    )
    text = f":- use(growtree). {PROGRAMS['durations']} :- feature(level, [missing(side)])."
    found = slp.parse(text + " :- support(max_depth(1)).").posterior(frame, seed=1, draws=0)
    names = {
        "few": ["few = 0", "few = 1"],
        "level": ["level = p", "level = q", "level missing"],
    }
    for by, want in names.items():
        labels = [line.get_label() for line in survival(found, by=by).get_lines()]
        assert [own for own in labels if not own.startswith("_")] == want
    thirds = survival(found, by="a").get_lines()
    low = thirds[0].get_xydata()
    first = frame.sort("a").head(8)
    ends, left = kaplan_meier(first["durations"].to_numpy(), first["seen"].to_numpy())
    np.testing.assert_allclose(low, np.column_stack([ends, left]))


def test_equal_rows_are_added_up_and_it_says_so() -> None:
    frame = data().select(columns("durations")).with_columns(a=pl.Series([0.0, 1.0] * 12))
    text = f":- use(growtree). {PROGRAMS['durations']}"
    found = slp.parse(text).posterior(frame, seed=1, draws=0)
    ax = survival(found)
    assert len(ax.get_lines()) == 1
    assert "no Kaplan-Meier" in ax.get_title(loc="left")
    assert len(survival(found, X=frame).get_lines()) == 2
    drawn = survival(found, by_draws=True)
    assert "independent draws" in drawn.get_title(loc="left") or "estimate" in drawn.get_title(
        loc="left"
    )
    own = [a.get_lines()[0].get_ydata() for a in (ax, drawn)]
    assert 0 < np.abs(np.subtract(*own)).max() < 0.05


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(UnsupportedError, match="E571.*no duration"):
        survival(posterior("numbers"))
    with pytest.raises(UnsupportedError, match="E571.*8 rows"):
        survival(posterior(), data().head(8))


def test_equal_pictures_are_equal_bytes() -> None:
    found = posterior()
    svg = picture_bytes(lambda: survival(found), "svg")
    assert svg == picture_bytes(lambda: survival(found), "svg")
    assert b"longer than" in svg


@pytest.mark.filterwarnings("ignore::slp.SlpWarning")
def test_a_saved_run_of_a_defined_feature_has_curves(tmp_path: Path) -> None:
    frame = data().select(columns("durations")).with_columns(b=np.arange(N) % 5 + 1.0)
    text = ":- use(growtree). :- support(max_depth(1)). :- define(r, a / b). :- ignore([b])."
    program = slp.parse(f"{text} {PROGRAMS['durations']}")
    program.posterior(frame, engine="mh", seed=1, draws=20).save(tmp_path / "run.slpz")
    saved = slp.load_posterior(tmp_path / "run.slpz")
    assert len(survival(saved, frame.head(2)).get_lines()) == 2
