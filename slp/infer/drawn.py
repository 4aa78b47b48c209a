"""Draws of trees: what they average to, and with which Monte Carlo error.

A sampler's draws repeat themselves, so each distinct tree is worked on once: everything is an array
over the U distinct trees, and a chain of draws is an array of their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slp.infer.arviz_adapter import monte_carlo_errors
from slp.infer.boxes import Geometry
from slp.infer.distribution import LeafMixture, ScoredTree, average_predictions
from slp.infer.rendering import Part, parts_of_tree

__all__ = ["DrawnTrees"]

#: New rows that are routed through all trees at a time.
_ROWS_AT_A_TIME = 4096


class DrawnTrees:
    """Averages over draws (`slp.infer.distribution.TreeAverages`).

    Attributes
    ----------
    trees : the U distinct trees, with their weights.
    chains : for each chain the numbers of the trees that it drew, int64, shape (T_c,).
    frequency : share of each tree among all draws, float64, shape (U,).
    n_leaves, depth : of each tree, int64, shape (U,).
    splits : how often each tree splits on each feature, int64, shape (U, d).
    """

    def __init__(
        self, geometry: Geometry, trees: Sequence[ScoredTree], chains: Sequence[NDArray[np.int64]]
    ) -> None:
        self.geometry, self.trees, self.chains = geometry, trees, chains
        counts = np.bincount(np.concatenate(chains), minlength=len(trees))
        self.frequency = counts / counts.sum()
        self.n_leaves = np.array([t.tree.n_leaves for t in trees], np.int64)
        self.depth = np.array([t.tree.depth for t in trees], np.int64)
        self.splits = np.zeros((len(trees), len(geometry.table.features)), np.int64)
        for u, parts in enumerate(self._parts):
            np.add.at(self.splits[u], [p.feature for p in parts if p.split is not None], 1)

    # --- values of trees, and what they come to ------------------------------------------------

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean over all draws of a quantity of each tree, shape (U, ...), to shape (...)."""
        return np.tensordot(self.frequency, values, axes=1)

    def error(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Monte Carlo standard error of `mean`, shape (...)."""
        flat = self.by_chain(values.reshape(len(values), -1))
        return monte_carlo_errors(flat).reshape(values.shape[1:])

    def by_chain(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The quantity at every draw, shape (M, T, ...). Chains that kept fewer draws, or none, are
        those of a run that was interrupted, or that had fewer to keep: all are cut to the length
        of the shortest that has any."""
        chains = [c for c in self.chains if len(c)]
        length = min(len(c) for c in chains)
        return values[np.stack([c[:length] for c in chains])]

    # --- averages (`TreeAverages`) -------------------------------------------------------------

    def usage(self) -> NDArray[np.float64]:
        """For each feature the share of draws that split on it anywhere, shape (d,)."""
        return self.mean((self.splits > 0).astype(np.float64))

    def expected_splits(self) -> NDArray[np.float64]:
        """For each feature the mean number of splits on it, shape (d,)."""
        return self.mean(self.splits.astype(np.float64))

    def leaf_distribution(self) -> NDArray[np.float64]:
        """Share of draws with k leaves, at index k."""
        return self._shares(self.n_leaves)

    def depth_distribution(self) -> NDArray[np.float64]:
        """Share of draws of depth t, at index t."""
        return self._shares(self.depth)

    def _shares(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        """Share of draws with each value of a whole number of their tree, shape (U,)."""
        return np.asarray(np.bincount(numbers, self.frequency), np.float64)

    def leaf_mixtures(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """For each new row, the leaves that it ends in."""
        for where in self._leaves_reached_in_pieces(rows):
            for column in where.T:
                leaves, place = np.unique(column, return_inverse=True)
                yield LeafMixture(self._shares(place), self._statistics[leaves])

    def predictions(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """For each new row the class probabilities, shape (m, C), or the predictive mean, shape
        (m, 1), averaged over all draws."""
        return average_predictions(self.geometry.table.leaf, self.leaf_mixtures(rows))

    # --- predictions ---------------------------------------------------------------------------

    def predictive(self, where: NDArray[np.int64]) -> NDArray[np.float64]:
        """What each tree predicts of rows, by their leaves of shape (U, m): class probabilities,
        shape (U, m, C), or means, shape (U, m)."""
        leaf = self.geometry.table.leaf
        of_leaf = leaf.predict_proba if leaf.classes else leaf.mean
        return of_leaf(self._statistics)[where]

    def predictive_error(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """Monte Carlo standard error of the mean of `predictive` over draws: (m, C) or (m,)."""
        pieces = [self.error(self.predictive(w)) for w in self._leaves_reached_in_pieces(rows)]
        return np.concatenate(pieces)

    def leaves_of_table(self) -> NDArray[np.int64]:
        """The leaf of each distinct row of the table under each tree, shape (U, n)."""
        boxes = [box for box, _ in sorted(self._leaf_numbers.items(), key=lambda item: item[1])]
        inside = self.geometry.members(boxes).astype(np.bool_)
        where = np.empty((len(self.trees), inside.shape[1]), np.int64)
        for u, parts in enumerate(self._parts):
            for number in (self._leaf_numbers[p.box] for p in parts if p.split is None):
                where[u, inside[number]] = number
        return where

    def leaves_reached(self, rows: NDArray[np.object_]) -> NDArray[np.int64]:
        """The leaf that each new row (`Table.new_rows`) ends in under each tree, shape (U, m).

        Equal leaves (boxes) of different trees have one number.
        """
        columns = self._columns(rows)
        where = np.empty((len(self.trees), len(rows)), np.int64)
        for u, parts in enumerate(self._parts):
            here = {0: np.arange(len(rows))}
            for i, part in enumerate(parts):  # parents come before their children
                inside = here.pop(i)
                if part.split is None:
                    where[u, inside] = self._leaf_numbers[part.box]
                    continue
                left = self._goes_left(part, columns[part.feature][inside])
                here[part.left], here[part.right] = inside[left], inside[~left]
        return where

    def _leaves_reached_in_pieces(self, rows: NDArray[np.object_]) -> Iterator[NDArray[np.int64]]:
        for a in range(0, max(1, len(rows)), _ROWS_AT_A_TIME):
            yield self.leaves_reached(rows[a : a + _ROWS_AT_A_TIME])

    def _columns(self, rows: NDArray[np.object_]) -> list[NDArray[np.float64]]:
        """New rows as numbers, a column at a time: values, or codes of levels (-1: none of the
        table's)."""
        out = []
        for f, feature in enumerate(self.geometry.table.features):
            if feature.levels is None:
                out.append(rows[:, f].astype(np.float64))
            else:
                codes = {level: i for i, level in enumerate(feature.levels)}
                out.append(np.array([codes.get(v, -1) for v in rows[:, f]], np.float64))
        return out

    def _goes_left(self, part: Part, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        assert part.split is not None
        if part.split.threshold is not None:
            return values < part.split.threshold
        levels = self.geometry.table.features[part.feature].levels
        assert levels is not None and part.split.level is not None
        equal: NDArray[np.bool_] = values == levels.index(part.split.level)
        return equal

    @cached_property
    def _parts(self) -> list[list[Part]]:
        found = [parts_of_tree(self.geometry, t.tree) for t in self.trees]
        return [parts for parts in found if parts is not None]  # the table's own trees: all are

    @cached_property
    def _leaf_numbers(self) -> dict[int, int]:
        """Number of each distinct leaf by its box."""
        boxes = (p.box for parts in self._parts for p in parts if p.split is None)
        return {box: number for number, box in enumerate(dict.fromkeys(boxes))}

    @cached_property
    def _statistics(self) -> NDArray[np.float64]:
        """Statistics of each distinct leaf, shape (number of leaves, k)."""
        return self.geometry.statistics(list(self._leaf_numbers))
