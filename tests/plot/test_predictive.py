"""Predictive checks: the outcomes shown are the table's; what cannot be drawn says why."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import UnsupportedError
from slp.plot import picture_bytes, predictive_check
from slp.results import kaplan_meier

mpl.use("Agg")

N = 24


def data() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    a = rng.uniform(0, 4, N).round(3)
    return pl.DataFrame(
        {
            "a": a,
            "classes": np.array(["one", "two"])[rng.integers(0, 2, N)],
            "numbers": a + rng.normal(size=N),
            "counts": rng.poisson(a + 1),
            "durations": rng.exponential(1 + a),
            "seen": rng.integers(0, 4, N) > 0,
        }
    )


PROGRAMS = {
    "classes": "",
    "numbers": "",
    "counts": ":- leaf(gamma_poisson(1, 0.5)).",
    "durations": ":- leaf(gamma_exponential(2, 2)). :- response(durations, event(seen)).",
}


def columns(name: str) -> list[str]:
    return ["a", name, *(["seen"] if name == "durations" else [])]


@pytest.mark.parametrize("name", PROGRAMS)
def test_outcomes_of_the_table_and_of_rows_are_the_same(name: str) -> None:
    frame = data().select(columns(name))
    text = f":- use(growtree). :- support(max_depth(2)). {PROGRAMS[name]}"
    posterior = slp.parse(text).posterior(frame, seed=1, draws=0)
    own, given = predictive_check(posterior), predictive_check(posterior, X=frame)
    if name in ("classes", "counts"):
        heights = [[bar.get_height() for bar in ax.patches] for ax in (own, given)]
        assert heights[0] == pytest.approx(heights[1])
        values = frame[name].to_list()
        first = "one" if name == "classes" else 0
        assert heights[0][0] == pytest.approx(values.count(first) / N)
    else:
        lines = [ax.get_lines()[-1].get_xydata() for ax in (own, given)]
        np.testing.assert_allclose(lines[0], lines[1])
        assert set(np.round(frame[name], 9)) <= set(np.round(lines[0][:, 0], 9))


def test_a_prior_that_has_seen_the_outcomes_is_named_so() -> None:
    frame = data().select(columns("numbers"))
    posterior = slp.parse(":- use(growtree).").posterior(frame, seed=1, draws=0)
    svg = picture_bytes(lambda: predictive_check(posterior, posterior.prior()), "svg")
    assert b"prior, which has seen the outcomes" in svg
    assert svg == picture_bytes(lambda: predictive_check(posterior, posterior.prior()), "svg")


def test_kaplan_meier_by_hand() -> None:
    times, left = kaplan_meier(np.array([1.0, 2, 2, 3]), np.array([1.0, 1, 0, 1]))
    assert times.tolist() == [0, 1, 2, 3]
    assert left == pytest.approx([1, 3 / 4, 3 / 4 * 2 / 3, 0])


def test_what_cannot_be_drawn() -> None:
    frame = pl.DataFrame({"a": [1, 1, 2], "y": [0.5, 1.5, 2.5], "x": [1.0, 2, 3]})
    posterior = slp.parse(":- use(growtree). :- ignore(x).").posterior(frame, "y", draws=0)
    with pytest.raises(UnsupportedError, match="E571.*sums"):
        predictive_check(posterior)
    text = ":- use(growtree). :- leaf(gamma_poisson(1, 1)). :- response(n, exposure(x))."
    exposed = slp.parse(text).posterior(frame.with_columns(n=pl.Series([1, 2, 3])), draws=0)
    with pytest.raises(UnsupportedError, match="E571.*exposures"):
        predictive_check(exposed)


def test_of_many_rows_some_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slp.plot.predictive._MOST_ROWS", 10)
    frame = data().select("a", "numbers")
    posterior = slp.parse(":- use(growtree). :- support(max_depth(2)).").posterior(
        frame, seed=1, draws=0
    )
    for ax in (predictive_check(posterior), predictive_check(posterior, X=frame)):
        assert "10 rows of 24, at random" in ax.get_title(loc="left")
        drawn = ax.get_lines()[-1].get_xdata()
        shown = {round(float(x), 9) for x in np.asarray(drawn) if np.isfinite(x)}
        assert shown <= set(frame["numbers"].round(9).to_list()) and len(shown) == 10


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_defined_feature_follows_its_columns(name: str) -> None:
    frame = data().select(columns(name)).with_columns(b=np.arange(N) % 5 + 1.0)
    text = ":- use(growtree). :- support(max_depth(1)). :- define(r, a / b). :- ignore([b])."
    response = name if name != "durations" else None
    program = slp.parse(f"{text} {PROGRAMS[name]}")
    posterior = program.posterior(frame, response, seed=1, draws=0)
    prior = program.prior(frame, response)
    own = predictive_check(posterior, prior)
    given = predictive_check(posterior, prior, X=frame)
    assert own.get_title(loc="left") == given.get_title(loc="left")
    other = slp.parse(f":- use(growtree). {PROGRAMS[name]}").prior(frame, response)
    with pytest.raises(UnsupportedError, match="the prior has other features"):
        predictive_check(posterior, other)
