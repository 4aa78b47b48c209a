"""Averages over draws of every engine, against the trees one by one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import slp
from slp.leaves import NormalInverseGamma
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.posterior import Posterior

RNG = np.random.default_rng(0)
N = 40
FRAME = pl.DataFrame(
    {
        "a": RNG.normal(size=N).round(1),
        "b": RNG.integers(0, 5, N),
        "c": RNG.choice(["p", "q", "r"], N),
        "d": RNG.normal(size=N),
        "y": RNG.choice(["no", "maybe", "yes"], N),
    }
)
NEW = pl.DataFrame(
    {"a": [0.3, -9.0, 0.1], "b": [2, 9, 3], "c": ["q", "r", "p"], "d": [0.2, -7.0, 0.0]}
)
BINS = " :- feature(d, [bins(quantile, 3)])."
EDITTREE = ":- use(edittree, [tree = 't0.json', p = 0.8])."


def drawn(engine: str, tmp_path: Any) -> Posterior:
    options: dict[str, Any] = {"engine": "mh", "draws": 60, "thin": 5, "chains": 3, "warmup": 50}
    options["rounds"] = 1
    text = ":- use(growtree)."
    match engine:
        case "plain":
            return _posterior(slp.parse(text + BINS).require(lambda _: True, local=True), options)
        case "edits":
            (tmp_path / "t0.json").write_text(
                '{"feature": "a", "threshold": 0.05, "left": {}, "right": {}}'
            )
            (tmp_path / "edits.slp").write_text(EDITTREE + BINS)
            return _posterior(slp.load(tmp_path / "edits.slp"), options)
        case "tempering":
            options["rungs"] = 3
    return _posterior(slp.parse(text + BINS), options)


def _posterior(program: slp.Program, options: dict[str, Any], y: str = "y") -> Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        return program.posterior(FRAME, y, seed=5, **options)


def _splits(tree: slp.Tree, feature: str) -> int:
    return sum(getattr(node, "feature", None) == feature for node in tree.nodes())


@pytest.mark.parametrize("engine", ["mh", "tempering", "edits", "plain"])
def test_averages_are_those_of_the_trees(engine: str, tmp_path: Any) -> None:
    posterior = drawn(engine, tmp_path)
    trees = [draw.tree for draw in posterior.draws]
    assert len(set(trees)) > 10
    leaf = posterior.table.leaf
    want = np.zeros((3, 3))
    for tree in trees:
        counts = [[n.summary["counts"].get(c, 0) for c in leaf.classes] for n in tree.leaves()]
        want += leaf.predict_proba(np.array(counts, np.float64))[tree.apply(NEW)]
    np.testing.assert_allclose(posterior.predict_proba(NEW), want / 60, rtol=1e-12)
    assert posterior.expected_leaves() == pytest.approx(np.mean([t.n_leaves for t in trees]))
    assert posterior.expected_depth() == pytest.approx(np.mean([t.depth for t in trees]))
    for name, use in posterior.split_probabilities().items():
        counts = [_splits(tree, name) for tree in trees]
        assert use.expected_splits == pytest.approx(np.mean(counts))
        assert use.probability == pytest.approx(np.mean(np.array(counts) > 0))


@pytest.mark.parametrize("engine", ["mh", "exact"])
def test_arviz_has_the_shapes_of_the_trees(engine: str) -> None:
    options = {"engine": engine, "draws": 60}
    posterior = _posterior(slp.parse(":- use(growtree). :- support(max_depth(2))." + BINS), options)
    data = posterior.to_arviz().posterior
    trees = [draw.tree for draw in posterior.draws]
    assert data["leaves"].values.ravel().tolist() == [t.n_leaves for t in trees]
    assert data["depth"].values.ravel().tolist() == [t.depth for t in trees]
    splits = [
        [sum(getattr(n, "feature", None) == f for n in t.nodes()) for f in "abcd"] for t in trees
    ]
    assert data["splits"].values.reshape(-1, 4).tolist() == splits


def test_only_so_much_is_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are gone through in pieces, for the same numbers; diagnostics look at some of them, once
    in each round."""
    options = {"engine": "mh", "draws": 60, "rounds": 1, "warmup": 200, "thin": 5}
    want = _posterior(slp.parse(":- use(growtree)."), options)
    whole = want.predict_error(FRAME)
    held: list[int] = []
    told = DrawnTrees._told

    def watched(
        drawn: DrawnTrees, values: NDArray[np.float64], design: None
    ) -> NDArray[np.float64]:
        held.append(values.shape[1])
        return told(drawn, values, design)

    monkeypatch.setattr(DrawnTrees, "_told", watched)
    monkeypatch.setattr("slp.results.averages.routed_trees._MOST_HELD", 5 * 60 * 3)
    np.testing.assert_array_equal(want.predict_error(FRAME), whole)
    assert held == [5] * (N // 5)
    held.clear()
    have = _posterior(slp.parse(":- use(growtree)."), options).diagnostics
    assert held == [5]
    assert have is not None and have.convergence["predictions"].r_hat is not None


def test_means_of_numbers_are_averaged() -> None:
    posterior = _posterior(
        slp.parse(":- use(growtree)."),
        {"engine": "mh", "draws": 60, "rounds": 1, "warmup": 200, "thin": 5},
        "d",
    )
    leaf = posterior.table.leaf
    assert isinstance(leaf, NormalInverseGamma)
    mu, kappa, _, _ = leaf.hyperparameters
    new = NEW.select("a", "b", "c").with_columns(y=pl.lit("no"))
    want = np.zeros(3)
    for draw in posterior.draws:
        means = []
        for node in draw.tree.leaves():
            n, mean = node.summary["n"], node.summary["mean"]
            means.append((kappa * mu + n * mean) / (kappa + n))
        want += np.array(means)[draw.tree.apply(new)]
    np.testing.assert_allclose(posterior.predict(new), want / 60, rtol=1e-10)
