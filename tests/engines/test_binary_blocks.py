"""The compiled engine on tables of two-valued features: passes by binary-feature blocks have the
results of the plain chart."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest

import slp
from slp.columns import Numeric
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.engines.exact import CompiledChart, passes
from slp.engines.exact.algorithm import algorithm_in_words
from slp.errors import BudgetError
from slp.ir.tree_grammar import TreeGrammar
from slp.leaves import Dirichlet, GammaPoisson, LeafModel, NormalInverseGamma
from slp.reference.boxes import Geometry
from slp.reference.chart import Chart, build_forest
from tests.engines.cases import denison, make_table

pytestmark = pytest.mark.usefixtures("compiled_kernels")

GIB = 2**30

PRIORS = (
    ":- use(denison).",
    ":- use(denison).\n:- support(min_leaf(2)).",
    ":- use(denison).\n:- support([min_leaf(3), max_depth(4)]).",
    ":- use(growtree).",
    ":- use(growtree).\n:- feature_weight(x1, 3).\n:- feature_weight(x3, 0.5).",
    ":- use(growtree).\n:- support(max_depth(4)).",
    ":- use(growtree).\n:- feature_weight(x0, 2).\n:- support(min_leaf(2)).",
    ":- use(growtree_all).",
    ":- use(growtree_all).\n:- support(min_leaf(2)).",
    ":- use(growtree_gap).\n:- feature_weight(x1, 3).",
    ":- use(gmt).",
    ":- use(gmt, [q = 0.4]).",
)

LOW, HIGH = "box(b, x0, -1, 0.5).\n", "box(b, x0, 0.5, 2).\nbox(b, x1, -1, 0.5).\n"
CONSTRAINTS = (
    ":- constraint(first(x0)).",
    ":- constraint(first(x0)).\n:- failure(condition).\n:- support([min_leaf(3), max_depth(3)]).",
    ":- constraint(before(x0, x1)).",
    ":- constraint(once(x4)).",
    ":- constraint(once(x0)).\n:- constraint(once(x1)).\n:- support(min_leaf(2)).",
    ":- constraint(exclusive([x1, x4])).",
    ":- constraint(forbid(x1)).",
    ":- constraint(forbid(x1, below(2))).",
    LOW + ":- constraint(forbid(x1, within(b))).",
    HIGH + ":- constraint(forbid(x4, within(b))).\n:- failure(condition).",
    LOW + ":- constraint(constant(b)).",
    HIGH + ":- constraint(constant(b)).",
    LOW + ":- constraint(majority(b, 1)).",
    HIGH + ":- constraint(majority(b, 0)).\n:- constraint(first(x0)).",
    ":- constraint(interaction([[x0, x1], [x2, x3, x4]])).",
    ":- constraint(max_leaves(8)).",
    ":- constraint(first(x0)).\n:- constraint(max_leaves(8)).",
    ":- cost(x0, 2). :- cost(x1, 1). :- cost(x4, 1). :- constraint(max_cost(2)).",
)


def data(seed: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Random bits, one column twice, one constant, one of two levels; and classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, d)).astype(object)
    X[:, d - 1] = X[:, 0]
    X[:, d - 2] = 1
    X[:, d - 3] = np.where(X[:, d - 3] == 1, "yes", "no")
    y = (X[:, 0] ^ X[:, 1]) ^ (rng.random(n) < 0.1)
    return X, y.astype(np.int64)


def compiled(
    grammar: TreeGrammar, table: Table, likelihood: bool = True, threads: int = 1
) -> CompiledChart:
    return CompiledChart.of(grammar, table, likelihood, GIB, threads=threads)


def plain(grammar: TreeGrammar, table: Table, likelihood: bool = True) -> Chart:
    return Chart(build_forest(grammar, Geometry(grammar, table), GIB), likelihood)


def close(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-12)


def same_quantities(grammar: TreeGrammar, table: Table, queries: np.ndarray) -> None:
    same_values(grammar, table, queries)
    want, have = plain(grammar, table), compiled(grammar, table, threads=8)
    draws = [c.draw(30, np.random.default_rng(1)) for c in (have, want)]
    assert [d.tree for d in draws[0]] == [d.tree for d in draws[1]]


def same_values(grammar: TreeGrammar, table: Table, queries: np.ndarray) -> None:
    """All but draws."""
    want, have = plain(grammar, table), compiled(grammar, table, threads=8)
    close(have.log_total, want.log_total)
    close(have.other(False).log_total, want.other(False).log_total)
    assert have.tree_count() == pytest.approx(want.tree_count(), rel=1e-12)
    close(have.usage(), want.usage())
    close(have.expected_splits(), want.expected_splits())
    best = list(islice(want.best(), 8))
    ranked = [x.log_weight + x.log_likelihood for x in islice(have.best(), 8)]
    close(ranked, [x.log_weight + x.log_likelihood for x in best])
    for scored in best:
        close(have.log_weight(scored.tree), want.log_weight(scored.tree))
    leaf = table.leaf
    predict = leaf.predict_proba if leaf.classes else leaf.mean
    for a, b in zip(have.leaf_mixtures(queries), want.leaf_mixtures(queries), strict=True):
        close(a.probability @ predict(a.statistics), b.probability @ predict(b.statistics))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("text", PRIORS)
def test_priors(text: str) -> None:
    for seed, n, d in ((0, 40, 8), (1, 14, 7), (2, 3, 5)):
        X, y = data(seed, n, d)
        model = slp.parse(text).compile(X, y)
        same_quantities(model.grammar, model.table, X[:3])


@pytest.mark.thinned(9)
@pytest.mark.parametrize(
    "text",
    [f":- use({prior}).\n{c}" for prior in ("growtree", "denison") for c in CONSTRAINTS]
    + [f":- use(pinball).\n{c}" for c in ("", CONSTRAINTS[2], CONSTRAINTS[4])],
)
def test_constraints(text: str) -> None:
    """A table of five rows has small boxes alone."""
    for seed, n, d in ((0, 24, 7), (5, 5, 7)):
        X, y = data(seed, n, d)
        X[:4, 0], y[:4] = (0, 0, 1, 1), (0, 1, 0, 1)  # each class may have its majority
        model = slp.parse(text).compile(X, y)
        assert "by binary-feature blocks" in algorithm_in_words(model)
        same_values(model.grammar, model.table, X[:3])


def test_a_leaf_without_its_majority_keeps_its_weight() -> None:
    """Under `condition` the other rules of its state are divided by it too."""
    X, y = data(0, 24, 7)
    text = f":- use(growtree).\n{LOW}:- constraint(majority(b, 1)).\n:- failure(condition)."
    model = slp.parse(text).compile(X, y)
    assert "by binary-feature blocks" in algorithm_in_words(model)
    same_values(model.grammar, model.table, X[:3])


def test_a_called_state_of_the_whole_table() -> None:
    """The start calls a state that splits lead to as well."""
    X, y = data(2, 3, 5)
    model = slp.parse(":- use(pinball).").compile(X, y)
    assert "by binary-feature blocks" in algorithm_in_words(model)
    same_values(model.grammar, model.table, X)


@pytest.mark.thinned(23)
@pytest.mark.parametrize("d", [76, 129])
@pytest.mark.parametrize("text", PRIORS)
def test_priors_of_words_of_128_bits(text: str, d: int) -> None:
    X, y = data(3, 15 if "min_leaf(3)" in text else 10, d)  # trees of four levels
    model = slp.parse(text).compile(X, y)
    assert sum(len(set(column)) > 1 for column in X.T) in (75, 128)
    assert "by binary-feature blocks" in algorithm_in_words(model)
    same_quantities(model.grammar, model.table, X[:3])


def test_lengths_and_gaps() -> None:
    """Features of three values, of which two occur: the length of a split depends on the third."""
    rng = np.random.default_rng(6)
    rows = rng.integers(0, 2, (40, 6))
    features = [Feature(f"f{f}", Numeric(np.array([0.0, 1.0, 1.5 + f]))) for f in range(6)]
    table = make_table(features, rows.tolist(), (rows[:, 0] ^ rows[:, 1]).tolist())
    for measure in ("range", "gap"):
        same_quantities(denison(table, 3.0, measure), table, rows[:2].astype(object))


@pytest.mark.parametrize("constraint", ["", CONSTRAINTS[0], CONSTRAINTS[7]])
def test_the_measure_range(constraint: str) -> None:
    rng = np.random.default_rng(6)
    X = rng.integers(0, 2, (24, 5)).astype(float)
    text = f":- use(rjhmc).\n:- feature_weight(x2, 2).\n{constraint}"
    model = slp.parse(text).compile(X, X[:, 0] != X[:, 1])
    assert "by binary-feature blocks" in algorithm_in_words(model)
    same_quantities(model.grammar, model.table, X[:3].astype(object))


def test_boxes_and_splits_are_counted() -> None:
    """All of them are where no box has so few rows that it is worked out with others, and every
    part of a box can be come to by splits alone: in the whole set of bits,
    cut into parts of eight."""
    X = np.array([[i >> f & 1 for f in range(7)] for i in range(128)], dtype=object)
    model = slp.parse(":- use(denison).\n:- support(min_leaf(8)).").compile(X, X[:, 0])
    chart = compiled(model.grammar, model.table)
    found = chart.passes.get("total", True, "root").statistics()
    parts = {k: math.comb(7, k) * 2 ** (7 - k) for k in range(3, 8)}  # by free dimensions
    assert found["items"] == sum(parts.values())
    # The smallest are leaves; others split along each free dimension, or are leaves.
    assert found["edges"] == sum(n * (1 + k * (k > 3)) for k, n in parts.items())


@pytest.mark.parametrize(
    "leaf",
    [
        Dirichlet(("a", "b", "c"), (0.3, 1.0, 2.5)),
        NormalInverseGamma(0.5, 0.3, 2.0, 1.5),
        GammaPoisson(1.5, 0.5),
    ],
    ids=["classes", "numbers", "counts"],
)
def test_leaf_models_and_repeated_rows(leaf: LeafModel) -> None:
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 2, (90, 5))
    y = rng.integers(0, 3, 90) if leaf.classes else rng.poisson(3 * rows[:, 0] + 1)
    features = [Feature(f"f{f}", Numeric(np.array([0.0, 1.0]))) for f in range(5)]
    table = make_table(features, rows.tolist(), y.astype(float).tolist(), leaf)
    for measure in ("each", "all", "feature_then_cut", "per_feature"):
        same_quantities(denison(table, 3.0, measure), table, rows[:2].astype(object))


def bits(n: int, d: int) -> Table:
    rng = np.random.default_rng(7)
    rows = rng.integers(0, 2, (n, d))
    features = [Feature(f"f{f}", Numeric(np.array([0.0, 1.0]))) for f in range(d)]
    return make_table(features, rows.tolist(), (rows[:, 0] ^ rows[:, 1]).tolist())


def test_rows_beyond_one_word_of_marks() -> None:
    table = bits(150, 8)
    assert len(table.counts) > 64
    grammar = denison(table, np.e**2)
    close(compiled(grammar, table).log_total, plain(grammar, table).log_total)


@pytest.mark.parametrize("prior", ["denison", "growtree"])
def test_the_number_of_threads_changes_no_bit(prior: str) -> None:
    rng = np.random.default_rng(8)
    X = rng.integers(0, 2, (120, 10))
    model = slp.parse(f":- use({prior}).").compile(X, X[:, 0] ^ X[:, 1])
    seen = set()
    for threads in (1, 2, 8, 8):
        have = compiled(model.grammar, model.table, threads=threads)
        mixture = next(have.leaf_mixtures(X[:1].astype(object)))
        best = next(have.best())
        seen.add((have.log_total, best.log_weight, mixture.probability.tobytes()))
    assert len(seen) == 1


def test_likelihoods_that_underflow() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (20_000, 9))
    features = [Feature(f"f{f}", Numeric(np.array([0.0, 1.0]))) for f in range(9)]
    table = make_table(features, rows.tolist(), rng.integers(0, 2, 20_000).tolist())
    assert len(table.counts) == 512
    rules = slp.parse(":- use(growtree).\n:- support(max_depth(2)).")
    model = rules.compile(rows, rng.integers(0, 2, 20_000))
    want = plain(model.grammar, model.table).log_total
    assert want < -10_000
    assert compiled(model.grammar, model.table).log_total == pytest.approx(want, rel=1e-12)
    few = bits(50, 6)
    assert compiled(denison(few, 1e-40), few).log_total == pytest.approx(
        plain(denison(few, 1e-40), few).log_total, rel=1e-12
    )


@pytest.mark.parametrize("values", [2, 12])
def test_leaves_that_underflow_are_not_taken_for_impossible(values: int) -> None:
    """Under `max_leaves` a value may be 0; here every value is below the range of doubles."""
    X = np.repeat(np.arange(values, dtype=float), 2400 // values)[:, None]
    y = np.arange(2400) % 2
    model = slp.parse(":- use(growtree).\n:- constraint(max_leaves(2)).").compile(X, y)
    want = plain(model.grammar, model.table).log_total
    assert want < -1_500
    close(compiled(model.grammar, model.table).log_total, want)
    close(
        next(compiled(model.grammar, model.table).best()).log_weight,
        next(plain(model.grammar, model.table).best()).log_weight,
    )


def test_weights_of_features_beyond_doubles() -> None:
    X, y = data(0, 24, 7)
    text = ":- use(growtree).\n:- feature_weight(x0, 1e-250).\n:- constraint(first(x0))."
    model = slp.parse(f"{text}\n:- constraint(max_leaves(4)).").compile(X, y)
    assert "a factor of more than 1e18" in algorithm_in_words(model)
    same_values(model.grammar, model.table, X[:3])


def test_boxes_of_features_that_no_state_splits_on_are_left_out() -> None:
    X, y = data(0, 200, 12)
    items = []
    for constraint in ("", ":- constraint(forbid(x1)). :- constraint(forbid(x2))."):
        model = slp.parse(f":- use(growtree_all). {constraint}").compile(X, y)
        run = passes.Passes(model.grammar, model.table, GIB, threads=1).get("total", True, "root")
        items.append(run.statistics()["items"])
        same_values(model.grammar, model.table, X[:3])
    assert items[1] < items[0] / 3


def test_it_reports_the_boxes_that_it_keeps() -> None:
    """All but those of one row, and small ones that only small ones lead to."""
    table = bits(120, 9)
    grammar = denison(table, 2.0)
    forest = build_forest(grammar, Geometry(grammar, table), GIB)
    run = passes.Passes(grammar, table, GIB, threads=1).get("total", True, "root")
    have = run.statistics()
    singles = len(table.counts)
    assert 0.9 * (forest.n_items - singles) < have["items"] <= forest.n_items - singles


@pytest.mark.parametrize("prior", ["denison", pytest.param("growtree", marks=pytest.mark.slow)])
def test_bounds_where_memory_runs_out(prior: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "_WORK_ON_BOUNDS", 1e5)
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (150, 12))
    y = X[:, 0] ^ X[:, 1]
    program = slp.parse(f":- use({prior}).")
    want = program.posterior(X, y, draws=0).log_evidence
    assert want is not None
    for memory in (200_000, 1_000_000):
        with pytest.raises(BudgetError) as error:
            program.posterior(X, y, engine="exact", draws=0, memory=memory)
        assert error.value.diagnostics[0].code == "E501"
        assert error.value.log_evidence_bounds is not None
        low, high = error.value.log_evidence_bounds
        assert low <= want <= high
