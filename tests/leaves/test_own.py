"""Leaf models of the user's own: the same as a built-in one, and what is refused."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.special import gammaln
from scipy.stats import nbinom

import slp
from slp.columns import Below
from slp.errors import SlpError, UnsupportedError
from slp.leaves import SIGNATURES
from slp.trees import Leaf, Split


class Poisson:
    """`gamma_poisson` again."""

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = a, b

    def statistics(self, y: Any) -> Any:
        return np.column_stack([np.ones(len(y)), y, gammaln(y + 1)])

    def log_marginal(self, S: Any) -> Any:
        n, s, factorials = S.T
        rates = gammaln(self.a + s) - gammaln(self.a) + self.a * np.log(self.b)
        return rates - (self.a + s) * np.log(self.b + n) - factorials

    def mean(self, S: Any) -> Any:
        return (self.a + S[:, 1]) / (self.b + S[:, 0])

    def cdf(self, S: Any, y: Any) -> Any:
        rate = self.b + S[:, 0]
        return nbinom.cdf(np.floor(y), self.a + S[:, 1], rate / (rate + 1))


@pytest.fixture(autouse=True)
def registered() -> None:
    slp.register_leaf_model("own_poisson", Poisson)


def table(n: int = 14) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    columns = {"x": rng.integers(0, 6, n), "g": rng.choice(["a", "b"], n), "y": rng.poisson(3, n)}
    return pl.DataFrame({**columns, "w": rng.integers(0, 4, n).astype(float)})


def run(model: str, engine: str = "auto", more: str = ":- ignore(w).", **options: Any) -> Any:
    text = f":- use(growtree). :- response(y). :- leaf({model}(1.5, 0.5)). {more}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        return slp.parse(text).posterior(table(), engine=engine, seed=1, **options)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate"])
@pytest.mark.parametrize("more", [":- ignore(w).", ":- row_weight(w)."])
def test_sums_are_those_of_the_built_in_model(engine: str, more: str) -> None:
    have, want = (run(m, engine, more, draws=0) for m in ("own_poisson", "gamma_poisson"))
    assert have.log_evidence == pytest.approx(want.log_evidence, abs=1e-10)
    np.testing.assert_allclose(have.predict(table()), want.predict(table()), rtol=1e-10)
    np.testing.assert_allclose(have.predict_interval(table()), want.predict_interval(table()))
    assert have.map().log_joint == pytest.approx(want.map().log_joint, abs=1e-10)
    assert have.tree_count() == want.tree_count()


@pytest.mark.parametrize("engine", ["search", "modal"])
def test_trees_are_those_of_the_built_in_model(engine: str) -> None:
    have, want = (run(m, engine, draws=0).map() for m in ("own_poisson", "gamma_poisson"))
    assert have.log_joint == pytest.approx(want.log_joint, abs=1e-10)


@pytest.mark.parametrize("engine", ["mh", "smc"])
def test_draws_are_of_the_same_posterior(engine: str) -> None:
    options = {"warmup": 100, "thin": 5} if engine == "mh" else {"islands": 8, "particles": 100}
    exact = run("gamma_poisson", draws=0)
    drawn = run("own_poisson", engine, draws=400, **options)
    np.testing.assert_allclose(drawn.predict(table()), exact.predict(table()), rtol=0.1)
    for draw in drawn.draws[:5]:
        want = exact.log_posterior(draw.tree) + exact.log_evidence
        assert draw.log_weight + draw.log_likelihood == pytest.approx(want, abs=1e-9)


def test_edits_of_a_tree_are_drawn_too() -> None:
    text = ":- use(edittree). :- response(y). :- ignore(w). :- leaf({}(1.5, 0.5))."
    given = slp.Tree(Split("x", Below(2.5), Leaf(), Leaf()))
    sums = []
    for model in ("own_poisson", "gamma_poisson"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", slp.SlpWarning)
            program = slp.parse(text.format(model), tree=given)
            drawn = program.posterior(table(), engine="mh", seed=1, draws=300, warmup=50, thin=5)
        sums.append(drawn.predict(table()).mean())
    assert sums[0] == pytest.approx(sums[1], rel=0.05)


def test_forward_says_that_the_core_lacks_it() -> None:
    program = slp.parse(
        ":- use(growtree). :- response(y). :- ignore(w). :- leaf(own_poisson(1, 1))."
    )
    with pytest.raises(UnsupportedError, match="E533.*does not know the leaf model `own_poisson`"):
        program.prior(table(), engine="forward")


def test_what_people_see(tmp_path: Path) -> None:
    posterior = run("own_poisson", draws=5)
    assert "the core does not know the leaf model `own_poisson`" in posterior.reason
    assert "mean " in posterior.map_tree().to_text()
    posterior.report(tmp_path / "report.html")
    posterior.save(tmp_path / "run.slpz")
    read = slp.load_posterior(tmp_path / "run.slpz")
    np.testing.assert_array_equal(read.predict(table()), posterior.predict(table()))
    del SIGNATURES["own_poisson"]
    with pytest.raises(SlpError, match="E444"):
        slp.load_posterior(tmp_path / "run.slpz")
    with pytest.raises(SlpError, match="E102"):
        run("own_poisson")


def spoilt(**methods: Any) -> type:
    return type("Spoilt", (Poisson,), methods)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (spoilt(statistics=lambda _, y: np.column_stack([y - y.mean()])), "alone than with others"),
        (spoilt(statistics=lambda _, y: y), "does not give shape"),
        (spoilt(log_marginal=lambda _, S: np.full(len(S), np.nan)), "not finite"),
        (spoilt(log_marginal=lambda _, S: np.ones(len(S))), "0 without rows"),
        (spoilt(log_marginal=lambda _, S: S[:, 0] * len(S)), "alone and among others"),
        (spoilt(log_marginal=lambda _, S: 1 / 0), "ZeroDivisionError"),
        (spoilt(mean=None), "no method `mean`"),
        (spoilt(__init__=lambda _, a, b: (_ for _ in ()).throw(ValueError("no"))), "ValueError"),
    ],
)
def test_models_that_break_their_promises(model: type, words: str) -> None:
    slp.register_leaf_model("spoilt", model)
    with pytest.raises(SlpError, match="E443") as caught:
        run("spoilt", draws=0)
    assert words in str(caught.value)


def test_intervals_need_a_cdf() -> None:
    slp.register_leaf_model("spoilt", spoilt(cdf=None))
    with pytest.raises(SlpError, match="E443"):
        run("spoilt", draws=0).predict_interval(table())


@pytest.mark.parametrize(
    ("name", "make"),
    [("dirichlet", Poisson), ("Own", Poisson), ("own", 3), ("own", lambda *a: a), (3, Poisson)],
)
def test_what_is_not_registered(name: Any, make: Any) -> None:
    with pytest.raises(SlpError, match="E444"):
        slp.register_leaf_model(name, make)


def test_arguments_are_counted_and_classes_refused() -> None:
    with pytest.raises(SlpError, match="E102"):
        slp.parse(":- use(growtree). :- leaf(own_poisson(1)).")
    with pytest.raises(SlpError, match="E430"):
        slp.parse(":- use(growtree). :- leaf(own_poisson(1, 1)).").posterior(
            table().with_columns(y=pl.Series(["a", "b"] * 7)), "y"
        )
