"""The representative tree: its loss by the list of all trees, and which tree it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import slp
from slp.errors import UsageError
from tests.results.test_predictive import frame, posterior

pytestmark = pytest.mark.filterwarnings("ignore::slp.SlpWarning")

#: What a leaf predicts from its responses y with weights w, by the definitions: `LEAVES` of
#: tests/results/test_predictive.py.
PREDICTED: dict[str, Any] = {
    "classes": lambda y, w: [
        (a + w[y == c].sum()) / (3.5 + w.sum())
        for a, c in zip((0.5, 1, 2), ("one", "three", "two"), strict=True)
    ],
    "numbers": lambda y, w: [(0.5 * 0.5 + (w * y).sum()) / (0.5 + w.sum())],
    "counts": lambda y, w: [(1 + (w * y).sum()) / (0.5 + w.sum())],
    "durations": lambda y, w: [(2 + (w * y).sum()) * (2 ** (1 / (3 + w.sum())) - 1)],
}


def predictions(name: str, tree: slp.Tree, data: pl.DataFrame, w: NDArray[Any]) -> NDArray[Any]:
    """What a tree predicts of the rows of its table, shape (n, C)."""
    leaf, y = tree.apply(data), data[name].to_numpy()
    return np.array([PREDICTED[name](y[leaf == own], w[leaf == own]) for own in leaf])


def losses(
    name: str, trees: list[slp.Tree], found: slp.Posterior, w: NDArray[Any]
) -> tuple[list[float], float]:
    """The losses of trees, and the spread, over the list of all trees of a posterior."""
    every = found.k_best(10**5)
    p = np.array([math.exp(each.log_posterior or 0.0) for each in every])
    assert p.sum() == pytest.approx(1)
    data = frame()
    of_all = np.array([predictions(name, each.tree, data, w) for each in every])

    def away(one: NDArray[Any]) -> float:
        squares = ((of_all - one) ** 2).sum(axis=-1) @ w / w.sum()
        return float(p @ squares)

    own = [away(predictions(name, tree, data, w)) for tree in trees]
    return own, away(np.tensordot(p, of_all, 1))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("engine", ["exact", "enumerate", "chart"])
@pytest.mark.parametrize("name", PREDICTED)
def test_losses_are_sums_over_the_list_of_all_trees(name: str, engine: str) -> None:
    found = posterior(name, engine)
    have = found.representative_tree(seed=1)
    want, spread = losses(name, [have.tree, found.map_tree()], found, np.ones(12))
    assert [have.loss.value, have.map_loss.value] == pytest.approx(want, rel=1e-9)
    assert have.spread == pytest.approx(spread, rel=1e-9)
    assert (have.loss.kind, have.loss.error) == ("exact", 0.0)
    assert have.spread <= have.loss.value <= have.map_loss.value


def test_no_other_tree_is_nearer() -> None:
    """There are fewer trees than candidates, so it is the nearest of all."""
    text = ":- use(growtree). :- support(max_depth(1)). :- leaf(dirichlet([0.5, 1, 2]))."
    found = slp.parse(text).posterior(frame().select("a", "b", "classes"), seed=1, draws=0)
    have = found.representative_tree(seed=1)
    trees = [each.tree for each in found.k_best(100)]
    assert len(trees) < 20
    want, _ = losses("classes", trees, found, np.ones(12))
    assert have.loss.value == pytest.approx(min(want), rel=1e-9)
    assert have.tree == trees[int(np.argmin(want))]


def test_rows_count_by_their_weights() -> None:
    w = np.arange(12) % 3 + 0.5
    text = ":- use(growtree). :- support(max_depth(2)). :- leaf(dirichlet([0.5, 1, 2]))."
    data = frame().select("a", "b", "classes").with_columns(w=pl.Series(w))
    found = slp.parse(text + " :- row_weight(w).").posterior(data, "classes", seed=1, draws=0)
    have = found.representative_tree(seed=1)
    (want,), spread = losses("classes", [have.tree], found, w)
    assert (have.loss.value, have.spread) == pytest.approx((want, spread), rel=1e-9)


@pytest.mark.parametrize("engine", ["mh", "smc"])
def test_samplers_tell_the_error_of_losses(engine: str) -> None:
    """Within 4.5 errors of the sum over all trees: 7e-6 for each of these numbers."""
    exact, found = posterior("classes"), posterior("classes", engine, 1000)
    have = found.representative_tree(seed=1)
    want, _ = losses("classes", [have.tree, found.map_tree()], exact, np.ones(12))
    for own, true in zip((have.loss, have.map_loss), want, strict=True):
        assert own.kind == "estimate" and own.error > 0
        assert abs(own.value - true) < 4.5 * own.error
    assert f"{have.loss.value:.4f} +- {have.loss.error:.4f}" in have.in_words()


def test_of_trees_found_alone() -> None:
    have = posterior("classes", "modal").representative_tree()
    assert have.loss.kind == "found" and math.isnan(have.loss.error)
    assert have.to_dict()["loss_error"] is None
    assert "over the trees found alone" in str(have)


@pytest.mark.parametrize(
    "declared", ["feature(s, [missing(level)])", "feature(_, [missing(side)])"]
)
def test_rows_of_the_table_go_where_they_went(declared: str) -> None:
    """Levels, and missing values: by the trees' own leaves."""
    data = pl.DataFrame(
        {"s": ["u", None, "v", "u", "w", None], "x": [1.0, 0, 2, 3, 0, 1], "y": list("ababba")}
    )
    text = f":- use(growtree). :- support(max_depth(2)). :- leaf(dirichlet(1)). :- {declared}."
    found = slp.parse(text).posterior(data, "y", seed=1, draws=0)
    have, every = found.representative_tree(seed=1), found.k_best(10**5)

    def told(tree: slp.Tree) -> NDArray[Any]:
        leaf, y = tree.apply(data), (data["y"] == "b").to_numpy()
        share = np.array([(1 + y[leaf == own].sum()) / (2 + (leaf == own).sum()) for own in leaf])
        return np.stack([1 - share, share], axis=1)

    p = np.array([math.exp(each.log_posterior or 0.0) for each in every])
    away = [((told(each.tree) - told(have.tree)) ** 2).sum() / 6 for each in every]
    assert have.loss.value == pytest.approx(float(p @ away), rel=1e-9)


def test_refusals() -> None:
    prior = posterior("classes", prior=True)
    with pytest.raises(UsageError, match="E569.*prior"):
        prior.representative_tree()
    rows = [[0.0], [1.0], [2.0], [3.0]]
    soft = slp.parse(":- use(rjhmc).").posterior(rows, [0.0, 1, 2, 4], engine="rjhmc", draws=4)
    with pytest.raises(UsageError, match="E569.*soft"):
        soft.representative_tree()
    with pytest.raises(UsageError, match="E505"):
        posterior("classes").representative_tree(seed=-1)


@pytest.mark.parametrize("engine", ["exact", "mh"])
def test_rows_by_pieces_are_those_of_all(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = posterior("numbers", engine, 0 if engine == "exact" else 200)
    want = found.representative_tree(seed=1)
    monkeypatch.setattr("slp.results.representative._NUMBERS", 10)  # five rows of two features
    have = found.representative_tree(seed=1)
    assert have.tree == want.tree and have.loss.kind == want.loss.kind
    for own, other in ((have.loss, want.loss), (have.map_loss, want.map_loss)):
        assert own.value == pytest.approx(other.value, rel=1e-12)
        assert own.error == pytest.approx(other.error, rel=1e-9)
