"""The compiled engine equals the plain chart in every quantity, keeps its budget, and gives the
same bits whatever the number of threads."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from types import ModuleType

import numpy as np
import pytest

from slp.columns import Numeric
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.engines import infer
from slp.engines.exact import CompiledChart
from slp.errors import BudgetError, UsageError
from slp.leaves import Dirichlet, NormalInverseGamma
from slp.reference.chart import Chart
from tests.engines.cases import (
    denison,
    growtree,
    make_problem,
    make_table,
    numeric,
    random_grammar,
    random_table,
)
from tests.engines.engines import GIB, compiled, plain

pytestmark = pytest.mark.usefixtures("compiled_kernels")


def close(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-12)


def same_distribution(have: np.ndarray, want: np.ndarray) -> None:
    length = max(len(have), len(want))
    close(np.pad(have, (0, length - len(have))), np.pad(want, (0, length - len(want))))


def new_rows(rng: np.random.Generator, table: Table) -> np.ndarray:
    rows = np.empty((4, len(table.features)), np.object_)
    for f, feature in enumerate(table.features):
        levels = feature.kind.names
        rows[:, f] = rng.choice([*levels, "new"], 4) if levels else rng.uniform(-1, 10, 4)
    return rows


@pytest.mark.parametrize("seed", range(150))
def test_every_quantity_of_random_grammars(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = random_table(rng, 10)
    grammar = random_grammar(rng, table)
    likelihood = bool(seed % 3)
    want = plain(grammar, table, likelihood)
    have = compiled(grammar, table, likelihood, threads=8 if seed % 2 else 1)
    close(have.log_total, want.log_total)
    assert have.tree_count() == want.tree_count()
    if want.log_total == -np.inf:
        return
    close(have.other(not likelihood).log_total, want.other(not likelihood).log_total)
    best = list(islice(want.best(), 6))
    ranked = [x.log_weight + likelihood * x.log_likelihood for x in islice(have.best(), 6)]
    close(ranked, [x.log_weight + likelihood * x.log_likelihood for x in best])
    close(have.usage(), want.usage())
    close(have.expected_splits(), want.expected_splits())
    close(have.root_splits(), want.root_splits())
    same_distribution(have.leaf_distribution(), want.leaf_distribution())
    same_distribution(have.depth_distribution(), want.depth_distribution())
    for scored in best:
        close(have.log_weight(scored.tree), want.log_weight(scored.tree))
    rows = new_rows(rng, table)
    leaf = table.leaf
    for a, b in zip(have.leaf_mixtures(rows), want.leaf_mixtures(rows), strict=True):
        predict = leaf.predict_proba if leaf.classes else leaf.mean
        close(a.probability @ predict(a.statistics), b.probability @ predict(b.statistics))
    close(have.predictions(rows), want.predictions(rows))
    compare_outside(have, want)


def compare_outside(have: CompiledChart, want: Chart) -> None:
    """Expected uses of states, rules and features."""
    forest, outside = want.forest, have.outside()
    d, states = len(forest.grammar.features), forest.grammar.states
    taken = np.repeat(want.visits, np.diff(forest.first_edge)) * want.edge_probability
    state = np.repeat(forest.item_state, np.diff(forest.first_edge))
    inner = state >= 0
    first_rule = np.cumsum([0, *(len(s.rules) for s in states)])
    rule = first_rule[state[inner]] + forest.rule[inner]
    close(outside.uses, np.bincount(rule, taken[inner], minlength=first_rule[-1]))
    close(outside.visits, np.bincount(state[inner], taken[inner], minlength=len(states)))
    splits = np.zeros((first_rule[-1], d))
    cuts = forest.geometry.cuts
    for r, cut, mass in zip(rule, forest.cut[inner], taken[inner], strict=True):
        if cut >= 0:
            splits[r, cuts[cut].feature] += mass
    close(outside.splits, splits)


@pytest.mark.parametrize("seed", range(30))
def test_slope_by_labels(seed: int) -> None:
    """d log_total / d log weight of every rule, by central differences."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, 8)
    grammar = random_grammar(rng, table)
    chart = compiled(grammar, table, bool(seed % 2))
    if chart.log_total == -np.inf:
        return
    outside = chart.outside()
    slope = outside.uses - outside.weights if grammar.normalise else outside.uses
    for i, (state, rule) in enumerate(grammar.rules()):
        moved = []
        for step in (1e-5, -1e-5):
            states = [list(s.rules) for s in grammar.states]
            at = next(j for j, other in enumerate(states[state]) if other is rule)
            states[state][at] = replace(rule, log_weight=rule.log_weight + step)
            other = tuple(
                replace(s, rules=tuple(r)) for s, r in zip(grammar.states, states, strict=True)
            )
            moved.append(compiled(replace(grammar, states=other), table, bool(seed % 2)).log_total)
        assert slope[i] == pytest.approx((moved[0] - moved[1]) / 2e-5, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_draws_are_those_of_the_chart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, (9, 2)).tolist()
    table = make_table([numeric("x", 4), numeric("z", 4)], rows, rng.integers(0, 3, 9).tolist())
    grammar = growtree(table, 0.95, 1.0, 9)
    want = plain(grammar, table).draw(50, np.random.default_rng(seed))
    have = compiled(grammar, table).draw(50, np.random.default_rng(seed))
    assert [d.tree for d in have] == [d.tree for d in want]
    close([d.log_weight for d in have], [d.log_weight for d in want])
    close([d.log_likelihood for d in have], [d.log_likelihood for d in want])


def test_the_number_of_threads_changes_no_bit() -> None:
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 12, (40, 3)).tolist()
    table = make_table([numeric(c, 12) for c in "abc"], rows, rng.integers(0, 3, 40).tolist())
    grammar = denison(table, np.e**2)
    totals = {compiled(grammar, table, threads=t).log_total for t in (1, 2, 8)}
    assert len(totals) == 1


@pytest.mark.parametrize("model", ["classes", "numbers"])
def test_likelihoods_that_underflow(model: str) -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    rows = rng.integers(0, 6, (n, 2)).tolist()
    if model == "classes":
        leaf, y = Dirichlet(("a", "b"), 1.0), rng.integers(0, 2, n).tolist()
    else:
        leaf, y = NormalInverseGamma(0.0, 0.1, 2.0, 1.0), rng.normal(size=n).tolist()
    features = [Feature(name, Numeric(np.arange(6.0))) for name in "ab"]
    table = make_table(features, rows, y, leaf)
    grammar = growtree(table, 0.95, 1.0, 3)
    want = plain(grammar, table).log_total
    assert want < -10_000
    assert compiled(grammar, table).log_total == pytest.approx(want, rel=1e-12)


def test_memory_runs_out() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 40, (60, 3)).tolist()
    table = make_table([numeric(c, 40) for c in "abc"], rows, rng.integers(0, 2, 60).tolist())
    grammar = denison(table, 2.0)
    chart = CompiledChart.of(grammar, table, True, 400 * 1024, threads=1)
    with pytest.raises(BudgetError) as error:
        chart.log_total  # noqa: B018
    diagnostic = error.value.diagnostics[0]
    assert diagnostic.code == "E501"
    head, _, done = diagnostic.message.partition(" all trees: ")
    assert head == "the exact engine used up its memory of 400.0 KiB summing over"
    boxes, _, rest = done.partition(" boxes are done of ")
    assert 10 < int(boxes.replace(",", "")) < 8000
    size, _, bounds = rest.partition(" (estimate); the log evidence is certainly at least ")
    assert re.fullmatch(r"about [0-9,]+ boxes, [0-9.]+ MiB", size)
    low, _, high = bounds.partition(" and at most ")
    assert float(low) < float(high)
    assert diagnostic.help == (
        "give it more memory; fewer cuts, shallower trees or larger leaves make it smaller"
    )


def test_progress_and_interrupts_reach_python() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 40, (60, 3)).tolist()
    table = make_table([numeric(c, 40) for c in "abc"], rows, rng.integers(0, 2, 60).tolist())
    grammar = denison(table, 2.0)

    def stop(boxes: int, phase: str) -> None:
        assert phase.startswith("summing over all trees")
        raise KeyboardInterrupt

    chart = CompiledChart.of(grammar, table, True, GIB, progress=stop, threads=2)
    with pytest.raises(KeyboardInterrupt):
        chart.log_total  # noqa: B018


def test_more_threads_than_can_be(compiled_kernels: ModuleType) -> None:
    """No result depends on how many there are; memory that no machine has is no fault either."""
    table = make_table([numeric("x", 2)], [[0], [1]], [0, 1])
    many = {"engine": "exact", "threads": 10**6, "memory": "999999999999TiB"}
    have = infer(make_problem(denison(table, 2.0), table), **many)
    assert have.tree_count() == 2


def test_threads_below_one(compiled_kernels: ModuleType) -> None:
    table = make_table([numeric("x", 2)], [[0], [1]], [0, 1])
    with pytest.raises(UsageError) as error:
        infer(make_problem(denison(table, 2.0), table), threads=0)
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, diagnostic.message, diagnostic.help) == (
        "E505",
        "threads is 0",
        "take a whole number from 1 up",
    )
