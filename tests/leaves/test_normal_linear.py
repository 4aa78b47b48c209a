"""Lines in the leaves: the marginal likelihood, and everything that users see of such leaves."""

from __future__ import annotations

import io
import json
import math
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import integrate, stats

import slp
from slp.errors import SlpError
from slp.leaves import NormalLinear, leaf_from_plain, leaf_to_plain

RNG = np.random.default_rng(3)
ARGS = (0.5, 0.3, 0.8, 1.5, 2.0)


def model(q: int = 2, args: tuple[float, ...] = ARGS, ref: float = 0.0) -> NormalLinear:
    names = [f"x{j}" for j in range(q)]
    return NormalLinear(names, args, np.full(q, 5.0), np.full(q, 1.7), ref=ref)


def sums(leaf: NormalLinear, y: np.ndarray, x: np.ndarray, w: Any = 1.0) -> np.ndarray:
    rows = leaf.statistics(np.column_stack([y, x]))
    return np.asarray((rows * np.broadcast_to(w, len(y))[:, None]).sum(axis=0))


def rows(n: int, q: int) -> tuple[np.ndarray, np.ndarray]:
    return RNG.normal(10, 2, n), RNG.normal(5, 3, (n, q))


@pytest.mark.parametrize("q", [1, 2, 4])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_responses_are_multivariate_t(n: int, q: int) -> None:
    """With 2 alpha degrees of freedom, about mu, of shape beta / alpha (I + Z L^-1 Z')."""
    leaf, (y, x) = model(q, ref=9.3), rows(n, q)
    mu, kappa, slopes, alpha, beta = leaf.hyperparameters
    Z = np.column_stack([np.ones(n), (x - 5) / 1.7])
    shape = beta / alpha * (np.eye(n) + Z @ np.diag([1 / kappa, *[1 / slopes] * q]) @ Z.T)
    if n == 1:
        want = stats.t.logpdf(y[0], 2 * alpha, mu, math.sqrt(shape[0, 0]))
    else:
        want = stats.multivariate_t.logpdf(y, np.full(n, mu), shape, 2 * alpha)
    assert float(leaf.log_marginal(sums(leaf, y, x))) == pytest.approx(want, rel=1e-12)


def test_real_weights_are_the_integral_of_the_powers() -> None:
    """Over the variance; the coefficients are integrated in closed form, as normal densities."""
    leaf, (y, x), w = model(1), rows(4, 1), np.array([0.5, 1.7, 0.31, 2.25])
    mu, kappa, slopes, alpha, beta = ARGS
    Z = np.column_stack([np.ones(4), (x - 5) / 1.7])
    prior = np.diag([kappa, slopes])

    def density(log_v: float) -> float:
        v = math.exp(log_v)
        after = prior + Z.T @ (w[:, None] * Z)
        right = prior @ [mu, 0] + Z.T @ (w * y)
        square = w @ y**2 + kappa * mu**2 - right @ np.linalg.solve(after, right)
        own = -w.sum() / 2 * math.log(2 * math.pi * v) - square / (2 * v)
        own += 0.5 * (np.linalg.slogdet(prior)[1] - np.linalg.slogdet(after)[1])
        return math.exp(own + stats.invgamma.logpdf(v, alpha, scale=beta) + log_v)

    want = math.log(integrate.quad(density, -8, 12, epsabs=0, limit=200)[0])
    assert float(leaf.log_marginal(sums(leaf, y, x, w))) == pytest.approx(want, rel=1e-8)


def test_whole_weights_repeat_rows() -> None:
    leaf, (y, x), w = model(), rows(4, 2), np.array([3, 0, 2, 70])
    again = sums(leaf, np.repeat(y, w), np.repeat(x, w, axis=0))
    np.testing.assert_allclose(sums(leaf, y, x, w), again, rtol=1e-12)
    want = float(leaf.log_marginal(again))
    assert float(leaf.log_marginal(sums(leaf, y, x, w))) == pytest.approx(want, rel=1e-12)


def test_the_predictive_is_the_ratio_of_marginals() -> None:
    leaf, (y, x), new = model(ref=4.0), rows(6, 2), np.array([4.0, 7.5])
    S = sums(leaf, y, x)
    own = leaf.at(leaf.design(new))

    def density(v: float) -> float:
        more = S + leaf.statistics(np.array([[v, *new]]))[0]
        return math.exp(float(leaf.log_marginal(more) - leaf.log_marginal(S)))

    for v in (3.0, 9.0, 14.0):
        want = integrate.quad(density, -np.inf, v, limit=200)[0]
        assert float(own.cdf(S, np.array(v))) == pytest.approx(want, abs=1e-7)
    mean = integrate.quad(lambda v: v * density(v), -np.inf, np.inf, limit=200)[0]
    assert float(own.mean(S)) == pytest.approx(mean, rel=1e-6)
    line = leaf.line(S)
    told = line["intercept"] + sum(b * v for b, v in zip(line["slopes"].values(), new, strict=True))
    assert told == pytest.approx(float(own.mean(S)), rel=1e-12)


def test_the_height_of_the_leaf_is_that_of_its_rows() -> None:
    """The interval of the leaf's mean comes from draws of the coefficients."""
    leaf, (y, x) = model(1), rows(8, 1)
    S = sums(leaf, y, x)
    known = leaf.predictive(S)
    mu, kappa, slopes, alpha, beta = ARGS
    Z = np.column_stack([np.ones(8), (x - 5) / 1.7])
    prior = np.diag([kappa, slopes])
    after = prior + Z.T @ Z
    m = np.linalg.solve(after, prior @ [mu, 0] + Z.T @ y)
    rest = (y @ y + kappa * mu**2 - m @ after @ m) / 2
    v = stats.invgamma.rvs(alpha + 4, scale=beta + rest, size=200_000, random_state=RNG)
    at = Z.mean(axis=0)
    drawn = at @ m + np.sqrt(v * (at @ np.linalg.solve(after, at))) * RNG.normal(size=len(v))
    np.testing.assert_allclose(known["mean"], at @ m, rtol=1e-12)
    np.testing.assert_allclose(known["mean_interval"], np.quantile(drawn, [0.05, 0.95]), atol=0.05)


def test_files_hold_the_model() -> None:
    leaf, (y, x) = model(ref=2.0), rows(5, 2)
    again = leaf_from_plain(json.loads(json.dumps(leaf_to_plain(leaf))))
    S = sums(leaf, y, x)
    assert again.describe() == leaf.describe() == "normal_linear([x0, x1], 0.5, 0.3, 0.8, 1.5, 2)"
    assert float(again.log_marginal(S)) == float(leaf.log_marginal(S))
    for spoilt in ({"scale": [1.0, 0.0]}, {"centre": [1.0]}, {"regressors": ["x0", "x0"]}):
        with pytest.raises(ValueError):
            leaf_from_plain({**leaf_to_plain(leaf), **spoilt})


# --- programs ------------------------------------------------------------------------------------


def lines(n: int = 40) -> pl.DataFrame:
    """y = 2 x under `a`, and -x under `b`."""
    rng = np.random.default_rng(1)
    x, of_a = rng.normal(5, 2, n).round(2), rng.integers(0, 2, n) == 1
    y = np.where(of_a, 2 * x, -x) + rng.normal(0, 0.2, n)
    return pl.DataFrame({"x": x, "group": np.where(of_a, "a", "b"), "y": y.round(2)})


TEXT = ":- use(growtree). :- feature(x, [bins(quantile, 4)]). :- leaf(normal_linear([x]))."


@pytest.mark.parametrize("numbers", ["", ", 1, 0.5, 0.5, 2, 3"])
def test_notes_say_what_was_taken_from_the_response(numbers: str) -> None:
    """Of the table, and of a comparison, as the evidence then has seen the response."""
    text = f":- use(growtree, [alpha = 0.1]). :- leaf(normal_linear([x]{numbers}))."
    taken = "numbers of the leaf model are not declared, so its mean and scale were taken from the"
    table = slp.parse(text).posterior(lines(), engine="modal").table
    assert any(taken in note for note in table.notes) == (not numbers)
    found = slp.compare({"a": slp.parse(text)}, lines(), folds=0, engine="modal")
    assert any(taken in note for note in found["a"].notes) == (not numbers)


DRAWN = {"mh": {"draws": 200, "warmup": 500, "thin": 20}, "smc": {"draws": 200, "particles": 100}}


@pytest.mark.parametrize("engine", ["exact", "chart", "mh", "smc", "modal", "search"])
def test_engines_predict_lines(engine: str, tmp_path: Any) -> None:
    """Each finds the two lines, and its predictions are those of its trees, saved and read too."""
    frame = lines()
    options = DRAWN.get(engine, {"draws": 0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)  # of few draws
        run = slp.parse(TEXT).posterior(frame, engine=engine, seed=1, **options)
    tree = run.map_tree()
    assert tree.root.feature == "group"
    slopes = [leaf.summary["line"]["slopes"]["x"] for leaf in tree.leaves()]
    np.testing.assert_allclose(slopes, [2, -1], atol=0.1)
    new = pl.DataFrame({"x": [3.0, 30.0, 3.01], "group": ["a", "b", "b"]})
    np.testing.assert_allclose(run.predict(new), [6, -30, -3], rtol=0.08)
    np.testing.assert_allclose(tree.predict(new), [6, -30, -3], rtol=0.08)
    again = slp.Tree.from_dict(json.loads(json.dumps(tree.to_dict())))
    np.testing.assert_array_equal(again.predict(new), tree.predict(new))
    assert " * x, mean " in tree.to_text()
    if engine in ("exact", "mh", "smc"):
        assert run.predict_interval(new)[1, 1] < -20
        run.save(tmp_path / "run.slpz")
        read = slp.load_posterior(tmp_path / "run.slpz")
        np.testing.assert_array_equal(read.predict(new), run.predict(new))
        np.testing.assert_array_equal(read.predict_interval(new), run.predict_interval(new))


def test_the_intercept_and_slopes_of_a_flat_line_are_the_normal_model() -> None:
    """With a strong prior on slopes of 0, the evidence is that of `normal_inverse_gamma`."""
    frame, head = lines(), ":- use(growtree). :- feature(x, [bins(quantile, 4)]). :- leaf"
    flat = slp.parse(f"{head}(normal_linear([x], 1, 0.5, 1e12, 2, 3)).")
    plain = slp.parse(f"{head}(normal_inverse_gamma(1, 0.5, 2, 3)).")
    have, want = (p.posterior(frame, seed=1, draws=0).log_evidence for p in (flat, plain))
    assert have == pytest.approx(want, abs=1e-6)


def test_held_out_rows_are_scored_at_their_own_place() -> None:
    """Better with lines than without."""
    head = ":- use(growtree). :- feature(x, [bins(quantile, 4)])."
    programs = {"lines": slp.parse(TEXT), "plain": slp.parse(head)}
    found = slp.compare(programs, lines(), seed=1, folds=3)
    scores = {p.name: p.held_out.log_predictive for p in found.programs if p.held_out is not None}
    assert scores["lines"] > scores["plain"]


def test_report_and_estimator(tmp_path: Any) -> None:
    frame, program = lines(), slp.parse(TEXT)
    run = program.posterior(frame, seed=1, draws=20)
    run.report(tmp_path / "report.html")
    assert "* x" in (tmp_path / "report.html").read_text()
    fitted = slp.SLPTreeRegressor(program=program).fit(frame[["x", "group"]], frame["y"])
    np.testing.assert_allclose(fitted.predict(frame[["x", "group"]]), run.predict(frame))


CHECKED = [
    ("normal_linear([x], 0, 1)", "E102", "3 arguments"),
    ("normal_linear([])", "E102", "1 to 30 columns"),
    ("normal_linear(x)", "E102", "1 to 30 columns"),
    ("normal_linear([x, x])", "E102", "`x` twice"),
    ("normal_linear([x], 0, 1, -1, 1, 1)", "E109", "`lambda`"),
    ("normal_linear([age])", "E434", "`age`, which is no feature"),
    ("normal_linear([group])", "E434", "holds levels"),
]


@pytest.mark.parametrize(("declared", "code", "words"), CHECKED)
def test_faults_of_the_declaration(declared: str, code: str, words: str) -> None:
    with pytest.raises(SlpError) as caught:
        slp.parse(f":- use(growtree). :- leaf({declared}).").posterior(lines(), seed=1, draws=0)
    assert code in {d.code for d in caught.value.diagnostics}
    assert words in str(caught.value)


def test_faults_of_rows() -> None:
    frame, program = lines(), slp.parse(TEXT)
    holes = frame.with_columns(pl.when(pl.col("x") > 5).then(pl.col("x")).alias("x"))
    with pytest.raises(SlpError, match="E434"):
        slp.parse(TEXT.replace("4)]", "4), missing(side)]")).posterior(holes)
    with pytest.raises(SlpError, match="E156"):
        slp.parse(TEXT + " :- constraint(monotone(x, up)).").posterior(frame)
    tree = program.posterior(frame, seed=1, draws=0).map_tree()
    with pytest.raises(SlpError, match="E614"):
        tree.to_sklearn()
    new = pl.read_csv(io.StringIO("x,group\n,a\n3,b\n"))
    with pytest.raises(SlpError, match="E607"):
        tree.predict(new)
    with pytest.raises(SlpError, match="E605"):
        slp.Tree.from_dict({"n": 2, "mean": 1.5, "line": {"intercept": 1}})
    average = TEXT.replace("4)]", "4), missing(side), new(average)]")
    with pytest.raises(SlpError, match="E442"):
        slp.parse(average).posterior(frame, seed=1, draws=0).predict(new)
