"""`result_of_sums`: the result of an exact engine, whichever makes the sums over all trees. Every
number is exact, and none but `draws` depends on draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from slp.constraints.avoids import Event
from slp.data.table import Table
from slp.errors import BudgetError, TimeOverError, warn
from slp.ir.tree_grammar import TreeGrammar
from slp.messages.results import FEWER_INDEPENDENT_DRAWS
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.results.averages.over_trees import ScoredTree, TreeDistribution
from slp.results.averages.sums import Sums
from slp.results.estimate import Estimate
from slp.results.record.choice import EngineChoice
from slp.results.record.evidence import evidence_note
from slp.results.record.later import Later
from slp.results.record.parts import Candidate, Draw, Ended, Evidence, NearBest, shown
from slp.results.record.result import Result
from slp.results.record.rule_use import (
    RuleSums,
    RuleUse,
    exact_rule_uses,
    rules_of_mixture,
    uses_from_splits,
)
from slp.source import SourceSpan
from slp.trees import Leaf, Tree

#: Sums over the trees that avoid events, with or without likelihood, where they take at most so
#: many seconds of one core, approximately; else None.
Avoiding: TypeAlias = Callable[[frozenset[Event], bool, float], TreeDistribution | None]


def result_of_sums(
    distribution: TreeDistribution,
    grammar: TreeGrammar,
    table: Table,
    *,
    choice: EngineChoice,
    n_draws: int,
    seed: int,
    run: Callable[[TreeGrammar, bool], TreeDistribution],
    avoiding: Avoiding,
    best_tree: Callable[[], Candidate | None] | None = None,
    for_draws: Callable[[], AbstractContextManager[None]] = nullcontext,
    searched: Callable[[tuple[float, float] | None], Result] | None = None,
) -> Result:
    """The distribution over trees that a `TreeDistribution` holds.

    Parameters
    ----------
    n_draws : how many draws were asked for.
    best_tree : looks for a good tree where a limit was reached; None if nothing does.
    run : sums over another grammar on the same table.
    avoiding : see `Avoiding`.
    for_draws : gives a block the time that was kept for draws in place of sums, and sums no more.
    searched : the same by a search, given bounds on the log evidence, if it goes on where the best
        trees are not found in time; else None.
    """
    averages = Sums(distribution, table, seed=seed, may_draw=choice.by_size, for_draws=for_draws)
    limit = _Limit(best_tree, searched)
    summed = _Summed(averages, grammar, table, n_draws, seed, run, avoiding, choice, limit)
    note = evidence_note(grammar, table)
    return Result(
        chosen=choice,
        table=table,
        likelihood=distribution.likelihood,
        normalised=summed.normalised,
        seed=seed,
        kind="sums",
        evidence=Evidence(
            Later(summed.log_evidence),
            f"the engine {choice.engine} does not estimate it",
            note,
            note,
            summed.log_prior_total,
            Later(summed.log_total),
            Later(summed.left_out),
        ),
        averaged=averages,
        derivations_are_trees=Later(summed.derivations_are_trees),
        tree_count=distribution.tree_count,
        best=summed.best,
        near_best=summed.near_best,
        draws=Later(summed.draws),
        log_weight=distribution.log_weight,
        log_likelihood=partial(log_likelihood_of_tree, table),
        rules=summed.rules,
        mixture=summed.mixture,
        prior=summed.prior,
        avoiding=summed.avoiding,
        diagnostics=Later.known(None),
        schedule=None,
        edits=Later.known(None),
        ended=Later.known(Ended()),
        at_limit=limit,
    )


class _Limit:
    """See `AtLimit`; the parameters are those of `result_of_sums`."""

    def __init__(
        self,
        best_tree: Callable[[], Candidate | None] | None,
        searched: Callable[[tuple[float, float] | None], Result] | None,
    ) -> None:
        self._best_tree, self._searched = best_tree, searched

    def __getstate__(self) -> dict[str, Any]:
        """To be pickled or copied: without the search that would go on in its place."""
        return {**vars(self), "_searched": None}

    @property
    def goes_on(self) -> bool:
        """Whether a search goes on where the best trees are not found in time."""
        return self._searched is not None

    def best(self) -> Candidate | None:
        """See `AtLimit`."""
        return None if self._best_tree is None else self._best_tree()

    def instead(self, limit: BudgetError, known: tuple[float, float] | None) -> Result | None:
        """See `AtLimit`."""
        if self._searched is None or not isinstance(limit, TimeOverError):
            return None
        return self._searched(known or limit.log_evidence_bounds)


class _Summed:
    """What a record of sums is filled with; the parameters are those of `result_of_sums`."""

    def __init__(
        self,
        averages: Sums,
        grammar: TreeGrammar,
        table: Table,
        n_draws: int,
        seed: int,
        run: Callable[[TreeGrammar, bool], TreeDistribution],
        avoiding: Avoiding,
        choice: EngineChoice,
        limit: _Limit,
    ) -> None:
        self._averages, self._distribution = averages, averages.distribution
        self._grammar, self._table = grammar, table
        self._n_draws, self._seed, self._run = n_draws, seed, run
        self._avoiding, self._choice, self._limit = avoiding, choice, limit
        self._likelihood = averages.distribution.likelihood
        self.normalised = grammar.normalised and grammar.max_leaves is None
        self.log_prior_total: Later[float | None] = (
            Later.known(0.0) if self.normalised else Later(self._log_prior_total)
        )

    # --- evidence ------------------------------------------------------------------------------

    def log_evidence(self) -> Estimate | None:
        """See `Evidence`."""
        if not self._likelihood:
            return None
        return Estimate.exact(self.log_total() - self._known_prior_total())

    def _known_prior_total(self) -> float:
        total = self.log_prior_total()
        assert total is not None
        return total

    def log_total(self) -> float:
        """See `Evidence`."""
        return self._distribution.log_total

    def left_out(self) -> float:
        """See `Evidence`: deeper trees than the engine needs to sum over have at most 1e-12. The
        prior's share is not in it where the evidence needs a sum over the prior too; that is at
        most 1e-12 as well."""
        return self._distribution.left_out

    def _log_prior_total(self) -> float | None:
        return self._prior_distribution.log_total

    @cached_property
    def _prior_distribution(self) -> TreeDistribution:
        return self._distribution.other(likelihood=False)

    def prior(self) -> Result:
        """See `Result`."""
        return result_of_sums(
            self._prior_distribution,
            self._grammar,
            self._table,
            choice=self._choice.shaped_by_clock(self._averages.shaped_by_clock),
            n_draws=self._n_draws,
            seed=self._seed,
            run=self._run,
            avoiding=self._avoiding,
        )

    def avoiding(self, events: frozenset[Event], seconds: float) -> TreeDistribution | None:
        """See `Result`."""
        return self._avoiding(events, self._likelihood, seconds)

    # --- rules of the program ------------------------------------------------------------------

    def rules(self) -> list[RuleUse]:
        """See `Result`."""
        return self._rule_uses(None)

    def mixture(self) -> list[RuleUse]:
        """See `Result`."""
        rules = rules_of_mixture(self._grammar)
        return self._rule_uses(rules) if rules else []

    def _rule_uses(self, only: list[SourceSpan] | None) -> list[RuleUse]:

        def sums_of(grammar: TreeGrammar) -> RuleSums:
            found = self._run(grammar, self._likelihood)
            return found.log_total, found.rule_uses

        stump = self._probability_of_a_leaf()
        if only is None:
            splits = float(self._distribution.expected_splits().sum())
            found = uses_from_splits(self._grammar, stump, splits)
            if found is not None:
                return found
        sums = self.log_total(), self._distribution.rule_uses
        return exact_rule_uses(self._grammar, sums, sums_of, stump, only)

    def _probability_of_a_leaf(self) -> float:
        """The probability of the tree that is a leaf."""
        tree = Tree(Leaf())
        fit = log_likelihood_of_tree(self._table, tree)
        joint = self._distribution.log_weight(tree) + self._likelihood * fit
        return math.exp(joint - self.log_total())

    # --- trees ---------------------------------------------------------------------------------

    def derivations_are_trees(self) -> bool:
        """See `Result`."""
        return self._distribution.derivations_are_trees

    def near_best(self, slack: float) -> NearBest:
        """See `Result`."""
        count, log_sum = self._distribution.near_best(slack)
        return NearBest(count, log_sum - self.log_total())

    def best(self) -> Iterator[Candidate]:
        """See `Result`; the best of independent draws where `auto` chose the sums, and the search
        for the best one of all does not end in time."""
        try:
            for scored in self._distribution.best():
                joint = self._log_joint(scored)
                own = scored.log_weight + self._likelihood * scored.log_likelihood
                yield Candidate(
                    shown(scored.tree, self._likelihood),
                    joint,
                    joint - self.log_total(),
                    upper_bound=own,
                    derivation_log_joint=None if self.derivations_are_trees() else own,
                )
        except TimeOverError as error:
            if self._limit.goes_on:
                raise
            drawn = self._averages.draws_for(error).trees
            trees = ((self._log_joint(scored), scored) for scored in drawn)
            for joint, scored in sorted(trees, key=lambda x: -x[0]):
                tree = shown(scored.tree, self._likelihood)
                yield Candidate(tree, joint, joint - self.log_total())

    def _log_joint(self, scored: ScoredTree) -> float:
        return self._weight_of(scored) + self._likelihood * scored.log_likelihood

    def _weight_of(self, scored: ScoredTree) -> float:
        if self.derivations_are_trees():
            return scored.log_weight
        return self._distribution.log_weight(scored.tree)

    def draws(self) -> list[Draw]:
        """See `Result`: independent, made with `seed`; those that answer in place of sums where the
        time is over."""
        try:
            drawn = self._distribution.draw(self._n_draws, np.random.default_rng(self._seed))
        except TimeOverError as error:
            made = self._averages.draws_for(error)
            drawn = made.trees.take(np.concatenate(made.chains)[: self._n_draws])
            if len(drawn) < self._n_draws:
                warn(FEWER_INDEPENDENT_DRAWS(kept=len(drawn), wanted=self._n_draws))
        different: dict[int, Draw] = {}  # equal trees are one object
        out = []
        for u in drawn.first_alike().tolist():
            if u not in different:
                scored = drawn[u]
                weight = self._weight_of(scored)
                prior = weight - self._known_prior_total()
                tree = shown(scored.tree, self._likelihood)
                different[u] = Draw(tree, weight, prior, scored.log_likelihood)
            out.append(different[u])
        return out
