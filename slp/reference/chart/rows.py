"""What a chart says of new rows, and of pairs of them: rows followed down the forest, level by
level."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from slp.columns import LEFT, RIGHT, UNTOLD
from slp.problem.new_rows import rows_as_numbers, table_as_numbers, ways_at_cuts
from slp.reference.chart.forest import LEAF, Forest
from slp.reference.chart.pairs import PairSums
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.over_trees import average_predictions
from slp.results.averages.proximity import Proximity
from slp.results.averages.quantiles import LeafMixture
from slp.results.averages.quantities import LeafMoments


class ChartOfRows(ABC):
    """The part of `slp.reference.chart.chart.Chart` that follows rows."""

    forest: Forest

    @property
    @abstractmethod
    def statistics(self) -> NDArray[np.float64]:
        """Those of each leaf that an item can be, shape (L, k)."""

    @property
    @abstractmethod
    def edge_probability(self) -> NDArray[np.float64]:
        """The probability of each edge at its item, shape (E,)."""

    def seconds_of_new_rows(self, rows: NDArray[np.object_]) -> float:
        """See `TreeDistribution`: not estimated."""
        return 0.0

    def seconds_of_features(self, rows: NDArray[np.object_] | None) -> float:
        """See `TreeDistribution`: not estimated."""
        return 0.0

    def predictions(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """For each new row the class probabilities, or the predictive mean."""
        return average_predictions(self.forest.geometry.table, rows, self.leaf_mixtures(rows))

    def leaf_mixtures(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """For each new row, the leaves that it may end in; rows on the same side of every cut are
        computed once."""
        f = self.forest
        table = f.geometry.table
        each = rows_as_numbers(table, rows)
        told = ways_at_cuts(table.features, f.geometry.cuts, each)
        done: dict[bytes, LeafMixture] = {}
        for ways, numbers in zip(told, each, strict=True):
            levels = numbers[[feature.kind.categorical for feature in table.features]]
            key = ways.tobytes() + levels.tobytes()
            if key not in done:
                done[key] = self._leaf_mixture(ways, numbers)
            yield done[key]

    def seconds_of_pairs(self, ones: NDArray[np.object_], zeros: NDArray[np.object_]) -> float:
        """See `TreeDistribution`: not estimated."""
        return 0.0

    def differences(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_], moments: LeafMoments
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `TreeDistribution`."""
        f = self.forest
        for rows in (ones, zeros):
            for _ in self.leaf_mixtures(rows):
                pass  # raises where a row comes to a split that says no side of it
        every = np.arange(f.n_edges)
        takes_both = partial(self._takes_both, every)
        of = (f, self.edge_probability, self.statistics, takes_both)
        return PairSums(*of, moments).differences(ones, zeros)

    def _leaf_mixture(self, ways: NDArray[np.uint8], numbers: NDArray[np.float64]) -> LeafMixture:
        ends, masses, _ = self._follow(ways, numbers)
        leaves, place = np.unique(ends, return_inverse=True)
        mass = np.bincount(place, weights=masses)
        return LeafMixture(mass.astype(np.float64), self.statistics[leaves])

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """See `TreeAverages`: the path never splits on a feature with the probability of what a row
        reaches without the splits on it."""
        f, table = self.forest, self.forest.geometry.table
        d = len(table.features)
        each = table_as_numbers(table) if rows is None else rows_as_numbers(table, rows)
        asked, tests = np.empty((len(each), d)), np.empty((len(each), d))
        told = ways_at_cuts(table.features, f.geometry.cuts, each)
        for i, (ways, numbers) in enumerate(zip(told, each, strict=True)):
            _, _, tests[i] = self._follow(ways, numbers)
            for feature in range(d):
                _, masses, _ = self._follow(ways, numbers, without=feature)
                asked[i, feature] = max(0.0, 1.0 - masses.sum())
        if rows is None:
            weights = table.row_weights / table.row_weights.sum()
            asked, tests = (weights @ asked)[None], (weights @ tests)[None]
        return FeaturesAsked.exact(asked, tests, prices)

    def proximity(self, rows: NDArray[np.object_]) -> Proximity:
        """See `TreeAverages`: two rows go on together as long as a split sends both to one side."""
        f, table = self.forest, self.forest.geometry.table
        each = rows_as_numbers(table, rows)
        told = ways_at_cuts(table.features, f.geometry.cuts, each)
        lefts = [self._shares_left(*own) for own in zip(told, each, strict=True)]
        out = np.array([[self._share_a_leaf(a, b) for b in lefts] for a in lefts], np.float64)
        return Proximity.exact(out.reshape(len(rows), len(rows)))

    def _shares_left(
        self, ways: NDArray[np.uint8], numbers: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The share of a row that goes to the left item of each edge, shape (E,)."""
        f, geometry = self.forest, self.forest.geometry
        cut, every = f.cut, np.arange(f.n_edges)
        out = np.concatenate([ways == LEFT, [True, True]]).astype(np.float64)[cut]
        untold = np.concatenate([ways == UNTOLD, [False, False]])[cut]
        for e in np.flatnonzero(untold | self._takes_both(every, ways, numbers)).tolist():
            left, right = (f.boxes[f.item_box[item]] for item in (f.left[e], f.right[e]))
            missing = bool(np.isnan(numbers[geometry.cuts[int(cut[e])].feature]))
            out[e] = geometry.share_left(int(cut[e]), left, right, missing=missing)
        return out

    def _share_a_leaf(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
        """The probability that two rows end in one leaf, by their shares on the left of edges."""
        f = self.forest
        reach = np.zeros(f.n_items + 1)
        reach[0], found = 1.0, 0.0
        for items, e, sizes in f.by_level():
            flow = np.repeat(reach[items], sizes) * self.edge_probability[e]
            np.add.at(reach, f.left[e], flow * a[e] * b[e])
            np.add.at(reach, f.right[e], flow * (1 - a[e]) * (1 - b[e]))
            found += float(flow[f.cut[e] == LEAF].sum())
        return found

    def _follow(
        self, ways: NDArray[np.uint8], numbers: NDArray[np.float64], without: int = -1
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Follow a row down all boxes that it may reach, level by level, but not along splits on
        one feature (`without`): the leaves (`Forest.item_leaf`), the probability of each, and the
        expected number of splits on each feature, shape (d,)."""
        f = self.forest
        splits = np.zeros(len(f.grammar.features) + 1)  # the last: leaves and calls
        # cut -1 (a leaf) and -2 (a call) lead to the edge's left item
        takes_left = np.concatenate([ways == LEFT, [True, True]])
        takes_both = np.concatenate([ways == UNTOLD, [False, False]])
        reach = np.zeros(f.n_items + 1)
        reach[0] = 1.0
        leaves, masses = [], []
        for first, last in zip(f.levels[:-1], f.levels[1:], strict=True):
            items = first + np.flatnonzero(reach[first:last])
            if not len(items):
                continue
            start, size = f.first_edge[items], f.first_edge[items + 1] - f.first_edge[items]
            e = np.repeat(start - np.cumsum(size) + size, size) + np.arange(size.sum())
            flow = np.repeat(reach[items], size) * self.edge_probability[e]
            cut = f.cut[e]
            feature = self._cut_feature[cut]
            flow[feature == without] = 0.0
            splits += np.bincount(feature, weights=flow, minlength=len(splits))
            both = np.flatnonzero(
                (takes_both[cut] | self._takes_both(e, ways, numbers)) & (flow > 0)
            )
            if len(both):
                self._part(e[both], flow[both], reach, numbers)
                flow[both] = 0.0
            np.add.at(reach, np.where(takes_left[cut], f.left[e], f.right[e]), flow)
            ends = cut == LEAF
            leaves.append(f.item_leaf[np.repeat(items, size)[ends]])
            masses.append(flow[ends])
        return np.concatenate(leaves), np.concatenate(masses), splits[:-1]

    def _takes_both(
        self, edges: NDArray[np.int64], ways: NDArray[np.uint8], numbers: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Whether each edge parts a box of two levels, of which a row has neither."""
        f, out = self.forest, np.zeros(len(edges), np.bool_)
        features = f.geometry.table.features
        of_levels = [features[c.feature].kind.test_depends_on_box for c in f.geometry.cuts]
        for i in np.flatnonzero(np.array([*of_levels, False, False])[f.cut[edges]]).tolist():
            cut = int(f.cut[edges[i]])
            left, right = (f.item_box[item[edges[i]]] for item in (f.left, f.right))
            value = numbers[f.geometry.cuts[cut].feature]
            box = f.boxes[left] | f.boxes[right]
            out[i] = ways[cut] == RIGHT and f.geometry.is_neither(cut, box, value)
        return out

    def _part(
        self,
        edges: NDArray[np.int64],
        flow: NDArray[np.float64],
        reach: NDArray[np.float64],
        numbers: NDArray[np.float64],
    ) -> None:
        """Send a row down splits that do not say its side."""
        f, geometry = self.forest, self.forest.geometry
        for e, own in zip(edges.tolist(), flow.tolist(), strict=True):
            left, right = (f.boxes[f.item_box[item]] for item in (f.left[e], f.right[e]))
            cut = int(f.cut[e])
            missing = bool(np.isnan(numbers[geometry.cuts[cut].feature]))
            share = geometry.share_left(cut, left, right, missing=missing)
            reach[f.left[e]] += own * share
            reach[f.right[e]] += own * (1 - share)

    @cached_property
    def _cut_feature(self) -> NDArray[np.int64]:
        """Feature of each cut; d at positions -1 (leaf) and -2 (call)."""
        none = len(self.forest.grammar.features)
        return np.array([*(c.feature for c in self.forest.geometry.cuts), none, none], np.int64)
