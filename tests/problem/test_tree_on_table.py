"""Trees on tables by codes, against the bit sets that are their specification."""

from __future__ import annotations

import math

import numpy as np
import pytest

from slp.columns import Below, Is, Nominal
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.problem.tree_on_table import canonical_nodes, log_likelihood_of_tree, place_tree
from slp.reference.boxes import Geometry
from slp.reference.cut_trees import parts_of_tree
from slp.trees import Leaf, Split, Tree
from slp.trees.parts import Node
from tests.engines.cases import denison, make_table, numeric, random_table


def random_tree(table: Table, rng: np.random.Generator, depth: int = 4) -> Tree:
    """Tests on any feature at any threshold, now and then one that cannot be asked."""

    def node(left: int) -> Node:
        if left == 0 or rng.random() < 0.3:
            return Leaf()
        feature = table.features[rng.integers(len(table.features))]
        sides = node(left - 1), node(left - 1)
        if feature.kind.categorical:
            level = str(rng.choice([*feature.kind.names, "unheard of"]))
            return Split(feature.name, Is(level), *sides)
        numbers = feature.kind.numbers
        assert numbers is not None
        threshold = float(rng.choice(numbers)) if len(numbers) else 0.0
        if feature.kind.values is not None or rng.random() < 0.1:
            threshold += float(rng.choice([-0.25, 0.0, 0.25]))
        return Split(feature.name, Below(threshold), *sides)

    return Tree(node(depth))


@pytest.mark.parametrize("seed", range(60))
def test_rows_and_likelihood_are_those_of_the_bit_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    geometry = Geometry(denison(table, 2.0), table)
    tree = random_tree(table, rng)
    have, want = place_tree(table, tree), parts_of_tree(geometry, tree)
    if want is None:
        assert have is None and log_likelihood_of_tree(table, tree) == -math.inf
        return
    assert have is not None
    assert [sum(1 << int(r) for r in have.rows_of(node)) for node in have.nodes] == [
        part.box for part in want
    ]
    assert [(n.feature, n.left, n.right) for n in have.nodes] == [
        (p.feature, p.left, p.right) for p in want
    ]
    leaves = geometry.statistics([part.box for part in want if part.feature < 0])
    expected = float(table.leaf.log_marginal(leaves).sum())
    assert log_likelihood_of_tree(table, tree) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_canonical_nodes_are_splits_of_the_boxes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    geometry = Geometry(denison(table, 2.0), table)
    tree = random_tree(table, rng, depth=3)
    placed, parts = place_tree(table, tree), parts_of_tree(geometry, tree)
    if placed is None or parts is None:
        return
    nodes = canonical_nodes(placed)
    empty = any(p.feature >= 0 and not (p.left_box and p.right_box) for p in parts)
    assert (nodes is None) == empty
    if nodes is None:
        return
    boxes, leaves = [geometry.root], []
    for feature, low, high in nodes.tolist():
        box = boxes.pop()
        if feature < 0:
            leaves.append(box)
            continue
        wanted = table.features[feature].kind.test(low, high)
        (split,) = [
            s
            for s in geometry.splits(box)
            if geometry.cuts[s.cut].feature == feature and geometry.cuts[s.cut].test == wanted
        ]
        boxes += [split.right, split.left]
    assert sorted(leaves) == sorted(p.box for p in parts if p.feature < 0)


def test_of_two_levels_the_first_is_tested() -> None:
    table = make_table([Feature("c", Nominal(("p", "q")))], [[0], [1]], [0, 1])
    tree = Tree(Split("c", Is("q"), Leaf(), Leaf()))
    placed = place_tree(table, tree)
    assert placed is not None
    nodes = canonical_nodes(placed)
    assert nodes is not None and nodes.tolist() == [[0, 0, 0], [-1, 0, 0], [-1, 0, 0]]


def test_a_test_that_cannot_be_asked_has_no_place() -> None:
    table = make_table([numeric("x", 3)], [[0], [1], [2]], [0, 1, 0])
    for split in (Split("z", Below(1.0), Leaf(), Leaf()), Split("x", Is("p"), Leaf(), Leaf())):
        assert place_tree(table, Tree(split)) is None
        assert log_likelihood_of_tree(table, Tree(split)) == -math.inf
