"""What a run of modal writes for other programs: trees as JSON, lines of draws, summaries."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from slp.trees import Leaf, Tree
from tests.engines.modal.test_trees import frame, modal

GROWTREE = ":- use(growtree)."


def leaf_posteriors(tree: Tree) -> list[Any]:
    """What the leaves of a tree predict."""
    leaves = tree.leaves()
    assert all(leaf.predictive is not None for leaf in leaves)
    return [leaf.predictive() for leaf in leaves if leaf.predictive is not None]


@pytest.mark.parametrize("y", [pl.col("y"), pl.col("y") == "q"])
def test_the_posterior_of_smoothed_leaves_survives_json(y: pl.Expr) -> None:
    best = modal(GROWTREE, frame().with_columns(y=y), smoothing=0.5).map_tree()
    told = best.to_dict()
    copy = Tree.from_dict(json.loads(json.dumps(told)))
    assert copy == best and copy.n_leaves > 1
    assert leaf_posteriors(copy) == leaf_posteriors(best)
    assert copy.to_dict() == told and copy.to_dict(predictive=True) == best.to_dict(predictive=True)
    assert str(copy) == str(best)


def test_leaves_under_the_declared_prior_are_written_as_before() -> None:
    tree = modal(GROWTREE).map_tree()
    assert "concentrations" not in json.dumps(tree.to_dict())
    assert all(leaf.predictive is None for leaf in Tree.from_dict(tree.to_dict()).leaves())


def test_a_posterior_without_rows_is_read() -> None:
    leaf = Tree.from_dict({"concentrations": {"a": 1.0, "b": 3.0}}).root
    assert isinstance(leaf, Leaf) and leaf.predictive is not None
    assert leaf.predictive() == {"probabilities": {"a": 0.25, "b": 0.75}}
