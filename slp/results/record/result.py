"""`Result`: the record that an engine fills, saving writes, and `slp.results.posterior.Posterior`
asks. It has no subclasses: what differs between engines are the values and parts in it.

    choice, table, likelihood, normalised, seed
                    what was asked, and by whom it is answered
    kind            whether the trees are summed over, hard ones that were drawn or found, soft, or
                    of members that are stacked by prediction
    evidence        `Evidence`: the log evidence as an `Estimate`, or why there is none, what must
                    be said beside it, and the totals of the weights
    averages        all that summaries and predictions need: `Sums` over all trees, or `DrawnTrees`
                    (`slp.results.averages`), which may be of soft trees
    best            the best trees, one by one, as `Candidate`s
    draws           those that were asked for, as `Draw`s
    log_weight, log_likelihood
                    of any tree
    rules, mixture  how much the rules of the program are used
    parameters      what is known of parameters that have a prior in place of a value
    prior           the prior over the same trees, by the same engine
    prior_uses      how much the prior uses each feature, to stand beside the posterior's use
    prior_mass      how much of the prior fails, and how probable the constraints are
    diagnostics, schedule, edits
                    of samplers
    ended           whether the run was whole, or ended by the clock, the memory or the keyboard
    at_limit        what there is where a limit of time or memory is reached later

What takes work is a function, or a `Later`: a value that is computed when it is first asked for. So
an exact engine makes no pass that nobody asks for, and an error of its budget comes from the
question that needs the pass. Functions are bound to what an engine keeps beside the record (sums, a
sampler, the list of a search), and can be pickled; a record that is read from a file is filled by
`slp.results.saved` with what the file has.

Engines make it by `slp.results.record.summed.result_of_sums`, by
`slp.results.record.drawn.result_of_draws`, by `slp.results.record.of_members.result_of_stack`, or
field by field, as `modal` and `search` do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.constraints.avoids import Event
from slp.data.table import Table
from slp.errors import BudgetError, UsageError, warn
from slp.messages.names import plural
from slp.messages.results import DRAWN_OF_FOUND, NO_DRAWS_OF_TREES, PRIOR_HAS_SEEN
from slp.problem.new_rows import distinct_rows
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.contract import Averages
from slp.results.averages.over_trees import TreeAverages, TreeDistribution
from slp.results.estimate import Kind
from slp.results.record.choice import EngineChoice
from slp.results.record.known import Known
from slp.results.record.later import Later
from slp.results.record.parameters import ParameterBeliefs
from slp.results.record.parts import Candidate, Draw, Ended, Evidence, NearBest, ResultKind, shown
from slp.results.record.prior_mass import NOTHING_FAILS, PriorMass
from slp.results.record.prior_uses import NO_PRIOR_BESIDE, PriorUses
from slp.trees import Leaf, Tree

if TYPE_CHECKING:
    from slp.results.averages.drawn_trees import DrawnTrees
    from slp.results.averages.paths import TreePath
    from slp.results.averages.proximity import Proximity
    from slp.results.record.edit_summary import EditSummary
    from slp.results.record.rule_use import RuleUse
    from slp.results.record.stacked import Stacked
    from slp.results.trust.diagnostics import Diagnostics
    from slp.runner import Schedule

_Answer = TypeVar("_Answer")

ALL_HAVE_VALUES: Later[ParameterBeliefs | None] = Later.known(None)


class AtLimit(Protocol):
    """What goes on where sums reach a limit of time or memory."""

    def best(self) -> Candidate | None:
        """A good tree, found in the time that was kept for it."""
        ...

    def instead(self, limit: BudgetError, known: tuple[float, float] | None) -> Result | None:
        """The same distribution by a search, given bounds on the log evidence if they are known;
        see `Posterior.searched_instead`."""
        ...


def _not_told(_: float) -> NearBest | None:
    return None


def _not_counted() -> float | None:
    return None


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """The distribution over decision trees that an engine found; see the module.

    Attributes
    ----------
    chosen : the engine, why, and how large exact sums would be; see `choice`.
    table : the table it was given.
    likelihood : False if this is the prior.
    normalised : whether the program's weights are known to sum to 1 over all trees of every table.
    seed : of `draws`.
    kind : what averages are over. Sums are made again where a saved run is read.
    evidence : the totals of weights.
    averaged : what averages are over; None where nothing was drawn. See `averages`.
    trees_found : how many trees averages are over, of an engine that grows or searches trees, and
        neither sums over all of them nor draws from them; None of other engines.
    trees_summed : how many trees each draw sums up; None where it is of one tree.
    stacked : how members were stacked, where this is no posterior but their average; else None.
    importances : float64, shape (d,). For each feature the log posterior that its splits gain; None
        where the engine does not tell.
    derivations_are_trees : whether each tree surely has one derivation.
    tree_count : number of derivations of weight above zero, exact below 2**53; None where the
        engine does not count.
    best : the trees of the best derivations, or the best of the trees drawn, best first, computed
        as they are asked for.
    near_best : the derivations whose log joint is at least the best one's less a number; None where
        the engine does not tell.
    draws : the draws that were asked for, chain after chain.
    log_weight : log weight under the program as written, without likelihood, of all derivations
        that part the rows as a tree does; -inf off the support, NaN where it is not known.
    log_likelihood : log marginal likelihood of the response given a tree; -inf where the coded
        table does not tell how the tree parts its rows.
    rules : how much each rule of the program is used.
    mixture : the use of the rules that a derivation begins with, where these are a mixture; else
        none.
    parameters : what is known of parameters that have a prior in place of a value; None where all
        have values. Sums are then at nodes of a rule, and no longer exact.
    fewer_values : the same sums by a rule with fewer nodes, which tell the error; None of others.
    prior : the prior over the same trees, with the same engine and seed.
    prior_uses : the prior's use of features; of a prior, that it stands beside nothing.
    prior_mass : how much of the prior fails, and how probable the constraints are.
    drawn_prior : of a sampler, independent draws of the prior, or None where none are made.
    avoiding : of sums, those over the trees that avoid events, where they take at most so many
        seconds of one core, approximately; None where that is not told.
    diagnostics : how far draws can be trusted; None where averages are exact.
    schedule : how long chains were to run; None for an exact engine.
    edits : what the trees change in the tree given to `edittree`; None for other programs.
    ended : how the run ended, or, of a search, how far it has got.
    at_limit : what goes on where sums reach a limit; None of others.
    """

    chosen: EngineChoice
    table: Table
    likelihood: bool
    normalised: bool
    seed: int
    kind: ResultKind
    evidence: Evidence
    averaged: Averages | None
    trees_found: int | None = None
    trees_summed: int | None = None
    stacked: Stacked | None = None
    importances: NDArray[np.float64] | None = None
    derivations_are_trees: Later[bool]
    tree_count: Callable[[], float | None] = _not_counted
    best: Callable[[], Iterator[Candidate]]
    near_best: Callable[[float], NearBest | None] = _not_told
    draws: Later[Sequence[Draw]]
    log_weight: Callable[[Tree], float]
    log_likelihood: Callable[[Tree], float]
    rules: Callable[[], list[RuleUse]]
    mixture: Callable[[], list[RuleUse]]
    parameters: Later[ParameterBeliefs | None] = ALL_HAVE_VALUES
    fewer_values: TreeAverages | None = None
    prior: Callable[[], Result]
    prior_uses: Later[PriorUses] = NO_PRIOR_BESIDE
    prior_mass: Later[PriorMass] = NOTHING_FAILS
    drawn_prior: Callable[[], Result | None] | None = None
    avoiding: Callable[[frozenset[Event], float], TreeDistribution | None] | None = None
    diagnostics: Later[Diagnostics | None]
    schedule: Schedule | None
    edits: Later[EditSummary | None]
    ended: Callable[[], Ended]
    at_limit: AtLimit | None = None

    @property
    def choice(self) -> EngineChoice:
        """The engine and why, and whether the clock has shaped its answers until now."""
        said = None if self.averaged is None else self.averaged.shaped_by_clock
        return self.chosen.shaped_by_clock(said)

    # --- averages ------------------------------------------------------------------------------

    @property
    def leaves_know(self) -> bool:
        """Whether leaves know the responses: not those of a prior. Those of a soft tree of numbers
        have means that were drawn, whatever they know."""
        return self.likelihood or self.table.leaf.soft_trees or self.table.leaf.of_sums

    @property
    def averages(self) -> Averages:
        """What averages are over.

        Raises
        ------
        UsageError
            E530: nothing was drawn.
        """
        if self.averaged is None:
            raise UsageError(NO_DRAWS_OF_TREES())
        return self.averaged

    @property
    def kind_of_sums(self) -> Kind:
        """What a sum over all trees is: exact, or an estimate where it is at some values of
        parameters that have a prior."""
        return "exact" if self.parameters() is None else "estimate"

    def differs(
        self, value: NDArray[np.float64], ask: Callable[[TreeAverages], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """The error of a sum over all trees: 0 where it is exact, else what that by a rule with
        fewer values of parameters differs by."""
        if self.fewer_values is None:
            return np.zeros_like(value)
        other = ask(self.fewer_values)
        longest = max(len(value), len(other))
        out = np.zeros((longest, *value.shape[1:]))
        out[: len(value)] += value
        out[: len(other)] -= other
        return np.abs(out)[: len(value)]

    @property
    def monte_carlo(self) -> DrawnTrees | None:
        """The draws that averages are over, which tell their Monte Carlo errors; None where
        averages are exact, or over trees that were found. Raises as `averages`."""
        drawn = self.averages.drawn
        return drawn if self.trees_found is None else None

    @property
    def draws_have_weights(self) -> bool:
        """Whether draws count by weights of their own; False where all count alike. Raises as
        `averages`."""
        drawn = self.monte_carlo
        return drawn is not None and drawn.log_weights is not None

    def say_what_prior_knows(self) -> None:
        """W552, of a prior whose leaves have numbers that were taken from the response."""
        if not self.likelihood and self.table.leaf.of_response:
            warn(PRIOR_HAS_SEEN())

    def say_found(self) -> None:
        """W553, where draws are of trees that were found."""
        if self.trees_found is not None:
            trees = plural(self.trees_found, "tree")
            warn(DRAWN_OF_FOUND(engine=self.choice.engine, trees=trees))

    def summary(self, ask: Callable[[TreeAverages], _Answer]) -> tuple[_Answer, DrawnTrees | None]:
        """What averages over trees answer about leaves and features, and the draws that this is an
        average over; None where it is exact, or over trees that were found."""
        answer, drawn = self.averages.summary(ask)
        return answer, drawn if self.trees_found is None else None

    def of_new_rows(
        self, ask: Callable[[TreeAverages], _Answer], rows: NDArray[np.object_]
    ) -> _Answer:
        """What averages over trees answer about these new rows (`Table.new_rows`)."""
        return self.averages.of_new_rows(ask, rows)

    def error_of_new_rows(
        self, rows: NDArray[np.object_], of: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64] | None:
        """See `Averages`; None also over trees that were found. Of sums at some values of
        parameters, see `differs`."""
        if self.fewer_values is not None:
            return self._error_by_fewer_values(rows, of)
        return self.averages.error_of_new_rows(rows, of) if self.trees_found is None else None

    def _error_by_fewer_values(
        self, rows: NDArray[np.object_], of: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        def told(averages: TreeAverages) -> NDArray[np.float64]:
            own = averages.predictions(rows)
            return own if of is None else np.einsum("mc,mca->ma", own, of)

        error = self.differs(self.of_new_rows(told, rows), told)
        return error if of is not None or self.table.leaf.classes else error[:, 0]

    def features_asked(
        self, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """What new rows (`Table.new_rows`) are asked on their paths, or, of None, the rows of the
        table on average; features cost their prices (d,)."""
        found = self.averages.features_asked(rows, prices)
        return found if self.trees_found is None else found.of_trees_found()

    def proximity(self, rows: NDArray[np.object_]) -> Proximity:
        """The probability that two new rows (`Table.new_rows`) end in one leaf, of every pair."""
        found = self.averages.proximity(rows)
        return found if self.trees_found is None else found.of_trees_found()

    def distinct_rows(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """New rows (`rows_as_numbers`) that represent all others, and for each row the one that
        does, shape (m,): see `slp.problem.new_rows.distinct_rows`. Where leaves predict by a row's
        values, or trees are soft, every value counts."""
        if self.table.leaf.regressors or self.kind == "soft":
            _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            return first, which.ravel()
        return distinct_rows(self.table, rows)

    # --- trees ---------------------------------------------------------------------------------

    def sample(self, n: int, rng: np.random.Generator) -> list[Tree]:
        """`n` more draws: independent ones, or, of a sampler, from `draws` with replacement."""
        return [self.shown(scored.tree) for scored in self.averages.draw(n, rng)]

    def sample_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]] | None:
        """For each new row (`Table.new_rows`), its path down `n` independent draws; None where the
        engine has whole trees alone."""
        paths = None if self.averaged is None else self.averaged.draw_paths(rows, n, rng)
        if paths is None or self.likelihood:
            return paths
        return [[replace(path, leaf=self._shown_leaf(path.leaf)) for path in own] for own in paths]

    def _shown_leaf(self, leaf: Leaf) -> Leaf:
        (shown,) = self.shown(Tree(leaf)).leaves()
        return shown

    def shown(self, tree: Tree) -> Tree:
        """A tree as it is handed out: a prior knows no outcomes, so its leaves say none."""
        return shown(tree, self.likelihood)

    def log_probability(self, log_joint: float) -> float | None:
        """Log of the probability of a tree, by the log of its weight; None where the total is not
        known."""
        total = self.evidence.log_total()
        return None if total is None or math.isnan(log_joint) else log_joint - total

    # --- at a limit ----------------------------------------------------------------------------

    def known(self) -> Known:
        """What there is without more work, where a limit of time or memory was reached."""
        bounds = self._bounds_at_hand()
        best = None if self.at_limit is None else self.at_limit.best()
        return Known(self.choice, self.table, self.likelihood, self.normalised, bounds, best)

    def instead(self, limit: BudgetError) -> Result | None:
        """The same distribution by a search; see `Posterior.searched_instead`."""
        known = self._bounds_at_hand()
        return None if self.at_limit is None else self.at_limit.instead(limit, known)

    def _bounds_at_hand(self) -> tuple[float, float] | None:
        return self.evidence.bounds_at_hand() if self.likelihood else None
