"""Averages over trees, as engines make them.

`TreeDistribution` holds all trees: `slp.reference.chart.chart.Chart`,
`slp.engines.exact.CompiledChart`, `slp.reference.enumeration.sums.Enumeration`. `TreeAverages` is
the part of it that draws can give too: `slp.results.averages.drawn_trees.DrawnTrees`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.problem.new_rows import rows_as_numbers
from slp.problem.sum_arrays import SumArrays
from slp.problem.tree_arrays import TreeArrays, arrays_of_trees
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.left_out import HeldRows, LeftOut
from slp.results.averages.paths import TreePath
from slp.results.averages.proximity import Proximity
from slp.results.averages.quantiles import LeafMixture, medians
from slp.results.averages.rows_in_leaves import design_of_rows, of_rows
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.results.averages.quantities import LeafMoments

#: Distributions of leaves and depths end when the rest has less mass than this.
NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class ScoredTree:
    """A tree, the log weight of one of its derivations under the program as written (NaN if no
    engine knows it), and the log marginal likelihood of its leaves (also for a prior)."""

    tree: Tree
    log_weight: float
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class ScoredTrees:
    """U trees with what `ScoredTree` says of each, which it is a sequence of.

    Attributes
    ----------
    trees : the trees, as arrays where they are hard, or sums of hard ones.
    log_weight, log_likelihood : float64, shape (U,).
    """

    trees: TreeArrays | SumArrays | Sequence[Tree]
    log_weight: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]

    @classmethod
    def of(cls, table: Table, scored: Iterable[ScoredTree]) -> ScoredTrees:
        """Hard trees, one by one, on a table."""
        found = list(scored)
        weights, fits = ([s.log_weight for s in found], [s.log_likelihood for s in found])
        arrays = arrays_of_trees(table, (s.tree for s in found))
        return cls(arrays, np.array(weights, np.float64), np.array(fits, np.float64))

    def __len__(self) -> int:
        return len(self.trees)

    def __getitem__(self, u: int) -> ScoredTree:
        return ScoredTree(self.trees[u], float(self.log_weight[u]), float(self.log_likelihood[u]))

    def __iter__(self) -> Iterator[ScoredTree]:
        return map(self.__getitem__, range(len(self)))

    def take(self, which: NDArray[np.int64]) -> ScoredTrees:
        """The trees of these numbers."""
        trees = self.trees
        if isinstance(trees, TreeArrays | SumArrays):
            trees = trees.take(which)
        else:
            trees = [trees[u] for u in which.tolist()]
        return ScoredTrees(trees, self.log_weight[which], self.log_likelihood[which])

    def first_alike(self) -> NDArray[np.int64]:
        """For each tree the number of the first one that is equal, shape (U,)."""
        if isinstance(self.trees, TreeArrays | SumArrays):
            return self.trees.first_alike()
        first: dict[Tree, int] = {}
        return np.array([first.setdefault(t, u) for u, t in enumerate(self.trees)], np.int64)


def average_predictions(
    table: Table, rows: NDArray[np.object_], mixtures: Iterator[LeafMixture]
) -> NDArray[np.float64]:
    """What mixtures of leaves predict of new rows (`Table.new_rows`): class probabilities, shape
    (m, C), or means, of durations medians, shape (m, 1)."""
    leaf = table.leaf
    if leaf.point == "median":
        return medians(leaf, mixtures)
    values = [m.probability @ leaf.values(m.statistics) for m in mixtures]
    width = len(leaf.classes) or 1 + len(leaf.regressors)
    told = np.array(values, np.float64).reshape(len(values), width)
    return of_rows(told, design_of_rows(table, rows_as_numbers(table, rows)))


class TreeAverages(Protocol):
    """What is averaged over trees: over all of them by their weights, or over draws."""

    def leaf_mixtures(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """For each new row (`Table.new_rows`), the leaves that it may end in."""
        ...

    def predictions(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """For each new row the class probabilities, shape (m, C), or the predictive mean, shape
        (m, 1), averaged over all trees; of durations the median of the mixture of all trees."""
        ...

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """What new rows (`Table.new_rows`) are asked on their paths, or, of None, the rows of the
        table on average; features cost their prices (d,).

        Raises
        ------
        UsageError
            E566: trees are soft.
        """
        ...

    def proximity(self, rows: NDArray[np.object_]) -> Proximity | None:
        """The probability that two new rows (`Table.new_rows`) end in one leaf, of every pair;
        None of sums where a row goes to both sides of a split, which they do not follow in pairs.

        Raises
        ------
        UsageError
            E566: trees are soft.
        """
        ...

    def leave_out(self, held: HeldRows) -> LeftOut:
        """What rows of the table are worth, each given all others; only of a posterior. See
        `slp.results.averages.left_out`."""
        ...

    def usage(self) -> NDArray[np.float64]:
        """For each feature the probability that the tree splits on it anywhere, shape (d,)."""
        ...

    def expected_splits(self) -> NDArray[np.float64]:
        """For each feature the expected number of splits on it, shape (d,)."""
        ...

    def root_splits(self) -> NDArray[np.float64]:
        """For each feature the probability that the root splits on it, shape (d,)."""
        ...

    def leaf_distribution(self) -> NDArray[np.float64]:
        """Probability of k leaves, at index k, until what is left is below 1e-12."""
        ...

    def depth_distribution(self) -> NDArray[np.float64]:
        """Probability of depth t (of a leaf alone: 0), at index t, until what is left is below
        1e-12."""
        ...


class TreeDistribution(TreeAverages, Protocol):
    """A distribution over trees, exactly: weight of a tree (of its derivations together) over their
    total.

    With `likelihood` the weight is that under the program times the leaves' marginal likelihood.
    """

    likelihood: bool

    def other(self, likelihood: bool) -> TreeDistribution:
        """The same trees with or without likelihood."""
        ...

    def seconds_of_new_rows(self, rows: NDArray[np.object_]) -> float:
        """Approximate seconds of one core for `predictions` or `leaf_mixtures` of new rows, from
        counts of boxes; 0 where nothing is estimated."""
        ...

    def seconds_of_features(self, rows: NDArray[np.object_] | None) -> float:
        """The same for `features_asked`."""
        ...

    def seconds_of_pairs(self, ones: NDArray[np.object_], zeros: NDArray[np.object_]) -> float:
        """The same for `differences`."""
        ...

    def differences(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_], moments: LeafMoments
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For m pairs of new rows (`Table.new_rows`) the difference of a quantity, that of `ones`
        less that of `zeros`: its mean and the mean of its square, each (m, D), over trees and the
        parameters of their leaves."""
        ...

    @property
    def derivations_are_trees(self) -> bool:
        """Whether it is certain that no tree has two derivations."""
        ...

    @property
    def log_total(self) -> float:
        """Log of the weight of all trees together; -inf if there are none."""
        ...

    @property
    def left_out(self) -> float:
        """Upper bound on the share of that weight of trees that were left out; 0 if none were."""
        ...

    def tree_count(self) -> float:
        """Number of derivations of weight above zero; exact below 2**53."""
        ...

    def best(self) -> Iterator[ScoredTree]:
        """Derivations by falling weight, computed as they are asked for."""
        ...

    def near_best(self, slack: float) -> tuple[int, float]:
        """The number of derivations whose log weight is at least the best one's less `slack`, and
        the log of their summed weight."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """Independent draws."""
        ...

    def draw_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]] | None:
        """For each new row (`Table.new_rows`), its path down `n` independent draws; None where
        there are whole trees alone.

        Raises
        ------
        DataError
            As `share_of_untold`: a split does not say the side of a row.
        """
        ...

    def rule_uses(self) -> NDArray[np.float64]:
        """Expected number of times that a derivation takes each rule of the grammar, float64, shape
        (R,), rules in the order of `TreeGrammar.rules`."""
        ...

    def log_weight(self, tree: Tree) -> float:
        """Log weight under the program as written, without likelihood, of all derivations that part
        the rows as `tree` does; -inf if there are none."""
        ...
