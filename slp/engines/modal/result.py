"""`ModalResult`: the trees that were grown. Averages are over these trees alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets import Deadline
from slp.data.table import Table
from slp.engines import modal
from slp.engines.contract import Request
from slp.engines.modal.options import ModalOptions
from slp.engines.modal.trees_found import TreesFound
from slp.problem.problem import Problem
from slp.results.averages.over_trees import ScoredTree
from slp.results.averages.weighted_draws import DrawnTrees
from slp.results.record.result import Candidate, Draw
from slp.results.record.rule_use import RuleUse, no_rules, uses_from_splits
from slp.trees import Tree


@dataclass(frozen=True, eq=False)
class ModalTree:
    """A tree that was grown.

    Attributes
    ----------
    scored : the tree, with its log weight and log likelihood under the declared prior.
    log_score : its log joint; under smoothing that with the likelihoods that it was grown by.
    gains : float64, shape (d,). For each feature the sum of the log posterior gains of its splits:
        the score of the split less that of stopping there.
    added : float64, shape (K, k). What smoothing added to the prior of each leaf.
    """

    scored: ScoredTree
    log_score: float
    gains: NDArray[np.float64]
    added: NDArray[np.float64]


class _Trees(DrawnTrees):
    """The trees, weighed by their scores, with the leaf model's prior as smoothing left it."""

    def __init__(self, table: Table, trees: Sequence[ModalTree], threads: int) -> None:
        scores = np.array([found.log_score for found in trees])
        scored = [found.scored for found in trees]
        super().__init__(table, scored, [np.arange(len(trees))], threads, None, [scores])
        self._of = (table, trees, threads)

    def __reduce__(self) -> tuple[type[_Trees], tuple[Any, ...]]:
        return _Trees, self._of

    @cached_property
    def _statistics(self) -> NDArray[np.float64]:
        added = np.concatenate([found.added for found in self._of[1]])
        return np.asarray(super()._statistics + added)


class ModalResult(TreesFound):
    """Trees grown greedily, the best first. It knows no totals: neither the evidence nor the
    posterior probability of a tree.

    Attributes
    ----------
    trees : the trees found.
    """

    def __init__(
        self,
        problem: Problem,
        trees: Sequence[ModalTree],
        *,
        request: Request,
        options: ModalOptions,
        interrupted: bool,
        out_of_time: bool,
    ) -> None:
        assert request.seed is not None
        super().__init__(problem, request, request.seed)
        self.normalised = self.normalised and not problem.unsummable
        self.trees = trees
        self._options, self._early = options, (interrupted, out_of_time)

    @property
    def trees_found(self) -> int:
        """See `Result`."""
        return len(self.trees)

    @cached_property
    def averages(self) -> DrawnTrees:
        """See `Result`: over the trees found, each by its share of their joint weights."""
        return _Trees(self.table, self.trees, self._request.threads)

    def importances(self) -> NDArray[np.float64]:
        """See `Result`: averaged over the trees found."""
        gains = np.array([found.gains for found in self.trees])
        return np.asarray(self.averages.frequency @ gains)

    # --- what is not known ---------------------------------------------------------------------

    @property
    def no_evidence(self) -> str:
        """See `Result`."""
        return "the engine modal grows trees, and does not sum over all of them"

    def rule_uses(self) -> list[RuleUse]:
        """See `Result`: over the trees found, where one rule of the program makes all splits, and
        another all leaves; else E531."""
        stumps = [found.scored.tree.n_leaves == 1 for found in self.trees]
        stump = float(self.averages.frequency @ np.array(stumps, np.float64))
        splits = float(self.averages.expected_splits().sum())
        found = None
        if len(self._problem.program.rules) == 2:  # states that are not made yet have no others
            found = uses_from_splits(self._problem.grammar, stump, splits)
        if found is None:
            raise no_rules(self.choice.engine)
        return found

    # --- trees ---------------------------------------------------------------------------------

    def best(self) -> Iterator[Candidate]:
        """See `Result`: the trees found. Under smoothing they have no log joint, as the posterior
        that they were grown by is not the declared one."""
        smooth = self._options.smoothing > 0
        for found in self.trees:
            joint = None if smooth else found.log_score
            probability = None if joint is None else self.log_probability(joint)
            yield Candidate(self.shown(found.scored.tree), joint, probability, grown=True)

    @cached_property
    def draws(self) -> Sequence[Draw]:
        """See `Result`: nothing is drawn; these are the trees found, by their shares. Under
        smoothing prior and likelihood are not those of the declared program, so neither is told."""
        smooth = self._options.smoothing > 0
        out = []
        for found, share in zip(self.trees, self.averages.frequency.tolist(), strict=True):
            scored = found.scored
            prior = scored.log_weight if self.normalised and not smooth else None
            tree, weight = self.shown(scored.tree), share * len(self.trees)
            fit = math.nan if smooth else scored.log_likelihood
            out.append(Draw(tree, scored.log_weight, prior, fit, 0, weight))
        return out

    def sample(self, n: int, rng: np.random.Generator) -> list[Tree]:
        """See `Result`: from the trees found."""
        found = rng.choice(len(self.trees), n, p=self.averages.frequency)
        return [self.shown(self.trees[i].scored.tree) for i in found]

    def prior(self) -> ModalResult:
        """See `Result`: the trees grown without the likelihood."""
        deadline = Deadline(self._request.deadline.seconds)
        request = replace(self._request, likelihood=False, deadline=deadline)
        return modal.run_modal(self._problem, request, replace(self._options, smoothing=0.0))

    @property
    def interrupted(self) -> bool:
        """See `Result`."""
        return any(self._early)

    @property
    def out_of_time(self) -> bool:
        """See `Result`."""
        return self._early[1]
