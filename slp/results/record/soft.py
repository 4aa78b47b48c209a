"""What records of soft trees have alike, of runs and of saved ones."""

from __future__ import annotations

import math
from typing import Any

from slp.data.table import Table
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.soft import log_likelihood_by_means, log_likelihood_of_soft_tree
from slp.trees import Tree
from slp.trees.soft import SoftTree


def no_weight(_: Tree) -> float:
    """Of any tree NaN, as soft trees have densities."""
    return math.nan


class LikelihoodOfSoftTrees:
    """The log likelihood of any soft tree, and of hard trees. Of numbers it is that given the means
    and the variance that the leaves have.

    `drawn` : trees whose likelihood is known; None if there are none.
    """

    def __init__(self, table: Table, drawn: DrawnTrees | None) -> None:
        self._table, self._drawn = table, drawn

    def __call__(self, tree: Tree) -> float:
        """See `Result`.

        Raises
        ------
        UsageError
            E546: the response is of numbers, and a leaf has no mean, or the tree no variance.
        """
        given: Any = tree
        if isinstance(given, SoftTree):
            drawn = () if self._drawn is None else self._drawn.trees
            known: dict[Any, float] = {scored.tree: scored.log_likelihood for scored in drawn}
            if given in known:
                return known[given]
            return log_likelihood_of_soft_tree(self._table, given)
        if self._table.leaf.classes:
            return log_likelihood_of_tree(self._table, tree)
        return log_likelihood_by_means(self._table, tree)
