"""Differences of what is predicted of two rows, mean and mean square: over random programs and
tables, of every leaf model, with weights and missing values, derivation by derivation against the
sums of the chart and of the compiled core."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.engines import infer
from slp.errors import SlpWarning
from slp.results.averages.over_trees import TreeDistribution
from slp.results.averages.quantities import LeafMoments, Mean, Quantity, Survival
from slp.results.posterior import Posterior
from tests.spec.brute_force import ValueMissingError
from tests.spec.cases import Case, random_case

N_CASES = 200


def distribution(case: Case, engine: str, likelihood: bool) -> TreeDistribution:
    model = case.model
    found: Posterior = infer(model, engine=engine, seed=1, draws=0, likelihood=likelihood)
    sums: Any = found._result.averages
    return sums.distribution


def quantities(case: Case) -> list[Quantity]:
    leaf = case.model.table.leaf
    if leaf.responses == "durations":
        return [Survival((0.0, 0.4, 3.0)), Mean()]
    return [Mean()]


def compare(case: Case, engine: str = "chart") -> None:
    table, leaf = case.model.table, case.model.table.leaf
    if not case.spec.derivations:
        return
    columns = {
        f: [case.table.shown(f, x) for x in column]
        for f, column in zip(case.table.features, zip(*case.new_rows, strict=True), strict=True)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)  # of levels that the table lacks
        rows = table.new_rows(pl.DataFrame(columns))
    try:
        for row in case.new_rows:
            case.spec.predictive(row)
    except ValueMissingError:
        return
    ones, zeros = (np.array(k) for k in zip(*np.ndindex(len(rows), len(rows)), strict=True))
    for quantity in quantities(case):
        if quantity.spread(leaf, np.zeros((1, leaf.n_statistics))) is None:
            continue
        for likelihood in (True, False):
            moments = LeafMoments(leaf, quantity, leaf.ref, likelihood)
            pairs = rows[ones], rows[zeros]
            want = distribution(case, "enumerate", likelihood).differences(*pairs, moments)
            have = distribution(case, engine, likelihood).differences(*pairs, moments)
            there = np.isfinite(want[1])
            assert (np.isfinite(have[1]) == there).all()
            scale = np.sqrt(want[1][there].max(initial=1e-300))
            for power, h, w in zip((1, 2), have, want, strict=True):
                least = 1e-11 * (1 + scale**power)
                np.testing.assert_allclose(
                    h[there], w[there], rtol=max(1e-8, 10 * case.rounding), atol=least
                )
            assert (have[1][ones == zeros] == 0).all()


@pytest.mark.thinned(161)
@pytest.mark.parametrize("engine", ["chart", "exact"])
@pytest.mark.parametrize("seed", range(N_CASES))
def test_differences(seed: int, engine: str) -> None:
    compare(random_case(seed, limit=300), engine)


@pytest.mark.thinned(91)
@pytest.mark.parametrize("engine", ["chart", "exact"])
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(
    "kind",
    ["weights", "missing_level", "missing_side", "lines", "exposures", "subsets", "rows"],
)
def test_differences_on_other_tables(kind: str, seed: int, engine: str) -> None:
    compare(random_case(seed, limit=300, **{kind: True}), engine)


def test_rows_that_go_down_both_sides() -> None:
    """A row whose prediction is the average over both sides of a split, whose parameters are
    independent: by hand, for the one tree with a split."""
    text = ":- use(growtree, [alpha = 1]). :- support(max_depth(1)). :- leaf(dirichlet(1))."
    text += " :- feature(a, [missing(side), new(average)])."
    frame = pl.DataFrame({"a": [0.0, 0.0, 0.0, 1.0], "y": ["n", "n", "y", "y"]})
    new = pl.DataFrame({"a": [None, 0.0]}, schema={"a": pl.Float64})
    (left, right), s = [(2 / 5, 6 / 150), (2 / 3, 2 / 36)], 0.75
    for engine in ("enumerate", "chart", "exact"):
        found = slp.parse(text).posterior(frame, engine=engine, seed=1, draws=0)
        have = found.contrast(new.head(1), new.tail(1), n=2, seed=1)
        want = s * left[0] + (1 - s) * right[0] - left[0]
        assert have.mean[0, 1] == pytest.approx(want, rel=1e-12)
        variance = (1 - s) ** 2 * (left[1] + right[1])
        assert have.variance[0, 1] == pytest.approx(variance, rel=1e-12)
        assert have.mean_kind == have.variance_kind == "exact"
