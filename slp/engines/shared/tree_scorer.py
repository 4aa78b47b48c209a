"""Weights of finished trees, each the sum over all derivations of the tree: many trees at once, in
the core (`native/core/mcmc/tree_weights.hpp`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.kernels.compiled import N_CORES
from slp.problem.numbered_cuts import CoreCuts, Cuts
from slp.problem.tree_on_table import canonical_nodes, place_tree
from slp.trees import Tree

if TYPE_CHECKING:
    from slp._core import ExactEngine
    from slp._core import TreeScorer as CoreScorer


class TreeScorer:
    """Weighs trees under the program that an `ExactEngine` holds, in which leaves are not counted
    (`core_problem` without `count_leaves`). `by_partition` is as of its `TreeGrammar`."""

    def __init__(self, core: Any, engine: ExactEngine, table: Table, by_partition: bool) -> None:
        self._core: CoreScorer = core.TreeScorer(engine, by_partition)
        self._table, self._cuts = table, CoreCuts(engine, table)

    def log_weights(
        self,
        trees: Sequence[Cuts],
        stop: Callable[[], bool] = lambda: False,
        threads: int = N_CORES,
    ) -> NDArray[np.float64]:
        """Log weights of T trees under the program as written, without likelihood, shape (T,); -inf
        off the support, NaN for those not reached before `stop` became true.

        A tree is its nodes as `canonical_nodes` gives them. What matches a split is said in
        `slp.reference.tree_weights.weight_of_tree`.
        """
        starts = np.cumsum([0, *(len(tree) for tree in trees)], dtype=np.int64)
        nodes = np.concatenate([np.empty((0, 3), np.int32), *trees])
        nodes = self._cuts.to_core(nodes)
        return self._core.log_weights(nodes, starts, max(1, threads), lambda: not stop())

    def log_weight(self, tree: Tree) -> float:
        """Log weight of one tree; -inf also if the codes do not determine how it parts the rows."""
        placed = place_tree(self._table, tree)
        nodes = None if placed is None else canonical_nodes(placed)
        return -np.inf if nodes is None else float(self.log_weights([nodes], threads=1)[0])
