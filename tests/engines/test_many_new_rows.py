"""Many new rows under exact sums: rows that go together are followed together, and where the sums
take long under `auto`, draws from the exact posterior answer and say so (W550)."""

from __future__ import annotations

import warnings

import numpy as np
import polars
import pytest

import slp
from slp.engines.chart import Chart, build_forest
from slp.engines.exact import CompiledChart
from slp.problem.boxes import Geometry

pytestmark = pytest.mark.usefixtures("compiled_kernels")

GIB = 2**30


# --- groups of rows ------------------------------------------------------------------------------


def holed(rng: np.random.Generator, n: int, levels: str) -> polars.DataFrame:
    """A numeric column without and one with missing cells, in bins, and one of levels."""
    values = zip(rng.random(n) < 0.3, rng.integers(0, 9, n), strict=True)
    columns = {
        "a": np.round(rng.random(n), 2),
        "b": [None if gap else float(x) for gap, x in values],
        "c": rng.choice(list(levels), n),
    }
    return polars.DataFrame(columns)


@pytest.mark.parametrize(
    "declared",
    [
        ":- feature(b, [missing(side), new(average), bins(quantile, 3)]).",
        ":- feature(b, [missing(side), new(average), cuts([2.5, 5.5])]).\n"
        ":- feature(c, [subsets, new(larger)]).",
    ],
)
@pytest.mark.parametrize("support", [":- support(max_depth(3)).", ":- constraint(max_leaves(4))."])
def test_groups_of_rows_with_missing_values(declared: str, support: str) -> None:
    """More rows than there are boxes to part them; some have sides that a split does not tell, and
    go on alone. Rows alone, rows together and the plain chart predict the same."""
    rng = np.random.default_rng(5)
    table, new = (
        holed(rng, 30, "uvwx"),
        holed(rng, 90, "uvwxyz" if "subsets" in declared else "uvwx"),
    )
    y = rng.integers(0, 2, 30)
    text = f":- use(growtree).\n{support}\n:- feature(a, [bins(quantile, 4)]).\n{declared}"
    model = slp.parse(text).compile(table, y)
    rows = model.table.new_rows(new)
    geometry = Geometry(model.grammar, model.table)
    want = Chart(build_forest(model.grammar, geometry, GIB), True).predictions(rows)
    one = CompiledChart.of(model.grammar, geometry, True, GIB, threads=1)
    have = one.predictions(rows)
    np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-12)
    three = CompiledChart.of(model.grammar, geometry, True, GIB, threads=3)
    assert np.array_equal(three.predictions(rows), have)
    np.testing.assert_allclose(one.predictions(rows[7:8]), have[7:8], rtol=1e-12)
    for i, mixture in zip((0, 7, 40), one.leaf_mixtures(rows[[0, 7, 40]]), strict=True):
        told = mixture.probability @ model.table.leaf.values(mixture.statistics)
        np.testing.assert_allclose(told, have[i], rtol=1e-12)


def test_the_estimate_of_many_rows_stays_below_that_of_each() -> None:
    """Item by item all rows together take one descent at most; by blocks each takes its own."""
    rng = np.random.default_rng(6)
    table, new = holed(rng, 30, "uvwx"), holed(rng, 90, "uvwx")
    text = ":- use(growtree).\n:- feature(b, [missing(side), new(average), bins(quantile, 3)])."
    text += "\n:- support(max_depth(3))."
    model = slp.parse(text).compile(table, rng.integers(0, 2, 30))
    rows = model.table.new_rows(new)
    sums = CompiledChart.of(model.grammar, Geometry(model.grammar, model.table), True, GIB)
    one, all_rows = sums.seconds_of_new_rows(rows[:1]), sums.seconds_of_new_rows(rows)
    assert 0 < one < all_rows < 7 * one


# --- draws where sums take long ------------------------------------------------------------------


def numbers() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    return X, X[:, 0] + rng.normal(size=20) > 0, rng.normal(size=(40, 2))


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums for one new row are made, those for two are not."""
    X, y, new = numbers()
    sums = slp.parse(":- use(growtree).").posterior(X, y, draws=0)._result.averages.distribution  # type: ignore[attr-defined]
    rows = slp.parse(":- use(growtree).").compile(X, y).table.new_rows(new)
    limit = 1.5 * sums.seconds_of_new_rows(rows[:1])
    monkeypatch.setattr("slp.results.averages.sums._MOST_SECONDS", limit)


def test_many_rows_are_predicted_by_draws(short: None) -> None:
    """They are within 5 of their errors, which by chance fails for one probability in two million.
    A row alone is predicted by sums before and after; the seed alone decides the draws."""
    X, y, new = numbers()
    program = slp.parse(":- use(growtree).")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exact = program.posterior(X, y, engine="exact", draws=0)
        want = exact.predict_proba(new)
        assert (exact.predict_error(new) == 0).all()
        auto = program.posterior(X, y, seed=1, draws=0)
        alone = auto.predict_proba(new[:1])
        assert (auto.predict_error(new[:1]) == 0).all()
    np.testing.assert_allclose(alone, want[:1], rtol=1e-12)
    with pytest.warns(slp.SlpWarning, match="W550.*40 new rows .* 1,000 independent draws") as told:
        have, error = auto.predict_proba(new), auto.predict_error(new)
    assert len(told) == 1 and f"standard error of a prediction is {error.max():.2g}" in str(
        told[0].message
    )
    assert 0 < error.max() < 0.03
    assert (np.abs(have - want) <= 5 * error + 1e-12).all()
    assert (auto.predict_proba(new[:1]) == alone).all()
    with pytest.warns(slp.SlpWarning, match="W550"):
        assert (
            program.posterior(X, y, seed=1, draws=0, threads=1).predict_proba(new) == have
        ).all()


def test_estimators_say_so(short: None) -> None:
    X, y, new = numbers()
    fitted = slp.SLPTreeClassifier(random_state=1).fit(X, y)
    with pytest.warns(slp.SlpWarning, match="W550"):
        fitted.score(new, new[:, 0] > 0)
