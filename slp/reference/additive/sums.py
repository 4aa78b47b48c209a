"""Backfitting of sums of trees; see `native/core/additive/backfitting.hpp`.

A tree moves by a cut at a choice point (`q_uc`) with the marginal likelihood of what the others
leave. Under `monotone` the values of all its leaves are drawn with it, from their conditional, and
the move is kept if they are in order; then values alone are drawn so. The ratio of such a move is
that of the marginal likelihoods, or 0: the density of the values cancels against prior times
likelihood. Distributions are those of the compiled sampler, draws are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.additive.core_sums import SumParts
from slp.engines.additive.numbers import SumOnTable
from slp.engines.mcmc.proposals import CutUniformly
from slp.engines.shared.starts import TRIES
from slp.ir.tree_grammar import CallRule, LeafRule
from slp.late import late_import
from slp.problem.problem import Problem
from slp.reference.additive.residuals import Residuals
from slp.reference.boxes import Geometry
from slp.reference.derivations import TreeProof, proof_of
from slp.reference.local_process import Choices, goals_below
from slp.reference.mh.proof import grow
from slp.reference.mh.target import Target
from slp.reference.tree_tests import AtMostLeaves, MonotonePredictions
from slp.runner.randomness import RandomNumbers

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PlainSum:
    """Trees, the values of their leaves from left to right, the variance, and the log likelihood
    given all of these."""

    trees: tuple[TreeProof, ...]
    values: tuple[_Floats, ...]
    variance: float
    log_likelihood: float = 0.0


class PlainSums:
    """The steps of chains over sums: what `slp.engines.additive.core_sums.CoreSums` offers."""

    names = ["q_uc"]

    def __init__(self, problem: Problem, numbers: SumOnTable, likelihood: bool) -> None:
        self.numbers, self.likelihood = numbers, likelihood
        self.geometry = Geometry(problem.grammar, problem.table)
        self.process = Residuals(problem.grammar, self.geometry, numbers.tau)
        tests = [AtMostLeaves(numbers.max_leaves)] if numbers.max_leaves else []
        self.target = Target(self.process, 1.0, tests)
        self.orders = [MonotonePredictions(f, up, self.geometry) for f, up in numbers.rising]
        total = numbers.first + numbers.second if numbers.classes else numbers.first
        self.rows = total
        self.weights: _Floats = total if likelihood else np.zeros_like(total)

    # --- the interface -------------------------------------------------------------------------

    def start(self, rng: np.random.Generator) -> PlainSum | None:
        """A sum to start from, with values 0; None if none was found."""
        randomness, trees = RandomNumbers(rng), list[TreeProof]()
        for _ in range(self.numbers.trees):
            for i in range(TRIES):
                early = i % 10 / 10
                proof = grow(self.process, randomness, self.process.root, end_early=early)
                if proof and self.target.holds(proof) and self._few_features([*trees, proof]):
                    break
            else:
                return None
            trees.append(proof)
        values = tuple(np.zeros(tree.n_leaves) for tree in trees)
        return self._with_likelihood(PlainSum(tuple(trees), values, self._first_variance(rng)))

    def advance(
        self, rng: np.random.Generator, state: PlainSum, n: int
    ) -> tuple[PlainSum, NDArray[np.uint64]]:
        """The sum after n sweeps, and the outcomes of the moves."""
        counts = np.zeros(4, np.uint64)
        for _ in range(n):
            state = self._sweep(rng, state, counts)
        return self._with_likelihood(state), counts

    def parts(self, state: PlainSum) -> SumParts:
        """What a sum is."""
        nodes = [[_numbers(self.geometry, node) for node in t.preorder()] for t in state.trees]
        choices = [numbers for tree in nodes for numbers in tree]
        small = all(0 <= part < 2**31 for *_, low, high in choices for part in (low, high))
        return SumParts(
            np.array(choices, np.int32 if small else object).reshape(-1, 4),
            np.array([len(tree) for tree in nodes], np.int32),
            np.concatenate(state.values),
            np.array(
                [self.rows[self.process.rows(b)].sum() for t in state.trees for b in _boxes(t)]
            ),
            state.variance,
            state.log_likelihood,
        )

    def restored(self, parts: SumParts) -> PlainSum:
        """The sum of these parts."""
        numbers = iter(parts.choices.tolist())
        trees = tuple(self._proof(numbers) for _ in parts.sizes)
        ends = np.cumsum([tree.n_leaves for tree in trees])[:-1]
        values = tuple(np.split(parts.values, ends))
        return PlainSum(trees, values, parts.variance, parts.log_likelihood)

    # --- sweeps --------------------------------------------------------------------------------

    def _sweep(
        self, rng: np.random.Generator, state: PlainSum, counts: NDArray[np.uint64]
    ) -> PlainSum:
        trees, values = list(state.trees), list(state.values)
        left = self._left(rng, state)  # weight times what the sum leaves of the responses
        for m in range(len(trees)):
            left = left + self.weights * self._fit(trees[m], values[m])
            self.process.leave(self.weights / state.variance, left / state.variance)
            old = proof_of(self.process, trees[m].choices())
            others = trees[:m] + trees[m + 1 :]
            trees[m], values[m], outcome = self._move(rng, old, values[m], others)
            counts[outcome] += 1
            left = left - self.weights * self._fit(trees[m], values[m])
        variance = self._variance(rng, left) if self.numbers.variance is None else state.variance
        return PlainSum(tuple(trees), tuple(values), variance)

    def _move(
        self, rng: np.random.Generator, old: TreeProof, values: _Floats, others: list[TreeProof]
    ) -> tuple[TreeProof, _Floats, int]:
        """The tree and its values after a move, and the outcome (accepted, rejected, failed,
        stayed)."""
        randomness, outcome = RandomNumbers(rng), 3
        proposed = CutUniformly().propose(randomness, self.target, old, 0)
        if proposed is not None:
            new, outcome = proposed.derivation, 2
            if new and self.target.passes(new) and self._few_features([*others, new]):
                drawn = self._drawn(rng, new)
                outcome = 1
                ratio = math.exp(min(0.0, proposed.log_ratio))
                if self._in_order(new, drawn) and randomness.happens(ratio):
                    old, values, outcome = new, drawn, 0
        drawn = self._drawn(rng, old)
        return old, drawn if self._in_order(old, drawn) else values, outcome

    def _drawn(self, rng: np.random.Generator, tree: TreeProof) -> _Floats:
        """Values drawn from their conditional, without regard to their order."""
        found = np.array([self.process.conditional(box) for box in _boxes(tree)])
        return np.asarray(found[:, 0] + np.sqrt(found[:, 1]) * rng.standard_normal(len(found)))

    def _in_order(self, tree: TreeProof, values: _Floats) -> bool:
        by_box = dict(zip(_boxes(tree), values.tolist(), strict=True))
        return all(
            order.in_order(
                tree,
                lambda boxes, _, up=order.up: np.array(  # type: ignore[misc]
                    [[by_box[box] if up else -by_box[box]] for box in boxes]
                ),
            )
            for order in self.orders
        )

    def _few_features(self, trees: list[TreeProof]) -> bool:
        most = self.numbers.most_features
        cuts = {node.cut for tree in trees for node in tree.preorder()} - {None}
        used = {self.geometry.cuts[cut].feature for cut in cuts if cut is not None}
        return not most or len(used) <= most

    # --- responses -----------------------------------------------------------------------------

    def _fit(self, tree: TreeProof, values: _Floats) -> _Floats:
        """The value of the leaf of each distinct row, shape (n,)."""
        out = np.zeros(len(self.weights))
        for box, value in zip(_boxes(tree), values.tolist(), strict=True):
            out[self.process.rows(box)] = value
        return out

    def _fits(self, state: PlainSum) -> _Floats:
        return sum(map(self._fit, state.trees, state.values), np.zeros(len(self.weights)))

    def _left(self, rng: np.random.Generator, state: PlainSum) -> _Floats:
        own = self.numbers
        if not self.likelihood:
            return np.zeros(len(self.weights))
        fits = self._fits(state)
        if not own.classes:
            return own.second - self.weights * fits
        left = np.zeros(len(fits))
        for u, mean in enumerate((own.offset + fits).tolist()):
            for rows, above in ((own.first[u], False), (own.second[u], True)):
                left[u] += sum(_latent(rng, mean, above) - mean for _ in range(int(rows)))
        return left

    def _variance(self, rng: np.random.Generator, left: _Floats) -> float:
        """The variance of the noise given what the sum leaves: scaled inverse chi-square."""
        own = self.numbers
        scale = own.nu * own.scale + self._squares(left)
        return float(scale / rng.chisquare(own.nu + self.weights.sum()))

    def _first_variance(self, rng: np.random.Generator) -> float:
        own = self.numbers
        if own.variance is not None:
            return own.variance
        return float(own.nu * own.scale / rng.chisquare(own.nu))

    def _squares(self, left: _Floats) -> float:
        if not self.likelihood:
            return 0.0
        told = self.weights > 0
        return float(self.numbers.within + (left[told] ** 2 / self.weights[told]).sum())

    def _with_likelihood(self, state: PlainSum) -> PlainSum:
        own, found = self.numbers, 0.0
        if self.likelihood and own.classes:
            log_ndtr = late_import("scipy.special").log_ndtr
            means = own.offset + self._fits(state)
            found = float(own.first @ log_ndtr(-means) + own.second @ log_ndtr(means))
        elif self.likelihood:
            left = own.second - self.weights * self._fits(state)
            found = -self.weights.sum() * math.log(2 * math.pi * state.variance) / 2
            found -= self._squares(left) / state.variance / 2
        return PlainSum(state.trees, state.values, state.variance, float(found))

    # --- trees ---------------------------------------------------------------------------------

    def _proof(self, numbers: Any) -> TreeProof:
        """A tree by its numbers in preorder, as `parts` writes them."""
        choices: list[Choices] = []
        stack = [(self.process.root.box, self.process.root.state)]
        while stack:
            goal = self.process.goal(*stack.pop())
            position, feature, *cut = next(numbers)
            taken = next(i for i, own in enumerate(goal.rules) if own.position == position)
            split = -1
            if feature >= 0:
                cuts = [self.geometry.cuts[s.split.cut] for s in goal.rules[taken].splits]
                places = [(own.feature, own.low, own.high) for own in cuts]
                split = places.index((feature, *cut))
            choices.append((goal, taken, split))
            stack += reversed(goals_below(*choices[-1]))
        return proof_of(self.process, choices)


def _boxes(tree: TreeProof) -> list[int]:
    """The boxes of the leaves from left to right."""
    return [node.goal.box for node in tree.preorder() if not node.parts]


def _numbers(geometry: Geometry, node: TreeProof) -> tuple[int, int, int, int]:
    """Rule, feature (-1: a leaf, -2: a call), and the two codes that are neighbours."""
    taken = node.goal.rules[node.rule]
    if isinstance(taken.rule, LeafRule | CallRule):
        return taken.position, -1 if isinstance(taken.rule, LeafRule) else -2, 0, 0
    cut = geometry.cuts[node.cut or 0]
    return taken.position, cut.feature, cut.low, cut.high


def _latent(rng: np.random.Generator, mean: float, above: bool) -> float:
    """Normal(mean, 1) above 0, or below: by the inverse of the distribution function, in the tail
    that is precise."""
    special = late_import("scipy.special")
    sign = 1.0 if above else -1.0
    tail = special.ndtr(sign * mean) * rng.random()  # of the mirrored variable beyond 0
    return float(mean - sign * special.ndtri(tail))
