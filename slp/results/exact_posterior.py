"""`ExactPosterior`: a posterior by sums over all trees, whichever exact engine makes them.

Every number is exact, and summaries do not depend on the draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from slp.errors import BudgetError, Diagnostic, NoTreeError, TimeOverError
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.boxes import Geometry
from slp.results.averages import ScoredTree, TreeDistribution
from slp.results.choice import Choice
from slp.results.evidence import evidence_note
from slp.results.known import Known
from slp.results.posterior import Draw, MapTree, Posterior
from slp.results.rule_use import RuleUse, Sums, exact_rule_uses, rules_of_mixture
from slp.runner.options import check_count, fresh_seed
from slp.source import SourceSpan
from slp.trees import Tree

__all__ = ["ExactPosterior"]


class ExactPosterior(Posterior):
    """The distribution over trees that a `TreeDistribution` holds; see `Posterior`."""

    def __init__(
        self,
        distribution: TreeDistribution,
        grammar: TreeGrammar,
        geometry: Geometry,
        *,
        choice: Choice,
        draws: int = 1000,
        seed: int | None = None,
        best_tree: Callable[[], MapTree | None] = lambda: None,
        run: Callable[[TreeGrammar, bool], TreeDistribution] | None = None,
        drawn: Callable[[tuple[float, float] | None], Posterior] | None = None,
    ) -> None:
        super().__init__(
            geometry,
            choice=choice,
            likelihood=distribution.likelihood,
            normalised=grammar.normalised and grammar.max_leaves is None,
            seed=fresh_seed() if seed is None else seed,
        )
        self._n_draws, self._best_tree, self._run = draws, best_tree, run
        self._drawn = drawn
        self._distribution, self._grammar = distribution, grammar
        if distribution.log_total == -np.inf:
            raise _no_tree()

    @property
    def _averages(self) -> TreeDistribution:
        return self._distribution

    def __getstate__(self) -> dict[str, Any]:
        """To be pickled or copied: without the sampler that would go on in its place."""
        return {**vars(self), "_drawn": None}

    def known(self) -> Known:
        """What there is without another pass, where one of them reached a limit."""
        bounds, best = self._known_bounds, self._best_tree()
        return Known(self.choice, self.table, self.likelihood, self.normalised, bounds, best)

    @property
    def _known_bounds(self) -> tuple[float, float] | None:
        """The log evidence twice, if it is known without another pass."""
        if not self.likelihood or not ("_log_prior_total" in vars(self) or self.normalised):
            return None
        return (self._distribution.log_total - self._log_prior_total,) * 2

    def drawn_instead(self, limit: BudgetError) -> Posterior | None:
        """See `Posterior`."""
        if self._drawn is None or not isinstance(limit, TimeOverError):
            return None
        return self._drawn(self._known_bounds or limit.log_evidence_bounds)

    # --- evidence ------------------------------------------------------------------------------

    @property
    def log_evidence(self) -> float | None:
        """log P(response | features) under the prior normalised over its support; None for a prior.

        With `majority` or `rows(Class, N)` the prior itself looks at the response, and then this is
        no Bayes factor against another program: see `evidence_note`.
        """
        if not self.likelihood:
            return None
        return self._distribution.log_total - self._log_prior_total

    @property
    def evidence_note(self) -> str | None:
        """What must be said beside the evidence, if anything."""
        return evidence_note(self._grammar)

    @property
    def left_out(self) -> float:
        """Upper bound on the probability that trees have together which were left out: deeper ones
        than the engine needs to sum over. At most 1e-12, which is below rounding.

        The prior's share is not in it where the evidence needs a sum over the prior too; that is at
        most 1e-12 as well.
        """
        return self._distribution.left_out

    @cached_property
    def _log_prior_total(self) -> float:
        """Log of the prior weight of all trees together."""
        return 0.0 if self.normalised else self._prior_distribution.log_total

    @cached_property
    def _prior_distribution(self) -> TreeDistribution:
        return self._distribution.other(likelihood=False)

    def prior(self) -> ExactPosterior:
        """The prior over the same trees, with the same engine and seed."""
        return ExactPosterior(
            self._prior_distribution,
            self._grammar,
            self._geometry,
            choice=self.choice,
            draws=self._n_draws,
            seed=self.seed,
            run=self._run,
        )

    def rule_probabilities(self) -> list[RuleUse]:
        """See `Posterior`."""
        return self._rule_uses(None)

    def mixture(self) -> list[RuleUse]:
        """See `Posterior`."""
        return self._mixture

    @cached_property
    def _mixture(self) -> list[RuleUse]:
        found = rules_of_mixture(self._grammar)
        return self._rule_uses(found) if found else []

    def _rule_uses(self, only: list[SourceSpan] | None) -> list[RuleUse]:
        own = self._distribution

        def sums_of(grammar: TreeGrammar) -> Sums:
            assert self._run is not None, "a posterior of `infer` can be run again"
            found = self._run(grammar, self.likelihood)
            return found.log_total, found.rule_uses

        sums = own.log_total, own.rule_uses
        stump = float(self.leaf_distribution()[1])
        return exact_rule_uses(self._grammar, sums, sums_of, stump, only)

    # --- trees ---------------------------------------------------------------------------------

    @property
    def derivations_are_trees(self) -> bool:
        """Whether each tree surely has one derivation.

        If not, `map`, `k_best` and `tree_count` are over derivations: a tree may be listed and
        counted once for each of them, and a tree of many derivations may have more probability than
        the first one listed. All else is over trees.
        """
        return self._distribution.derivations_are_trees

    def tree_count(self) -> int | float:
        """Number of trees (derivations) of probability above zero: an int below 2**53, else a float
        with the usual rounding, inf beyond 1.8e308."""
        count = self._distribution.tree_count()
        return int(count) if count < 2**53 else count

    def k_best(self, k: int) -> list[MapTree]:
        """The trees of the `k` best derivations, best first; fewer if there are no more.

        Raises
        ------
        UsageError
            `k` is no whole number from 0 up (E505).
        """
        check_count("k", k)
        return [self._with_probability(s) for s in islice(self._distribution.best(), k)]

    def _with_probability(self, scored: ScoredTree) -> MapTree:
        joint = self._log_weight(scored) + self.likelihood * scored.log_likelihood
        return MapTree(self._shown(scored.tree), joint, joint - self._distribution.log_total)

    def _log_weight(self, scored: ScoredTree) -> float:
        if self.derivations_are_trees:
            return scored.log_weight
        return self._distribution.log_weight(scored.tree)

    def sample(self, n: int, seed: int | None = None) -> list[Tree]:
        """`n` independent draws, apart from `draws`.

        Raises
        ------
        UsageError
            `n` or `seed` is no whole number from 0 up (E505).
        """
        check_count("n", n)
        if seed is not None:
            check_count("seed", seed, most=math.inf)
        rng = np.random.default_rng(fresh_seed() if seed is None else seed)
        return [self._shown(scored.tree) for scored in self._distribution.draw(n, rng)]

    @cached_property
    def draws(self) -> list[Draw]:
        """The draws that were asked for, independent, made with `seed`."""
        drawn = self._distribution.draw(self._n_draws, np.random.default_rng(self.seed))
        weights: dict[Tree, float] = {}
        out = []
        for scored in drawn:
            if scored.tree not in weights:
                weights[scored.tree] = self._log_weight(scored)
            weight = weights[scored.tree]
            prior = weight - self._log_prior_total
            out.append(Draw(self._shown(scored.tree), weight, prior, scored.log_likelihood))
        return out

    def log_prior(self, tree: Tree) -> float:
        """Log prior probability of any tree that parts the table's rows as `tree` does (thresholds
        need not be canonical, leaf summaries are ignored); -inf off the support."""
        return self._distribution.log_weight(tree) - self._log_prior_total

    def log_posterior(self, tree: Tree) -> float:
        """Log probability of all trees that part the table's rows as `tree` does; -inf off the
        support."""
        weight = self._distribution.log_weight(tree)
        if self.likelihood and weight > -np.inf:
            weight += self.log_likelihood(tree)
        return weight - self._distribution.log_total


def _no_tree() -> NoTreeError:
    message = "no tree satisfies the program on this table: nothing is left of the prior"
    help = "loosen the constraints or the support; `slp explain` shows what each state allows"
    return NoTreeError(Diagnostic("E504", message, help=help))
