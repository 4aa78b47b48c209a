"""The probabilities of intervals of thresholds, and what declared densities do not go with."""

from __future__ import annotations

import math

import polars as pl
import pytest
from scipy.integrate import quad

import slp
from slp.ir.thresholds import NormalThresholds
from slp.problem.core import core_for, core_problem
from slp.problem.threshold_densities import log_density, log_mass

ROWS = pl.DataFrame(
    {"a": [0.0, 1.0, 4.0, 6.0], "b": ["u", "v", "u", "v"], "y": ["no", "yes", "yes", "no"]}
)
TEXT = ":- use(growtree).\n:- thresholds(a, normal(2, 1.5)).\n"


@pytest.mark.parametrize(
    ("low", "high"),
    [(-1, 1), (-3, 5), (0.1, 0.10001), (-8, -7), (30, 31), (-1e-8, 1e-8), (7, 20), (-20, -3)],
)
def test_intervals(low: float, high: float) -> None:
    """Against the integral of the density, divided by its largest value."""
    own = NormalThresholds(0, 1)
    top = max(log_density(own, x) for x in (low, high, min(max(low, 0), high)))
    found = quad(lambda x: math.exp(log_density(own, x) - top), low, high, epsabs=0, epsrel=1e-12)
    assert log_mass(own, low, high) == pytest.approx(top + math.log(found[0]), rel=1e-11)
    moved = NormalThresholds(-50, 10)
    assert log_mass(moved, 10 * low - 50, 10 * high - 50) == pytest.approx(
        log_mass(own, low, high), rel=1e-6
    )


def test_far_tails_are_parted() -> None:
    """Of cuts a thousand standard deviations away the nearest one has nearly all probability."""
    rows = pl.DataFrame({"a": [1000.0, 1001.0, 1002.0], "y": ["no", "yes", "yes"]})
    for measure in ("feature_then_cut", "gap", "range", "per_feature"):
        text = f":- start(t). :- thresholds(a, normal(0, 1)). 1 :: t --> split(_, _, {measure}), "
        found = slp.parse(f"{text} leaf, leaf.").prior(rows, engine="exact").k_best(2)
        assert found[0].tree.root.threshold == 1000.5
        assert found[0].log_posterior == pytest.approx(0, abs=1e-300)
        assert found[1].log_posterior < -900


def test_engines_draw_from_it() -> None:
    """Within five errors of each share, which a sound sampler exceeds once in a million."""
    program = slp.parse(f"{TEXT}:- support(max_depth(1)).\n")
    want = program.posterior(ROWS, engine="exact").split_probabilities()["a"].probability
    for engine in ("mh", "smc"):
        found = program.posterior(ROWS, engine=engine, seed=1, draws=2000)
        use = found.split_probabilities()["a"]
        assert abs(use.probability - want) < 5 * use.probability_error


def test_the_core_does_not_take_it() -> None:
    problem = slp.compile.compile_problem(slp.parse(TEXT).ir, ROWS)
    assert core_for(problem.table) is None
    with pytest.raises(slp.SlpError, match="E145"):
        core_problem(None, problem.grammar, problem.table)


@pytest.mark.parametrize("engine", ["forward", "prolog", "rjhmc"])
def test_engines_that_refuse(engine: str) -> None:
    ranged = ":- use(rjhmc).\n:- thresholds(a, normal(2, 1.5)).\n:- ignore(b).\n"
    program = slp.parse(ranged if engine == "rjhmc" else TEXT)
    with pytest.raises(slp.SlpError, match="E145|E533"):
        (program.prior if engine == "forward" else program.posterior)(ROWS, engine=engine)


@pytest.mark.parametrize(
    "text",
    [
        ":- use(growtree_all).\n:- thresholds(a, normal(2, 1)).",
        ":- use(denison).\n:- thresholds(a, normal(2, 1)).",
        ":- use(growtree).\n:- thresholds(a, gamma(2, 1)).",
        ":- use(growtree).\n:- thresholds(a, normal(inf, 1)).",
        ":- use(growtree).\n:- thresholds(b, normal(2, 1)).",
        ":- use(growtree).\n:- feature(a, [cuts([2, 3])]).\n:- thresholds(a, normal(2, 1)).",
        ":- use(growtree).\n:- feature(a, [bins(width, 2)]).\n:- thresholds(a, normal(2, 1)).",
        ":- use(growtree).\n:- thresholds(a, normal(2, 1.0e-200)).",
    ],
)
def test_what_it_does_not_go_with(text: str) -> None:
    with pytest.raises(slp.SlpError, match="E145"):
        slp.parse(text).posterior(ROWS)


def test_its_faults() -> None:
    for text, code in (("normal(2, 0)", "E109"), ("normal(x, 1)", "E202")):
        with pytest.raises(slp.ProgramError, match=code):
            slp.parse(f":- use(growtree).\n:- thresholds(a, {text}).")
    with pytest.raises(slp.SlpError, match="E150"):
        slp.parse(":- use(growtree).\n:- thresholds(c, normal(2, 1)).").posterior(ROWS)
    with pytest.raises(slp.SlpError, match="E145"):
        missing = ROWS.with_columns(a=pl.Series([0.0, None, 4.0, 6.0]))
        slp.parse(f"{TEXT}:- feature(a, [missing(side)]).").posterior(missing)
    with pytest.raises(slp.SlpError, match="E103"):
        slp.parse(f"{TEXT}:- thresholds(a, normal(2, 1)).")


def test_cuts_of_all_numbers_are_still_declared() -> None:
    text = f"{TEXT}:- feature(_, [cuts([2, 3])]).\n"
    with pytest.raises(slp.SlpError, match="E145"):
        slp.parse(text).posterior(ROWS)


def test_words() -> None:
    told = slp.parse(TEXT).explain()
    assert "The thresholds of a have the density normal(2, 1.5)." in told
