"""What follows from the derivations of a program on a table: posterior, evidence, predictions.

posterior(tree) = sum over its derivations of P(derivation) * product of the marginal likelihoods
                  of its leaves, divided by the sum of that over all trees
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from scipy.optimize import brentq

from slp.columns import MISSING
from slp.ir import program as ir
from slp.ir.leaves import LeafPrior
from tests.spec.derivations import AllDerivations, Derivation, TooManyDerivationsError
from tests.spec.example import (
    Concept,
    Example,
    Groups,
    Row,
    Test,
    TreeKey,
    Value,
    depth_of,
    goes_left,
    n_leaves,
    split_features,
)
from tests.spec.leaf_formulas import (
    ExponentialFormula,
    LeafFormula,
    WeightedFormula,
    formula_of_prior,
    with_row,
)

__all__ = ["BruteForce", "Derivation", "Example", "Row", "TooManyDerivationsError", "TreeKey"]


def log_sum(logs: Iterable[float]) -> float:
    """The log of the sum of numbers given by their logs."""
    known = list(logs)
    most = max(known)
    return most + math.log(math.fsum(math.exp(x - most) for x in known))


class ValueMissingError(Exception):
    """A new row misses a value where no row of the table did, or has a level that none has."""


class BruteForce(AllDerivations):
    """Everything that the package computes exactly, from the derivations one by one."""

    def __init__(
        self, program: ir.CheckedProgram, example: Example, leaf: LeafFormula, limit: int = 20_000
    ) -> None:
        super().__init__(program, example, limit)
        self.leaf = leaf
        self._formulas: dict[LeafPrior | None, Any] = {
            None: leaf,
            **{prior: formula_of_prior(leaf, prior) for prior in program.leaf_priors},
        }

    def formula(self, derivation: Derivation, leaf: tuple[int, ...]) -> Any:
        """The formula of a leaf with these rows."""
        return self._formulas[derivation.priors[derivation.leaves.index(leaf)]]

    def log_likelihood(self, derivation: Derivation) -> float:
        """Sum of the leaves' log marginal likelihoods: their product may be too small for a
        float."""
        return math.fsum(
            self.formula(derivation, leaf).log_marginal(self._responses(leaf))
            for leaf in derivation.leaves
        )

    def _responses(self, rows: tuple[int, ...]) -> list[Any]:
        """The responses of rows; with their weights, where they have some."""
        y = [self.example.y[r] for r in rows]
        if self.example.lines:
            y = [(x, *self._in_line(self.example.rows[r])) for x, r in zip(y, rows, strict=True)]
        if self.example.weights is None:
            return y
        return list(zip(y, self.example.weights_of(rows), strict=True))

    def _in_line(self, row: Row) -> tuple[Any, ...]:
        """The values of a row that the lines in leaves take."""
        return tuple(row[self.example.features.index(f)] for f in self.example.lines)

    def log_scored(self) -> list[tuple[Derivation, float]]:
        """Derivations with the log of weight times likelihood."""
        return [(d, d.log_weight + self.log_likelihood(d)) for d in self.derivations]

    def log_prior_total(self) -> float:
        """Log of what the derivations that do not fail weigh together."""
        return log_sum(d.log_weight for d in self.derivations)

    def log_evidence(self) -> float:
        """log P(y | X) under the prior normalised over its support."""
        return log_sum(w for _, w in self.log_scored()) - self.log_prior_total()

    def log_given_others(self, row: int) -> float:
        """log p(response of a row | the other responses): the log evidence of all less that of the
        others, where the features of all rows stay."""
        known: dict[tuple[Any, tuple[int, ...]], float] = {}

        def log_marginal(d: Derivation, rows: tuple[int, ...]) -> float:
            others, formula = tuple(r for r in rows if r != row), self.formula(d, rows)
            if not others:
                return 0.0
            if (formula, others) not in known:
                known[formula, others] = formula.log_marginal(self._responses(others))
            return known[formula, others]

        without = log_sum(
            d.log_weight + math.fsum(log_marginal(d, rows) for rows in d.leaves)
            for d in self.derivations
        )
        return log_sum(w for _, w in self.log_scored()) - without

    def posterior(self) -> list[tuple[Derivation, float]]:
        """Derivations with their posterior probabilities."""
        scored = self.log_scored()
        total = log_sum(w for _, w in scored)
        return [(d, math.exp(w - total)) for d, w in scored]

    def tree_posterior(self) -> dict[TreeKey, float]:
        """Posterior probability of each tree, summed over its derivations."""
        out: dict[TreeKey, float] = {}
        for d, p in self.posterior():
            out[d.tree] = out.get(d.tree, 0.0) + p
        return out

    def tree_prior(self) -> dict[TreeKey, float]:
        """Prior probability of each tree, normalised over the support."""
        total = self.log_prior_total()
        out: dict[TreeKey, float] = {}
        for d in self.derivations:
            out[d.tree] = out.get(d.tree, 0.0) + math.exp(d.log_weight - total)
        return out

    def log_probabilities(self, tree: TreeKey) -> tuple[float, float]:
        """Log prior and log posterior probability of any tree, which need not be a canonical one.

        They are those of all derivations that part the rows as the tree does: split for split on
        the same feature, or on any feature where all splits of the program are by `partition`.
        """
        like = [d for d in self.derivations if self._parts_alike(tree, d)]
        if not like:
            return -math.inf, -math.inf
        log_joint = log_sum(d.log_weight + self.log_likelihood(d) for d in like)
        log_joint_total = self.log_evidence() + self.log_prior_total()
        log_prior = log_sum(d.log_weight for d in like)
        return log_prior - self.log_prior_total(), log_joint - log_joint_total

    def _parts_alike(self, tree: TreeKey, derivation: Derivation) -> bool:
        def alike(a: TreeKey, b: TreeKey, rows: tuple[int, ...]) -> bool:
            if a == "leaf" or b == "leaf":
                return bool(a == b)
            if a[0] != b[0] and not self.by_partition:
                return False
            f = self.example.features.index(a[0])
            if any(self.example.untold(f, a[1], self.example.rows[r][f]) for r in rows):
                return False
            left, right = self._parted(a, rows)
            parts = self._parted(b, rows)
            if parts == (left, right):
                return alike(a[2], b[2], left) and alike(a[3], b[3], right)
            if parts == (right, left):
                return alike(a[3], b[2], right) and alike(a[2], b[3], left)
            return False

        return alike(tree, derivation.tree, tuple(range(len(self.example.rows))))

    def _parted(
        self, tree: TreeKey, rows: tuple[int, ...]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Rows that the root's test sends left, and the others."""
        f = self.example.features.index(tree[0])
        values = {r: self.example.rows[r][f] for r in rows}
        left = {r for r in rows if goes_left(tree[1], values[r])}
        return tuple(r for r in rows if r in left), tuple(r for r in rows if r not in left)

    def feature_probability(self, feature: str) -> float:
        """P(the tree splits on the feature anywhere)."""
        return math.fsum(p for d, p in self.posterior() if feature in split_features(d.tree))

    def expected_splits(self, feature: str) -> float:
        """Expected number of splits on the feature."""
        return math.fsum(p * split_features(d.tree).count(feature) for d, p in self.posterior())

    def leaf_distribution(self) -> dict[int, float]:
        """P(number of leaves = k)."""
        out: dict[int, float] = {}
        for d, p in self.posterior():
            out[len(d.leaves)] = out.get(len(d.leaves), 0.0) + p
        return out

    def expected_depth(self) -> float:
        """Expected number of splits on the longest path."""
        return math.fsum(p * depth_of(d.tree) for d, p in self.posterior())

    def predictive(self, row: Row) -> list[float]:
        """Predictive class probabilities (or, for numbers, the mean alone, for durations the median
        alone) of a new row."""
        plain = self.leaf.leaf if isinstance(self.leaf, WeightedFormula) else self.leaf
        if isinstance(plain, ExponentialFormula):
            return [self._median(row)]
        terms: list[list[float]] = []
        for d, p in self.posterior():
            for leaf, share, _ in self._leaves_of(d.tree, d.leaves, row):
                leaf_formula = self.formula(d, leaf)
                if self.example.lines:
                    leaf_formula = with_row(leaf_formula, self._in_line(row))
                terms.append([p * share * x for x in leaf_formula.predict(self._responses(leaf))])
        return [math.fsum(column) for column in zip(*terms, strict=True)]

    def density(self, row: Row, outcome: Any) -> float:
        """The predictive density of an outcome of a new row, given as responses are."""
        if self.example.lines:
            outcome = (outcome, *self._in_line(row))
        if self.example.weights is not None:
            outcome = (outcome, 1)
        terms = []
        for d, p in self.posterior():
            for leaf, share, _ in self._leaves_of(d.tree, d.leaves, row):
                before, formula = self._responses(leaf), self.formula(d, leaf)
                after = formula.log_marginal([*before, outcome])
                terms.append(p * share * math.exp(after - formula.log_marginal(before)))
        return math.fsum(terms)

    def asked(self, row: Row) -> dict[str, tuple[float, float]]:
        """For each feature the probability that a row's path splits on it, and the expected number
        of these splits."""
        ways = [
            (p * share, path)
            for d, p in self.posterior()
            for _, share, path in self._leaves_of(d.tree, d.leaves, row)
        ]
        return {
            f: (
                math.fsum(p for p, path in ways if f in path),
                math.fsum(p * path.count(f) for p, path in ways),
            )
            for f in self.example.features
        }

    def is_parted(self, row: Row) -> bool:
        """Whether some tree sends a row to both sides of a split."""
        return any(
            share < 1
            for d, _ in self.posterior()
            for _, share, _ in self._leaves_of(d.tree, d.leaves, row)
        )

    def share_a_leaf(self, row: Row, other: Row) -> float:
        """The probability that two rows end in one leaf."""
        return math.fsum(
            p * share * also
            for d, p in self.posterior()
            for leaf, share, _ in self._leaves_of(d.tree, d.leaves, row)
            for same, also, _ in self._leaves_of(d.tree, d.leaves, other)
            if same == leaf
        )

    def _median(self, row: Row) -> float:
        """The root of the mixture's distribution function less a half."""
        y, weights_of = self.example.y, self.example.weights_of
        mixture = [
            (
                p * share,
                getattr(formula := self.formula(d, own), "leaf", formula),
                list(zip([y[r] for r in own], weights_of(own), strict=True)),
            )
            for d, p in self.posterior()
            for own, share, _ in self._leaves_of(d.tree, d.leaves, row)
        ]

        def excess(log_t: float) -> float:
            return math.fsum(p * leaf.reached(y, math.exp(log_t)) for p, leaf, y in mixture) - 0.5

        return math.exp(brentq(excess, -700, 700, xtol=1e-13))

    def _has_neither(
        self, f: int, test: Test, leaves: tuple[tuple[int, ...], ...], x: Value
    ) -> bool:
        """Whether a test on a level parts rows of two levels, and the value is another level."""
        plain = test[0] if isinstance(test, tuple) else test
        if (
            not isinstance(plain, str)
            or isinstance(plain, Groups | Concept)
            or self.example.misses(f, x)
        ):
            return False
        if plain == MISSING and self.example.features[f] in self.example.sided:
            return False
        values = {self.example.rows[r][f] for leaf in leaves for r in leaf}
        levels = {v for v in values if not self.example.misses(f, v)}
        return len(levels) == 2 and x not in levels

    def _leaves_of(
        self, tree: TreeKey, leaves: tuple[tuple[int, ...], ...], row: Row
    ) -> list[tuple[tuple[int, ...], float, tuple[str, ...]]]:
        """The leaves, from the left, that a row falls into, with its share there and the features
        that the path splits on."""
        if tree == "leaf":
            return [(leaves[0], 1.0, ())]
        feature, test, left, right = tree
        f, n = self.example.features.index(feature), n_leaves(left)
        untold = self.example.untold(f, test, row[f])
        neither = not untold and self._has_neither(f, test, leaves, row[f])
        if untold or neither:
            known = self.example.averaged | self.example.larger
            if feature in self.example.refused or (untold and feature not in known):
                raise ValueMissingError
            sizes = [
                math.fsum(self.example.weights_of(tuple(r for leaf in own for r in leaf)))
                for own in (leaves[:n], leaves[n:])
            ]
            share = sizes[0] / sum(sizes)
            if feature in self.example.larger:
                share = float(share >= 0.5)
        else:
            share = float(goes_left(test, row[f]))
        out = []
        for below, own, part in ((left, leaves[:n], share), (right, leaves[n:], 1 - share)):
            if part > 0:
                ways = self._leaves_of(below, own, row)
                out += [(x, part * s, (feature, *path)) for x, s, path in ways]
        return out
