"""Tiny tables with given trees, for tests of the prior `edittree`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from slp.columns import Below, Binned, Is, Nominal, Numeric
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.ir.constraints import Support
from slp.ir.program import Measure
from slp.reference.boxes import Geometry
from slp.reference.cut_trees import Renderer
from slp.reference.mh.edits.nodes import EditNode, Nodes
from slp.reference.mh.edits.process import EditProcess
from slp.reference.mh.edits.start import nodes_of_tree
from slp.trees import Leaf, Split, Tree, fit_tree
from tests.engines.cases import denison, make_table, numeric
from tests.reference.mh.edits.brute_force import Definition


@dataclass
class Example:
    """A process on a table, what defines it, and the given tree."""

    table: Table
    geometry: Geometry
    process: EditProcess
    definition: Definition
    given: Tree

    def tree(self, node: EditNode) -> Tree:
        """A node as a tree without summaries."""
        preorder = []
        stack = [node]
        while stack:
            node = stack.pop()
            preorder.append((node.box, node.cut))
            stack += reversed(node.parts)
        tree = Renderer(self.geometry).tree(preorder)
        return tree.with_leaves([Leaf()] * tree.n_leaves)


def example(
    table: Table,
    given: Tree,
    *,
    p: float = 0.8,
    measure: Measure = "feature_then_cut",
    weights: tuple[float, ...] = (),
    min_leaf: int = 1,
    max_depth: int | None = None,
) -> Example:
    support = Support(min_leaf, max_depth)
    given = fit_tree(given, table, support)[0]
    geometry = Geometry(replace(denison(table, 2.0), min_leaf=min_leaf), table)
    nodes = Nodes(geometry, measure, np.array(weights or [1.0] * len(table.features)), max_depth)
    definition = Definition.of(
        table, measure=measure, weights=weights, min_leaf=min_leaf, max_depth=max_depth
    )
    process = EditProcess(nodes, nodes_of_tree(nodes, given), p)
    return Example(table, geometry, process, definition, given)


def stump(feature: str, threshold: float) -> Tree:
    return Tree(Split(feature, Below(threshold), Leaf(), Leaf()))


def two_features() -> Table:
    """Four distinct rows, one of them twice."""
    rows = [[0, 0], [1, 1], [2, 0], [2, 0], [3, 1]]
    return make_table([numeric("x", 4), numeric("z", 2)], rows, [0, 1, 0, 1, 1])


def uneven() -> Table:
    x = Feature("x", Numeric(np.array([0.0, 1.0, 5.0])))
    z = Feature("z", Binned(np.array([1.0, 2.0, 4.0])))
    return make_table([x, z], [[0, 0], [1, 3], [2, 1], [0, 3]], [0, 1, 0, 1])


def levels() -> Table:
    """Where tests `= level` change sides as their rows change."""
    colour = Feature("colour", Nominal(("blue", "green", "red")))
    rows = [[0, 0], [1, 0], [2, 0], [2, 1]]
    return make_table([colour, numeric("x", 2)], rows, [0, 1, 0, 1])


def all_examples() -> dict[str, Example]:
    sides = (stump("x", 0.5).root, stump("x", 2.5).root)
    deep = Tree(Split("x", Below(1.5), *sides))
    green = Split("colour", Is("green"), Leaf(), Leaf())
    red = Tree(Split("colour", Is("red"), stump("x", 0.5).root, green))
    six = make_table([numeric("x", 6)], [[i] for i in range(6)], [0, 1, 0, 0, 1, 1])
    pairs = Tree(Split("x", Below(1.5), Leaf(), stump("x", 3.5).root))
    return {
        "two features": example(two_features(), stump("x", 1.5), p=0.7),
        "from a leaf": example(two_features(), Tree(Leaf())),
        "deep, by all": example(two_features(), deep, measure="all"),
        "min_leaf": example(two_features(), stump("x", 1.5), min_leaf=2, p=0.6),
        "min_leaf, deep": example(six, pairs, min_leaf=2),
        "max_depth": example(two_features(), deep, max_depth=2),
        "one split at most": example(two_features(), stump("z", 0.5), max_depth=1),
        "gap": example(uneven(), stump("z", 2), measure="gap", weights=(1.0, 3.0)),
        "weights": example(uneven(), stump("x", 0.5), weights=(0.2, 1.0)),
        "levels": example(levels(), red),
        "one row": example(make_table([numeric("x", 1)], [[0]], [0]), stump("x", 0.5)),
    }
