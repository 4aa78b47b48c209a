"""Many finished trees laid out for the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slp.columns import Below, In, Is, IsMissing
from slp.data.table import Feature, Table
from slp.kernels import EnsembleKernel, lay_out_ensemble
from slp.problem.new_rows import share_of_untold
from slp.trees import Node, Split, Tree


def ensemble_of_trees(table: Table, trees: Iterable[Tree]) -> EnsembleKernel:
    """An ensemble of trees on the features and levels of the table. It takes rows as numbers: see
    `slp.problem.new_rows`."""
    number = {name: f for f, name in enumerate(table.feature_names)}
    codes = [f.kind.numbers_by_name if f.kind.categorical else None for f in table.features]
    sided = [f.kind.missing == "side" for f in table.features]

    def nodes(tree: Tree) -> Iterable[tuple[int, float, float]]:
        for node in tree.nodes():
            if not isinstance(node, Split):
                yield -1, 0.0, np.nan
                continue
            f = number[node.feature]
            code = codes[f] or {}
            match node.test:
                case Below(number=threshold):
                    yield f, float(threshold), np.nan
                case IsMissing() if sided[f]:
                    yield f, -2.0 if code else -np.inf, np.nan  # no value passes
                case Is(level=level, other=other):
                    yield f, code[level], np.nan if other is None else code[other]
                case IsMissing(level=level):
                    yield f, code[level], np.nan
                case In():
                    yield f, -2.0, np.nan  # the shape is right; `SidedTrees` has the sides

    return lay_out_ensemble([list(nodes(tree)) for tree in trees], [c is not None for c in codes])


class SidedTrees:
    """Trees for rows that miss values which take a side, for tests by subsets, and for rows with
    another level than the two that a test has; where the test does not say the side, such a row
    goes down one or both, as declared. Rows are as numbers, NaN where missing
    (`slp.problem.new_rows`)."""

    def __init__(self, features: Sequence[Feature], trees: Sequence[Tree]) -> None:
        self._features, self._trees = features, trees
        self._number = {f.name: i for i, f in enumerate(features)}
        self._codes = [f.kind.numbers_by_name for f in features]

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
        values, codes = rows[:, f], self._codes[f]
        missing = np.isnan(values)
        test = node.test
        if isinstance(test, IsMissing) and self._features[f].kind.missing == "side":
            return missing.astype(np.float64)
        ours, others = weight[id(node.left)], weight[id(node.right)]
        if isinstance(test, In):
            assert codes is not None
            groups = [[codes[n] for n in g] for g in (test.levels, test.others)]
            out = np.isin(values, groups[0]).astype(np.float64)
            untold = ~np.isin(values, groups[0] + groups[1])
            if untold.any():
                out[untold] = share_of_untold(self._features[f], ours, others, missing=False)
            return out
        if isinstance(test, Below):
            left = np.less(values, test.number)
        else:
            assert codes is not None
            left = np.equal(values, codes[test.level])
        out = left.astype(np.float64)
        if isinstance(test, Is) and test.other is not None:
            assert codes is not None
            neither = ~left & ~missing & np.not_equal(values, codes[test.other])
            if neither.any():
                out[neither] = share_of_untold(self._features[f], ours, others, missing=False)
        if missing.any():
            if test.missing is None:
                out[missing] = share_of_untold(self._features[f], ours, others, missing=True)
            else:
                out[missing] = test.missing == "left"
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
