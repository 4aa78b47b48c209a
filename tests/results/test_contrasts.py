"""Contrasts: closed forms on a table without splits, exact moments against draws, averages over
rows, ratios, and what each number says of itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import slp
from slp.errors import BudgetError, UsageError
from slp.results.averages import reached
from slp.results.differences import Contrasting, leaf_draws, quantity_of
from tests.results.test_predictive import LEAVES, new, posterior

#: Of each comparison with draws, about 2e-5: `Z` standard errors, and the seeds are fixed.
Z = 4.5
N = 1500


def trial(engine: str = "exact", draws: int = 0) -> slp.Posterior:
    """One split at most, between two groups: all is known in closed form."""
    data = pl.DataFrame(
        {"treated": [0] * 10 + [1] * 10, "cured": [0] * 7 + [1] * 3 + [0] * 2 + [1] * 8}
    )
    text = ":- use(growtree, [alpha = 0.5]). :- support(max_depth(1)). :- leaf(dirichlet(1))."
    return slp.parse(text).posterior(data, engine=engine, seed=1, draws=draws)


GROUPS = pl.DataFrame({"treated": [1]}), pl.DataFrame({"treated": [0]})


def test_a_risk_difference_in_closed_form() -> None:
    """With probability p the groups have leaves of their own, Beta(9, 3) and Beta(4, 8); else the
    difference is 0."""
    found = trial()
    (split,) = [c for c in found.k_best(2) if c.tree.n_leaves == 2]
    p = math.exp(split.log_posterior)
    one, zero = stats.beta(9, 3), stats.beta(4, 8)
    have = found.contrast(*GROUPS, n=N, seed=1)
    mean = p * (one.mean() - zero.mean())
    square = p * (one.var() + zero.var() + (one.mean() - zero.mean()) ** 2)
    assert have.labels == (0, 1) and have.of == "probability"
    assert have.mean[0] == pytest.approx([-mean, mean], rel=1e-10)
    assert have.variance[0] == pytest.approx([square - mean**2] * 2, rel=1e-10)
    assert (have.mean_kind, have.variance_kind) == ("exact", "exact")
    assert (have.mean_error == 0).all() and (have.variance_error == 0).all()
    above = p * float(np.mean(one.rvs(10**6, random_state=1) > zero.rvs(10**6, random_state=2)))
    assert abs(have.probability()[0, 1] - above) < Z * have.probability_error()[0, 1]
    low, high = have.interval(0.8)[0, 1]
    inside = np.mean((have._draws[:, 0, 1] >= low) & (have._draws[:, 0, 1] <= high))
    assert inside == pytest.approx(0.8, abs=0.002 + (1 - p))
    assert 0 < have.interval_error(0.8)[0, 1, 1] < 0.01
    assert repr(have) == "<difference of probability in 1 row, means exact, 1,500 draws>"


@pytest.mark.thinned(4)
@pytest.mark.parametrize("engine", ["enumerate", "chart", "exact"])
@pytest.mark.parametrize("name", LEAVES)
def test_exact_moments_agree_with_draws(name: str, engine: str) -> None:
    found = posterior(name, engine)
    durations = found.table.leaf.responses == "durations"
    asked = [("mean", {}), ("survival", {"times": [0.5, 2]}), ("restricted_mean", {"horizon": 2})]
    for of, options in asked if durations else [(None, {})]:
        have = found.contrast(new(), new().head(1), of, n=N, seed=2, **options)
        drawn = have._draws[:, 1]
        assert have.mean_kind == "exact"
        spread = drawn.std(axis=0)
        if not durations or of != "mean":  # fourth moments of 1 / r may be infinite
            apart = np.abs(drawn.mean(axis=0) - have.mean[1])
            assert (apart < Z * spread / N**0.5).all(), (of, name)
            squares = (drawn - have.mean[1]) ** 2
            apart = np.abs(squares.mean(axis=0) - have.variance[1])
            assert (apart < Z * squares.std(axis=0) / N**0.5).all(), (of, name)
        summed = of == "survival" or name != "pieces"
        exact = summed and of != "restricted_mean"
        assert have.variance_kind == ("exact" if exact else "estimate")
        assert (have.mean[0] == 0).all() and (have.interval()[0] == 0).all()
        np.testing.assert_allclose(have.average.mean, have.mean.mean(axis=0), rtol=1e-12)
        assert have.average.mean_kind == "exact"
        assert have.average.variance_kind == "estimate"


def test_means_of_numbers_are_differences_of_predictions() -> None:
    for name in ("numbers", "line", "counts"):
        found = posterior(name)
        have = found.contrast(new(), new().tail(1), n=10, seed=1)
        one, zero = found.predict(new()), found.predict(new().tail(1))
        np.testing.assert_allclose(have.mean, one - zero, atol=1e-12)
        np.testing.assert_allclose(have.ratio.of_means, one / zero, rtol=1e-9)
        want = one.mean() / zero.mean()
        assert have.ratio.average.of_means == pytest.approx(want, rel=1e-9)
        assert have.ratio.of_means_kind == "exact"


def test_medians_have_no_mean_and_ratios_none_at_all() -> None:
    have = posterior("durations").contrast(new(), new().head(1), n=500, seed=1)
    assert have.of == "median" and have.median.shape == (2,)
    for asked in (lambda: have.mean, lambda: have.variance, lambda: have.ratio.of_means):
        with pytest.raises(UsageError, match="E557"):
            asked()
    assert not hasattr(have.ratio, "mean")
    assert have.ratio.median[0] == 1
    low, high = have.ratio.interval()[1]
    assert 0 < low < have.ratio.median[1] < high
    above = have.ratio.probability(1.0)[1]
    assert above == have.probability(0.0)[1]


def test_averages_over_rows_are_those_of_draws() -> None:
    have = posterior("numbers").contrast(new(), new().head(1), n=400, seed=3)
    np.testing.assert_allclose(have.average._draws, have._draws.mean(axis=1))
    assert have.average.interval().shape == (2,)
    assert have.average.probability(0.0).shape == ()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["mh", "smc"])
def test_samplers_tell_their_error(engine: str) -> None:
    exact = trial().contrast(*GROUPS, n=20_000, seed=1)
    have = trial(engine, 2000).contrast(*GROUPS, seed=2)
    assert have.mean_kind == have.variance_kind == "estimate"
    assert have.n_draws >= 2000
    assert (have.mean_error > 0).all()
    assert (np.abs(have.mean - exact.mean) < Z * have.mean_error).all()
    assert (np.abs(have.variance - exact.variance) < Z * have.variance_error).all()
    error = np.hypot(have.probability_error(0.2), exact.probability_error(0.2))
    assert (np.abs(have.probability(0.2) - exact.probability(0.2)) < Z * error).all()


def test_trees_found_say_so() -> None:
    have = trial("modal", 1).contrast(*GROUPS, n=100, seed=1)
    assert have.mean_kind == "found"
    assert np.isnan(have.mean_error).all() and np.isnan(have.probability_error()).all()


def test_draws_answer_where_sums_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    found = trial("auto")
    monkeypatch.setattr("slp.results.averages.sums._MOST_SECONDS", -1.0)
    have = found.contrast(*GROUPS, n=500, seed=1)
    assert have.mean_kind == have.variance_kind == "estimate"
    exact = trial().contrast(*GROUPS, n=2, seed=1)
    assert (np.abs(have.mean - exact.mean) < Z * have.mean_error).all()


def test_faults() -> None:
    found = posterior("numbers")
    with pytest.raises(UsageError, match="E556.*`median` is no quantity"):
        found.contrast(new(), new(), "median")
    with pytest.raises(UsageError, match="E556.*2 rows and X0 has 3"):
        found.contrast(new(), pl.concat([new(), new().head(1)]))
    durations = posterior("durations")
    for times in (None, [], [-1.0]):
        with pytest.raises(UsageError, match="E556.*times"):
            durations.contrast(new(), new(), "survival", times=times)
    with pytest.raises(UsageError, match="E556.*horizon"):
        durations.contrast(new(), new(), "restricted_mean")
    with pytest.raises(UsageError, match="E505"):
        found.contrast(new(), new(), n=1)
    with pytest.raises(UsageError, match="E508"):
        found.contrast(new(), new(), n=2).interval(90)


def test_the_median_of_a_row_in_several_leaves() -> None:
    """Of a row that goes down both sides the drawn distribution is a mixture: half of it lies below
    its median."""
    text = ":- use(growtree, [alpha = 1]). :- support(max_depth(1)). :- response(t)."
    text += (
        " :- leaf(piecewise_exponential(2, 3, [1])). :- feature(a, [missing(side), new(average)])."
    )
    data = pl.DataFrame({"a": [0.0] * 4 + [1.0] * 4, "t": [0.3, 0.5, 2, 0.7, 9, 8, 3, 7]})
    row = pl.DataFrame({"a": [None]}, schema={"a": pl.Float64})
    found = slp.parse(text).posterior(data, seed=1, draws=0)
    rows = found.table.new_rows(row)
    result = found._result
    median = quantity_of(result, "median", None, None)
    survival = quantity_of(result, "survival", [1.0], None)
    at = Contrasting(result, median, rows, rows).contrast(200, np.random.default_rng(1))
    assert (at._draws == 0).all()
    drawn, trees = result.averages.draws_of_trees(50, np.random.default_rng(2))
    draws = leaf_draws(result, drawn, trees, rows)
    middle = draws.of(np.random.default_rng(3), median.of_draws)[:, 0, 0]
    for i, y in enumerate(middle):
        own = type(survival)((float(y),))
        left = draws.of(np.random.default_rng(3), own.of_draws)[i, 0, 0]
        assert left == pytest.approx(0.5, abs=1e-9)


def of_numbers(alpha: float, engine: str = "exact", **options: Any) -> slp.Posterior:
    """At most one split between rows of one response each."""
    text = ":- use(growtree, [alpha = 0.5]). :- support(max_depth(1))."
    text += f" :- leaf(normal_inverse_gamma(0, 1, {alpha}, 1))."
    data = pl.DataFrame({"a": [0.0, 1.0], "y": [0.5, -1.0]})
    if options.pop("prior", False):
        return slp.parse(text).prior(data, engine=engine, seed=1, draws=0)
    return slp.parse(text).posterior(data, engine=engine, seed=1, **options)


ENDS = pl.DataFrame({"a": [0.0]}), pl.DataFrame({"a": [1.0]})


@pytest.mark.filterwarnings("ignore")
def test_no_variance_is_infinite_whatever_tells_it() -> None:
    """A leaf of one row has alpha + 1/2: no variance up to 1, no mean up to 1/2."""
    for engine, options in (("exact", {"draws": 0}), ("mh", {"draws": 200})):
        without, known = (of_numbers(alpha, engine, **options) for alpha in (0.4, 3.0))
        have = without.contrast(*ENDS, n=200, seed=1)
        for own in (have, have.average):
            assert np.isinf(own.variance).all()
        assert np.isnan(have.average.variance_error)
        have = known.contrast(*ENDS, n=200, seed=1)
        for own in (have, have.average):
            assert np.isfinite(own.variance).all() and np.isfinite(own.variance_error).all()
    prior = of_numbers(0.4, prior=True).contrast(*ENDS, n=200, seed=1)
    assert np.isnan(prior.mean).all() and np.isnan(prior.average.mean).all()
    assert np.isinf(prior.variance).all() and np.isinf(prior.average.variance)


@pytest.mark.parametrize(("shape", "finite"), [(0.5, False), (3, True)])
def test_means_of_durations_need_events_in_the_last_piece(shape: float, finite: bool) -> None:
    """Of the first four rows one ends in the last piece, so its shape there is one more."""
    data = pl.DataFrame({"a": [0.0] * 4 + [1.0] * 4, "y": [0.3, 0.5, 2, 0.7, 9, 8, 3, 7]})
    text = ":- use(growtree). :- support(max_depth(1)). :- support(min_leaf(4))."
    text += f" :- leaf(piecewise_exponential({shape}, 3, [1]))."
    found = slp.parse(text).posterior(data, seed=1, draws=0)
    for have in (found.contrast(*ENDS, "mean", n=200, seed=1), found.quantity(ENDS[0], "mean")):
        assert np.isfinite(have.variance).all() == finite
        assert np.isfinite(have.average.variance).all() == finite


def test_no_rows_and_no_numbers() -> None:
    found = posterior("numbers")
    have = found.contrast(new().head(0), new().head(0), n=20, seed=1)
    assert have.mean.shape == (0,) and have.interval().shape == (0, 2)
    for delta in ("x", None, float("nan")):
        with pytest.raises(UsageError, match="E508.*delta"):
            found.contrast(new(), new(), n=20, seed=1).probability(delta)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="E556"):
        found.density(new(), [[1], [2, 3]])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="E617"):
        found.log_posterior(5)  # type: ignore[arg-type]


def test_draws_of_trees_found_say_so() -> None:
    found = trial("modal", 1)
    with pytest.warns(slp.SlpWarning, match="W553"):
        found.predict_draws(GROUPS[0], n=3, seed=1)
    assert found.average(3, seed=1).chosen == "found"


def test_draws_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before they are made, with what they would take: 1,000 draws of 1,000 rows and two classes
    are 16 MB, and five times that with what a contrast makes of them."""
    one, zero = (pl.concat([group] * 1000) for group in GROUPS)
    found = trial(draws=10)
    monkeypatch.setattr(reached, "memory_budget", lambda memory: 70_000_000)
    with pytest.raises(BudgetError, match=r"1,000 draws of 1,000 rows take 76.3 MiB"):
        found.predict_draws(one, n=1000, seed=1)
    monkeypatch.setattr(reached, "memory_budget", lambda memory: 90_000_000)
    assert found.predict_draws(one, n=1000, seed=1).shape == (1000, 1000, 2)
    with pytest.raises(BudgetError, match="fewer rows at a time"):
        found.contrast(one, zero, n=1000, seed=1)
