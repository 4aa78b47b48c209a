"""`RepresentativeTree`: one tree in the place of a posterior.

With f_T(x) what a tree predicts, w_i the weights of the table's rows, m_i and s_i the mean of
f_T(x_i) and of its square over trees, the expected squared difference of a tree t is

    E_T sum_i w_i (f_t(x_i) - f_T(x_i))^2 = sum_i w_i (f_t(x_i) - m_i)^2 + sum_i w_i (s_i - m_i^2)

so that one pass over the rows serves all candidates. The second sum is the spread of the posterior,
which no tree goes below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import UsageError
from slp.messages.decisions import NO_REPRESENTATIVE
from slp.problem.new_rows import rows_as_numbers, table_as_new_rows
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import ScoredTree, ScoredTrees, TreeAverages
from slp.results.averages.rows_in_leaves import design_of_rows, of_rows
from slp.results.averages.weighted_draws import WeightedDraws
from slp.results.estimate import Estimate, with_error
from slp.results.record.parts import Candidate
from slp.results.record.result import Result
from slp.trees import Tree

#: How many draws of an engine that sums are candidates.
_DRAWS = 1000
#: Numbers of the table's rows that are made at a time.
_NUMBERS = 1 << 18


@dataclass(frozen=True, eq=False)
class RepresentativeTree:
    """The tree nearest to the posterior, among its draws and best trees.

    A loss is the expected squared difference between what the tree and a tree of the posterior
    predict of a row of the table, averaged over rows by their weights; summed over classes.

    Attributes
    ----------
    tree : the tree of least loss.
    loss : its loss, exact, or an estimate from draws with its Monte Carlo error, or of the trees
        found alone.
    map_loss : the same of the tree of `posterior.map()`.
    spread : the loss of the averaged prediction, which no tree is below.
    """

    tree: Tree
    loss: Estimate
    map_loss: Estimate
    spread: float

    def __str__(self) -> str:
        return f"{self.tree.to_text()}\n{self.in_words()}"

    def in_words(self) -> str:
        """The losses, as a line for a person."""
        drawn = self.loss.kind == "estimate" and self.loss.error != 0
        own, best = (with_error(x.value, x.error, drawn=drawn) for x in (self.loss, self.map_loss))
        of = "over draws" if drawn else "over all trees"
        if self.loss.kind == "found":
            of = "over the trees found alone"
        return (
            f"expected squared difference of predictions {of}: {own}; of the most probable tree "
            f"{best}; no tree is below {self.spread:.4f}"
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the tree; NaN as None."""

        def plain(x: float) -> float | None:
            return x if np.isfinite(x) else None

        return {
            "loss": plain(self.loss.value),
            "loss_error": plain(self.loss.error),
            "map_loss": plain(self.map_loss.value),
            "map_loss_error": plain(self.map_loss.error),
            "spread": plain(self.spread),
            "kind": self.loss.kind,
        }


def representative_tree(
    result: Result, best: list[Candidate], rng: np.random.Generator
) -> RepresentativeTree:
    """The nearest tree to a posterior, among the best ones, the first of which is that of `map`,
    and draws: of an engine that sums `_DRAWS` of them, of others their own.

    Raises
    ------
    UsageError
        E569: it is a prior, trees are soft, or a median of durations is beyond floats.
    """
    if result.kind == "soft":
        raise UsageError(
            NO_REPRESENTATIVE(why="its trees are soft", instead="take a program of hard trees")
        )
    if not result.likelihood:
        why = "it is a prior, and all trees predict alike"
        raise UsageError(NO_REPRESENTATIVE(why=why, instead="ask the posterior"))
    near = _Nearness(result)
    if not np.isfinite(near.spread):
        why = "the median of a leaf is too large for a number"
        instead = "take a leaf model whose medians are finite"
        raise UsageError(NO_REPRESENTATIVE(why=why, instead=instead))
    scored = [ScoredTree(found.tree, np.nan, np.nan) for found in best]
    listed = DrawnTrees(
        result.table, ScoredTrees.of(result.table, scored), [np.arange(len(scored))]
    )
    drawn, _ = result.averages.draws_of_trees(_DRAWS, rng)
    away = [near.away(trees) for trees in (listed, drawn)]
    first, other = (int(own.argmin()) for own in away)
    tree, distance = best[first].tree, away[0][first]
    if away[1][other] < distance:
        tree, distance = drawn.trees[other].tree, away[1][other]
    asked = {tree: distance, best[0].tree: away[0][0]}
    losses = near.losses(asked, drawn)
    return RepresentativeTree(tree, losses[tree], losses[best[0].tree], near.spread)


class _Nearness:
    """How far trees are from a posterior, on the rows of its table.

    Attributes
    ----------
    mean : what trees predict of each row, on average, float64, shape (n, C).
    spread : the mean squared distance of trees from that.
    exact : whether both are over all trees.
    """

    def __init__(self, result: Result) -> None:
        self._result, table = result, result.table
        self._shares = table.row_weights / table.row_weights.sum()
        means, self.spread, self.exact = [], 0.0, True
        for at, rows in self._pieces():
            mean, spread, exact = result.of_new_rows(partial(self._moments, at, rows), rows)
            means.append(mean)
            self.spread, self.exact = self.spread + spread, self.exact and exact
        self.mean = np.concatenate(means)

    def _pieces(self) -> Iterator[tuple[slice, NDArray[np.object_]]]:
        """The table's rows (`Table.new_rows`) and their places, some at a time, so that no second
        table is in memory."""
        table, n = self._result.table, len(self._shares)
        step = max(1, _NUMBERS // max(1, len(table.features)))
        for a in range(0, n, step):
            at = slice(a, min(a + step, n))
            yield at, table_as_new_rows(table, np.arange(at.start, at.stop))

    def _moments(
        self, at: slice, rows: NDArray[np.object_], averages: TreeAverages
    ) -> tuple[NDArray[np.float64], float, bool]:
        table, means, spread = self._result.table, [], 0.0
        designs = design_of_rows(table, rows_as_numbers(table, rows))
        for i, mixture in enumerate(averages.leaf_mixtures(rows)):
            own = of_rows(
                table.leaf.values(mixture.statistics), None if designs is None else designs[i]
            )
            with np.errstate(invalid="ignore"):  # of infinite medians
                means.append(mixture.probability @ own)
                square = ((own - means[-1]) ** 2).sum(axis=1)
                spread += float(self._shares[at][i] * (mixture.probability @ square))
        return np.array(means), spread, not isinstance(averages, WeightedDraws)

    def away(self, trees: DrawnTrees) -> NDArray[np.float64]:
        """How far what each tree predicts is from the mean, shape (U,)."""
        return self._distances(trees, self.mean[None])[:, 0]

    def _distances(self, trees: DrawnTrees, others: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean squared distances of what each tree predicts from other predictions (k, n, C),
        shape (U, k)."""
        out = np.zeros((len(trees.trees), len(others)))
        for at, values in self._predicted(trees):
            for j, other in enumerate(others[:, at]):
                out[:, j] += ((values - other) ** 2).sum(axis=-1) @ self._shares[at]
        return out

    def _predicted(self, trees: DrawnTrees) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """What each tree predicts of rows, shape (U, m, C), with their places."""
        for at, rows in self._pieces():
            first = at.start
            for told in trees.predictions_by_tree(rows):
                own = slice(first, first + told.shape[1])
                yield own, told.reshape(*told.shape[:2], -1)
                first = own.stop

    def losses(self, asked: dict[Tree, float], drawn: DrawnTrees) -> dict[Tree, Estimate]:
        """The losses of trees, given their distances from the mean, and draws that tell the error
        where sums do not."""
        values = {tree: float(distance + self.spread) for tree, distance in asked.items()}
        if self._result.trees_found is not None:
            return {tree: Estimate.of_trees_found(value) for tree, value in values.items()}
        if self.exact:
            kind = self._result.kind_of_sums
            return {
                tree: replace(Estimate.exact(value), kind=kind) for tree, value in values.items()
            }
        table = self._result.table
        trees = ScoredTrees.of(table, [ScoredTree(tree, np.nan, np.nan) for tree in asked])
        told = self._predicted(DrawnTrees(table, trees, [np.arange(len(asked))]))
        others = np.concatenate([values for _, values in told], axis=1)
        errors = drawn.error(self._distances(drawn, others))
        return {
            tree: Estimate.drawn(values[tree], float(error))
            for tree, error in zip(asked, errors, strict=True)
        }
