"""Leaf models of the user's own that are tables: the core gives what Python gives, and says
where it does not run."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.special import gammaln

import slp
from slp.errors import SlpError
from slp.kernels.compiled import compiled_core
from slp.leaves.own import OwnModel
from slp.problem.core import core_for
from slp.trees import check_tree

pytestmark = pytest.mark.skipif(compiled_core() is None, reason="compares with the core")


class Poisson:
    """`gamma_poisson` again, whose last statistic is added."""

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = a, b

    def statistics(self, y: Any) -> Any:
        return np.column_stack([np.ones(len(y)), y, -gammaln(y + 1)])

    def log_marginal(self, S: Any) -> Any:
        n, s, added = S.T
        rates = gammaln(self.a + s) - gammaln(self.a) + self.a * np.log(self.b)
        return rates - (self.a + s) * np.log(self.b + n) + added

    def mean(self, S: Any) -> Any:
        return (self.a + S[:, 1]) / (self.b + S[:, 0])


class Tabled(Poisson):
    def log_table(self, n: int, s: int) -> Any:
        rows, sums = np.indices((n + 1, s + 1)).reshape(2, -1)
        S = np.column_stack([rows, sums, np.zeros(len(rows))])
        return self.log_marginal(S).reshape(n + 1, s + 1)


@pytest.fixture(autouse=True)
def registered() -> None:
    slp.register_leaf_model("plain", Poisson)
    slp.register_leaf_model("tabled", Tabled)


def table(n: int = 16) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    columns = {"x": rng.integers(0, 6, n), "g": rng.choice(["a", "b", "c"], n)}
    columns["y"] = rng.poisson(2 + columns["x"])
    return pl.DataFrame({**columns, "w": rng.integers(0, 4, n).astype(float)})


def run(model: str, engine: str = "auto", more: str = ":- ignore(w).", **options: Any) -> Any:
    text = f":- use(growtree). :- response(y). :- leaf({model}(1.5, 0.5)). {more}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        return slp.parse(text).posterior(table(), engine=engine, seed=1, **options)


def test_the_core_runs_it() -> None:
    posterior = run("tabled", draws=0)
    assert core_for(posterior.table) is compiled_core()
    assert "NumPy" not in posterior.reason


@pytest.mark.parametrize("more", [":- ignore(w).", ":- row_weight(w)."])
def test_exact_sums_are_those_of_python_and_of_the_built_in_model(more: str) -> None:
    have = run("tabled", "exact", more, draws=0)
    for model in ("plain", "gamma_poisson"):
        want = run(model, "exact", more, draws=0)
        assert have.log_evidence == pytest.approx(want.log_evidence, abs=1e-10)
        np.testing.assert_allclose(have.predict(table()), want.predict(table()), rtol=1e-9)
        assert have.map().log_joint == pytest.approx(want.map().log_joint, abs=1e-10)


@pytest.mark.parametrize("engine", ["search", "modal"])
def test_best_trees_are_those_of_python(engine: str) -> None:
    have, want = (run(m, engine, draws=0).map() for m in ("tabled", "plain"))
    assert have.log_joint == pytest.approx(want.log_joint, abs=1e-10)
    assert have.tree.to_text() == want.tree.to_text()


@pytest.mark.parametrize("engine", ["mh", "smc"])
@pytest.mark.parametrize("more", [":- ignore(w).", ":- row_weight(w)."])
def test_draws_have_their_exact_scores(engine: str, more: str) -> None:
    options = {"warmup": 100, "thin": 5} if engine == "mh" else {"islands": 8, "particles": 100}
    exact = run("gamma_poisson", "exact", more, draws=0)
    drawn = run("tabled", engine, more, draws=400, **options)
    np.testing.assert_allclose(drawn.predict(table()), exact.predict(table()), rtol=0.1)
    for draw in drawn.draws[:20]:
        want = exact.log_posterior(draw.tree) + exact.log_evidence
        assert draw.log_weight + draw.log_likelihood == pytest.approx(want, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["mh", "smc"])
def test_python_knows_the_means_for_monotone(engine: str) -> None:
    more = ":- ignore(w). :- constraint(monotone(x, up))."
    drawn = run("tabled", engine, more, draws=20)
    of_leaf = {"tabled": None, "gamma_poisson": True}  # the check knows no means of users' models
    assert drawn.draws
    for model, holds in of_leaf.items():
        text = f":- use(growtree). :- response(y). :- leaf({model}(1.5, 0.5)). {more}"
        program = slp.parse(text)
        for draw in drawn.draws:
            (found,) = check_tree(draw.tree, program, table())
            assert found.holds is holds or draw.tree.n_leaves == 1


class Real(Tabled):
    def statistics(self, y: Any) -> Any:
        return super().statistics(y) * [0.5, 1, 1]

    def log_marginal(self, S: Any) -> Any:
        return super().log_marginal(S * [2, 1, 1])


class Many(Tabled):
    """Statistics of 100 times the size."""

    def statistics(self, y: Any) -> Any:
        return super().statistics(y) * [1000, 1000, 1]

    def log_marginal(self, S: Any) -> Any:
        return super().log_marginal(S / [1000, 1000, 1])


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Poisson, "has no `log_table`"),
        (Real, "over whole numbers from 0 up alone"),
        (Many, "takes 8,388,608 numbers of `log_table`, and `other` has"),
    ],
)
def test_python_runs_what_the_core_does_not_take(model: type, words: str) -> None:
    slp.register_leaf_model("other", model)
    have, want = (run(m, draws=0) for m in ("other", "gamma_poisson"))
    assert words in have.reason
    assert have.log_evidence == pytest.approx(want.log_evidence, abs=1e-10)


def test_real_weights_are_for_python() -> None:
    more = ":- row_weight(w)."
    half = table().with_columns(w=pl.col("w") / 2)
    text = ":- use(growtree). :- response(y). :- leaf({}(1.5, 0.5)). " + more
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        have, want = (
            slp.parse(text.format(m)).posterior(half, engine="exact", draws=0)
            for m in ("tabled", "gamma_poisson")
        )
    assert core_for(have.table) is None
    assert have.log_evidence == pytest.approx(want.log_evidence, abs=1e-10)


@pytest.mark.parametrize(
    ("log_table", "words"),
    [
        (lambda self, n, s: np.zeros((n, s)), "does not give shape"),
        (lambda self, n, s: np.zeros((n + 1, s + 1)), "where `log_marginal` gives"),
        (lambda self, n, s: np.full((n + 1, s + 1), np.nan), "not finite"),
        (lambda self, n, s: 1 / 0, "ZeroDivisionError"),
        (lambda self: 0.0, "does not take numbers by place, from 1 to 3"),
        (lambda self, a, b, c, d: 0.0, "does not take numbers by place, from 1 to 3"),
        (lambda self, *most: 0.0, "does not take numbers by place, from 1 to 3"),
    ],
)
def test_tables_that_break_their_promises(log_table: Any, words: str) -> None:
    slp.register_leaf_model("other", type("Spoilt", (Poisson,), {"log_table": log_table}))
    with pytest.raises(SlpError, match="E443") as caught:
        run("other", draws=0)
    assert words in str(caught.value)


def test_copies_do_not_carry_the_table() -> None:
    model = OwnModel("tabled", (1.5, 0.5))
    S = model.checked(np.arange(200.0)).statistics(np.arange(200.0))
    numbers = model.numbers_for_core(S)
    assert model.numbers_for_core(S) is numbers
    data = pickle.dumps(model)
    assert len(data) < 1000
    np.testing.assert_array_equal(pickle.loads(data).numbers_for_core(S), numbers)
