"""The core's leaf models are those of `slp.leaves`, on every kind of statistics."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from slp.leaves import (
    Dirichlet,
    GammaExponential,
    GammaPoisson,
    LeafModel,
    NormalInverseGamma,
    NormalLinear,
)
from slp.problem.core import leaf_problem
from tests.engines.cases import make_table, numeric

RNG = np.random.default_rng(8)
NORMAL, COUNTS = RNG.normal(1e3, 2.0, 300), RNG.poisson(3.0, 300)
LINES = NormalLinear(
    ("u", "v"), (999.0, 0.3, 0.7, 1.5, 1.5), np.array([3.0, 0.0]), np.array([2.0, 1.0]), ref=1e3
)
LINE_ROWS = np.column_stack([NORMAL, RNG.normal(3.0, 2.0, 300), RNG.normal(0.0, 1.0, 300)])
CASES: dict[str, tuple[LeafModel, np.ndarray]] = {
    "one concentration": (Dirichlet("abc", 0.7), RNG.integers(0, 3, 300)),
    "three concentrations": (Dirichlet("abc", (0.5, 2.0, 1e5)), RNG.integers(0, 3, 300)),
    "normal": (NormalInverseGamma(999.0, 0.3, 2.0, 1.5, ref=1e3), NORMAL),
    "normal, large alpha": (NormalInverseGamma(999.0, 0.3, 70.5, 1.5, ref=1e3), NORMAL),
    "counts": (GammaPoisson(1.5, 0.5), COUNTS.astype(np.float64)),
    "exposures": (
        GammaPoisson(1.5, 0.5, exposed=True),
        np.column_stack([COUNTS, RNG.gamma(1.0, 3.0, 300)]),
    ),
    "lines": (LINES, LINE_ROWS),
    "durations": (GammaExponential(1.5, 2.0), RNG.exponential(2.0, 300)),
}


@pytest.mark.parametrize("name", CASES)
def test_marginal_likelihoods_are_those_of_the_core(
    compiled_kernels: ModuleType, name: str
) -> None:
    model, y = CASES[name]
    n = len(y)
    table = make_table([numeric("x", n)], [[i] for i in range(n)], y.tolist(), model)
    core = leaf_problem(compiled_kernels, table)
    for size in [1, 2, 3, 4, 7, 63, 64, 65, 200, n]:
        rows = np.sort(RNG.choice(n, size, replace=False)).astype(np.uint32)
        want = model.log_marginal(table.statistics[rows].sum(axis=0))
        np.testing.assert_allclose(core.log_marginal(rows), want, rtol=1e-12, atol=1e-12)
