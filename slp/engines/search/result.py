"""`SearchResult`: the best tree that a search found, and the bound. Averages are over this tree
alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from slp.budgets import Deadline
from slp.engines import search
from slp.engines.contract import Request
from slp.engines.modal import scorer_of
from slp.engines.search.compiled import Found
from slp.problem.ambiguity import derivations_are_trees
from slp.problem.problem import Problem
from slp.results.averages import ScoredTree
from slp.results.evidence import evidence_note
from slp.results.result import Candidate, Draw, Estimate, Result
from slp.results.rule_use import RuleUse, no_rules
from slp.results.weighted_draws import DrawnTrees
from slp.trees import Tree

__all__ = ["SearchResult"]


class SearchResult(Result):
    """The best tree found. It knows no totals: neither the evidence nor the posterior probability
    of the tree.

    Attributes
    ----------
    found : what the search found; its numbers are of derivations.
    """

    def __init__(
        self,
        problem: Problem,
        scored: ScoredTree,
        log_joint: float,
        upper_bound: float,
        found: Found,
        *,
        request: Request,
        interrupted: bool,
        out_of_time: bool,
        out_of_memory: bool,
    ) -> None:
        grammar = problem.grammar
        super().__init__(
            problem.table,
            choice=request.choice,
            likelihood=request.likelihood,
            normalised=grammar.normalised and grammar.max_leaves is None,
            seed=request.seed or 0,
        )
        self.found, self._problem, self._scored = found, problem, scored
        self._joint, self._bound = log_joint, upper_bound
        self._request = replace(request, progress=None, instead=None)
        self._early = (interrupted, out_of_time, out_of_memory)

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies: without what weighs other trees, which is made again."""
        return {
            **{name: value for name, value in vars(self).items() if name != "_scorer"},
            "_request": replace(self._request, deadline=Deadline()),
        }

    @property
    def trees_found(self) -> int:
        """See `Result`."""
        return 1

    @cached_property
    def averages(self) -> DrawnTrees:
        """See `Result`: over the tree found."""
        one = [np.arange(1)], self._request.threads
        return DrawnTrees(self.table, [self._scored], *one)

    # --- what is not known ---------------------------------------------------------------------

    @property
    def log_evidence(self) -> Estimate | None:
        """See `Result`: None."""
        return None

    @property
    def no_evidence(self) -> str:
        """See `Result`."""
        return "the engine search looks for the best tree, and does not sum over all of them"

    @property
    def evidence_note(self) -> str | None:
        """See `Result`."""
        return evidence_note(self._problem.grammar, self._problem.program.constraints)

    @property
    def log_prior_total(self) -> float | None:
        """See `Result`."""
        return 0.0 if self.normalised else None

    @property
    def log_total(self) -> float | None:
        """See `Result`: of a prior alone."""
        return None if self.likelihood else self.log_prior_total

    def rule_uses(self) -> list[RuleUse]:
        """See `Result`: not told (E531)."""
        raise no_rules(self.choice.engine)

    def mixture(self) -> list[RuleUse]:
        """See `Result`: none are told."""
        return []

    # --- the tree ------------------------------------------------------------------------------

    @property
    def derivations_are_trees(self) -> bool:
        """See `Result`."""
        return derivations_are_trees(self._problem.grammar)

    @cached_property
    def _scorer(self) -> Any:
        return scorer_of(self._problem, self.likelihood)

    def log_weight(self, tree: Tree) -> float:
        """See `Result`."""
        return float(self._scorer.log_weight(tree))

    def best(self) -> Iterator[Candidate]:
        """See `Result`: the tree found, with the log joint of its best derivation and the bound on
        that of all derivations."""
        joint = self._joint
        yield Candidate(
            self.shown(self._scored.tree),
            joint,
            self.log_probability(joint),
            self._bound,
            grown=True,
        )

    @cached_property
    def draws(self) -> Sequence[Draw]:
        """See `Result`: nothing is drawn; this is the tree found."""
        scored = self._scored
        prior = scored.log_weight if self.normalised else None
        return [Draw(self.shown(scored.tree), scored.log_weight, prior, scored.log_likelihood)]

    def sample(self, n: int, rng: np.random.Generator) -> list[Tree]:
        """See `Result`: the tree found, again and again."""
        return [self.shown(self._scored.tree)] * n

    def prior(self) -> SearchResult:
        """See `Result`: the tree of the best derivation without the likelihood."""
        deadline = Deadline(self._request.deadline.seconds)
        request = replace(self._request, likelihood=False, deadline=deadline)
        return search.run_search(self._problem, request)

    @property
    def interrupted(self) -> bool:
        """See `Result`."""
        return any(self._early[:2])

    @property
    def out_of_time(self) -> bool:
        """See `Result`."""
        return self._early[1]

    @property
    def out_of_memory(self) -> bool:
        """Whether the budget of memory ended the search."""
        return self._early[2]
