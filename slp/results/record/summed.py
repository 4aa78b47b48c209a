"""`SummedResult`: sums over all trees, whichever exact engine makes them. Every number is exact,
and none but `draws` depends on draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.budgets.seconds import format_seconds
from slp.errors import BudgetError, TimeOverError, warn
from slp.ir.tree_grammar import TreeGrammar
from slp.late import late_import
from slp.messages.entry import Wording
from slp.messages.inference import NEW_ROWS_BY_DRAWS, NEW_ROWS_TAKE_LONG, SUMMARIES_BY_DRAWS
from slp.messages.results import FEWER_INDEPENDENT_DRAWS
from slp.problem.boxes import Geometry
from slp.results.averages.over_trees import ScoredTree, TreeAverages, TreeDistribution
from slp.results.averages.paths import TreePath
from slp.results.estimate import Estimate
from slp.results.record.choice import EngineChoice
from slp.results.record.evidence import evidence_note
from slp.results.record.known import Known
from slp.results.record.result import Candidate, Draw, NearBest, Result
from slp.results.record.rule_use import (
    RuleSums,
    RuleUse,
    exact_rule_uses,
    rules_of_mixture,
    uses_from_splits,
)
from slp.source import SourceSpan
from slp.trees import Leaf, Tree

if TYPE_CHECKING:
    from slp.results.averages.weighted_draws import DrawnTrees

_Answer = TypeVar("_Answer")

#: Number of draws that answer where sums do not fit, or take too long.
_DRAWS_INSTEAD = 1000
#: Estimated seconds of one core up to which sums for new rows are made under `auto`.
_MOST_SECONDS = 10.0
_SOME_BY_DRAWS = (
    f"some sums did not end in time, so {_DRAWS_INSTEAD:,} independent draws of trees answer in "
    "their place: the answer depends on the clock"
)


class SummedResult(Result):
    """The distribution over trees that a `TreeDistribution` holds.

    Parameters
    ----------
    n_draws : how many draws were asked for.
    best_tree : looks for a good tree where a limit was reached; None if nothing does.
    run : sums over another grammar on the same table.
    for_draws : gives a block the time that was kept for draws in place of sums, and sums no more.
    searched : the same by a search, given bounds on the log evidence, if it goes on where the best
        trees are not found in time; else None.
    """

    sums = True

    def __init__(
        self,
        distribution: TreeDistribution,
        grammar: TreeGrammar,
        geometry: Geometry,
        *,
        choice: EngineChoice,
        n_draws: int,
        seed: int,
        run: Callable[[TreeGrammar, bool], TreeDistribution],
        best_tree: Callable[[], Candidate | None] | None = None,
        for_draws: Callable[[], AbstractContextManager[None]] = nullcontext,
        searched: Callable[[tuple[float, float] | None], Result] | None = None,
    ) -> None:
        super().__init__(
            geometry.table,
            choice=choice,
            likelihood=distribution.likelihood,
            normalised=grammar.normalised and grammar.max_leaves is None,
            seed=seed,
        )
        self._distribution, self._grammar, self._geometry = distribution, grammar, geometry
        self._n_draws, self._best_tree, self._run = n_draws, best_tree, run
        self._for_draws, self._searched = for_draws, searched
        self._by_draws: dict[Wording, DrawnTrees] = {}
        self._told_of: set[int] = set()  # hashes of new rows whose draws were told of

    def __getstate__(self) -> dict[str, Any]:
        """To be pickled or copied: without the search that would go on in its place, and with
        nothing told yet."""
        return {**vars(self), "_for_draws": nullcontext, "_searched": None, "_told_of": set()}

    @property
    def averages(self) -> TreeDistribution:
        return self._distribution

    # --- where a limit was reached -------------------------------------------------------------

    def known(self) -> Known:
        bounds = self._known_bounds
        best = None if self._best_tree is None else self._best_tree()
        return Known(self.choice, self.table, self.likelihood, self.normalised, bounds, best)

    @property
    def _known_bounds(self) -> tuple[float, float] | None:
        """The log evidence twice, if it is known without another pass."""
        if not self.likelihood or not ("log_prior_total" in vars(self) or self.normalised):
            return None
        return (self.log_total - self.log_prior_total,) * 2

    def instead(self, limit: BudgetError) -> Result | None:
        if self._searched is None or not isinstance(limit, TimeOverError):
            return None
        return self._searched(self._known_bounds or limit.log_evidence_bounds)

    # --- where sums do not fit, and draws do ---------------------------------------------------

    def summary(self, ask: Callable[[TreeAverages], _Answer]) -> tuple[_Answer, DrawnTrees | None]:
        """See `Result`. How often features are used takes several times the memory of the
        evidence: see `_asked`."""
        answer = self._asked(ask, SUMMARIES_BY_DRAWS)
        return answer, self._by_draws.get(SUMMARIES_BY_DRAWS)

    def of_new_rows(
        self, ask: Callable[[TreeAverages], _Answer], rows: NDArray[np.object_]
    ) -> _Answer:
        """See `Result`. Where `auto` chose the sums, and those for the rows would take long,
        independent draws answer (W550); where they do not fit, see `_asked`."""

        def exact_or_drawn(averages: TreeAverages) -> _Answer:
            drawn = self._draws_of_many(rows) if averages is self._distribution else None
            return ask(averages if drawn is None else drawn)

        return self._asked(exact_or_drawn, NEW_ROWS_BY_DRAWS)

    def error_of_new_rows(self, rows: NDArray[np.object_]) -> NDArray[np.float64] | None:
        if not self.choice.by_size:
            return None
        # Only the predictions tell whether draws are needed.
        self.of_new_rows(lambda averages: averages.predictions(rows), rows)
        drawn = self._by_draws.get(NEW_ROWS_BY_DRAWS)
        drawn = self._draws_of_many(rows) if drawn is None else drawn
        return None if drawn is None else drawn.predictive_error(rows)

    def _draws_of_many(self, rows: NDArray[np.object_]) -> DrawnTrees | None:
        """The draws that predict these new rows where their sums take long; else None. What is
        asked decides, and neither the clock nor what was asked before."""
        if not self.choice.by_size:
            return None
        seconds = self._distribution.seconds_of_new_rows(rows)
        if seconds <= _MOST_SECONDS:
            return None
        drawn = self._independent_draws
        asked = hash(tuple(map(repr, rows.ravel().tolist())))
        if asked not in self._told_of:
            self._told_of.add(asked)
            error = float(np.max(drawn.predictive_error(rows)))
            are = "1 new row is" if len(rows) == 1 else f"{len(rows):,} new rows are"
            time = format_seconds(float(f"{seconds:.1g}"))
            warn(NEW_ROWS_TAKE_LONG(rows=are, n=_DRAWS_INSTEAD, time=time, error=f"{error:.2g}"))
        return drawn

    def _asked(self, ask: Callable[[TreeAverages], _Answer], by_draws: Wording) -> _Answer:
        """The answer. Where `auto` chose the sums, and those for the answer do not fit or do not
        end in time, independent draws answer from then on, with the warning `by_draws` (W540)."""
        if by_draws not in self._by_draws:
            try:
                return ask(self._distribution)
            except BudgetError as error:
                self._by_draws[by_draws] = self._draws_for(error)
                more = "time" if isinstance(error, TimeOverError) else "memory"
                warn(by_draws(n=_DRAWS_INSTEAD, limit=error.diagnostics[0].message, more=more))
        return ask(self._by_draws[by_draws])

    def _draws_for(self, limit: BudgetError) -> DrawnTrees:
        """Independent draws, for an answer whose sums reached a limit; raises that again where
        they are not to answer. The choice says if the clock was the reason."""
        if not self.choice.by_size:
            raise limit
        over = isinstance(limit, TimeOverError)
        try:
            with self._for_draws() if over else nullcontext():
                drawn = self._independent_draws
        except BudgetError:
            raise limit from None
        if over and not self.choice.by_clock:
            reason = f"{self.choice.reason}; {_SOME_BY_DRAWS}"
            self.choice = replace(self.choice, reason=reason, by_clock=True)
        return drawn

    @cached_property
    def _independent_draws(self) -> DrawnTrees:
        # Late, as most exact runs draw nothing.
        draws = late_import("slp.results.averages.weighted_draws")
        drawn = self._distribution.draw(_DRAWS_INSTEAD, np.random.default_rng(self.seed))
        trees, (chain,) = draws.numbered([[scored.tree for scored in drawn]])
        fits = {scored.tree: scored for scored in drawn}
        # One island for each draw: then their errors need no effective draws.
        alone, even = np.split(chain, len(chain)), [np.zeros(1)] * len(chain)
        made: DrawnTrees = draws.DrawnTrees(
            self.table, [fits[tree] for tree in trees], alone, log_weights=even
        )
        return made

    # --- evidence ------------------------------------------------------------------------------

    @property
    def log_evidence(self) -> Estimate | None:
        return Estimate.exact(self.log_total - self.log_prior_total) if self.likelihood else None

    @property
    def evidence_note(self) -> str | None:
        return evidence_note(self._grammar)

    @property
    def left_out(self) -> float:
        """See `Result`: deeper trees than the engine needs to sum over have at most 1e-12. The
        prior's share is not in it where the evidence needs a sum over the prior too; that is at
        most 1e-12 as well."""
        return self._distribution.left_out

    @property
    def log_total(self) -> float:
        return self._distribution.log_total

    @cached_property
    def log_prior_total(self) -> float:
        return 0.0 if self.normalised else self._prior_distribution.log_total

    @cached_property
    def _prior_distribution(self) -> TreeDistribution:
        return self._distribution.other(likelihood=False)

    def prior(self) -> SummedResult:
        return SummedResult(
            self._prior_distribution,
            self._grammar,
            self._geometry,
            choice=self.choice,
            n_draws=self._n_draws,
            seed=self.seed,
            run=self._run,
        )

    # --- rules of the program ------------------------------------------------------------------

    def rule_uses(self) -> list[RuleUse]:
        return self._rule_uses(None)

    def mixture(self) -> list[RuleUse]:
        rules = rules_of_mixture(self._grammar)
        return self._rule_uses(rules) if rules else []

    def _rule_uses(self, only: list[SourceSpan] | None) -> list[RuleUse]:

        def sums_of(grammar: TreeGrammar) -> RuleSums:
            found = self._run(grammar, self.likelihood)
            return found.log_total, found.rule_uses

        stump = self._probability_of_a_leaf()
        if only is None:
            splits = float(self._distribution.expected_splits().sum())
            found = uses_from_splits(self._grammar, stump, splits)
            if found is not None:
                return found
        sums = self.log_total, self._distribution.rule_uses
        return exact_rule_uses(self._grammar, sums, sums_of, stump, only)

    def _probability_of_a_leaf(self) -> float:
        """The probability of the tree that is a leaf."""
        tree = Tree(Leaf())
        joint = self.log_weight(tree) + self.likelihood * self.log_likelihood(tree)
        return math.exp(joint - self.log_total)

    # --- trees ---------------------------------------------------------------------------------

    @property
    def derivations_are_trees(self) -> bool:
        return self._distribution.derivations_are_trees

    def tree_count(self) -> float:
        return self._distribution.tree_count()

    def near_best(self, slack: float) -> NearBest:
        count, log_sum = self._distribution.near_best(slack)
        return NearBest(count, log_sum - self.log_total)

    def log_weight(self, tree: Tree) -> float:
        return self._distribution.log_weight(tree)

    def best(self) -> Iterator[Candidate]:
        """See `Result`; the best of independent draws where `auto` chose the sums, and the search
        for the best one of all does not end in time."""
        try:
            for scored in self._distribution.best():
                joint = self._log_joint(scored)
                own = scored.log_weight + self.likelihood * scored.log_likelihood
                yield Candidate(
                    self.shown(scored.tree),
                    joint,
                    joint - self.log_total,
                    upper_bound=own,
                    derivation_log_joint=None if self.derivations_are_trees else own,
                )
        except TimeOverError as error:
            if self._searched is not None:
                raise
            trees = ((self._log_joint(scored), scored) for scored in self._draws_for(error).trees)
            for joint, scored in sorted(trees, key=lambda x: -x[0]):
                yield Candidate(self.shown(scored.tree), joint, joint - self.log_total)

    def _log_joint(self, scored: ScoredTree) -> float:
        return self._weight_of(scored) + self.likelihood * scored.log_likelihood

    def _weight_of(self, scored: ScoredTree) -> float:
        if self.derivations_are_trees:
            return scored.log_weight
        return self._distribution.log_weight(scored.tree)

    def sample(self, n: int, rng: np.random.Generator) -> list[Tree]:
        return [self.shown(scored.tree) for scored in self._distribution.draw(n, rng)]

    def sample_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]] | None:
        paths = self._distribution.draw_paths(rows, n, rng)
        if paths is None or self.likelihood:
            return paths
        return [[replace(path, leaf=self._shown_leaf(path)) for path in own] for own in paths]

    def _shown_leaf(self, path: TreePath) -> Leaf:
        (leaf,) = self.shown(Tree(path.leaf)).leaves()
        return leaf

    @cached_property
    def draws(self) -> list[Draw]:
        """See `Result`: independent, made with `seed`; those that answer in place of sums where the
        time is over."""
        try:
            drawn = self._distribution.draw(self._n_draws, np.random.default_rng(self.seed))
        except TimeOverError as error:
            made = self._draws_for(error)
            numbers = np.concatenate(made.chains)[: self._n_draws].tolist()
            drawn = [made.trees[u] for u in numbers]
            if len(drawn) < self._n_draws:
                warn(FEWER_INDEPENDENT_DRAWS(kept=len(drawn), wanted=self._n_draws))
        weights: dict[Tree, float] = {}
        out = []
        for scored in drawn:
            if scored.tree not in weights:
                weights[scored.tree] = self._weight_of(scored)
            weight = weights[scored.tree]
            prior = weight - self.log_prior_total
            out.append(Draw(self.shown(scored.tree), weight, prior, scored.log_likelihood))
        return out
