"""Many finished trees laid out for the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slp.columns import LEFT, UNTOLD
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.kernels import EnsembleKernel, lay_out_ensemble
from slp.problem.new_rows import share_of_untold
from slp.trees import Node, Split, Tree


def ensemble_of_trees(table: Table, trees: Iterable[Tree]) -> EnsembleKernel:
    """An ensemble of trees on the features and levels of the table. It takes rows as numbers: see
    `slp.problem.new_rows`."""
    number = {name: f for f, name in enumerate(table.feature_names)}
    kinds = [feature.kind for feature in table.features]

    def nodes(tree: Tree) -> Iterable[tuple[int, float, float]]:
        for node in tree.nodes():
            if isinstance(node, Split):
                f = number[node.feature]
                yield f, *kinds[f].operands(node.test)
            else:
                yield -1, 0.0, np.nan

    return lay_out_ensemble([list(nodes(tree)) for tree in trees], [k.categorical for k in kinds])


class SidedTrees:
    """Trees for rows that miss values which take a side, for tests by subsets, and for rows with
    another level than the two that a test has; where the test does not say the side, such a row
    goes down one or both, as declared. Rows are as numbers, NaN where missing
    (`slp.problem.new_rows`)."""

    def __init__(self, features: Sequence[Feature], trees: Sequence[Tree]) -> None:
        self._features, self._trees = features, trees
        self._number = {f.name: i for i, f in enumerate(features)}

    def paths(
        self, rows: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]]:
        """For each tree the rows (m, d) that end in its leaves: the row, the number of the leaf
        among those of the tree, and the share of the row that ends there.

        Raises
        ------
        DataError
            E442, E445: the split does not say the side of a row, and that is declared an error.
        """
        for tree in self._trees:
            which: list[NDArray[np.intp]] = []
            leaves: list[NDArray[np.intp]] = []
            shares: list[NDArray[np.float64]] = []
            n_leaves = 0
            weight = _weights_below(tree)
            stack: list[tuple[Node, NDArray[np.intp], NDArray[np.float64]]] = [
                (tree.root, np.arange(len(rows)), np.ones(len(rows)))
            ]
            while stack:
                node, at, share = stack.pop()
                if not isinstance(node, Split):
                    which.append(at)
                    leaves.append(np.full(len(at), n_leaves))
                    shares.append(share)
                    n_leaves += 1
                    continue
                left = self._share_left(node, rows[at], weight)
                stack += (
                    (node.right, at[left < 1], (share * (1 - left))[left < 1]),
                    (node.left, at[left > 0], (share * left)[left > 0]),
                )
            yield np.concatenate(which), np.concatenate(leaves), np.concatenate(shares)

    def _share_left(
        self, node: Split, rows: NDArray[np.float64], weight: dict[int, float]
    ) -> NDArray[np.float64]:
        f = self._number[node.feature]
        feature, values = self._features[f], rows[:, f]
        told = feature.kind.ways(node.test, values)
        out: NDArray[np.float64] = (told == LEFT).astype(np.float64)
        untold, missing = told == UNTOLD, np.isnan(values)
        ours, others = weight[id(node.left)], weight[id(node.right)]
        for of_missing, rows_of in ((False, untold & ~missing), (True, untold & missing)):
            if rows_of.any():
                out[rows_of] = share_of_untold(feature, ours, others, missing=of_missing)
        return out


def _weights_below(tree: Tree) -> dict[int, float]:
    """The weight of the table's rows in each node, by its identity."""
    out: dict[int, float] = {}
    for node in reversed(list(tree.nodes())):
        if isinstance(node, Split):
            out[id(node)] = out[id(node.left)] + out[id(node.right)]
        else:
            out[id(node)] = float(node.rows)
    return out
