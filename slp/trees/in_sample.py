"""A sentence on the fit of a tree to the rows of its table."""

from __future__ import annotations

import math

import numpy as np

from slp.data.table import Table
from slp.leaves import label_text
from slp.trees.route import route_table
from slp.trees.tree import Tree


def in_sample_fit(table: Table, tree: Tree) -> list[str]:
    """One sentence on a tree with canonical thresholds and the table's own rows, compared with a
    tree of one leaf: the number of rows that the most frequent classes of the leaves predict
    correctly, or the root mean squared distance from the leaves' means. Nothing for counts and
    durations."""
    if not table.leaf.classes and not table.leaf.squares:
        return []
    found = [leaf.predictive for leaf in tree.leaves()]
    sums = np.array([prediction.statistics for prediction in found if prediction is not None])
    if len(sums) < len(found):  # a tree that does not know its rows
        sums = np.zeros((tree.n_leaves, table.statistics.shape[1]))
        np.add.at(sums, route_table(tree, table), table.statistics)
    if table.leaf.classes:
        sums = sums[:, : len(table.leaf.classes)]
        right, total = float(sums.max(axis=1).sum()), sums.sum(axis=0)
        most = label_text(table.leaf.classes[int(total.argmax())])
        whole = f"{table.n_rows} rows"
        if table.weighted is not None:
            whole = f"weight of {total.sum():.10g}"
        return [
            f"this tree is right for {right:.10g} of the table's {whole} "
            f"(the class {most} alone: {total.max():.10g})"
        ]
    tree_error, one_error = (_error(s) for s in (sums, sums.sum(axis=0, keepdims=True)))
    return [
        f"this tree is off by {tree_error:.3g}, root mean square over the table's {table.n_rows} "
        f"rows (their mean alone: {one_error:.3g})"
    ]


def _error(sums: np.ndarray) -> float:
    """Root mean squared distance from the means of leaves with statistics (K, 3)."""
    n, s1, s2 = sums.T[:3]
    within = s2 - s1 * s1 / np.where(n > 0, n, 1.0)
    return math.sqrt(max(float(within.sum()), 0.0) / float(n.sum()))
