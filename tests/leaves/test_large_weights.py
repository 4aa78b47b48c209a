"""Marginal likelihoods of huge and tiny weights, against closed forms of 60 digits."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.leaves import Dirichlet, GammaExponential, GammaPoisson, NormalInverseGamma
from slp.leaves.rising import LogRising, log_rising
from tests.spec import gammas
from tests.spec.leaf_formulas import (
    DirichletFormula,
    ExponentialFormula,
    NormalFormula,
    PoissonFormula,
    WeightedFormula,
)

_A = (1e-9, 1e-3, 0.5, 1.0, 2.7, 15.9, 16.0, 1e4, 1e9, 1e15)
_X = (1e-12, 0.25, 0.9, 1.0, 3.0, 64.5, 131071.0, 131072.0, 123456.789, 1e9, 1e12, 1e15)
_WEIGHTS = (1e-12, 0.25, 3.0, 131072.0, 1e6, 1e9, 1e9 + 0.25, 1e12, 2.0**53, 1e18)


@pytest.mark.parametrize("a", _A)
def test_log_rising(a: float) -> None:
    table = LogRising(a)
    for x in _X:
        want = float(gammas.log_rising(Decimal(a), Decimal(x)))
        error = 1e-15 + 1e-15 * abs(x * math.log(a + x))
        assert abs(float(log_rising(a, x)) - want) <= error, x
        assert abs(float(table.at(np.float64(x))) - want) <= error, x


def test_log_rising_of_many_numbers() -> None:
    x = np.array(_X)
    assert LogRising(0.5).at(x).tolist() == [float(LogRising(0.5).at(v)) for v in x]


@pytest.mark.parametrize("a", [(1.0, 1.0), (0.5, 3.0), (1e-9, 1e-9), (1e9, 1e9), (1e4, 1.0)])
def test_dirichlet(a: tuple[float, ...]) -> None:
    model, formula = Dirichlet(("0", "1"), a), WeightedFormula(DirichletFormula(("0", "1"), a))
    for weights in itertools.product((0.0, *_WEIGHTS), repeat=2):
        want = formula.log_marginal([(str(c), w) for c, w in enumerate(weights)])
        have = float(model.log_marginal(np.array(weights)))
        assert have == pytest.approx(want, rel=1e-10, abs=1e-9), weights


@pytest.mark.parametrize("w", _WEIGHTS)
@pytest.mark.parametrize("kind", ["poisson", "exponential", "normal"])
def test_numbers(kind: str, w: float) -> None:
    """Two responses of this weight and 1."""
    model: Any
    formula: Any
    if kind == "poisson":
        model, formula, y = GammaPoisson(0.5, 1.5), PoissonFormula(0.5, 1.5), [3, 0]
    elif kind == "exponential":
        model, formula = GammaExponential(0.5, 1.5), ExponentialFormula(0.5, 1.5)
        y = [(0.7, 1), (2.0, 0)]
    else:
        args = (0.5, 0.1, 1.5, 4.0)
        model, formula, y = NormalInverseGamma(*args), NormalFormula(*args), [0.0, 3.0]
    S = np.array([w, 1.0]) @ model.statistics(np.array(y, np.float64))
    want = WeightedFormula(formula).log_marginal(list(zip(y, (w, 1.0), strict=True)))
    assert float(model.log_marginal(S)) == pytest.approx(want, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("w", [131072.0, 1e6, 1e9, 1e9 - 0.25])
@pytest.mark.parametrize("engine", ["exact", "enumerate"])
def test_engines_agree_with_the_closed_form(engine: str, w: float) -> None:
    """One leaf, or a stump: rows of classes a and b on one side, b on the other."""
    frame = pl.DataFrame({"x": [0, 0, 1], "w": [w, 1.0, 1.0], "y": ["a", "b", "b"]})
    program = slp.parse(":- use(growtree, [alpha = 0.7]). :- row_weight(w).")
    leaf = WeightedFormula(DirichletFormula(("a", "b"), (1.0, 1.0)))
    rows = [("a", w), ("b", 1.0), ("b", 1.0)]
    one = math.log(0.3) + leaf.log_marginal(rows)
    stump = math.log(0.7) + leaf.log_marginal(rows[:2]) + leaf.log_marginal(rows[2:])
    want = float(np.logaddexp(one, stump))
    posterior = program.posterior(frame, engine=engine, draws=0)
    assert posterior.log_evidence == pytest.approx(want, rel=1e-12)
    tree = slp.Tree.from_dict({"feature": "x", "threshold": 0.5, "left": {}, "right": {}})
    assert posterior.log_posterior(tree) == pytest.approx(stump - want, rel=0, abs=1e-11)
