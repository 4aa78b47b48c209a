"""Passes by interval blocks are used where expected, and equal the plain chart in every quantity.
The mass that they leave out of deep trees is bounded."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.engines.exact import CompiledChart
from slp.ir.tree_grammar import TreeGrammar
from slp.reference.boxes import Geometry
from slp.reference.chart import Chart, build_forest
from tests.engines.cases import growtree, make_table, numeric

pytestmark = pytest.mark.usefixtures("compiled_kernels")

GIB = 2**30

PRIORS = ("denison", "growtree", "growtree_all", "gmt")
SUPPORTS = ("", "max_depth(4)", "min_leaf(3)", "[max_depth(4), min_leaf(2)]")
LEAVES = (
    "dirichlet(1)",
    "dirichlet([0.5, 2, 1])",
    "normal_inverse_gamma(0, 0.1, 2, 1)",
    "gamma_poisson(1.5, 0.5)",
    "gamma_exponential(2, 1)",
)


@cache
def case(prior: str, support: str, leaf: str) -> tuple[TreeGrammar, Table]:
    """17 rows, the last two of them equal, of a numeric feature, one with declared cuts and a
    categorical one."""
    rng = np.random.default_rng(17)
    n = 16
    x = rng.permutation(n).astype(np.float64)
    z = rng.integers(0, 40, n).astype(np.float64)
    c = rng.choice(["p", "q", "r"], n)
    again = [*range(n), n - 1]
    frame = pl.DataFrame({"x": x[again], "z": z[again], "c": c[again]})
    y = rng.integers(1, 4, n + 1)
    text = f":- use({prior}).\n:- leaf({leaf}).\n:- feature(z, [cuts([8, 20, 31])]).\n"
    if support:
        text += f":- support({support}).\n"
    response = y.astype(str) if leaf.startswith("dirichlet") else y.astype(np.float64)
    model = slp.parse(text).compile(frame, response)
    return model.grammar, model.table


def compiled(grammar: TreeGrammar, table: Table, likelihood: bool, threads: int) -> CompiledChart:
    return CompiledChart.of(grammar, table, likelihood, GIB, threads=threads)


@cache
def plain(prior: str, support: str, leaf: str) -> Chart:
    grammar, table = case(prior, support, leaf)
    return Chart(build_forest(grammar, Geometry(grammar, table), GIB), likelihood=True)


def close(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-12)


def splits(node: dict[str, Any]) -> object:
    """A tree without its leaves' summaries, which may differ by rounding."""
    if "left" not in node:
        return None
    where = node.get("threshold", node.get("level"))
    return node["feature"], where, splits(node["left"]), splits(node["right"])


def check_equal(have: CompiledChart, want: Chart, rows: np.ndarray) -> None:
    """In every quantity; and those that blocks can give were taken from blocks."""
    close(have.log_total, want.log_total)
    assert have.tree_count() == want.tree_count()
    best, listed = list(islice(want.best(), 8)), list(islice(have.best(), 8))
    for a, b in zip(listed, best, strict=True):
        close(a.log_weight + a.log_likelihood, b.log_weight + b.log_likelihood)
    drawn = [c.draw(30, np.random.default_rng(1)) for c in (have, want)]
    assert [splits(d.tree.to_dict()) for d in drawn[0]] == [
        splits(d.tree.to_dict()) for d in drawn[1]
    ]
    close([d.log_weight for d in drawn[0]], [d.log_weight for d in drawn[1]])
    for scored in best:
        close(have.log_weight(scored.tree), want.log_weight(scored.tree))
    close(have.usage(), want.usage())
    close(have.expected_splits(), want.expected_splits())
    close(have.root_splits(), want.root_splits())
    for name in ("leaf_distribution", "depth_distribution"):
        a, b = getattr(have, name)(), getattr(want, name)()
        length = max(len(a), len(b))
        close(np.pad(a, (0, length - len(a))), np.pad(b, (0, length - len(b))))
    leaf = want.forest.geometry.table.leaf
    predict = leaf.predict_proba if leaf.classes else leaf.mean
    for m, w in zip(have.leaf_mixtures(rows), want.leaf_mixtures(rows), strict=True):
        close(m.probability @ predict(m.statistics), w.probability @ predict(w.statistics))
    for quantity, items in (("total", "items"), ("best", "items"), ("count", "root")):
        assert have.passes.get(quantity, quantity != "count", items).by_interval_blocks()


NEW_ROWS = np.array(
    [[3.5, 10.0, "p"], [-1.0, 35.0, "q"], [30.0, 22.0, "new"], [11.0, 8.0, "r"]], np.object_
)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("threads", [1, 8])
@pytest.mark.parametrize("prior", ["denison", "growtree"])
def test_rows_that_go_with_rows_of_the_table(prior: str, threads: int) -> None:
    """Many of them are followed together, others each on its own way."""
    key = (prior, "", "dirichlet(1)")
    grammar, table = case(*key)
    rng = np.random.default_rng(17)
    x, z = rng.permutation(16), rng.integers(0, 40, 16)
    c = rng.choice(["p", "q", "r"], 16)
    same = [[float(a), float(b), str(v)] for a, b, v in zip(x, z, c, strict=True)]
    near = [[a + 0.4, b, v] for a, b, v in same[:5]]
    rows = np.array([*same[:12], *NEW_ROWS.tolist(), *near, *same[:3]], np.object_)
    have, want = compiled(grammar, table, True, threads), plain(*key)
    close(have.predictions(rows), want.predictions(rows))
    predict = table.leaf.predict_proba
    for m, w in zip(have.leaf_mixtures(rows), want.leaf_mixtures(rows), strict=True):
        close(m.probability @ predict(m.statistics), w.probability @ predict(w.statistics))
        assert m.probability.sum() == pytest.approx(1)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("threads", [1, 8])
@pytest.mark.parametrize("support", SUPPORTS)
@pytest.mark.parametrize("prior", PRIORS)
def test_every_quantity_under_every_uniform_prior(prior: str, support: str, threads: int) -> None:
    key = (prior, support, "dirichlet(1)")
    have = compiled(*case(*key), likelihood=True, threads=threads)
    check_equal(have, plain(*key), NEW_ROWS)
    close(have.other(False).log_total, plain(*key).other(False).log_total)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("leaf", LEAVES[1:])
@pytest.mark.parametrize("prior", ["denison", "growtree"])
def test_every_leaf_model(prior: str, leaf: str) -> None:
    key = (prior, "min_leaf(2)", leaf)
    check_equal(compiled(*case(*key), likelihood=True, threads=2), plain(*key), NEW_ROWS)


def test_splits_weigh_by_their_gaps_in_each_member() -> None:
    key = ("growtree_gap", "min_leaf(2)", "dirichlet(1)")
    check_equal(compiled(*case(*key), likelihood=True, threads=2), plain(*key), NEW_ROWS)


def test_the_only_feature_that_can_be_inner_is_left_out_too() -> None:
    """P(a feature is used) sums over the trees without it; the blocks stay those of this one."""
    rng = np.random.default_rng(9)
    frame = pl.DataFrame({"x": np.arange(14.0), "c": rng.choice(["p", "q", "r"], 14)})
    y = rng.integers(0, 2, 14).astype(str)
    model = slp.parse(":- use(growtree).").compile(frame, y)
    chart = compiled(model.grammar, model.table, likelihood=True, threads=1)
    want = Chart(build_forest(model.grammar, Geometry(model.grammar, model.table), GIB), True)
    assert chart.passes.get("total", True, "root").by_interval_blocks()
    close(chart.usage(), want.usage())
    close(chart.expected_splits(), want.expected_splits())


def test_a_pass_for_the_evidence_alone_is_the_one_that_keeps_its_boxes() -> None:
    grammar, table = case("growtree", "", "dirichlet(1)")
    charts = [
        CompiledChart.of(grammar, table, True, GIB, items_wanted=wanted) for wanted in (False, True)
    ]
    assert charts[0].log_total == charts[1].log_total


def test_a_leaf_that_underflows_beside_better_trees_is_nothing() -> None:
    """Where no value may be 0, what is lost is less than 2^-170 of the sum."""
    x = np.repeat(np.arange(40.0), 50)
    model = slp.parse(":- use(denison).").compile(x[:, None], (x < 20).astype(int))
    chart = compiled(model.grammar, model.table, likelihood=True, threads=1)
    assert chart.passes.get("total", True, "items").by_interval_blocks()
    want = Chart(build_forest(model.grammar, Geometry(model.grammar, model.table), GIB), True)
    assert chart.log_total == pytest.approx(want.log_total, rel=1e-12) and want.log_total > -100
    assert chart.expected_splits() == pytest.approx(want.expected_splits(), rel=1e-9)


# --- depth ---------------------------------------------------------------------------------


def line(n: int, seed: int) -> Table:
    """n rows that one feature tells apart, beside one of three values; two noisy classes."""
    rng = np.random.default_rng(seed)
    rows = [[i, int(rng.integers(3))] for i in range(n)]
    y = [int((i < n // 2) ^ (rng.random() < 0.2)) for i in range(n)]
    features: list[Feature] = [numeric("x", n), numeric("z", 3)]
    return make_table(features, rows, y)


@pytest.mark.parametrize("likelihood", [True, False])
@pytest.mark.parametrize(("alpha", "beta"), [(0.95, 1.0), (0.5, 2.0), (0.3, 1.0)])
def test_deep_trees_left_out_weigh_less_than_is_said(
    alpha: float, beta: float, likelihood: bool
) -> None:
    """Against a pass box by box, which follows trees to any depth."""
    table = line(36, 2)
    grammar = growtree(table, alpha, beta, 36)
    have = compiled(grammar, table, likelihood, threads=1)
    cut = have.passes.get("total", likelihood, "items").depth_cut()
    assert cut is not None
    assert 4 < cut[0] < 35
    assert 0 < have.left_out <= 1e-12
    whole = have.passes.engine.make_pass(0, likelihood, True, 0, 0, GIB, 1)
    whole.run(None)
    assert not whole.by_interval_blocks()
    close(have.log_total, have.passes.engine.root_values(whole)[0])
