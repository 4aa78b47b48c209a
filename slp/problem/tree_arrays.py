"""Many finished trees laid out for the kernels."""

from __future__ import annotations

from collections.abc import Iterable

from slp.data.table import Table
from slp.kernels import Ensemble, lay_out_ensemble
from slp.trees import Split, Tree


def ensemble_of_trees(table: Table, trees: Iterable[Tree]) -> Ensemble:
    """An ensemble of trees on the features and levels of the table. It takes rows as numbers: see
    `slp.problem.new_rows`."""
    number = {name: f for f, name in enumerate(table.feature_names)}
    codes = [
        None if f.levels is None else {level: float(i) for i, level in enumerate(f.levels)}
        for f in table.features
    ]

    def nodes(tree: Tree) -> Iterable[tuple[int, float]]:
        for node in tree.nodes():
            if not isinstance(node, Split):
                yield -1, 0.0
                continue
            f = number[node.feature]
            code = codes[f]
            operand = node.threshold if code is None else code[node.level or ""]
            assert operand is not None
            yield f, operand

    return lay_out_ensemble([list(nodes(tree)) for tree in trees], [c is not None for c in codes])
