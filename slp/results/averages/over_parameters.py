"""`OverParameters`: the exact distribution over trees where parameters have a prior, by a rule of
quadrature.

With a node j of weight w_j, the weight of a tree is

    W(T) = sum over j of  c_j W_j(T),    c_j = w_j / Z_j

where W_j(T) is its weight at the values of the node, and Z_j the sum of these over all trees: given
values, the prior of trees is the normalised one. So an average over all trees is that at each node,
averaged by the share of the node, c_j times its total.

The best trees are found by the lists of all nodes side by side (the threshold algorithm of Fagin,
Lotem & Naor 2003): a tree that no list has shown yet weighs at most the sum of what the lists have
come down to, so a tree above that is the best of all.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import UnsupportedError
from slp.messages.unknown_parameters import MANY_NEAR_BEST
from slp.problem.tree_arrays import arrays_of_trees
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.left_out import HeldRows, LeftOut
from slp.results.averages.over_trees import (
    NEGLIGIBLE,
    ScoredTree,
    ScoredTrees,
    TreeDistribution,
    average_predictions,
)
from slp.results.averages.paths import TreePath
from slp.results.averages.proximity import Proximity
from slp.results.averages.quantiles import LeafMixture
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.results.averages.quantities import LeafMoments

_Floats = NDArray[np.float64]

#: The most trees that are listed to count those near the best one.
_MOST_NEAR = 10_000


class OverParameters:
    """A `TreeDistribution` of those at the nodes of a rule, on one table. `log_scales` are the
    log c_j, shape (J,)."""

    def __init__(
        self, table: Table, parts: Sequence[TreeDistribution], log_scales: _Floats
    ) -> None:
        self.table, self.parts, self.log_scales = table, tuple(parts), log_scales
        self.likelihood = parts[0].likelihood

    def other(self, likelihood: bool) -> OverParameters:
        """The same trees with or without likelihood."""
        if likelihood == self.likelihood:
            return self
        return OverParameters(
            self.table, [part.other(likelihood) for part in self.parts], self.log_scales
        )

    @cached_property
    def log_joint(self) -> _Floats:
        """Log of the weight of all trees at each node, shape (J,)."""
        totals: _Floats = np.array([part.log_total for part in self.parts])
        return np.asarray(self.log_scales + totals)

    @cached_property
    def shares(self) -> _Floats:
        """The share of each node, shape (J,); they sum to 1."""
        return np.exp(self.log_joint - self.log_total)

    @property
    def _live(self) -> list[tuple[float, TreeDistribution]]:
        """The nodes whose shares are not negligible, with these."""
        shares = np.where(self.shares < NEGLIGIBLE, 0.0, self.shares)
        of = zip((shares / shares.sum()).tolist(), self.parts, strict=True)
        return [(share, part) for share, part in of if share]

    def _mean(self, ask: Callable[[TreeDistribution], _Floats]) -> _Floats:
        """The average of an array over nodes; shorter ones end in zeros."""
        told = [(share, ask(part)) for share, part in self._live]
        longest = max(len(own) for _, own in told)
        out = np.zeros((longest, *told[0][1].shape[1:]))
        for share, own in told:
            out[: len(own)] += share * own
        return out

    # --- totals --------------------------------------------------------------------------------

    @cached_property
    def log_total(self) -> float:
        """See `TreeDistribution`."""
        return float(np.logaddexp.reduce(self.log_joint))

    @property
    def left_out(self) -> float:
        """See `TreeDistribution`."""
        return sum(share * part.left_out for share, part in self._live)

    @property
    def derivations_are_trees(self) -> bool:
        """See `TreeDistribution`; at one node, as the rules are the same at all."""
        return self.parts[0].derivations_are_trees

    def tree_count(self) -> float:
        """See `TreeDistribution`; at one node, as labels are 0 at none between the ends of the
        prior, or at all."""
        return self.parts[0].tree_count()

    # --- trees ---------------------------------------------------------------------------------

    def log_weight(self, tree: Tree) -> float:
        """See `TreeDistribution`."""
        of = zip(self.log_scales.tolist(), self.parts, strict=True)
        return float(np.logaddexp.reduce([scale + part.log_weight(tree) for scale, part in of]))

    def best(self) -> Iterator[ScoredTree]:
        """See `TreeDistribution`: trees by falling weight. Where a tree may have several
        derivations, those of all nodes, each with its weight at its node."""
        if not self.derivations_are_trees:
            yield from self._best_derivations()
            return
        lists = [part.best() for part in self.parts]
        reached = np.full(len(lists), np.inf)
        waiting: list[tuple[float, int, ScoredTree]] = []
        met: set[Tree] = set()
        while lists and reached.max() > -np.inf:
            j = int(np.argmax(reached))  # the list from which the bound falls most
            scored = next(lists[j], None)
            reached[j] = -np.inf
            if scored is not None:
                reached[j] = self.log_scales[j] + self._joint(scored)
                if scored.tree not in met:
                    met.add(scored.tree)
                    own = replace(scored, log_weight=self.log_weight(scored.tree))
                    heapq.heappush(waiting, (-self._joint(own), len(met), own))
            bound = float(np.logaddexp.reduce(reached))
            while waiting and -waiting[0][0] >= bound:
                yield heapq.heappop(waiting)[2]
        while waiting:
            yield heapq.heappop(waiting)[2]

    def _best_derivations(self) -> Iterator[ScoredTree]:
        def scaled(scale: float, part: TreeDistribution) -> Iterator[ScoredTree]:
            for own in part.best():
                yield replace(own, log_weight=own.log_weight + scale)

        lists = map(scaled, self.log_scales.tolist(), self.parts)
        yield from heapq.merge(*lists, key=lambda own: -self._joint(own))

    def _joint(self, own: ScoredTree) -> float:
        return own.log_weight + self.likelihood * own.log_likelihood

    def near_best(self, slack: float) -> tuple[int, float]:
        """See `TreeDistribution`.

        Raises
        ------
        UnsupportedError
            E308: there are more than 10,000.
        """
        joints: list[float] = []
        for scored in self.best():
            joint = self._joint(scored)
            if joints and joint < joints[0] - slack - 1e-6:
                break
            if len(joints) == _MOST_NEAR:
                raise UnsupportedError(MANY_NEAR_BEST(most=_MOST_NEAR))
            joints.append(joint)
        return len(joints), float(np.logaddexp.reduce(joints))

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """See `TreeDistribution`."""
        live = self._live
        counts = rng.multinomial(n, [share for share, _ in live])
        drawn = [part.draw(int(k), rng) for k, (_, part) in zip(counts, live, strict=True) if k]
        if not drawn:
            return live[0][1].draw(0, rng)
        every = [scored for own in drawn for scored in own]
        order = rng.permutation(n)
        trees = [every[i].tree for i in order]
        weight: dict[Tree, float] = {}
        for tree in trees:
            if tree not in weight:
                weight[tree] = self.log_weight(tree)
        fits = np.concatenate([own.log_likelihood for own in drawn])[order]
        weights = np.array([weight[tree] for tree in trees])
        return ScoredTrees(arrays_of_trees(self.table, trees), weights, fits)

    def draw_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]] | None:
        """See `TreeDistribution`."""
        live = self._live
        counts = rng.multinomial(n, [share for share, _ in live])
        found: list[list[TreePath]] = [[] for _ in rows]
        for k, (_, part) in zip(counts, live, strict=True):
            paths = part.draw_paths(rows, int(k), rng) if k else [[] for _ in rows]
            if paths is None:
                return None
            for own, more in zip(found, paths, strict=True):
                own += more
        order = rng.permutation(n)
        return [[own[i] for i in order] for own in found]

    # --- averages ------------------------------------------------------------------------------

    def leaf_mixtures(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """See `TreeAverages`."""
        live = self._live
        for own in zip(*(part.leaf_mixtures(rows) for _, part in live), strict=True):
            of = zip(live, own, strict=True)
            probability = [share * mixture.probability for (share, _), mixture in of]
            statistics = [mixture.statistics for mixture in own]
            yield LeafMixture(np.concatenate(probability), np.concatenate(statistics))

    def predictions(self, rows: NDArray[np.object_]) -> _Floats:
        """See `TreeAverages`."""
        if self.table.leaf.point == "median":
            return average_predictions(self.table, rows, self.leaf_mixtures(rows))
        return self._mean(lambda part: part.predictions(rows))

    def features_asked(self, rows: NDArray[np.object_] | None, prices: _Floats) -> FeaturesAsked:
        """See `TreeAverages`."""
        told = [(share, part.features_asked(rows, prices)) for share, part in self._live]
        names = [own.name for own in fields(FeaturesAsked) if own.name != "kind"]
        means = {name: sum(share * getattr(own, name) for share, own in told) for name in names}
        return replace(told[0][1], kind="estimate", **means)

    def proximity(self, rows: NDArray[np.object_]) -> Proximity | None:
        """See `TreeAverages`."""
        told = [(share, part.proximity(rows)) for share, part in self._live]
        if any(own is None for _, own in told):
            return None
        values = [share * own.value for share, own in told if own is not None]
        return replace(Proximity.exact(np.sum(values, axis=0)), kind="estimate")

    def leave_out(self, held: HeldRows) -> LeftOut:
        """See `TreeAverages`: 1 / p(y_i | the others) is the posterior mean of 1 / q."""
        told = [(share, part.leave_out(held).log_predictive) for share, part in self._live]
        return LeftOut(-np.logaddexp.reduce([math.log(share) - own for share, own in told]))

    def usage(self) -> _Floats:
        """See `TreeAverages`."""
        return self._usage

    @cached_property
    def _usage(self) -> _Floats:
        return self._mean(lambda part: part.usage())

    def expected_splits(self) -> _Floats:
        """See `TreeAverages`."""
        return self._mean(lambda part: part.expected_splits())

    def root_splits(self) -> _Floats:
        """See `TreeAverages`."""
        return self._mean(lambda part: part.root_splits())

    def leaf_distribution(self) -> _Floats:
        """See `TreeAverages`."""
        return self._leaves

    @cached_property
    def _leaves(self) -> _Floats:
        return self._mean(lambda part: part.leaf_distribution())

    def depth_distribution(self) -> _Floats:
        """See `TreeAverages`."""
        return self._depths

    @cached_property
    def _depths(self) -> _Floats:
        return self._mean(lambda part: part.depth_distribution())

    def rule_uses(self) -> _Floats:
        """See `TreeDistribution`: the rules are the same at each node."""
        return self._mean(lambda part: part.rule_uses())

    def differences(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_], moments: LeafMoments
    ) -> tuple[_Floats, _Floats]:
        """See `TreeDistribution`."""
        told = [(share, part.differences(ones, zeros, moments)) for share, part in self._live]
        means = np.sum([share * own[0] for share, own in told], axis=0)
        return means, np.sum([share * own[1] for share, own in told], axis=0)

    # --- what they take ------------------------------------------------------------------------

    def seconds_of_new_rows(self, rows: NDArray[np.object_]) -> float:
        """See `TreeDistribution`."""
        return sum(part.seconds_of_new_rows(rows) for _, part in self._live)

    def seconds_of_features(self, rows: NDArray[np.object_] | None) -> float:
        """See `TreeDistribution`."""
        return sum(part.seconds_of_features(rows) for _, part in self._live)

    def seconds_of_pairs(self, ones: NDArray[np.object_], zeros: NDArray[np.object_]) -> float:
        """See `TreeDistribution`."""
        return sum(part.seconds_of_pairs(ones, zeros) for _, part in self._live)
