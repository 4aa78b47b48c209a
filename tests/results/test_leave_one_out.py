"""`posterior.loo`: against sums over all trees without the response of a row, from draws against
the exact numbers, and what it refuses. tests/spec has random programs and tables."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

import slp
from slp.errors import SlpError, SlpWarning
from slp.results.averages.left_out import HeldRows
from slp.results.averages.smoothing import smoothed

PRIOR = ":- use(growtree). :- support(max_depth(2)). "
N = 9

LEAVES = {
    "dirichlet([0.5, 2])": "class",
    "normal_inverse_gamma(0, 0.5, 2, 1)": "number",
    "normal_linear([a], 0, 1, 1, 2, 1)": "number",
    "gamma_poisson(2, 1)": "count",
    "gamma_exponential(2, 3)": "duration",
    "piecewise_exponential(1, 2, [1, 2])": "duration",
}


def frame(kind: str, *, missing: bool = False, weights: str | None = None) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    a = rng.integers(0, 3, N).astype(float)
    y = {
        "class": rng.choice(["no", "yes"], N),
        "number": a + rng.normal(size=N),
        "count": rng.poisson(2, N),
        "duration": rng.exponential(2, N),
    }[kind]
    columns = {"a": a, "b": rng.choice(["p", "q"], N), "y": y}
    if kind == "duration":
        columns["seen"] = rng.integers(0, 2, N)
    if weights is not None:
        columns["w"] = rng.integers(1, 4, N) if weights == "whole" else rng.uniform(0.3, 2, N)
    data = pl.DataFrame(columns)
    blank = pl.int_range(pl.len()) % 4 == 0
    return data.with_columns(b=pl.when(blank).then(None).otherwise("b")) if missing else data


def program(leaf: str, *, missing: bool = False, weights: str | None = None) -> slp.Program:
    text = PRIOR + f":- leaf({leaf}). "
    text += ":- response(y, event(seen)). " if LEAVES[leaf] == "duration" else ":- response(y). "
    text += ":- feature(b, [missing(side)]). " if missing else ""
    return slp.parse(text + (":- row_weight(w). " if weights else ""))


def quietly(prior: slp.Program, data: Any, **options: Any) -> slp.Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return prior.posterior(data, **{"seed": 1, "draws": 0, **options})


def by_evidences(prior: slp.Program, data: pl.DataFrame) -> NDArray[np.float64]:
    """log p(y_i | the others) of each row: the log evidence of all responses less that of the
    others, both over all trees one by one, with the prior of the table with all rows."""
    listed = quietly(prior, data, engine="enumerate")
    trees = [(c.tree.apply(data), c.log_posterior) for c in listed.prior().k_best(1000)]
    assert 5 < len(trees) < 1000
    table = listed.table
    own = table.row_responses.statistics(table.leaf)  # type: ignore[union-attr]

    def log_evidence(kept: NDArray[np.intp]) -> float:
        sums, of_tree = [], []
        for t, (leaves, _) in enumerate(trees):
            for leaf in np.unique(leaves[kept]):
                sums.append(own[kept][leaves[kept] == leaf].sum(axis=0))
                of_tree.append(t)
        fits = np.bincount(of_tree, table.leaf.log_marginal(np.array(sums)), len(trees))
        return float(np.logaddexp.reduce(fits + [log_prior for _, log_prior in trees]))

    every = np.arange(len(data))
    return np.array([log_evidence(every) - log_evidence(np.delete(every, i)) for i in every])


@pytest.mark.parametrize("leaf", LEAVES)
def test_every_leaf_model(leaf: str) -> None:
    prior, data = program(leaf), frame(LEAVES[leaf])
    want = by_evidences(prior, data)
    for engine in ("exact", "chart", "enumerate"):
        found = quietly(prior, data, engine=engine).loo()
        np.testing.assert_allclose(found.pointwise, want, rtol=1e-9, atol=1e-9)
        assert found.elpd == pytest.approx(want.sum()) and found.kind == "exact"
        error = math.sqrt(N * np.var(want, ddof=1))
        assert found.standard_error == pytest.approx(error) and found.monte_carlo_error == 0
        assert (found.pointwise_error == 0).all() and found.pareto_k is None
        assert found.converged and found.bad_k == 0 and found.notes == ()


@pytest.mark.parametrize("weights", ["whole", "real"])
@pytest.mark.parametrize("leaf", ["dirichlet([0.5, 2])", "normal_inverse_gamma(0, 0.5, 2, 1)"])
def test_weights_and_missing_values(leaf: str, weights: str) -> None:
    prior = program(leaf, missing=True, weights=weights)
    data = frame(LEAVES[leaf], missing=True, weights=weights)
    want = by_evidences(prior, data)
    for engine in ("exact", "chart"):
        found = quietly(prior, data, engine=engine).loo()
        np.testing.assert_allclose(found.pointwise, want, rtol=1e-9, atol=1e-9)
        assert [note.partition(":")[0] for note in found.notes] == ["rows have weights"]


def test_weights_of_one_are_none() -> None:
    prior = program("dirichlet([0.5, 2])", weights="whole")
    data = frame("class").with_columns(w=pl.lit(1))
    assert quietly(prior, data, engine="exact").loo().notes == ()


def test_an_outlier_in_leaves_of_almost_no_probability() -> None:
    """The trees that do not set it apart have a probability below 1e-308, and it decides their
    weight without the row."""
    rng = np.random.default_rng(2)
    a, y = np.arange(160.0), rng.normal(0, 0.01, 160)
    y[60] = 100
    prior = slp.parse(
        ":- use(growtree, [alpha = 0.3]). :- support(max_depth(2)). "
        ":- leaf(normal_inverse_gamma(0, 0.01, 1, 1e-4)). :- feature(_, [cuts([60, 61, 100])])."
    )
    data = pl.DataFrame({"a": a, "y": y})
    exact = quietly(prior, data, engine="exact")
    held, sums = HeldRows.of(exact.table), exact._result.averages.distribution
    log_inverse, _ = sums._left_out_of(held, True)
    have = exact.loo().pointwise[[0, 60]]
    chart = quietly(prior, data, engine="chart")._result.averages.distribution
    for i, own in zip((0, 60), have, strict=True):
        without = chart.of_statistics(held.without(exact.table.statistics, int(held.of_data[i])))
        assert own == pytest.approx(chart.log_total - without.log_total, abs=1e-7)
    assert abs(-log_inverse[held.of_data[60]] - have[1]) > 0.1  # what the descent alone would say


def test_weights_that_are_whole_only_together() -> None:
    """Equal rows of weight 1/2: the core takes the sums of a leaf for whole numbers."""
    data = pl.DataFrame({"a": [1, 1, 2, 2, 3, 3], "w": [0.5] * 6, "y": list("pqppqq")})
    prior = slp.parse(":- use(growtree). :- leaf(dirichlet([0.5, 2])). :- row_weight(w).")
    have, want = (quietly(prior, data, engine=e).loo().pointwise for e in ("exact", "chart"))
    np.testing.assert_allclose(have, want, rtol=1e-11)


# --- from draws ----------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["mh", "smc"])
def test_draws_come_near(engine: str) -> None:
    """Within five standard errors, of all rows and of each: nine rows by two engines fail with a
    probability below 2e-5."""
    prior, data = program("normal_inverse_gamma(0, 0.5, 2, 1)"), frame("number")
    options = {"mh": {"draws": 1000}, "smc": {"islands": 40, "draws": 4000}}[engine]
    want = quietly(prior, data, engine="exact").loo()
    found = quietly(prior, data, engine=engine, **options).loo()
    assert found.kind == "estimate" and found.monte_carlo_error > 0
    assert abs(found.elpd - want.elpd) < 5 * found.monte_carlo_error
    apart = np.abs(found.pointwise - want.pointwise)
    assert (apart < 5 * found.pointwise_error + 1e-12).all()
    assert apart.max() > 0 and found.pareto_k is not None and found.pareto_k.shape == (N,)
    assert found.bad_k == (found.pareto_k > 0.7).sum()
    assert found.standard_error == pytest.approx(want.standard_error, rel=0.1)


def test_q_of_draws_is_that_of_their_leaves() -> None:
    prior, data = program("gamma_poisson(2, 1)", missing=True), frame("count", missing=True)
    posterior = quietly(prior, data, engine="mh", draws=100)
    trees, held = posterior._result.averages.drawn, HeldRows.of(posterior.table)
    assert trees is not None
    ((first, have),) = trees.log_given_others(held)
    assert first == 0
    leaf, own = posterior.table.leaf, posterior.table.statistics_of_rows()
    for u in range(0, len(trees.trees), 7):
        where = trees.trees[u].tree.apply(data)
        for i in range(N):
            beside = where == where[i]
            S = own[beside].sum(axis=0)
            want = leaf.log_marginal(S) - leaf.log_marginal(S - own[i])
            assert have[u, held.of_data[i]] == pytest.approx(float(want), rel=1e-10, abs=1e-10)


def test_smoothing_without_and_with_a_tail() -> None:
    """One weight: nothing is heavy. A Pareto tail of shape 1/2 is found within three of its
    standard errors, (1 + k) / root of the 300 draws that are the tail."""
    assert smoothed(np.full(500, -1.5), 1.0) == (pytest.approx(-1.5), -np.inf)
    log_q = np.log(np.random.default_rng(3).random(10_000)) * 0.5
    value, k = smoothed(log_q, 1.0)
    assert k == pytest.approx(0.5, abs=3 * 1.5 / 300**0.5)
    assert value == pytest.approx(-math.log(2), abs=0.1)  # 1 / E(1 / q), q = root of u
    few = np.concatenate([np.zeros(995), [-1, -2, -3, -4.0]])
    assert smoothed(few, 1.0)[1] == np.inf


def test_soft_trees_of_numbers() -> None:
    """Given its tree, a row depends on no other."""
    data = pl.DataFrame({"a": np.arange(8.0), "y": [0.1, 0.3, -0.2, 0.0, 2.1, 2.0, 1.7, 2.4]})
    prior = slp.parse(":- use(rjhmc).")
    found = quietly(prior, data, engine="rjhmc", draws=30, warmup=30)
    trees, held = found._result.averages.drawn, HeldRows.of(found.table)
    assert trees is not None
    ((_, have),) = trees.log_given_others(held)
    for u, own in enumerate(trees.predictions_by_tree(found.table.new_rows(data)).__next__()):
        sd = trees.soft[u].variance ** 0.5  # type: ignore[attr-defined]
        want = norm.logpdf(data["y"].to_numpy(), own, sd)
        np.testing.assert_allclose(have[u, held.of_data], want, rtol=1e-9, atol=1e-9)
    assert "given the means and the variance" in found.loo().notes[-1]


# --- what it says, and refuses -------------------------------------------------------------------

LOOK = {
    "majority": "box(b, a, 1, inf). :- constraint(majority(b, no)).",
    "monotone": ":- response(y, [ordinal([no, yes])]). :- constraint(monotone(a, up)).",
    "subsets(ordered)": ":- feature(b, [subsets(ordered)]).",
}


@pytest.mark.parametrize("what", LOOK)
def test_priors_that_look_at_the_response(what: str) -> None:
    engine = "mh" if what == "monotone" else "exact"
    posterior = quietly(slp.parse(PRIOR + LOOK[what]), frame("class"), engine=engine, draws=20)
    assert posterior.no_loo is not None and posterior.no_loo.startswith(f"{what} looks at")
    with pytest.raises(SlpError, match="E555") as caught:
        posterior.loo()
    assert "slp cv" in str(caught.value)


def test_other_posteriors_without_loo() -> None:
    data = frame("class")
    prior = slp.parse(PRIOR)
    with pytest.raises(SlpError, match="it is a prior"):
        quietly(prior, data, engine="exact").prior().loo()
    with pytest.raises(SlpError, match="engine modal has neither draws nor sums"):
        quietly(prior, data, engine="modal").loo()
    soft = quietly(slp.parse(":- use(rjhmc)."), data.drop("b"), engine="rjhmc", draws=4, warmup=4)
    with pytest.raises(SlpError, match="leaves of soft trees share each row"):
        soft.loo()


def test_a_default_leaf_has_seen_the_rows() -> None:
    default = quietly(slp.parse(PRIOR), frame("number"), engine="exact").loo()
    assert len(default.notes) == 1 and "taken from the response" in default.notes[0]
    assert quietly(slp.parse(PRIOR), frame("class"), engine="exact").loo().notes == ()


def test_saved_runs(tmp_path: Path) -> None:
    data = frame("number").with_columns(a=pl.int_range(pl.len()).cast(pl.Float64))
    posterior = quietly(program("normal_inverse_gamma(0, 0.5, 2, 1)"), data, engine="exact")
    posterior.save(tmp_path / "run.slpz")
    again = slp.load_posterior(tmp_path / "run.slpz").loo()
    np.testing.assert_allclose(again.pointwise, posterior.loo().pointwise, rtol=1e-12)
    merged = quietly(program("gamma_poisson(2, 1)"), frame("count"), engine="exact")
    assert len(merged.table.counts) < N
    merged.save(tmp_path / "merged.slpz")
    with pytest.raises(SlpError, match="E562"):
        slp.load_posterior(tmp_path / "merged.slpz").loo()
    drawn = quietly(program("gamma_poisson(2, 1)"), frame("count"), engine="mh", draws=10)
    drawn.save(tmp_path / "drawn.slpz")
    with pytest.raises(SlpError, match="E562"):
        slp.load_posterior(tmp_path / "drawn.slpz").loo()


def test_plain_data() -> None:
    plain = quietly(slp.parse(PRIOR), frame("class"), engine="exact").loo().to_dict()
    assert plain.keys() == {
        "elpd",
        "standard_error",
        "monte_carlo_error",
        "kind",
        "bad_k",
        "standing",
        "notes",
    }
