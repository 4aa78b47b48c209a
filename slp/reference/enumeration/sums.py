"""Engine `enumerate`: every quantity as a plain sum over a list of all derivations. For tiny
tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slp.columns import LEFT, RIGHT, UNTOLD
from slp.engines.shared.near_best import ROUNDING
from slp.errors import BudgetError
from slp.ir.tree_grammar import TreeGrammar
from slp.messages.inference import DERIVATION_TOO_DEEP, TOO_MANY_DERIVATIONS
from slp.problem.new_rows import rows_as_numbers, table_as_numbers, ways_at_cuts
from slp.reference.boxes import Geometry
from slp.reference.cut_trees import Renderer
from slp.reference.enumeration.derivations import MOST_NESTED, Derivation, TooDeepError, derivations
from slp.reference.local_process import LocalProcess
from slp.reference.tree_weights import log_weight_of_tree
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.left_out import HeldRows, LeftOut
from slp.results.averages.over_trees import ScoredTree, ScoredTrees, average_predictions
from slp.results.averages.proximity import Proximity
from slp.results.averages.quantiles import LeafMixture
from slp.results.averages.quantities import LeafMoments
from slp.results.averages.rows_in_leaves import design_of_rows
from slp.trees import Tree

#: Tables with more derivations are refused.
MOST_DERIVATIONS = 200_000


class Enumeration:
    """A `TreeDistribution` that holds all its derivations."""

    def __init__(
        self,
        grammar: TreeGrammar,
        geometry: Geometry,
        items: list[Derivation],
        likelihood: bool,
    ) -> None:
        self._grammar, self.geometry = grammar, geometry
        self.items, self.likelihood = items, likelihood
        self.renderer = Renderer(geometry)

    @classmethod
    def of(cls, grammar: TreeGrammar, geometry: Geometry, likelihood: bool) -> Enumeration:
        """All derivations of a grammar on a table.

        Raises
        ------
        BudgetError
            There are more than `MOST_DERIVATIONS`, or they are too deep (E503).
        """
        items: list[Derivation] = []
        try:
            for derivation in derivations(grammar, geometry):
                items.append(derivation)
                if len(items) > MOST_DERIVATIONS:
                    raise BudgetError(TOO_MANY_DERIVATIONS(most=MOST_DERIVATIONS))
        except TooDeepError:
            raise BudgetError(DERIVATION_TOO_DEEP(most=MOST_NESTED)) from None
        return cls(grammar, geometry, items, likelihood)

    def other(self, likelihood: bool) -> Enumeration:
        """The same derivations with or without likelihood."""
        return Enumeration(self._grammar, self.geometry, self.items, likelihood)

    @property
    def left_out(self) -> float:
        """No tree is left out."""
        return 0.0

    @cached_property
    def derivations_are_trees(self) -> bool:
        """Whether no tree has two derivations."""
        return len(set(self.trees)) == len(self.trees)

    @cached_property
    def trees(self) -> list[Tree]:
        """The tree of each derivation."""
        return [self.renderer.tree((d.box, d.cut) for d in _nodes(item)) for item in self.items]

    @cached_property
    def log_likelihood(self) -> NDArray[np.float64]:
        """Log marginal likelihood of each derivation's leaves, shape (T,)."""
        leaf = self.geometry.table.leaf
        statistics = [self._statistics(_leaves(item)) for item in self.items]
        return np.array([leaf.log_marginal(s).sum() for s in statistics])

    def _statistics(self, leaves: Sequence[Derivation]) -> NDArray[np.float64]:
        """The statistics of leaves, each with the prior of its state, shape (K, k)."""
        states = [self._grammar.states[own.rules[-1][0]] for own in leaves]
        priors = [state.leaf_prior for state in states]
        return self.geometry.leaf_statistics([own.box for own in leaves], priors)

    @cached_property
    def log_score(self) -> NDArray[np.float64]:
        """Log weight of each derivation, with likelihood where it is wanted, shape (T,)."""
        weight = np.array([item.log_weight for item in self.items])
        return weight + self.log_likelihood if self.likelihood else weight

    @property
    def log_total(self) -> float:
        """Log of the weight of all trees together."""
        return float(np.logaddexp.reduce(self.log_score)) if self.items else -np.inf

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """Probability of each derivation, shape (T,)."""
        return np.exp(self.log_score - self.log_total)

    def tree_count(self) -> float:
        """Number of derivations."""
        return float(len(self.items))

    def best(self) -> Iterator[ScoredTree]:
        """Derivations by falling weight."""
        for i in np.argsort(-self.log_score, kind="stable"):
            yield self._scored(int(i))

    def near_best(self, slack: float) -> tuple[int, float]:
        """See `TreeDistribution`."""
        near = self.log_score[self.log_score >= self.log_score.max() - slack - ROUNDING]
        return len(near), float(np.logaddexp.reduce(near))

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """Independent draws."""
        drawn = rng.choice(len(self.items), n, p=self.probability).tolist()
        return ScoredTrees.of(self.geometry.table, map(self._scored, drawn))

    def draw_paths(self, rows: NDArray[np.object_], n: int, rng: np.random.Generator) -> None:
        """See `TreeDistribution`: all trees are there as a whole."""

    def _scored(self, i: int) -> ScoredTree:
        return ScoredTree(self.trees[i], self.items[i].log_weight, float(self.log_likelihood[i]))

    def log_weight(self, tree: Tree) -> float:
        """See `slp.reference.tree_weights`."""
        return log_weight_of_tree(LocalProcess(self._grammar, self.geometry), tree)

    def seconds_of_new_rows(self, rows: NDArray[np.object_]) -> float:
        """See `TreeDistribution`: not estimated."""
        return 0.0

    def seconds_of_features(self, rows: NDArray[np.object_] | None) -> float:
        """See `TreeDistribution`: not estimated."""
        return 0.0

    def predictions(self, rows: NDArray[np.object_]) -> NDArray[np.float64]:
        """For each new row the class probabilities, or the predictive mean."""
        return average_predictions(self.geometry.table, rows, self.leaf_mixtures(rows))

    def leaf_mixtures(self, rows: NDArray[np.object_]) -> Iterator[LeafMixture]:
        """For each new row, the leaf that each derivation puts it into."""
        table = self.geometry.table
        each = rows_as_numbers(table, rows)
        told = ways_at_cuts(table.features, self.geometry.cuts, each)
        for ways, numbers in zip(told, each, strict=True):
            found = [self._leaves_of(item, ways, numbers) for item in self.items]
            leaves = [leaf for own in found for leaf, _, _ in own]
            shares = [
                p * share
                for p, own in zip(self.probability.tolist(), found, strict=True)
                for _, share, _ in own
            ]
            yield LeafMixture(np.array(shares), self._statistics(leaves))

    def seconds_of_pairs(self, ones: NDArray[np.object_], zeros: NDArray[np.object_]) -> float:
        """See `TreeDistribution`: not estimated."""
        return 0.0

    def differences(
        self, ones: NDArray[np.object_], zeros: NDArray[np.object_], moments: LeafMoments
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `TreeDistribution`: derivation by derivation. With w the weights by which the
        difference takes the leaves of a tree, whose parameters are independent, it has the mean
        w' m and the variance sum of w^2 v."""
        table = self.geometry.table
        numbers = [rows_as_numbers(table, rows) for rows in (ones, zeros)]
        designs = [design_of_rows(table, own) for own in numbers]
        told = [ways_at_cuts(table.features, self.geometry.cuts, own) for own in numbers]
        means, squares = [], []
        for i in range(len(ones)):
            mean: NDArray[np.float64] = np.zeros(1)
            square: NDArray[np.float64] = np.zeros(1)
            for item, p in zip(self.items, self.probability.tolist(), strict=True):
                weights: dict[int, list[NDArray[np.float64]]] = {}
                leaves: list[Derivation] = []
                for k in (0, 1):
                    design = designs[k]
                    one = np.ones(1) if design is None else design[i]
                    for leaf, share, _ in self._leaves_of(item, told[k][i], numbers[k][i]):
                        if leaf.box not in weights:
                            leaves.append(leaf)
                            weights[leaf.box] = [np.zeros(len(one)), np.zeros(len(one))]
                        own = weights[leaf.box]
                        own[k] = own[k] + share * one
                first, second = moments.of(self._statistics(leaves))
                w = np.array([a - b for a, b in weights.values()])  # (K, 1), or (K, J)
                if designs[0] is None:
                    used = w[:, 0] != 0
                    w, first, second = w[used], first[used], second[used]
                    apart, variance = w * first, w**2 * (second - first**2)
                else:
                    apart = (w * first).sum(axis=1, keepdims=True)
                    spread = second - first[:, :, None] * first[:, None, :]
                    variance = np.einsum("ki,kij,kj->k", w, spread, w)[:, None]
                mean = mean + p * apart.sum(axis=0)
                square = square + p * (apart.sum(axis=0) ** 2 + variance.sum(axis=0))
            means.append(mean)
            squares.append(square)
        return np.array(means), np.array(squares)

    def leave_out(self, held: HeldRows) -> LeftOut:
        """See `TreeAverages`: by the sum over all derivations without the response of each row."""
        geometry, leaf = self.geometry, self.geometry.table.leaf
        leaves = [_leaves(item) for item in self.items]
        members = [geometry.members([own.box for own in each]) for each in leaves]
        priors = [leaf.prior_of(self._statistics(each)) for each in leaves]
        weight = np.array([item.log_weight for item in self.items])
        found = np.empty(len(held.row))
        for i in range(len(held.row)):
            own = held.without(geometry.table.statistics, i)
            fit = np.array(
                [
                    leaf.log_marginal(leaf.with_prior(rows @ own, of)).sum()
                    for rows, of in zip(members, priors, strict=True)
                ]
            )
            found[i] = self.log_total - np.logaddexp.reduce(weight + fit)
        return LeftOut(found)

    def _leaves_of(
        self, d: Derivation, ways: NDArray[np.uint8], numbers: NDArray[np.float64]
    ) -> list[tuple[Derivation, float, tuple[int, ...]]]:
        """The leaves that a row falls into, with the shares that it has there and the features that
        the path splits on."""
        out: list[tuple[Derivation, float, tuple[int, ...]]] = []
        stack: list[tuple[Derivation, float, tuple[int, ...]]] = [(d, 1.0, ())]
        while stack:
            d, share, above = stack.pop()
            if d.split is None or d.left is None or d.right is None:
                out.append((d, share, above))
                continue
            above = (*above, self.geometry.cuts[d.split.cut].feature)
            way = ways[d.split.cut]
            value = numbers[self.geometry.cuts[d.split.cut].feature]
            if way == UNTOLD or (
                way == RIGHT and self.geometry.is_neither(d.split.cut, d.box, value)
            ):
                left = self.geometry.share_left(
                    d.split.cut, d.split.left, d.split.right, missing=bool(np.isnan(value))
                )
                stack += [(d.left, share * left, above), (d.right, share * (1 - left), above)]
            else:
                stack.append((d.left if way == LEFT else d.right, share, above))
        return out

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """See `TreeAverages`."""
        table = self.geometry.table
        each = table_as_numbers(table) if rows is None else rows_as_numbers(table, rows)
        told = ways_at_cuts(table.features, self.geometry.cuts, each)
        asked, tests = np.zeros((2, len(each), len(table.features)))
        for i, (ways, numbers) in enumerate(zip(told, each, strict=True)):
            for p, item in zip(self.probability.tolist(), self.items, strict=True):
                for _, share, above in self._leaves_of(item, ways, numbers):
                    np.add.at(tests[i], list(above), p * share)
                    asked[i, list(set(above))] += p * share
        if rows is None:
            weights = table.row_weights / table.row_weights.sum()
            asked, tests = (weights @ asked)[None], (weights @ tests)[None]
        return FeaturesAsked.exact(asked, tests, prices)

    def proximity(self, rows: NDArray[np.object_]) -> Proximity:
        """See `TreeAverages`."""
        table = self.geometry.table
        each = rows_as_numbers(table, rows)
        told = list(ways_at_cuts(table.features, self.geometry.cuts, each))
        out = np.zeros((len(rows), len(rows)))
        for p, item in zip(self.probability.tolist(), self.items, strict=True):
            found = [self._leaves_of(item, *own) for own in zip(told, each, strict=True)]
            for i, a in enumerate(found):
                for j, b in enumerate(found):
                    out[i, j] += p * sum(s * t for x, s, _ in a for y, t, _ in b if x.box == y.box)
        return Proximity.exact(out)

    def rule_uses(self) -> NDArray[np.float64]:
        """Expected number of times that each rule is taken, shape (R,)."""
        first = np.cumsum([0, *(len(state.rules) for state in self._grammar.all_states())])
        out = np.zeros(int(first[-1]))
        for d, p in zip(self.items, self.probability.tolist(), strict=True):
            for s, r in d.rules:
                out[first[s] + r] += p
        return out

    def usage(self) -> NDArray[np.float64]:
        """For each feature the probability that the tree splits on it anywhere, shape (d,)."""
        return self.probability @ (self._splits_on > 0)

    def expected_splits(self) -> NDArray[np.float64]:
        """For each feature the expected number of splits on it, shape (d,)."""
        return self.probability @ self._splits_on

    def root_splits(self) -> NDArray[np.float64]:
        """For each feature the probability that the root splits on it, shape (d,)."""
        out = np.zeros(len(self.geometry.table.features))
        for item, p in zip(self.items, self.probability.tolist(), strict=True):
            cut = next((node.cut for node in _nodes(item) if node.cut is not None), None)
            if cut is not None:  # the first in preorder
                out[self.geometry.cuts[cut].feature] += p
        return out

    @cached_property
    def _splits_on(self) -> NDArray[np.int64]:
        """Number of splits of each derivation on each feature, shape (T, d)."""
        d = len(self.geometry.table.features)
        cuts = self.geometry.cuts
        out = np.zeros((len(self.items), d), np.int64)
        for row, item in zip(out, self.items, strict=True):
            for node in _nodes(item):
                if node.cut is not None:
                    row[cuts[node.cut].feature] += 1
        return out

    def leaf_distribution(self) -> NDArray[np.float64]:
        """Probability of k leaves, at index k."""
        leaves = np.array([item.n_leaves for item in self.items])
        return np.bincount(leaves, weights=self.probability).astype(np.float64)

    def depth_distribution(self) -> NDArray[np.float64]:
        """Probability of depth t, at index t."""
        depths = np.array([tree.depth for tree in self.trees])
        return np.bincount(depths, weights=self.probability).astype(np.float64)


def _nodes(d: Derivation) -> Iterator[Derivation]:
    """Nodes in preorder."""
    yield d
    if d.left is not None and d.right is not None:
        yield from _nodes(d.left)
        yield from _nodes(d.right)


def _leaves(d: Derivation) -> list[Derivation]:
    return [node for node in _nodes(d) if node.cut is None]
