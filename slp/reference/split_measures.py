"""Split measures: the probability of each distinct split of a box under a split rule.

With V the splits of the box that the measure is taken over, V_f those on feature f, F the features
with V_f not empty, w the feature weights, d the number of features, g the gap of a split, the
probability of s in V on feature f is (for `range` with its own set of features, R)

    feature_then_cut   w_f / sum of w over F  x  1 / |V_f|
    all                1 / |V|
    gap                w_f / sum of w over F  x  g(s) / sum of g over V_f
    each               1
    partition          1 if s is the first in V that parts the rows as it does, else 0
    per_feature        1/d  x  1 / |V_f|
    range              w_f / sum of w over R  x  l(s)

Of a feature whose levels are in the order of their responses, 1 / |V_f| and g(s) / sum of g are the
share 1 / (2^(k-1) - 1) of a cut in a box of k of its levels (`ColumnKind.log_share`).

Where a feature has a density of its thresholds, the probability of a cut's interval of thresholds
stands for g(s), the density at its threshold for 1 under `feature_then_cut` and `per_feature`, and
l(s) is the probability of its interval over that of the range.

Of `range`, l(s) is the length of the interval of thresholds that part the box as s does, over the
range of f in the whole table. R has the features of two values in the table with a number in that
range, ends included, that the rule proposes and (under `failure(restrict)`) no constraint forbids:
it depends on the state and not on the box. So the probabilities in a box sum to less than 1, and
what is missing fails.

With missing values that take a side, splits that differ in this side alone are versions of one cut.
There |V| and |V_f| count cuts, and under all measures but `each` and `partition` the probability
of a cut is divided by the number of its versions in V. `range` does not propose the test for
missing values.

Where features are in groups, a group is drawn uniformly before the feature. Under the first two
measures that use w, in place of w_f / sum of w over F stands

    1 / number of groups with a feature in F  x  w_f / sum of w over the features of its group in F

and the same with R under `range`. Under `per_feature` 1 / (number of groups x number of features of
the group) stands for 1/d.

V does not contain splits that the rule does not propose (OUTSIDE) nor, under `failure(restrict)`,
splits that a constraint forbids. Under `failure(condition)` forbidden splits are in V, and a
derivation that takes one fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.ir.program import Measure
from slp.problem.split_measures import RuleWeights
from slp.reference.boxes import BoxSplit, Geometry

#: Of a rule under a measure that every box changes.
NO_RULE_WEIGHTS = RuleWeights()


@dataclass(frozen=True, eq=False)
class SplitArrays:
    """Splits of B boxes side by side, for the measures.

    Attributes
    ----------
    n_boxes, n_features : B, d.
    feature_weights : float64, shape (d,).
    feature_groups : int64, shape (d,). The groups of features; None if there are none.
    box : int64, shape (E,), ascending. Which box, 0 to B - 1.
    cut, cell : int64, shape (E,). Number of the cut in `Geometry.cuts`, and its cell.
    feature : int64, shape (E,). Within a box in canonical order.
    gap, log_length, log_share, log_mass, log_density : float64, shape (E,). As those of the cuts.
    pair : int64, shape (E,). The same number for splits that part a box's rows alike, sides
        disregarded.
    group : int64, shape (E,). The same number for splits that differ in the side of missing values
        alone; None where no values take a side.
    """

    n_boxes: int
    feature_weights: NDArray[np.float64]
    box: NDArray[np.int64]
    cut: NDArray[np.int64]
    cell: NDArray[np.int64]
    feature: NDArray[np.int64]
    gap: NDArray[np.float64]
    log_length: NDArray[np.float64]
    log_share: NDArray[np.float64]
    log_mass: NDArray[np.float64]
    log_density: NDArray[np.float64]
    pair: NDArray[np.int64]
    group: NDArray[np.int64] | None = None
    feature_groups: NDArray[np.int64] | None = None

    @property
    def n_features(self) -> int:
        """See the class."""
        return len(self.feature_weights)

    @classmethod
    def of_box(
        cls,
        geometry: Geometry,
        splits: Sequence[BoxSplit],
        feature_weights: NDArray[np.float64],
        feature_groups: NDArray[np.int64] | None = None,
    ) -> SplitArrays:
        """Splits of one box."""
        pairs: dict[int, int] = {}
        pair = [pairs.setdefault(min(s.left, s.right), len(pairs)) for s in splits]
        cut = np.array([s.cut for s in splits], np.int64)
        return cls.of_boxes(
            geometry,
            np.array([len(splits)]),
            cut,
            np.array(pair, np.int64),
            feature_weights,
            feature_groups,
        )

    @classmethod
    def of_boxes(
        cls,
        geometry: Geometry,
        n_splits: NDArray[np.int64],
        cut: NDArray[np.int64],
        pair: NDArray[np.int64],
        feature_weights: NDArray[np.float64],
        feature_groups: NDArray[np.int64] | None = None,
    ) -> SplitArrays:
        """Splits of boxes, one box after the other; `n_splits`, shape (B,), of each."""
        cuts = [geometry.cuts[c] for c in cut.tolist()]
        sided = any(f.kind.missing_code is not None for f in geometry.table.features)
        return cls(
            n_boxes=len(n_splits),
            feature_weights=feature_weights,
            box=np.repeat(np.arange(len(n_splits)), n_splits),
            cut=cut,
            cell=np.array([c.cell for c in cuts], np.int64),
            feature=np.array([c.feature for c in cuts], np.int64),
            gap=np.array([c.gap for c in cuts], np.float64),
            log_length=np.array([c.log_length for c in cuts], np.float64),
            log_share=np.array([c.log_share for c in cuts], np.float64),
            log_mass=np.array([c.log_mass for c in cuts], np.float64),
            log_density=np.array([c.log_density for c in cuts], np.float64),
            pair=pair,
            group=np.array([c.group for c in cuts], np.int64) if sided else None,
            feature_groups=feature_groups,
        )

    def of_some(self, boxes: NDArray[np.bool_]) -> tuple[SplitArrays, NDArray[np.bool_]]:
        """The splits of the boxes marked, shape (B,), with new numbers; and which splits
        these are, shape (E,)."""
        held = boxes[self.box]
        box = (np.cumsum(boxes) - 1)[self.box[held]]
        cut, cell, feature, pair = (x[held] for x in (self.cut, self.cell, self.feature, self.pair))
        n, weights = int(boxes.sum()), self.feature_weights
        gap, length, share = self.gap[held], self.log_length[held], self.log_share[held]
        logs = self.log_mass[held], self.log_density[held]
        group = None if self.group is None else self.group[held]
        return SplitArrays(
            n,
            weights,
            box,
            cut,
            cell,
            feature,
            gap,
            length,
            share,
            *logs,
            pair,
            group,
            self.feature_groups,
        ), held

    def versions(self, taken: NDArray[np.int64]) -> NDArray[np.float64]:
        """For each split in `taken`, how many in `taken` are versions of its cut, shape (E',)."""
        if self.group is None:
            return np.ones(len(taken))
        keys = np.stack([self.box[taken], self.group[taken]], axis=1)
        _, which, count = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        return np.asarray(count[which.reshape(-1)], np.float64)


def log_split_probabilities(
    measure: Measure,
    splits: SplitArrays,
    valid: NDArray[np.bool_],
    own: RuleWeights = NO_RULE_WEIGHTS,
) -> NDArray[np.float64]:
    """Log probability of each split, shape (E,), with V the splits marked `valid`; -inf outside V.
    `own` are the weights of the rule."""
    out = np.full(len(valid), -np.inf)
    taken = np.flatnonzero(valid)
    if not len(taken):
        return out
    if measure == "each":
        out[taken] = 0.0
    elif measure == "partition":
        out[_first_of_each_partition(splits, taken)] = 0.0
    elif measure == "all":
        box, part = splits.box[taken], 1 / splits.versions(taken)
        out[taken] = np.log(part / np.bincount(box, part)[box])
    elif measure == "range":
        weights = splits.feature_weights if own.weights is None else own.weights
        chosen = weights[splits.feature[taken]] / own.total
        out[taken] = splits.log_length[taken] + np.log(chosen / splits.versions(taken))
    else:
        out[taken] = _probability_by_feature(measure, splits, taken, own)
    return out


def _first_of_each_partition(splits: SplitArrays, taken: NDArray[np.int64]) -> NDArray[np.int64]:
    """The splits in `taken` that stand for all that part the rows of their box alike."""
    keys = np.stack([splits.box[taken], splits.pair[taken]], axis=1)
    _, first = np.unique(keys, axis=0, return_index=True)
    return taken[first]


def _probability_by_feature(
    measure: Measure, splits: SplitArrays, taken: NDArray[np.int64], own: RuleWeights
) -> NDArray[np.float64]:
    """Log probabilities of the measures that choose a feature, then one of its cuts."""
    shape = (splits.n_boxes, splits.n_features)
    group = splits.box[taken] * splits.n_features + splits.feature[taken]
    weight = (splits.gap[taken] if measure == "gap" else 1.0) / splits.versions(taken)
    total = np.bincount(group, weights=weight, minlength=shape[0] * shape[1])
    share = splits.log_share[taken]
    within = np.where(np.isnan(share), np.log(weight) - np.log(total[group]), share)
    logs = (splits.log_mass if measure == "gap" else splits.log_density)[taken]
    if not np.isnan(logs).all():
        within = np.where(np.isnan(logs), within, _shares(logs, group, len(total)))
    if measure == "per_feature":
        if own.weights is not None:
            return np.asarray(within + np.log(own.weights[splits.feature[taken]]))
        return np.asarray(within - np.log(splits.n_features))
    feature_weight = np.where(total.reshape(shape) > 0, splits.feature_weights, 0.0)
    chosen = splits.feature_weights[splits.feature[taken]]
    if splits.feature_groups is None:
        available = feature_weight.sum(axis=1)[splits.box[taken]]
        return np.asarray(within + np.log(chosen / available))
    numbers = splits.feature_groups
    of_group = np.zeros((splits.n_boxes, int(numbers.max()) + 1))
    for f, number in enumerate(numbers.tolist()):
        of_group[:, number] += feature_weight[:, f]
    n_groups = (of_group > 0).sum(axis=1)[splits.box[taken]]
    in_group = of_group[splits.box[taken], numbers[splits.feature[taken]]]
    return np.asarray(within + np.log(chosen / in_group) - np.log(n_groups))


def _shares(
    logs: NDArray[np.float64], group: NDArray[np.int64], n_groups: int
) -> NDArray[np.float64]:
    """The log of each weight over the sum of those of its group. A group whose weights are NaN has
    shares of no meaning."""
    top = np.full(n_groups, -np.inf)
    known = np.where(np.isnan(logs), 0.0, logs)
    np.maximum.at(top, group, known)
    rest = known - top[group]
    return np.asarray(rest - np.log(np.bincount(group, np.exp(rest), n_groups)[group]))
