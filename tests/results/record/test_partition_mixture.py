"""A tree beside the measure `partition`: it has the probability of its own derivations."""

from __future__ import annotations

import math

import polars as pl
import pytest

import slp

#: Both features part the rows alike.
FRAME = pl.DataFrame({"a": [0, 1], "b": [0, 1], "y": ["no", "yes"]})
MIXED = """:- start(tree).
0.3 :: tree --> split(a, V, partition), leaf, leaf.
0.7 :: tree --> split(b, V), leaf, leaf.
"""


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate"])
@pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")
def test_each_tree_has_its_own_probability(engine: str) -> None:
    """`partition` matches no split of the other feature, where not all rules are by it."""
    posterior = slp.parse(MIXED).posterior(FRAME, engine=engine)
    found = {t.tree.root.feature: math.exp(t.log_posterior) for t in posterior.k_best(3)}
    assert found == pytest.approx({"a": 0.3, "b": 0.7})
    for feature, want in found.items():
        tree = {"feature": feature, "threshold": 0.5, "left": {}, "right": {}}
        have = posterior.log_posterior(slp.Tree.from_dict(tree))
        assert math.exp(have) == pytest.approx(want)


@pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")
def test_a_tree_stands_for_others_where_all_splits_are_by_partition() -> None:
    posterior = slp.load("bcart_pcfg").posterior(FRAME, engine="exact")
    split = next(t.tree for t in posterior.k_best(2) if t.tree.n_leaves == 2)
    other = slp.Tree.from_dict({"feature": "b", "threshold": 0.5, "left": {}, "right": {}})
    assert split.root.feature == "a" and posterior.record.by_partition
    assert posterior.log_prior(other) == posterior.log_prior(split)
