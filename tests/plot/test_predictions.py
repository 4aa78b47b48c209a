"""Curves, heat maps and calibration show what the posterior predicts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import slp
import slp.plot
from tests.plot.conftest import HOSTILE, table


def rows_used(n: int, most: int) -> pl.DataFrame:
    return table()[np.linspace(0, n - 1, most).round().astype(int).tolist()]


def test_curves_are_averages_of_predictions(exact: slp.Posterior, ax: Axes) -> None:
    slp.plot.dependence(exact, "dose", ax=ax)
    rows = rows_used(60, 25)
    want = np.array(
        [exact.predict_proba(rows.with_columns(dose=pl.lit(float(v))))[:, 1] for v in range(5)]
    )
    *single, mean = (line.get_ydata() for line in ax.lines)
    assert np.allclose(np.array(single)[:, :-1], want.T)
    assert np.allclose(mean, [*want.mean(axis=1), want[-1].mean()])
    assert list(ax.lines[-1].get_xdata()) == [0, 0.5, 1.5, 2.5, 3.5, 4]
    assert ax.get_title(loc="left").startswith("mean over 25 of 60 rows, exact\nband: 90 % of 200")


def test_the_band_has_quantiles_of_the_trees_means(exact: slp.Posterior, ax: Axes) -> None:
    slp.plot.dependence(exact, "age", rows=5, level=0.5, X=table(), ax=ax)
    grid = np.sort(table()["age"].unique())
    grid = grid if len(grid) <= 40 else np.linspace(grid[0], grid[-1], 40)
    rows, value = rows_used(60, 5), float(grid[11])
    means = []
    for draw in exact.draws:
        where = draw.tree.apply(rows.with_columns(age=pl.lit(value)))
        leaves = [leaf.predictive()["probabilities"]["yes"] for leaf in draw.tree.leaves()]
        means.append(np.mean([leaves[i] for i in where]))
    low, high = np.quantile(means, [0.25, 0.75], method="inverted_cdf")
    (band,) = (c for c in ax.collections if c.get_gid() is None)
    path = band.get_paths()[0].vertices
    inside = path[(path[:, 0] > grid[11] - 0.4) & (path[:, 0] < grid[11] + 0.6)]
    assert {round(y, 9) for y in inside[:, 1]} >= {round(low, 9), round(high, 9)}


def test_levels_and_classes_have_their_names(exact: slp.Posterior, ax: Axes) -> None:
    slp.plot.dependence(exact, "colour", label="no", ax=ax)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["blue", "green", "red"]
    assert ax.get_ylabel() == "P(ill = no)"
    blue = exact.predict_proba(rows_used(60, 25).with_columns(colour=pl.lit("blue")))[:, 0]
    assert ax.lines[-1].get_ydata()[0] == pytest.approx(blue.mean())


def test_numbers_are_means(numbers: slp.Posterior, ax: Axes) -> None:
    slp.plot.dependence(numbers, "dose", ax=ax)
    want = numbers.predict(rows_used(60, 25).with_columns(dose=pl.lit(0.0))).mean()
    assert ax.lines[-1].get_ydata()[0] == pytest.approx(want)


def test_a_heat_map_has_the_predictions_and_the_boxes(exact: slp.Posterior, ax: Axes) -> None:
    slp.plot.heat_map(exact, "dose", "age", at={"colour": "red"}, ax=ax)
    (mesh,) = (c for c in ax.collections if isinstance(c, QuadMesh))
    shown = np.asarray(mesh.get_array())
    ages = np.linspace(table()["age"].min(), table()["age"].max(), 30)
    new = pl.DataFrame({"age": [ages[7]] * 5, "dose": np.arange(5.0), "colour": ["red"] * 5})
    assert np.allclose(shown[7], exact.predict_proba(new)[:, 1])
    boxes = [p for p in ax.patches if isinstance(p, Rectangle) and p.get_gid() == "box"]
    have = [(p.get_y(), p.get_y() + p.get_height()) for p in boxes]
    assert have == [(20.5, 39.5), (pytest.approx(ages[0]), 30.5)]
    assert [t.get_text() for t in ax.texts] == ["middle", "corner"]
    assert boxes[1].get_x() + boxes[1].get_width() == 1.5
    title = ax.get_title(loc="left")
    assert title.startswith("exact")


def test_bins_change_at_their_cuts(ax: Axes) -> None:
    program = slp.parse(":- use(growtree).\n:- feature(age, [cuts([20, 25, 50])]).")
    posterior = program.posterior(table(), seed=1, draws=20)
    slp.plot.dependence(posterior, "age", ax=ax)
    assert list(ax.lines[-1].get_xdata())[1:-1] == [20, 25, 50]


def test_calibration_of_classes(exact: slp.Posterior, ax: Axes) -> None:
    new = table(300)
    slp.plot.calibration(exact, new, note="held-out", ax=ax)
    told = exact.predict_proba(new)[:, 1]
    came = (new["ill"] == "yes").to_numpy()
    part = np.minimum((told * 10).astype(int), 9)
    kept = np.unique(part)
    line = ax.lines[-1]
    assert np.allclose(line.get_xdata(), [told[part == k].mean() for k in kept])
    assert np.allclose(line.get_ydata(), [came[part == k].mean() for k in kept])
    assert ax.get_title(loc="left") == "300 rows, held-out"


def test_calibration_on_the_posteriors_own_table(exact: slp.Posterior) -> None:
    given, own = (Figure().subplots() for _ in range(2))
    slp.plot.calibration(exact, table(), ax=given)
    slp.plot.calibration(exact, ax=own)
    for line, other in zip(given.lines, own.lines, strict=True):
        assert np.allclose(line.get_xydata(), other.get_xydata())
    assert own.get_title(loc="left") == given.get_title(loc="left") == "60 rows"


def test_no_calibration_of_numbers_without_outcomes(numbers: slp.Posterior) -> None:
    with pytest.raises(slp.UnsupportedError, match="E571"):
        slp.plot.calibration(numbers)


def test_predictions_by_draws(exact: slp.Posterior, ax: Axes) -> None:
    """The mean over 200 independent trees, in place of the sum over all."""
    slp.plot.dependence(exact, "dose", rows=7, by_draws=True, ax=ax)
    new = rows_used(60, 7).with_columns(dose=pl.lit(0.0))
    told = []
    for draw in exact.draws:
        leaves = [leaf.predictive()["probabilities"]["yes"] for leaf in draw.tree.leaves()]
        told.append(np.mean([leaves[i] for i in draw.tree.apply(new)]))
    assert ax.lines[-1].get_ydata()[0] == pytest.approx(np.mean(told))
    assert "estimate from 200 independent draws" in ax.get_title(loc="left")


def test_calibration_of_numbers(numbers: slp.Posterior, ax: Axes) -> None:
    new = table(40).with_columns(weight=pl.col("age") * 1.5 + pl.col("dose"))
    slp.plot.calibration(numbers, new, ax=ax)
    low, high = numbers.predict_interval(new, level=0.5).T
    inside = ((new["weight"].to_numpy() >= low) & (new["weight"].to_numpy() <= high)).mean()
    at = dict(zip(ax.lines[-1].get_xdata().round(2), ax.lines[-1].get_ydata(), strict=True))
    assert at[0.5] == pytest.approx(inside)


def test_a_class_that_the_posterior_does_not_know(exact: slp.Posterior) -> None:
    with pytest.raises(slp.UsageError, match="no class `perhaps`"):
        slp.plot.calibration(exact, table().with_columns(ill=pl.lit("perhaps")))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("saved_table", [False, True])
def test_a_saved_run_draws_the_same(
    exact: slp.Posterior, drawn: slp.Posterior, tmp_path: Path, saved_table: bool
) -> None:
    posterior = drawn if not saved_table else exact
    posterior.save(tmp_path / "run.slpz")
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    assert loaded.record.boxes == posterior.record.boxes
    first, second = (
        slp.plot.picture_bytes(lambda p=p: slp.plot.heat_map(p, "age", "dose", X=table()))
        for p in (posterior, loaded)
    )
    assert first == second


def test_without_the_table_rows_are_asked_for(drawn: slp.Posterior, tmp_path: Path) -> None:
    drawn.save(tmp_path / "run.slpz")
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    with pytest.raises(slp.UnsupportedError, match="E562"):
        slp.plot.dependence(loaded, "age")
    slp.plot.dependence(loaded, "age", X=table())


def test_unknown_names() -> None:
    posterior = slp.load("growtree").posterior(table(), seed=1, draws=0)
    with pytest.raises(slp.UsageError, match="E572") as caught:
        slp.plot.dependence(posterior, "aeg")
    assert "did you mean `age`?" in str(caught.value)
    with pytest.raises(slp.UsageError, match="E572"):
        slp.plot.heat_map(posterior, label="maybe")


def test_names_are_text() -> None:
    frame = table(30).rename({"age": HOSTILE, "ill": f"y{HOSTILE}"})
    frame = frame.with_columns(colour=pl.col("colour").replace("red", "$r_$"))
    posterior = slp.load("growtree").posterior(frame, seed=1, draws=20)
    for draw in (
        lambda: slp.plot.dependence(posterior, HOSTILE),
        lambda: slp.plot.dependence(posterior, "colour"),
        lambda: slp.plot.heat_map(posterior, HOSTILE, "colour"),
        lambda: slp.plot.thresholds(posterior),
        lambda: slp.plot.features(posterior),
    ):
        text = slp.plot.picture_bytes(draw).decode()
        assert "$" in text and "\x1b" not in text and "<script>" not in text


def test_durations_are_drawn_by_their_median() -> None:
    """A leaf without an event of durations has no finite mean."""
    x, died = np.arange(12.0), [0] * 4 + [1] * 8
    frame = pl.DataFrame({"x": x, "z": x % 3, "time": x + 1, "died": died})
    text = ":- use(growtree). :- response(time, event(died)). :- leaf(gamma_exponential(1, 5))."
    posterior = slp.parse(text).posterior(frame, engine="exact", seed=1, draws=50)
    assert slp.plot.dependence(posterior, "x").get_ylabel() == "predicted median of time"
    for draw in (slp.plot.dependence, slp.plot.heat_map):
        assert "infinite" not in draw(posterior, "x").get_title(loc="left")
