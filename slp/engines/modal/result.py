"""`result_of_grown_trees`: the trees that were grown. Averages are over these trees alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets import Deadline
from slp.data.table import Table
from slp.engines import modal
from slp.engines.contract import Request
from slp.engines.modal.options import ModalOptions
from slp.engines.shared.found_trees import result_of_found_trees
from slp.engines.shared.weights import WeightsOfTrees
from slp.problem.ambiguity import derivations_are_trees
from slp.problem.problem import Problem
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import ScoredTree, ScoredTrees
from slp.results.record.later import Later
from slp.results.record.parts import Candidate, Draw, Ended, shown
from slp.results.record.result import Result
from slp.results.record.rule_use import RuleUse, no_rules, uses_from_splits


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
        scored = ScoredTrees.of(table, [found.scored for found in trees])
        super().__init__(table, scored, [np.arange(len(trees))], threads, None, [scores])
        self._of = (table, trees, threads)

    def __reduce__(self) -> tuple[type[_Trees], tuple[Any, ...]]:
        return _Trees, self._of

    @cached_property
    def _statistics(self) -> NDArray[np.float64]:
        added = np.concatenate([found.added for found in self._of[1]])
        return np.asarray(super()._statistics + added)


def result_of_grown_trees(
    problem: Problem,
    trees: Sequence[ModalTree],
    *,
    request: Request,
    options: ModalOptions,
    interrupted: bool,
    out_of_time: bool,
) -> Result:
    """Trees grown greedily, the best first."""
    grammar, table = problem.grammar, problem.table
    normalised = grammar.normalised and grammar.max_leaves is None and not problem.unsummable
    averages = _Trees(table, trees, request.threads)
    request = replace(request, progress=None, instead=None)
    result = result_of_found_trees(
        problem,
        request,
        _Grown(problem, trees, averages, request, options, normalised),
        averages,
        normalised=normalised,
        work="grows trees",
        ended=Later.known(Ended(interrupted or out_of_time, out_of_time)),
    )
    return replace(result, importances=averages.frequency @ np.array([t.gains for t in trees]))


class _Grown:
    """What a record of grown trees is filled with."""

    def __init__(
        self,
        problem: Problem,
        trees: Sequence[ModalTree],
        averages: DrawnTrees,
        request: Request,
        options: ModalOptions,
        normalised: bool,
    ) -> None:
        self._problem, self._trees, self._averages = problem, trees, averages
        self._request, self._options, self._normalised = request, options, normalised
        self.log_weight = WeightsOfTrees(problem, request.likelihood)
        self.single = Later(partial(derivations_are_trees, problem.grammar))

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies: without a deadline."""
        return {**vars(self), "_request": replace(self._request, deadline=Deadline())}

    def rules(self) -> list[RuleUse]:
        """See `Result`: over the trees found, where one rule of the program makes all splits, and
        another all leaves; else E531."""
        stumps = [found.scored.tree.n_leaves == 1 for found in self._trees]
        stump = float(self._averages.frequency @ np.array(stumps, np.float64))
        splits = float(self._averages.expected_splits().sum())
        found = None
        if len(self._problem.program.rules) == 2:  # states that are not made yet have no others
            found = uses_from_splits(self._problem.grammar, stump, splits)
        if found is None:
            raise no_rules(self._request.choice.engine)
        return found

    def best(self) -> Iterator[Candidate]:
        """See `Result`: the trees found. Under smoothing they have no log joint, as the posterior
        that they were grown by is not the declared one."""
        for found in self._trees:
            joint = None if self._options.smoothing > 0 else found.log_score
            known = self._normalised and not self._request.likelihood
            probability = joint if known and joint is not None and not math.isnan(joint) else None
            tree = shown(found.scored.tree, self._request.likelihood)
            yield Candidate(tree, joint, probability, grown=True)

    def draws(self) -> Sequence[Draw]:
        """See `Result`: nothing is drawn; these are the trees found, by their shares. Under
        smoothing prior and likelihood are not those of the declared program, so neither is told."""
        smooth = self._options.smoothing > 0
        out = []
        for found, share in zip(self._trees, self._averages.frequency.tolist(), strict=True):
            scored = found.scored
            prior = scored.log_weight if self._normalised and not smooth else None
            tree = shown(scored.tree, self._request.likelihood)
            fit = math.nan if smooth else scored.log_likelihood
            out.append(Draw(tree, scored.log_weight, prior, fit, 0, share * len(self._trees)))
        return out

    def prior(self) -> Result:
        """See `Result`: the trees grown without the likelihood."""
        deadline = Deadline(self._request.deadline.seconds)
        request = replace(self._request, likelihood=False, deadline=deadline)
        return modal.run_modal(self._problem, request, replace(self._options, smoothing=0.0))
