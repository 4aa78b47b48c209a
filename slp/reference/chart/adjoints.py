"""Derivatives of what a chart says by the log weights of its edges, backwards through its sums.

With p(e) the probability of edge e at its item, u(e) the expected number of its uses, and W(e) its
log weight, all exactly:

    d log Q(0) / d W(e) = u(e)                                    (Baker 1979; inside-outside)
    d P(f used) / d W(e) = (1 - P(f used)) (u(e) - u(e without f))

as P(f used) is 1 - Q(0 without f) / Q(0). What a row is told is m(0), where m(i), given that it
comes to item i, is the mean over the edges of what follows:

    m(i) = sum over e of p(e) v(e),    v(e) = a leaf's value, or s m(left) + (1 - s) m(right)

with s the share of the row that goes left. Since W(e), log Q(left), log Q(right) and - log Q(i) add
up to log p(e), its derivative is pushed down with the row: to the weights of edges, and to the sums
of items, which pass it on to their edges.

Reference: Eisner (2016), Inside-outside and forward-backward algorithms are just backprop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.problem.new_rows import rows_as_numbers, ways_at_cuts
from slp.reference.chart.chart import Chart
from slp.reference.chart.forest import LEAF
from slp.reference.chart.semirings import best_score, fold

_Floats = NDArray[np.float64]

#: A derivation that is so many nats behind is as good, and so is one within rounding.
_LEAST_LEAD, _ROUNDING = 1e-9, 1e-12


class Derived(NamedTuple):
    """A number, and its derivatives by the log weights of all edges, float64 (E,)."""

    value: float
    slope: _Floats


class Followed(NamedTuple):
    """What a row is told: a number, its derivatives by the log weights of all edges, and how
    probable it is that the row ends at each edge, both float64 (E,)."""

    value: float
    slope: _Floats
    ends: _Floats


@dataclass(frozen=True, eq=False)
class Adjoints:
    """The derivatives of what a chart says."""

    chart: Chart

    @property
    def log_likelihood(self) -> _Floats:
        """Log marginal likelihood of each leaf edge, 0 of others, shape (E,)."""
        return self.at_leaves(self.chart.log_likelihood)

    @property
    def statistics(self) -> _Floats:
        """Sufficient statistics of the leaves that items can be, shape (L, k)."""
        return self.chart.statistics

    def at_leaves(self, of_leaves: _Floats) -> _Floats:
        """The numbers (L,) of leaves at the edges that end in them, 0 at others, shape (E,)."""
        leaf = self.chart.forest.item_leaf[self._item]
        return np.where(self._ends, of_leaves[leaf], 0.0)

    @cached_property
    def _item(self) -> NDArray[np.int64]:
        """The item of each edge."""
        f = self.chart.forest
        return np.repeat(np.arange(f.n_items), np.diff(f.first_edge))

    @cached_property
    def _ends(self) -> NDArray[np.bool_]:
        return np.asarray(self.chart.forest.cut == LEAF)

    # --- sums ------------------------------------------------------------------------------------

    def total(self) -> Derived:
        """Log of the weight of all trees together."""
        return Derived(self.chart.log_total, self._uses)

    @cached_property
    def _uses(self) -> _Floats:
        return _uses_of(self.chart)

    def usage(self, feature: int) -> Derived:
        """The probability that the tree splits on a feature anywhere."""
        own = self.chart
        weight = own.edge_weight.copy()
        weight[own._cut_feature[own.forest.cut] == feature] = -np.inf
        without = self.reweighed(weight)
        if without.log_total == -np.inf:
            return Derived(1.0, np.zeros(len(weight)))
        never = float(np.exp(min(0.0, without.log_total - own.log_total)))
        return Derived(1.0 - never, never * (self._uses - _uses_of(without)))

    def reweighed(self, weight: _Floats) -> Chart:
        """The same edges with other log weights."""
        out = Chart(self.chart.forest, self.chart.likelihood)
        out.statistics, out.log_likelihood = self.chart.statistics, self.chart.log_likelihood
        out.edge_weight = weight
        return out

    # --- rows ------------------------------------------------------------------------------------

    def shares(self, rows: NDArray[np.object_]) -> Iterator[_Floats]:
        """For each new row (`Table.new_rows`) its share on the left of each edge, shape (E,)."""
        f = self.chart.forest
        table = f.geometry.table
        each = rows_as_numbers(table, rows)
        told = ways_at_cuts(table.features, f.geometry.cuts, each)
        for _ in self.chart.leaf_mixtures(rows):
            pass  # raises where a row comes to a split that says no side of it
        for ways, numbers in zip(told, each, strict=True):
            yield self.chart._shares_left(ways, numbers)

    def followed(self, shares: _Floats, values: _Floats) -> Followed:
        """What a row with these shares is told by leaves with these values (L,)."""
        f, p = self.chart.forest, self.chart.edge_probability
        inside = np.zeros(f.n_items + 1)
        told = np.where(self._ends, values[f.item_leaf[self._item]], 0.0)
        for items, e, sizes in reversed(list(f.by_level())):
            told[e] += shares[e] * inside[f.left[e]] + (1 - shares[e]) * inside[f.right[e]]
            own = np.repeat(np.arange(len(sizes)), sizes)
            inside[items] = np.bincount(own, p[e] * told[e], len(sizes))
        slope, ends = self._pushed_down(shares, told, inside)
        return Followed(float(inside[0]), slope, ends)

    def _pushed_down(
        self, shares: _Floats, told: _Floats, inside: _Floats
    ) -> tuple[_Floats, _Floats]:
        f, p = self.chart.forest, self.chart.edge_probability
        reach, of_sums = np.zeros(f.n_items + 1), np.zeros(f.n_items + 1)
        reach[0] = 1.0
        slope, ends = np.empty(f.n_edges), np.empty(f.n_edges)
        for items, e, sizes in f.by_level():
            taken = np.repeat(reach[items], sizes) * p[e]
            of_item = of_sums[items] - reach[items] * inside[items]
            slope[e] = taken * told[e] + np.repeat(of_item, sizes) * p[e]
            ends[e] = np.where(self._ends[e], taken, 0.0)
            np.add.at(of_sums, f.left[e], slope[e])
            np.add.at(of_sums, f.right[e], slope[e])
            np.add.at(reach, f.left[e], taken * shares[e])
            np.add.at(reach, f.right[e], taken * (1 - shares[e]))
        return slope, ends

    # --- the best tree ---------------------------------------------------------------------------

    @cached_property
    def best_edges(self) -> NDArray[np.int64]:
        """The edges of the most probable derivation."""
        steps = self.chart._k_best.derivation(0)
        assert steps is not None, "some tree has a weight"
        return np.array([edge for _, edge in steps], np.int64)

    def best_lead(self, weight: _Floats) -> float:
        """How far this derivation is behind the best one under other log weights of edges, in
        nats: 0 where it is the best, but for rounding."""
        best = float(fold(self.chart.forest, best_score(weight))[0])
        lead = best - float(weight[self.best_edges].sum())
        return lead if lead > max(_LEAST_LEAD, _ROUNDING * abs(best)) else 0.0


def _uses_of(chart: Chart) -> _Floats:
    """Expected number of uses of each edge, shape (E,)."""
    sizes = np.diff(chart.forest.first_edge)
    return np.asarray(np.repeat(chart.visits, sizes) * chart.edge_probability)
