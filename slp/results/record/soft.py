"""Results over draws of soft trees."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from slp.results.averages.soft import (
    SoftTrees,
    log_likelihood_by_means,
    log_likelihood_of_soft_tree,
)
from slp.results.record.result import Result
from slp.trees import Tree
from slp.trees.soft import SoftTree


class ResultOfSoftTrees(Result):
    """What all results over draws of soft trees have alike."""

    soft = True

    def log_weight(self, tree: Tree) -> float:
        """See `Result`: of any tree NaN, as soft trees have densities."""
        return float("nan")

    def log_likelihood(self, tree: Tree) -> float:
        """See `Result`: of any soft tree, and of hard trees. Of numbers it is that given the means
        and the variance that the leaves have.

        Raises
        ------
        UsageError
            E546: the response is of numbers, and a leaf has no mean, or the tree no variance.
        """
        given = cast(Any, tree)
        if isinstance(given, SoftTree):
            drawn = cast(SoftTrees, self.averages)
            known = {scored.tree: scored.log_likelihood for scored in drawn.trees}
            return known[tree] if tree in known else log_likelihood_of_soft_tree(self.table, given)
        if self.table.leaf.classes:
            return Result.log_likelihood(self, tree)
        return log_likelihood_by_means(self.table, tree)

    def distinct_rows(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """See `Result`: every value counts."""
        _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return first, which.ravel()
