"""Certified bounds on the evidence when a budget is reached."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import slp
from slp.engines.exact import CompiledChart, passes
from slp.errors import BudgetError
from slp.leaves import Dirichlet
from slp.reference.boxes import Geometry
from slp.reference.chart import Chart, build_forest
from tests.engines.cases import random_grammar, random_table

pytestmark = pytest.mark.usefixtures("compiled_kernels")

KIB = 1024
GIB = 2**30
TOTAL = 0  # in the core's enumeration of quantities


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(120))
@pytest.mark.parametrize("work", [0.0, 1e3, 1e7])
def test_bounds_of_random_grammars_hold_the_total(seed: int, work: float) -> None:
    rng = np.random.default_rng(seed)
    table = random_table(rng, 10)
    grammar = random_grammar(rng, table)
    likelihood = isinstance(table.leaf, Dirichlet)
    geometry = Geometry(grammar, table)
    want = Chart(build_forest(grammar, geometry, GIB), likelihood).log_total
    engine = CompiledChart.of(grammar, table, likelihood, GIB).passes.engine
    run = engine.make_pass(TOTAL, likelihood, True, 0, 2, GIB, 1)
    low, high = engine.bounds(run, work)  # nothing is done: all comes from opening items
    assert low <= want + 1e-9 and want <= high + 1e-9
    if work == 1e7 and want > -math.inf:
        assert high - low < 1e-7
    run.run(None)
    assert engine.bounds(run, 0.0) == (pytest.approx(want, rel=1e-12),) * 2


PRIORS = (
    ":- use(denison).",
    ":- use(bcart_pcfg).",
    ":- use(growtree).",
    ":- use(growtree_all).",
    ":- use(growtree_gap).",
    ":- use(gmt).",
    ":- use(pinball).\n:- support(min_leaf(3)).",
    ":- use(growtree).\n:- constraint(max_leaves(5)).",
    ":- use(denison).\n:- constraint(max_leaves(6)).",
    ":- use(denison).\n:- support([min_leaf(2), max_depth(5)]).",
    ":- use(growtree).\n:- failure(condition).\nbox(b, x0, 0.4, 0.6).\n:- constraint(constant(b)).",
    ":- use(growtree).\nbox(b, x0, 0.2, 0.6).\n:- constraint(majority(b, '0')).",
    ":- use(denison).\n:- constraint(once(x1)).",
)


def bounds(text: str, memory: int) -> tuple[float, float]:
    """Bounds on the log evidence within a budget: equal where it was enough. By one thread: with
    more, which boxes are done when the budget ends depends on their pace."""
    rng = np.random.default_rng(3)
    X = rng.random((50, 3))
    y = ((X[:, 0] < 0.5) ^ (rng.random(50) < 0.2)).astype(np.int64)
    program = slp.parse(text + "\n:- feature(_, [bins(quantile, 8)]).")
    try:
        exact = program.posterior(X, y, engine="exact", memory=memory, threads=1).log_evidence
        assert exact is not None
        return exact, exact
    except BudgetError as error:
        assert error.diagnostics[0].code == "E501"
        assert error.log_evidence_bounds is not None
        return error.log_evidence_bounds


@pytest.mark.thinned(16)
@pytest.mark.parametrize("text", PRIORS)
def test_bounds_hold_the_evidence_of_every_prior(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "_WORK_ON_BOUNDS", 1e4)
    want, _ = bounds(text, GIB)
    widths = []
    for memory in (60 * KIB, 150 * KIB, 300 * KIB, 800 * KIB):
        low, high = bounds(text, memory)
        assert low <= want <= high
        widths.append(high - low)
    assert widths[0] > 0.1


def test_no_evidence_is_above_the_pure_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little was done: two classes of 31 and 19 rows, each h(n) = log n! / (n + 1)!."""
    monkeypatch.setattr(passes, "_WORK_ON_BOUNDS", 1.0)
    low, high = bounds(":- use(denison).", 20 * KIB)
    assert low < high == pytest.approx(-np.log(32 * 20), abs=1e-9)


def test_bounds_close_in_as_the_budget_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "_WORK_ON_BOUNDS", 1e4)
    widths = []
    for memory in (60, 150, 300, 600, 9000):
        low, high = bounds(":- use(denison).", memory * KIB)
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == 0


@pytest.mark.slow
def test_vast_sums_take_little_memory_for_the_bounds_on_the_normaliser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bounds still hold the evidence, and the second pass is a small one."""
    want, _ = bounds(":- use(denison).", GIB)
    parts: list[int] = []
    real = passes.Passes._try

    def tried(self: passes.Passes, *of: Any, share: int = 1) -> Any:
        parts.append(share)
        return real(self, *of, share=share)

    monkeypatch.setattr(passes.Passes, "_try", tried)
    bounds(":- use(denison).", 300 * KIB)
    assert parts == [1, 1]
    parts.clear()
    monkeypatch.setattr("slp.results.record.size.Size.vast", True)
    low, high = bounds(":- use(denison).", 300 * KIB)
    assert low < want < high and parts == [1, 16]
