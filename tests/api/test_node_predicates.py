"""Predicates that are asked of each node."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import slp
from slp.trees import Tree
from tests.api.tables import ROWS, STUMP, fault

pytestmark = pytest.mark.filterwarnings("ignore::slp.SlpWarning")


def shallow_dose(node: slp.TreeNode) -> bool:
    """Dose is split on at the root only; no leaf has one row."""
    if node.is_leaf:
        return node.rows > 1
    return node.feature != "dose" or node.depth == 0


@pytest.mark.parametrize("failure", ["restrict", "condition"])
def test_predicates_on_nodes(failure: str) -> None:
    made = slp.parse(f":- use(growtree). :- failure({failure}).").require(shallow_dose, local=True)
    posterior = made.posterior(ROWS, seed=1, draws=60)
    assert posterior.reason == (
        "the Python predicate tests.api.test_node_predicates:shallow_dose is decided by code at "
        "each node, and trees cannot be summed exactly under it; it runs in Python, as the core "
        "asks no predicates on nodes; without moves from tree to tree: for this program they run "
        "in Python, where they are slow"
    )
    for draw in posterior.draws:
        (result,) = draw.tree.check(made)
        assert result.holds
    assert len({draw.tree for draw in posterior.draws}) > 3
    deep = slp.Tree.from_dict(
        {"feature": "age", "threshold": 2.5, "left": {"counts": {"a": 2}},
         "right": {"feature": "dose", "threshold": 6.5, "left": {"counts": {"a": 1, "b": 1}},
                   "right": {"counts": {"b": 2}}}}
    )  # fmt: skip
    (result,) = deep.check(made)
    assert (result.holds, result.path, result.counterexample) == (
        False,
        "right",
        "at right (2.5 <= age): the predicate refuses the node: depth 1, 4 rows (a 1, b 3), split "
        "by dose < 6.5",
    )
    assert posterior.log_posterior(deep) == -np.inf
    (unknown,) = STUMP.check(made)
    assert (unknown.holds, unknown.counterexample) == (
        None,
        "at right (3 <= age): the leaves do not say their rows",
    )


def test_what_a_node_shows() -> None:
    seen: list[slp.TreeNode] = []

    def note(node: slp.TreeNode) -> bool:
        seen.append(node)
        return True

    numbers = ROWS.with_columns(y=pl.Series([1.5, 2.5, 0.5, 4.5, 1.0, 9.0]))
    slp.parse(":- use(growtree).").require(note, True).posterior(numbers, seed=1, draws=20)
    root = next(node for node in seen if node.depth == 0 and not node.is_leaf)
    assert (root.rows, root.counts, root.level) == (6, {}, None)
    assert root.mean == pytest.approx(19 / 6)
    assert root.feature in ("age", "dose")
    assert root.threshold is not None
    leaf = next(node for node in seen if node.is_leaf)
    assert (leaf.feature, leaf.threshold, leaf.level) == (None, None, None)
    assert str(leaf) == f"depth {leaf.depth}, {leaf.rows} rows, a leaf"
    assert max(node.depth for node in seen) > 1
    # Each is asked once for the same depth, rows and split.
    assert len(seen) < 2000


def test_a_node_that_a_predicate_fails_on() -> None:
    def broken(node: slp.TreeNode) -> bool:
        return node.threshold > 3  # type: ignore[operator]

    (found,) = fault(slp.parse(":- use(growtree).").require(broken, local=True)).diagnostics
    assert found.code == "E653"
    assert "raised TypeError: '>' not supported" in found.message
    assert found.help is not None
    assert re.fullmatch(
        r"in call \d+ it was asked of this node:\ndepth 0, 6 rows \(a 3, b 3\), a leaf", found.help
    )


def test_exact_subtrees_and_predicates_on_nodes_exclude_each_other() -> None:
    made = slp.parse(":- use(growtree).").require(shallow_dose, local=True)
    (found,) = fault(made, proposal="q_exact").diagnostics
    assert (found.code, found.message) == (
        "E516",
        "q_exact sums over trees, which cannot be done under predicates on nodes",
    )


def test_edits_of_a_tree_under_predicates() -> None:
    given = slp.Tree.from_dict({"feature": "age", "threshold": 3.5, "left": {}, "right": {}})
    made = slp.load("edittree", tree=given).require(shallow_dose, local=True).require(odd)
    posterior = made.posterior(ROWS, seed=1, draws=40)
    for draw in posterior.draws:
        assert [r.holds for r in draw.tree.check(made)] == [True, True]
    assert len({draw.tree for draw in posterior.draws}) > 2


def odd(tree: Tree) -> bool:
    return tree.n_leaves % 2 == 1
