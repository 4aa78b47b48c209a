"""`Posterior`: what users hold after inference, whichever engine is behind it.

It computes what is asked for when it is asked for, from the engine's `Result`, and
keeps it. Predictions and summaries are parts of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from slp import results
from slp.data.table import Table
from slp.errors import BudgetError, UsageError, warn
from slp.late import late_import, optional_module
from slp.messages.results import NO_PATHS, NO_RASHOMON_SET, NOT_A_FACTOR
from slp.messages.tree_texts import NO_TREE_GIVEN
from slp.results.asking import Asking
from slp.results.averages.paths import TreePath
from slp.results.estimate import Estimate, Kind
from slp.results.leave_one_out import LeavesOut
from slp.results.predictions import Predictions
from slp.results.predictive import Predictive
from slp.results.rashomon import RashomonSet
from slp.results.record.choice import EngineChoice
from slp.results.record.evidence import weighted_note
from slp.results.record.known import Known
from slp.results.record.parts import Candidate, Draw
from slp.results.record.result import Result
from slp.results.record.run import RunRecord
from slp.results.summaries import Summaries
from slp.results.trust.doubts import doubt_of
from slp.results.trust.judgement import Trust
from slp.runner.options import check_count, fresh_seed
from slp.source import SourceFile
from slp.trees import SoftTree, Tree, TreeText
from slp.trees.predicates import AskedPredicate

if TYPE_CHECKING:
    from slp.results.record.edit_summary import EditSummary
    from slp.results.representative import RepresentativeTree
    from slp.results.trust.diagnostics import Diagnostics
    from slp.results.weighted_trees import AveragedTrees, Chosen
    from slp.runner import Schedule

#: How many of the best trees may be the representative one.
_BEST = 20


class Posterior(Predictions, Predictive, Summaries, Asking, LeavesOut):
    """The distribution over decision trees given a program and a table: the posterior, or the prior
    itself.

    Attributes
    ----------
    table : the table that it was given: `feature_names`, `n_rows`, `notes` and more. The classes of
        the response are in `table.leaf.classes`.
    likelihood : False if this is the prior.
    normalised : whether the program's weights are known to sum to 1 over all trees of every table.
    seed : the seed of `draws`.
    predicates : the predicates of this run. Each has `words`, the numbers of times it was `asked`
        and it `refused`, the tree that it `last_refused`, and the `seconds` that it took.
    record : what the run was asked: `files` (texts of the program), `parameters`, `describe()` (the
        program in words), `draws` and `options`.
    """

    def __init__(
        self,
        result: Result,
        predicates: Sequence[AskedPredicate],
        record: RunRecord,
        *,
        was_read: bool = False,
    ) -> None:
        self._result, self.predicates, self.record = result, predicates, record
        self.table: Table = result.table
        self.likelihood, self.normalised = result.likelihood, result.normalised
        self.seed = result.seed
        self._doubt_is_said = not was_read  # a run says it

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: what another process reads has said nothing yet."""
        return {**vars(self), "_doubt_is_said": False}

    @property
    def choice(self) -> EngineChoice:
        """The engine, why, and how large exact sums would be. `size` is the estimated size by which
        `auto` decided, or None: `boxes`, `items`, `splits`, `memory`, `error`, `at_least`, and
        `seconds`, the time of a summary on one core, correct within a factor of about three.
        `would_fit` lists directives with which a problem that is too large would fit."""
        return self._result.choice

    @property
    def engine(self) -> str:
        """The name of the engine."""
        return self.choice.engine

    @property
    def reason(self) -> str:
        """Why this engine."""
        return self.choice.reason

    def __repr__(self) -> str:
        kind = "posterior" if self.likelihood else "prior"
        return f"<{kind} over trees of {self.table.response}, engine {self.engine}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        shown: str = optional_module("report").posterior_repr(self)
        return shown

    # --- evidence ------------------------------------------------------------------------------

    @property
    def log_evidence(self) -> float | None:
        """The log evidence: log P(response | features) under the prior normalised over its support.
        None for a prior, and where the engine does not know it.

        With `majority`, `monotone`, `rows(Class, N)` or `subsets(ordered)` the prior itself looks
        at the response: see `evidence_note` and `no_bayes_factor`.
        """
        return None if self._evidence is None else self._evidence.value

    @property
    def log_evidence_error(self) -> float | None:
        """Monte Carlo standard error of `log_evidence`: 0 if it is exact, NaN if the draws do not
        determine it, None if there is no evidence."""
        return None if self._evidence is None else self._evidence.error

    @property
    def log_evidence_kind(self) -> Kind | None:
        """What is known of the log evidence: its value (`"exact"`), an estimate with its Monte
        Carlo error (`"estimate"`), or `log_evidence_bounds` alone (`"bounds"`); None if nothing."""
        if self._evidence is not None:
            return self._evidence.kind
        return None if self.log_evidence_bounds is None else "bounds"

    @property
    def log_evidence_bounds(self) -> tuple[float, float] | None:
        """Certain lower and upper bounds on the log evidence. They are equal if it is exact, and
        those of unfinished exact sums if `auto` went on with draws; else None."""
        if self._evidence is not None and self._evidence.kind != "estimate":
            return self._evidence.low, self._evidence.high
        return self.choice.log_evidence_bounds

    @property
    def _evidence(self) -> Estimate | None:
        return self._result.evidence.estimate()

    @property
    def no_evidence(self) -> str:
        """Why `log_evidence` is None, where a posterior has none."""
        return self._result.evidence.why_none

    @property
    def evidence_note(self) -> str | None:
        """A caution about the evidence, or None: that the prior looks at the response (`majority`,
        `monotone`, `rows(Class, N)`, `subsets(ordered)`), that rows have real weights, or of `smc`
        the kind of its estimate."""
        return weighted_note(self.table, self._result.evidence.note)

    @property
    def no_bayes_factor(self) -> str | None:
        """Why the evidence makes no Bayes factor against another program's: its prior looks at the
        response. None if it makes one."""
        return self._result.evidence.no_bayes_factor

    @property
    def left_out(self) -> float:
        """Upper bound on the probability of all trees that an exact engine left out, because they
        are too deep: at most 1e-12, and 0 if it left out none."""
        return self._result.evidence.left_out()

    @property
    def failing_mass(self) -> float | None:
        """The probability that a derivation of the program fails on this table, exactly: that it
        meets what a constraint or a measure leaves no room for. None where it is 0, where labels
        are weights, and where the engine does not sum over all trees."""
        return self._result.prior_mass().fails

    @property
    def constraint_probability(self) -> Estimate | None:
        """The probability that a tree of the program without its constraints satisfies all of them:
        exactly where these sums are short, else the share of 1,000 independent draws, with its
        Monte Carlo error. None where there are no constraints, where it is 1, and where
        `constraint_note` says why it is not known."""
        found = self._result.prior_mass()
        if found.holds is None or found.holds_error is None:
            return None
        if found.holds_kind == "exact":
            return Estimate.exact(found.holds)
        return Estimate.drawn(found.holds, found.holds_error)

    @property
    def constraint_note(self) -> str:
        """Why `constraint_probability` is not known; empty where it is, or is 1."""
        return self._result.prior_mass().why_none

    def prior(self) -> Posterior:
        """The prior over the same trees, with the same engine and seed."""
        return Posterior(self._result.prior(), self.predicates, self.record)

    # --- trees ---------------------------------------------------------------------------------

    @property
    def derivations_are_trees(self) -> bool:
        """Whether each tree surely has one derivation. If not, `map`, `k_best`, `rashomon_set` and
        `tree_count` are over derivations. A tree is then listed once for each of its own:
        `derivation_log_joint` is the log joint of that one, `upper_bound` and `certified` are of
        derivations, and `log_joint` and `log_posterior` are of all derivations of the tree
        together.

        So a tree of many derivations may have more probability than the first one listed. All else
        is over trees.
        """
        return self._result.derivations_are_trees()

    def tree_count(self) -> int | float | None:
        """Number of trees with a probability above zero: an int below 2**53, else a float, inf
        beyond 1.8e308. None where the engine does not count."""
        count = self._result.tree_count()
        return int(count) if count is not None and count < 2**53 else count

    def k_best(self, k: int) -> list[Candidate]:
        """The trees of the `k` best derivations, or the best of the trees drawn, best first, each
        as `map` gives it; fewer if there are no more. Those of the engine `search` that are not
        certified are the best that it met.

        Raises
        ------
        UsageError
            `k` is no whole number from 0 up (E505).
        UnsupportedError
            E562: it is a saved run of `search`, which has the best tree alone.
        """
        check_count("k", k)
        return list(islice(self._result.best(), k))

    def rashomon_set(self, factor: float = 0.1, most: int = 100) -> RashomonSet:
        """All trees that are at least `factor` times as probable as the best one: their `count`,
        their `probability` together, and `trees`, the best `most` of them, as `map` gives each. It
        needs an engine that sums over all trees, or `search`. Sums list no tree to count them, so
        `count` may be large. `search` lists trees one by one: `probability` is None, and where its
        time or memory ends, `complete` is False and `upper_bound` bounds the log joint of those
        that it did not count. A tree within 1e-6 of the limit (in log probability) is in.

        Raises
        ------
        UsageError
            `factor` is not above 0 and at most 1, or the engine does not tell (E534); `most` is no
            whole number from 0 up (E505).
        UnsupportedError
            E562: it is a saved run of `search`, which has the best tree alone.
        BudgetError
            There is not enough memory (E501) or time (E540) to count them.
        """
        check_count("most", most)
        if not isinstance(factor, Real) or not 0 < factor <= 1:
            raise UsageError(NOT_A_FACTOR(factor=factor))
        found = self._result.near_best(-math.log(factor))
        if found is None:
            raise UsageError(NO_RASHOMON_SET(engine=self.engine))
        trees = tuple(self.k_best(min(found.count, most)))
        log_sum = found.log_probability
        share = None if log_sum is None else min(1.0, math.exp(log_sum))
        return RashomonSet(factor, found.count, share, trees, found.upper_bound)

    def map(self) -> Candidate:
        """The tree of the best derivation, or the best of the trees drawn: `tree`, `log_joint`,
        `log_posterior`, `upper_bound` on the `log_joint` of any tree (each is None if unknown),
        `derivation_log_joint`, `certified`, which is False for the best of draws, and `grown`,
        which is True for a tree of `modal` or `search`."""
        return self._best

    @cached_property
    def _best(self) -> Candidate:
        return self.k_best(1)[0]

    def map_tree(self) -> Tree:
        """The tree of `map`."""
        return self._best.tree

    def sample(self, n: int, seed: int | None = None) -> list[Tree]:
        """`n` draws apart from `draws`, a list of `slp.Tree`: independent ones, or, of a sampler,
        drawn from `draws` with replacement.

        Raises
        ------
        UsageError
            `n` or `seed` is no whole number from 0 up (E505).
        """
        check_count("n", n)
        if seed is not None:
            check_count("seed", seed, most=math.inf)
        rng = np.random.default_rng(fresh_seed() if seed is None else seed)
        return self._result.sample(n, rng)

    def representative_tree(self, seed: int | None = None) -> RepresentativeTree:
        """The tree nearest to the posterior, an `slp.RepresentativeTree`: of the 20 best trees and
        of the draws, or 1,000 independent ones where the engine sums, that with the least expected
        squared difference between what it predicts of the table's rows and what a tree of the
        posterior does. That loss is exact where the engine sums over all trees.

        Raises
        ------
        UsageError
            E569: it is a prior, or trees are soft. `seed` is no whole number from 0 up (E505).
        """
        if seed is not None:
            check_count("seed", seed, most=math.inf)
        rng = np.random.default_rng(fresh_seed() if seed is None else seed)
        return results.representative_tree(self._result, self.k_best(_BEST), rng)

    def average(self, k: int, *, best: bool = False, seed: int | None = None) -> AveragedTrees:
        """An average of trees that leaves the tool: of `k` draws, as `sample` makes them, each
        different tree by its share of them; or of the `k` best trees, by their probabilities over
        the sum of these. The result is an `slp.AveragedTrees`.

        Raises
        ------
        UsageError
            `k` is no whole number from 1 up, or `seed` none from 0 up (E505); trees are soft, or
            the run does not know how probable its best trees are (E618).
        """
        check_count("k", k, least=1)
        if best:
            return results.average_of_best(self.table, self.k_best(k))
        chosen: Chosen = "draws" if self._result.trees_found is None else "found"
        return results.average_of_draws(self.table, self.sample(k, seed), chosen)

    def sample_paths(self, X: Any, n: int = 1, seed: int | None = None) -> list[list[TreePath]]:
        """For each row of `X`, its path down `n` independent draws of trees: m lists of `n` paths,
        each with `tests`, `goes_left` and `leaf`. It needs the engine `exact` or `chart` (else
        E535).

        A path has the same distribution as in a tree of `sample`. The rest of the tree is never
        drawn, so a path costs less. Paths of different rows are of different trees.

        Source: Sullivan et al. (2023), Algorithm 1.

        Raises
        ------
        UsageError
            `n` or `seed` is no whole number from 0 up (E505); the engine is neither `exact` nor
            `chart` (E535).
        DataError
            `X` lacks a column, or a value.
        """
        check_count("n", n)
        if seed is not None:
            check_count("seed", seed, most=math.inf)
        rng = np.random.default_rng(fresh_seed() if seed is None else seed)
        paths = self._result.sample_paths(self.table.new_rows(X), n, rng)
        if paths is None:
            raise UsageError(NO_PATHS(engine=self.engine))
        return paths

    @property
    def draws(self) -> Sequence[Draw]:
        """The draws that were asked for, chain after chain. Each has `tree`, `log_weight` (under
        the program as written; None under `edittree`), `log_prior`, `log_likelihood` (NaN under the
        smoothing of `modal`), `chain` and `weight`."""
        return self._result.draws()

    @property
    def draws_have_weights(self) -> bool:
        """Whether draws count by weights of their own: those of `smc`, and of `forward` in a
        posterior. False where all count alike.

        Raises
        ------
        UsageError
            E530: there are no draws.
        """
        return self._result.draws_have_weights

    def log_prior(self, tree: Tree | str) -> float | None:
        """Log prior probability of any tree, which may be given as text; `-inf` outside the
        support; None where the total of the prior's weights is not known.

        It is that of all trees that part the table's rows as `tree` does: thresholds need not be
        canonical, and leaf summaries are ignored. A text is read as by `slp.Tree.from_text`.

        Raises
        ------
        DataError
            The text is no tree of the table (E615, E616).
        """
        weight = self._result.log_weight(self._given_tree(tree))
        if weight == -math.inf:
            return weight
        total = self._result.evidence.log_prior_total()
        return None if total is None or math.isnan(weight) else weight - total

    def log_likelihood(self, tree: Tree | str) -> float:
        """Log marginal likelihood of the response given any tree, which may be given as text;
        `-inf` where the coded table does not tell how the tree parts its rows. It raises as
        `log_prior`."""
        return self._result.log_likelihood(self._given_tree(tree))

    def log_posterior(self, tree: Tree | str) -> float | None:
        """Log posterior probability of any tree, which may be given as text; `-inf` outside the
        support; None where the evidence is not known. Draws have it up to a constant: `log_weight`
        + `log_likelihood`.

        It is that of all trees that part the table's rows as `tree` does. It raises as
        `log_prior`.
        """
        tree = self._given_tree(tree)
        weight = self._result.log_weight(tree)
        if weight == -math.inf:
            return weight
        if self._result.evidence.log_total() is None:
            return None
        return self._result.log_probability(
            weight + self.log_likelihood(tree) if self.likelihood else weight
        )

    def _given_tree(self, tree: Tree | str) -> Tree:
        """A tree that was given, perhaps as text."""
        if isinstance(tree, Tree | SoftTree):
            return tree
        if not isinstance(tree, str):
            raise UsageError(NO_TREE_GIVEN(given=type(tree).__name__))
        return TreeText.read(SourceFile("the tree", tree)).on(self.table)

    # --- the run -------------------------------------------------------------------------------

    @property
    def diagnostics(self) -> Diagnostics | None:
        """The convergence diagnostics of a sampler: R-hat, effective draws, and what became of
        proposals. None for an exact engine."""
        return self._result.diagnostics()

    @property
    def trust(self) -> Trust:
        """How far its numbers can be trusted: the `kind` (`exact`, `estimate`, or `found`, of trees
        that were grown or searched), the `standing` of its draws (`converged`, `not converged` or
        `not known`), the `faults` found, and whether a limit of time shaped them (`by_clock`).

        Raises
        ------
        UsageError
            E530: nothing was drawn.
        """
        by_clock = self.choice.by_clock or self.out_of_time
        return Trust.of(self.diagnostics, self.trees_found, by_clock)

    def say_doubt(self) -> None:
        """Warn, once, if the numbers are not to be used (W530, W547). A run warns as it ends, so
        this is for posteriors that were read from files."""
        if self._doubt_is_said:
            return
        self._doubt_is_said = True
        doubt = doubt_of(self.diagnostics, self.schedule, self.record.draws, self.record.options)
        if doubt is not None:
            warn(doubt)

    @property
    def schedule(self) -> Schedule | None:
        """The planned length of a sampler's chains: `draws`, `chains`, `warm_up` and `thin`. None
        for an exact engine."""
        return self._result.schedule

    @property
    def edits(self) -> EditSummary | None:
        """The differences from the tree given to `edittree`; None for other programs."""
        return self._result.edits()

    @property
    def interrupted(self) -> bool:
        """Whether a sampler was stopped before it had made all draws, by the keyboard or its
        time."""
        return self._result.ended().interrupted

    @property
    def out_of_time(self) -> bool:
        """Whether its time limit stopped a sampler."""
        return self._result.ended().out_of_time

    @property
    def out_of_memory(self) -> bool:
        """Whether the memory of a search was full, which ended it or its list of the next best
        trees. `interrupted` does not tell this."""
        return self._result.ended().out_of_memory

    def known(self) -> Known:
        """What is known without more work, for use after a limit of time or memory was reached:
        `choice`, and `log_evidence_bounds`, `best` and `tree_count`, each None if unknown."""
        return self._result.known()

    def searched_instead(self, limit: BudgetError) -> Posterior | None:
        """The same distribution by a search, within the remaining time. It is for use after a
        `BudgetError`, `limit`, if the best trees were asked for (`engine="best"`) and the time of
        the exact sums is over; else it is None. The new posterior depends on the clock, and its
        `reason` says so.
        """
        found = self._result.instead(limit)
        return None if found is None else Posterior(found, self.predicates, self.record)

    def save(self, path: str | Path, *, table: bool = False) -> None:
        """Write it to a file (`.slpz`), which `slp.load_posterior` reads. With `table` the file of
        a run of draws has the coded table too.

        It is written whole or not at all. Of exact sums the file has the coded table, because the
        sums are made again from it. Of a run of draws it has the trees with the statistics of their
        leaves. docs/saving.md says what else is in it.

        Raises
        ------
        UsageError
            E701: the file cannot be written. E530: nothing was drawn.
        SlpError
            E563: it would be too large.
        """
        save_run = late_import("slp.results.saved").save_run
        save_run(self._result, self.record, self.predicates, path, table=table)

    def report(self, path: str | Path, *, command: str | None = None) -> None:
        """Write a report, one HTML page that loads nothing from elsewhere. `command` is shown as
        the command that made it; None shows lines of Python.

        Pictures need matplotlib; without it the page says so (E570). See docs/report.md.

        Raises
        ------
        UsageError
            E701: the file cannot be written.
        BudgetError
            The limits end before the trees or the evidence are known.
        """
        optional_module("report").write_report(self, path, command)

    def to_arviz(self, groups: Sequence[str] | None = None) -> Any:
        """The draws for ArviZ, an `xarray.DataTree`, with all groups that it can tell, or these.
        It needs the extra `arviz`.

        See docs/sampling.md and `slp.results.arviz`.

        Raises
        ------
        UsageError
            E530: there are no draws; E558: there is no such group, or a named one cannot be told.
        UnsupportedError
            E532: ArviZ is not installed; E562: a saved run has not what a named group needs.
        """
        return results.posterior_to_arviz(self, groups)
