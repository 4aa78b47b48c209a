"""`SearchResult`: the best trees that a search found, and bounds. Averages are over the best tree
alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets import Deadline
from slp.data.table import Table
from slp.engines import search
from slp.engines.contract import Request
from slp.engines.modal.trees_found import TreesFound
from slp.engines.near_best import ROUNDING
from slp.engines.search.compiled import FoundTree, Ranked
from slp.engines.search.listing import Listing
from slp.problem.problem import Problem
from slp.problem.tree_on_table import log_likelihood_of_tree, tree_of_nodes
from slp.results.averages.over_trees import ScoredTree
from slp.results.averages.weighted_draws import DrawnTrees
from slp.results.record.result import Candidate, Draw, NearBest
from slp.results.record.rule_use import RuleUse, no_rules
from slp.trees import Leaf, Tree

__all__ = ["SearchResult"]


class SearchResult(TreesFound):
    """The best tree found. It knows no totals: neither the evidence nor the posterior probability
    of the tree.

    Attributes
    ----------
    found : what the search found; its numbers are of derivations.
    """

    def __init__(
        self,
        problem: Problem,
        found: FoundTree,
        listing: Listing,
        *,
        request: Request,
        interrupted: bool,
        out_of_time: bool,
        out_of_memory: bool,
    ) -> None:
        super().__init__(problem, request, request.seed or 0)
        self.found = found
        self._scored, self._own_listing = self._scored_tree(found.cuts), listing
        self._seconds = request.deadline.seconds
        self._early = (interrupted, out_of_time, out_of_memory)

    def __getstate__(self) -> dict[str, Any]:
        """See `TreesFound`: without the search too, which is made again."""
        return {**super().__getstate__(), "_own_listing": None}

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
    def no_evidence(self) -> str:
        """See `Result`."""
        return "the engine search looks for the best tree, and does not sum over all of them"

    def rule_uses(self) -> list[RuleUse]:
        """See `Result`: not told (E531)."""
        raise no_rules(self.choice.engine)

    # --- the tree ------------------------------------------------------------------------------

    @property
    def _listing(self) -> Listing:
        """Its first derivation is the best found."""
        if self._own_listing is None:
            self._own_listing = self._again()._own_listing
        assert self._own_listing is not None
        return self._own_listing

    def best(self) -> Iterator[Candidate]:
        """See `Result`: the tree found, and the next ones, each with the bound on all derivations
        that come later."""
        found = self.found
        yield self._candidate(Ranked(found.cuts, found.low, max(found.high, found.low)))
        to_come = True  # of a copy made again, where the first may be another
        for ranked in self._listing:
            if to_come and np.array_equal(ranked.cuts, found.cuts):
                to_come = False
            else:
                yield self._candidate(ranked)

    def near_best(self, slack: float) -> NearBest:
        """See `Result`: those that were listed one by one, while there was time."""
        count, least = 0, self.found.low - slack - ROUNDING
        for ranked in self._listing:
            if ranked.high < least:
                break
            if ranked.value >= least:
                count += 1
            elif ranked.high > ranked.value:
                return NearBest(count, None, ranked.high)
        listing = self._listing
        return NearBest(count, None, listing.bound if listing.bound >= least else None)

    def _candidate(self, ranked: Ranked) -> Candidate:
        scored, single = self._scored_tree(ranked.cuts), self.derivations_are_trees
        joint = scored.log_weight + self.likelihood * scored.log_likelihood
        own = joint if single else ranked.value  # the same up to rounding
        return Candidate(
            self.shown(scored.tree),
            joint,
            self.log_probability(joint),
            own + (ranked.high - ranked.value),
            grown=True,
            derivation_log_joint=None if single else own,
        )

    def _scored_tree(self, cuts: NDArray[np.int32]) -> ScoredTree:
        tree = _tree(self.table, cuts)
        weight = float(self._scorer.log_weight(tree))
        return ScoredTree(tree, weight, log_likelihood_of_tree(self.table, tree))

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
        return self._again(likelihood=False)

    def _again(self, **changed: Any) -> SearchResult:
        request = replace(self._request, deadline=Deadline(self._seconds), **changed)
        return search.run_search(self._problem, request)

    @property
    def interrupted(self) -> bool:
        """See `Result`."""
        listing = self._own_listing
        return any(self._early[:2]) or (
            listing is not None and (listing.interrupted or listing.out_of_time)
        )

    @property
    def out_of_time(self) -> bool:
        """See `Result`."""
        listing = self._own_listing
        return self._early[1] or (listing is not None and listing.out_of_time)

    @property
    def out_of_memory(self) -> bool:
        """Whether the budget of memory ended the search."""
        return self._early[2]


def _tree(table: Table, cuts: NDArray[np.int32]) -> Tree:
    rows = np.arange(len(table.counts))
    leaves, stack = [], [rows]
    for f, low, high in cuts.tolist():
        own = stack.pop()
        if f < 0:
            leaves.append(Leaf.of(table.leaf, table.statistics[own].sum(axis=0)))
            continue
        left = table.features[f].kind.left_of_cut(low, high)[table.codes[own, f]]
        stack += [own[~left], own[left]]
    return tree_of_nodes(table, cuts.tolist(), leaves)
