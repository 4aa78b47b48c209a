"""`result_of_search`: the best trees that a search found, and bounds. Averages are over the best
tree alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets import Deadline
from slp.data.table import Table
from slp.engines import search
from slp.engines.contract import Request
from slp.engines.search.compiled import FoundTree, Ranked
from slp.engines.search.listing import Listing
from slp.engines.shared.found_trees import result_of_found_trees
from slp.engines.shared.near_best import ROUNDING
from slp.engines.shared.weights import WeightsOfTrees
from slp.problem.ambiguity import derivations_are_trees
from slp.problem.problem import Problem
from slp.problem.tree_on_table import log_likelihood_of_tree, statistics_of_nodes, tree_of_nodes
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import ScoredTree, ScoredTrees
from slp.results.record.later import Later
from slp.results.record.parts import Candidate, Draw, Ended, NearBest, shown
from slp.results.record.result import Result
from slp.results.record.rule_use import RuleUse, no_rules
from slp.trees import Leaf, Tree

__all__ = ["result_of_search"]


def result_of_search(
    problem: Problem,
    found: FoundTree,
    listing: Listing,
    *,
    request: Request,
    ended: Ended,
) -> Result:
    """The best tree found, by a search that ended so."""
    grammar, table = problem.grammar, problem.table
    normalised = grammar.normalised and grammar.max_leaves is None
    searched = Searched(problem, found, listing, request, normalised, ended)
    result = result_of_found_trees(
        problem,
        request,
        searched,
        DrawnTrees(
            table, ScoredTrees.of(table, [searched.scored]), [np.arange(1)], request.threads
        ),
        normalised=normalised,
        work="looks for the best tree",
        ended=searched.ended,
    )
    return replace(result, near_best=searched.near_best)


class Searched:
    """What a record of a search is filled with.

    Attributes
    ----------
    found : what the search found; its numbers are of derivations.
    scored : the tree.
    listing : the derivations after it, as far as they were found; None in a copy until they are
        asked for, which searches again.
    """

    listing: Listing | None

    def __init__(
        self,
        problem: Problem,
        found: FoundTree,
        listing: Listing,
        request: Request,
        normalised: bool,
        ended: Ended,
    ) -> None:
        self._problem, self._table, self._normalised = problem, problem.table, normalised
        self._ended = ended
        self._request = replace(request, progress=None, instead=None)
        self._likelihood, self.seconds = request.likelihood, request.deadline.seconds
        self.log_weight = WeightsOfTrees(problem, request.likelihood)
        self.single = Later(partial(derivations_are_trees, problem.grammar))
        self.found, self.listing = found, listing
        self.scored = self._scored_tree(found.cuts)

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies: without a deadline, and without the search, which is made
        again."""
        request = replace(self._request, deadline=Deadline())
        return {**vars(self), "_request": request, "listing": None}

    def rules(self) -> list[RuleUse]:
        """See `Result`: not told (E531)."""
        raise no_rules(self._request.choice.engine)

    def _listed(self) -> Listing:
        """Its first derivation is the best found."""
        if self.listing is None:
            self.listing = search.listing_of(self._problem, self._again())
        return self.listing

    def best(self) -> Iterator[Candidate]:
        """See `Result`: the tree found, and the next ones, each with the bound on all derivations
        that come later."""
        found = self.found
        yield self._candidate(Ranked(found.cuts, found.low, max(found.high, found.low)))
        to_come = True  # of a copy made again, where the first may be another
        for ranked in self._listed():
            if to_come and np.array_equal(ranked.cuts, found.cuts):
                to_come = False
            else:
                yield self._candidate(ranked)

    def near_best(self, slack: float) -> NearBest:
        """See `Result`: those that were listed one by one, while there was time."""
        count, least = 0, self.found.low - slack - ROUNDING
        listing = self._listed()
        for ranked in listing:
            if ranked.high < least:
                break
            if ranked.value >= least:
                count += 1
            elif ranked.high > ranked.value:
                return NearBest(count, None, ranked.high)
        return NearBest(count, None, listing.bound if listing.bound >= least else None)

    def _candidate(self, ranked: Ranked) -> Candidate:
        scored, single = self._scored_tree(ranked.cuts), self.single()
        joint = scored.log_weight + self._likelihood * scored.log_likelihood
        own = joint if single else ranked.value  # the same up to rounding
        known = self._normalised and not self._likelihood and not math.isnan(joint)
        return Candidate(
            shown(scored.tree, self._likelihood),
            joint,
            joint if known else None,
            own + (ranked.high - ranked.value),
            grown=True,
            derivation_log_joint=None if single else own,
        )

    def _scored_tree(self, cuts: NDArray[np.int32]) -> ScoredTree:
        tree = _tree(self._table, cuts)
        weight = float(self.log_weight(tree))
        return ScoredTree(tree, weight, log_likelihood_of_tree(self._table, tree))

    def draws(self) -> Sequence[Draw]:
        """See `Result`: nothing is drawn; this is the tree found."""
        scored = self.scored
        prior = scored.log_weight if self._normalised else None
        tree = shown(scored.tree, self._likelihood)
        return [Draw(tree, scored.log_weight, prior, scored.log_likelihood)]

    def prior(self) -> Result:
        """See `Result`: the tree of the best derivation without the likelihood."""
        return search.run_search(self._problem, self._again(likelihood=False))

    def ended(self) -> Ended:
        """See `Result`: of the search, and of the list as far as it has got."""
        own, listing = self._ended, self.listing
        if listing is None:
            return own
        return Ended(
            own.interrupted or listing.interrupted or listing.out_of_time,
            own.out_of_time or listing.out_of_time,
            own.out_of_memory or listing.out_of_memory,
        )

    def _again(self, **changed: Any) -> Request:
        return replace(self._request, deadline=Deadline(self.seconds), **changed)


def _tree(table: Table, cuts: NDArray[np.int32]) -> Tree:
    nodes = cuts.tolist()
    leaves = [Leaf.of(table.leaf, own) for own in statistics_of_nodes(table, nodes)]
    return tree_of_nodes(table, nodes, leaves)
