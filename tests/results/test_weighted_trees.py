"""Averages of a few trees of a posterior."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp

X = pl.DataFrame({"age": [10.0, 20.0, 40.0, 70.0, 15.0, 33.0], "sex": list("fmfmfm")})
CLASSES = ["no", "no", "yes", "yes", "no", "yes"]
NUMBERS = [1.5, 2.5, 3.0, 9.0, 2.0, 2.5]


def posterior(y: Any, text: str = "", **options: Any) -> slp.Posterior:
    return slp.parse(f":- use(growtree). {text}").posterior(X, y, **options)


@pytest.mark.parametrize("y", [CLASSES, NUMBERS])
def test_all_best_trees_are_the_posterior(y: Any) -> None:
    found = posterior(y)
    count = found.tree_count()
    assert isinstance(count, int) and count < 500
    average = found.average(count, best=True)
    assert len(average) == count and average.probability == pytest.approx(1)
    want = [math.exp(c.log_posterior or 0.0) for c in found.k_best(count)]
    np.testing.assert_allclose(average.weights, want, rtol=1e-9)
    ask = "predict_proba" if y is CLASSES else "predict"
    np.testing.assert_allclose(getattr(average, ask)(X), getattr(found, ask)(X), atol=1e-10)


def test_draws_count_by_their_share() -> None:
    found = posterior(CLASSES)
    average = found.average(200, seed=3)
    drawn = found.sample(200, seed=3)
    assert average.chosen == "draws" and average.probability is None
    assert len(average) == len(set(drawn)) < 200
    for tree, weight in zip(average.trees, average.weights.tolist(), strict=True):
        assert weight == pytest.approx(drawn.count(tree) / 200)
    each = [found.table.leaf.classes[p.argmax()] for p in average.predict_proba(X)]
    assert average.predict(X).tolist() == each


def test_a_tree_of_several_derivations_is_one() -> None:
    calls = (
        ":- start(t). 0.5 :: t --> split(_, _), t, u. 0.2 :: t --> leaf. "
        "0.3 :: t --> split(_, _), u, t. 1 :: u --> leaf."
    )
    found = slp.parse(calls).posterior(X, CLASSES)
    assert not found.derivations_are_trees
    average = found.average(12, best=True)
    assert len(average) == len({c.tree for c in found.k_best(12)}) < 12
    for tree, weight in zip(average.trees, average.weights.tolist(), strict=True):
        share = found.log_posterior(tree) - found.log_posterior(average.trees[0])  # type: ignore[operator]
        assert weight / average.weights[0] == pytest.approx(math.exp(share))


def test_averages_of_draws_of_a_sampler_and_of_a_prior() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = posterior(NUMBERS, engine="mh", draws=20, seed=1, rungs=1, warmup=0, thin=1)
        average = found.average(10, seed=1)
        assert set(average.trees) <= {draw.tree for draw in found.draws}
    prior = posterior(CLASSES).prior().average(5, seed=1)
    assert prior.predict_proba(X).shape == (6, 2)


def test_leaves_with_smoothing_keep_it() -> None:
    found = posterior(CLASSES, engine="modal", smoothing=0.5)
    average = found.average(1, best=True)
    np.testing.assert_allclose(average.predict_proba(X), found.predict_proba(X), atol=1e-12)


def test_medians_are_no_sums() -> None:
    y = np.array([[t, 1.0] for t in NUMBERS])
    table = X.with_columns(t=pl.Series(y[:, 0]), e=pl.Series(y[:, 1]))
    text = ":- use(growtree). :- response(t, event(e)). :- leaf(gamma_exponential(1, 1))."
    average = slp.parse(text).posterior(table).average(20, seed=1)
    assert (average.predict(X) > 0).all() and "median" in average.to_rules()
    for write in (average.to_sql, average.to_python, average.to_sklearn, average.to_onnx):
        with pytest.raises(slp.UsageError, match="E618"):
            write()


def test_what_is_no_average() -> None:
    found = posterior(CLASSES)
    for k in (0, -1, 1.5):
        with pytest.raises(slp.UsageError, match="E505"):
            found.average(k)  # type: ignore[arg-type]
    with pytest.raises(slp.UsageError, match="E506"):
        posterior(NUMBERS).average(1).predict_proba(X)
    tree = found.map_tree()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        edited = slp.load("edittree", tree=tree).posterior(X, CLASSES, draws=30, seed=1)
        assert len(edited.average(10, seed=1)) > 0
        with pytest.raises(slp.UsageError, match="E618"):
            edited.average(5, best=True)
        soft = slp.load("rjhmc", alpha=1).posterior(
            X.select("age"), CLASSES, engine="rjhmc", draws=4, index="soft", seed=1
        )
        with pytest.raises(slp.UsageError, match="E618"):
            soft.average(2, seed=1)
