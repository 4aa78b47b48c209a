"""Log likelihoods of soft trees and of hardened ones, by hand and by the equations of the paper."""

from __future__ import annotations

import json
import warnings
from typing import cast

import numpy as np
import polars as pl
import pytest
from scipy.special import gammaln
from scipy.stats import norm

import slp
from slp.errors import SlpWarning, UsageError
from slp.results import Posterior
from slp.trees.soft import SoftTree
from tests.engines.rjhmc.soft_tables import CLASSES, FEW, NUMBERS, drawn, soft


def test_the_likelihood_of_draws_is_that_of_equation_10() -> None:
    found = drawn(":- use(rjhmc).", CLASSES)
    leaf = found.table.leaf
    assert leaf.classes == ("p", "q")
    for draw in list(found.draws)[:20]:
        n = np.array([[k for _, k in leaf.counts or ()] for leaf in soft(draw.tree).leaves()])
        want = (gammaln(1 + n).sum(axis=1) + gammaln(2) - gammaln(2 + n.sum(axis=1))).sum()
        assert draw.log_likelihood == pytest.approx(want)


def test_the_likelihood_of_draws_is_that_of_equation_12() -> None:
    """Of all rows, those with the same values among them."""
    twice = pl.concat([NUMBERS, NUMBERS.with_columns(pl.col("y") + 0.3)])
    found = drawn(":- use(rjhmc).", twice, draws=20)
    y = twice["y"].to_numpy()
    for draw in found.draws:
        tree = soft(draw.tree)
        want = norm.logpdf(y, tree.predict(twice), np.sqrt(tree.variance or 0.0)).sum()
        assert draw.log_likelihood == pytest.approx(want)


def test_hardened_trees() -> None:
    found = drawn(":- use(rjhmc, [h = 0.000001]).", CLASSES)
    draw = found.draws[-1]
    hard = soft(draw.tree).hardened()
    assert isinstance(hard, slp.Tree) and hard.n_leaves == draw.tree.n_leaves
    softer = drawn(":- use(rjhmc).", CLASSES, index="soft")
    split = next(d.tree for d in softer.draws if d.tree.n_leaves > 1)
    with pytest.raises(UsageError, match="E546"):
        soft(split).hardened()


def gated(frame: pl.DataFrame, tree: SoftTree, hard: bool) -> np.ndarray:
    """The probability that each row reaches the leaves of one split, shape (n, 2), by hand."""
    (split,) = tree.splits
    x = frame[split.feature].to_numpy()
    if hard:
        left = (x < split.threshold).astype(np.float64)
    else:
        left = 1 / (1 + np.exp((x - split.threshold) / split.width))
    return np.stack([left, 1 - left], axis=1)


def of_one_split(found: Posterior) -> SoftTree:
    return next(soft(d.tree) for d in found.draws if d.tree.n_leaves == 2)


def test_what_hardening_changes_in_the_likelihood_of_classes() -> None:
    found = drawn(":- use(rjhmc, [h = 0.1]).", CLASSES)
    tree = of_one_split(found)
    by_class = np.stack([(CLASSES["y"] == c).to_numpy() for c in ("p", "q")], axis=1)

    def by_hand(hard: bool) -> float:
        n = gated(CLASSES, tree, hard).T @ by_class
        return float((gammaln(1 + n).sum(axis=1) + gammaln(2) - gammaln(2 + n.sum(axis=1))).sum())

    change = found.log_likelihood(tree.hardened()) - found.log_likelihood(tree)
    assert change == pytest.approx(by_hand(True) - by_hand(False)) and abs(change) > 1e-3


@pytest.mark.slow
def test_what_hardening_changes_in_the_likelihood_of_numbers() -> None:
    """With the mean of each leaf and the variance of the soft tree; of all rows, those with the
    same values among them."""
    twice = pl.concat([NUMBERS, NUMBERS.with_columns(pl.col("y") + 0.3)])
    found = drawn(":- use(rjhmc, [h = 0.1]).", twice)
    tree = of_one_split(found)
    mu, sd = [leaf.mean for leaf in tree.leaves()], np.sqrt(tree.variance or 0.0)

    def by_hand(hard: bool) -> float:
        means = gated(twice, tree, hard) @ np.array(mu, np.float64)
        return float(norm.logpdf(twice["y"].to_numpy(), means, sd).sum())

    hard = tree.hardened()
    change = found.log_likelihood(hard) - found.log_likelihood(tree)
    assert change == pytest.approx(by_hand(True) - by_hand(False)) and abs(change) > 1e-3
    copied = slp.Tree.from_dict(json.loads(json.dumps(hard.to_dict())))
    assert copied == hard and found.log_likelihood(copied) == found.log_likelihood(hard)
    larger = next(soft(d.tree) for d in found.draws if d.tree.n_leaves > 3)
    leaves = {leaf.summary["mean"] for leaf in larger.hardened().leaves()}
    assert leaves == {leaf.mean for leaf in larger.leaves()}
    own = larger.hardened().predict(twice)
    want = norm.logpdf(twice["y"].to_numpy(), own, np.sqrt(larger.variance or 0.0)).sum()
    assert found.log_likelihood(larger.hardened()) == pytest.approx(want)


@pytest.mark.slow
@pytest.mark.parametrize("index", ["hard", "soft"])
@pytest.mark.parametrize("frame", [CLASSES, NUMBERS])
def test_the_likelihood_of_a_soft_tree_of_another_run(frame: pl.DataFrame, index: str) -> None:
    one, other = (drawn(":- use(rjhmc).", frame, index=index, seed=s, draws=20) for s in (1, 2))
    own = {draw.tree for draw in one.draws}
    strange = [draw for draw in other.draws if draw.tree not in own]
    assert len(strange) > 10
    for draw in strange:
        assert one.log_likelihood(draw.tree) == pytest.approx(draw.log_likelihood)


def test_trees_whose_likelihood_is_not_known() -> None:
    """Of numbers those without means and a variance, in words; of features that the table has not
    as for hard trees; of classes every tree has one."""
    found = drawn(":- use(rjhmc).", NUMBERS)
    tree = of_one_split(found)
    said = r"E546.*means of its leaves and its variance"
    stump = slp.Tree.from_dict({"n": 40, "mean": 2.0})
    flat = slp.Tree.from_dict({"mean": 2.0, "variance": 0.0})
    for one in (tree.skeleton(), tree.without_outcomes(), stump, flat):
        with pytest.raises(UsageError, match=said):
            found.log_likelihood(cast(slp.Tree, one))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        program = slp.load("rjhmc")
        prior = program.prior(NUMBERS, engine="rjhmc", **FEW)
        of_classes = program.prior(CLASSES, engine="rjhmc", **FEW)
    with pytest.raises(UsageError, match=said):
        prior.log_likelihood(prior.draws[0].tree)
    draw = of_classes.draws[0]
    assert of_classes.log_likelihood(draw.tree) == pytest.approx(draw.log_likelihood)
    other = drawn(":- use(rjhmc).", NUMBERS.rename({"a": "c", "b": "d"}))
    strange = of_one_split(other)
    assert found.log_likelihood(cast(slp.Tree, strange)) == -np.inf
    assert found.log_likelihood(strange.hardened()) == -np.inf
