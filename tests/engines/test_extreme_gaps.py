"""Gaps that are subnormal, whose sum is beyond the doubles, or 600 orders of magnitude apart."""

from __future__ import annotations

import json
import math
import warnings
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import slp
from slp.compile import compile_problem, compile_program
from slp.engines.exact.distribution import CompiledChart
from slp.errors import SlpError, SlpWarning
from slp.source import SourceFile

_COLUMNS = (
    [0.0, 1e-310, 3e-310],
    [0.0, 1e-310, 1e8],
    [0.0, 1e-310, 1e300],
    [0.0, 5e-324, 1e-323],
    [-1.7e308, 0.0, 1.7e308],
    [1e308, 1.1e308, 1.7e308],
)


def frame(x: list[float]) -> pl.DataFrame:
    return pl.DataFrame({"x": x, "y": [0, 1, 0]})


def log_shares(x: list[float]) -> list[float]:
    """Logs of the two gaps over the range."""
    values = [Fraction(v) for v in x]
    shares = [(b - a) / (values[-1] - values[0]) for a, b in zip(values, values[1:], strict=False)]
    return [math.log(share.numerator) - math.log(share.denominator) for share in shares]


@pytest.mark.parametrize("measure", ["gap", "range"])
@pytest.mark.parametrize("x", _COLUMNS)
def test_trees_are_weighed_by_hand(x: list[float], measure: str) -> None:
    """A leaf with probability 1/2, else a split by its share of the range and two leaves."""
    text = f":- start(t). 0.5 :: t --> split(F, V, {measure}), u, u. 0.5 :: t --> leaf."
    program = slp.parse(text + " 1 :: u --> leaf.")
    of_leaf = math.log(2 * 1 / 24)  # two responses of one class and one of the other: 2! 1! / 4!
    of_stump = math.log(1 / 2) + math.log(1 / 6)  # a class of one, and two that differ
    shares = log_shares(x)
    of_stumps = [math.log(0.5) + share + of_stump for share in shares]
    want = float(np.logaddexp.reduce([math.log(0.5) + of_leaf, *of_stumps]))
    for engine in ("exact", "chart", "enumerate"):
        posterior = program.posterior(frame(x), engine=engine, draws=0)
        assert posterior.log_evidence == pytest.approx(want, rel=1e-13), engine
        assert posterior.tree_count() == 3
        have = [scored.log_joint for scored in posterior.k_best(3)]
        best = sorted([math.log(0.5) + of_leaf, *of_stumps], reverse=True)
        assert have == pytest.approx(best, rel=1e-12), engine


@pytest.mark.thinned(5)
@pytest.mark.parametrize("engine", ["mh", "smc", "modal", "search"])
@pytest.mark.parametrize("x", _COLUMNS)
def test_every_engine_gives_finite_numbers(x: list[float], engine: str) -> None:
    program = slp.load("growtree_gap")
    exact = program.posterior(frame(x), engine="exact", draws=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        posterior = program.posterior(frame(x), engine=engine, seed=1, draws=40)
    best = posterior.map()
    top = exact.log_posterior(best.tree) + exact.map().log_joint - exact.map().log_posterior
    assert best.log_joint == pytest.approx(top, rel=0, abs=1e-9)
    assert np.isfinite(posterior.predict_proba(pl.DataFrame({"x": x}))).all()


@pytest.mark.slow
def test_a_column_of_p_values() -> None:
    """`auto` and the plain chart agree, and JSON has the numbers."""
    rng = np.random.default_rng(1)
    values = 10.0 ** -rng.uniform(0, 320, 40)
    y = np.where(rng.random(40) < 0.5, "a", "b")
    table = pl.DataFrame({"p": values, "age": rng.integers(20, 60, 40), "y": y})
    auto, chart = (
        slp.load("growtree_gap").posterior(table, engine=engine, draws=0)
        for engine in ("auto", "chart")
    )
    assert auto.log_evidence == pytest.approx(chart.log_evidence, rel=1e-12)
    assert auto.expected_leaves() == pytest.approx(chart.expected_leaves(), rel=1e-12)
    have, want = (p.split_probabilities()["p"].probability for p in (auto, chart))
    assert have == pytest.approx(want, rel=1e-12)
    json.dumps(auto.map_tree().to_dict(), allow_nan=False)


def test_soft_trees_refuse_a_range_beyond_the_doubles() -> None:
    with pytest.raises(SlpError, match="E539.*beyond the largest number"):
        slp.load("rjhmc").posterior(frame([-1.7e308, 0.0, 1.7e308]), engine="rjhmc", draws=1)


@pytest.mark.parametrize("wrong", [math.inf, math.nan])
@pytest.mark.usefixtures("compiled_kernels")
def test_a_sum_that_is_no_number_is_an_error_of_ours(
    wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = _chart()
    engine = SimpleNamespace(root_values=lambda _: [0.0, wrong])
    monkeypatch.setattr(chart, "passes", SimpleNamespace(engine=engine, get=lambda *_: None))
    with pytest.raises(ArithmeticError, match="sum over all trees"):
        chart.log_total  # noqa: B018


@pytest.mark.usefixtures("compiled_kernels")
def test_a_bound_above_1_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = _chart()
    cut = (3, chart.log_total + 0.5)
    monkeypatch.setattr(
        chart, "passes", SimpleNamespace(get=lambda *_: SimpleNamespace(depth_cut=lambda: cut))
    )
    with pytest.raises(ArithmeticError, match="left out"):
        chart.left_out  # noqa: B018


def _chart() -> CompiledChart:
    problem = compile_problem(
        compile_program(SourceFile("t.slp", ":- use(growtree_gap).")), frame(_COLUMNS[0])
    )
    assert problem.grammar is not None
    return CompiledChart.of(problem.grammar, problem.table, True, 1 << 26)
