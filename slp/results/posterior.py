"""`Posterior`: what users hold after inference, whichever engine is behind it.

It computes what is asked for when it is asked for, from the engine's `slp.results.result.Result`,
and keeps it. Predictions and summaries are parts of their own.
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
from slp.results.choice import EngineChoice
from slp.results.doubts import doubt_of
from slp.results.evidence import weighted_note
from slp.results.partial_results import Known
from slp.results.paths import TreePath
from slp.results.predictions import Predictions
from slp.results.rashomon import RashomonSet
from slp.results.record import RunRecord
from slp.results.result import Candidate, Draw, Estimate, Kind, Result
from slp.results.summaries import Summaries
from slp.runner.options import check_count, fresh_seed
from slp.trees import Tree
from slp.trees.predicates import AskedPredicate

if TYPE_CHECKING:
    from slp.results.diagnostics import Diagnostics
    from slp.results.edits import EditSummary
    from slp.runner import Schedule


class Posterior(Predictions, Summaries):
    """The distribution over decision trees given a program and a table: the posterior, or the prior
    itself.

    Attributes
    ----------
    table : the table it was given.
    likelihood : False if this is the prior.
    normalised : whether the program's weights are known to sum to 1 over all trees of every table.
    seed : of `draws`.
    predicates : those that are asked, with counts of what became of them.
    record : the program that it is of, and what was asked of its run.
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
        """The engine, why, and how large exact sums would be."""
        return self._result.choice

    @property
    def engine(self) -> str:
        """Name of the engine."""
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
        """log P(response | features) under the prior normalised over its support; None for a prior,
        and where the engine does not know it.

        With `majority`, `monotone` or `rows(Class, N)` the prior itself looks at the response, and
        then this is no Bayes factor against another program: see `evidence_note`.
        """
        return None if self._evidence is None else self._evidence.value

    @property
    def log_evidence_error(self) -> float | None:
        """Monte Carlo standard error of `log_evidence`: 0 where it is exact, NaN where the draws do
        not tell; None where there is no evidence."""
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
        """Certain lower and upper bounds on the log evidence, in nats: equal ones where it is
        exact, those of unfinished exact sums where `auto` went on with draws; else None."""
        if self._evidence is not None and self._evidence.kind != "estimate":
            return self._evidence.low, self._evidence.high
        return self.choice.log_evidence_bounds

    @property
    def _evidence(self) -> Estimate | None:
        return self._result.log_evidence

    @property
    def no_evidence(self) -> str:
        """Why there is no `log_evidence`, where a posterior has none."""
        return self._result.no_evidence

    @property
    def evidence_note(self) -> str | None:
        """What must be said beside the evidence, if anything."""
        return weighted_note(self.table, self._result.evidence_note)

    @property
    def no_bayes_factor(self) -> str | None:
        """Why the evidence makes no Bayes factor against another program's: the prior looks at the
        response; None where it makes one."""
        return self._result.no_bayes_factor

    @property
    def left_out(self) -> float:
        """Upper bound on the probability that trees have together which an exact engine left out:
        deeper ones than it needs to sum over. At most 1e-12, which is below rounding."""
        return self._result.left_out

    def prior(self) -> Posterior:
        """The prior over the same trees, with the same engine and seed."""
        return Posterior(self._result.prior(), self.predicates, self.record)

    # --- trees ---------------------------------------------------------------------------------

    @property
    def derivations_are_trees(self) -> bool:
        """Whether each tree surely has one derivation.

        If not, `map`, `k_best` and `tree_count` of an exact engine are over derivations: a tree may
        be listed and counted once for each of them, and a tree of many derivations may have more
        probability than the first one listed. All else is over trees.
        """
        return self._result.derivations_are_trees

    def tree_count(self) -> int | float | None:
        """Number of trees (derivations) of probability above zero: an int below 2**53, else a float
        with the usual rounding, inf beyond 1.8e308; None where the engine does not count."""
        count = self._result.tree_count()
        return int(count) if count is not None and count < 2**53 else count

    def k_best(self, k: int) -> list[Candidate]:
        """The trees of the `k` best derivations, or the best of the trees drawn, best first; fewer
        if there are no more. Those of the engine `search` that are not certified are the best that
        it met.

        Raises
        ------
        UsageError
            `k` is no whole number from 0 up (E505).
        """
        check_count("k", k)
        return list(islice(self._result.best(), k))

    def rashomon_set(self, factor: float = 0.1, most: int = 100) -> RashomonSet:
        """All trees (derivations) that are at least `factor` times as probable as the best one:
        their number and probability, and the best `most` of them. The engine `search` lists them
        one by one and knows no probability; where its time or memory ends, it tells how many it
        has found and bounds the others.

        Raises
        ------
        UsageError
            `factor` is not above 0 and at most 1, or the engine does not tell (E534); `most` is no
            whole number from 0 up (E505).
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
        """The tree of the best derivation, or the best of the trees drawn."""
        return self._best

    @cached_property
    def _best(self) -> Candidate:
        return self.k_best(1)[0]

    def map_tree(self) -> Tree:
        """The tree of `map`."""
        return self._best.tree

    def sample(self, n: int, seed: int | None = None) -> list[Tree]:
        """`n` draws apart from `draws`: independent ones, or, of a sampler, drawn from `draws` with
        replacement.

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

    def sample_paths(self, X: Any, n: int = 1, seed: int | None = None) -> list[list[TreePath]]:
        """For each row of `X`, its path down `n` independent draws of trees: m lists of `n` paths.
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
        """The draws that were asked for, chain after chain."""
        return self._result.draws

    @property
    def draws_have_weights(self) -> bool:
        """Whether draws count by weights of their own; False where all count alike.

        Raises
        ------
        UsageError
            E530: there are no draws.
        """
        return self._result.draws_have_weights

    def log_prior(self, tree: Tree) -> float | None:
        """Log prior probability of any tree that parts the table's rows as `tree` does (thresholds
        need not be canonical, leaf summaries are ignored); -inf off the support; None where the
        total of the prior's weights is not known."""
        weight = self._result.log_weight(tree)
        if weight == -math.inf:
            return weight
        total = self._result.log_prior_total
        return None if total is None or math.isnan(weight) else weight - total

    def log_likelihood(self, tree: Tree) -> float:
        """Log marginal likelihood of the response given the tree; -inf where the coded table does
        not tell how the tree parts its rows."""
        return self._result.log_likelihood(tree)

    def log_posterior(self, tree: Tree) -> float | None:
        """Log probability of all trees that part the table's rows as `tree` does; -inf off the
        support; None where the evidence is not known. What is known up to a constant is
        `log_weight` + `log_likelihood` of the draws."""
        weight = self._result.log_weight(tree)
        if weight == -math.inf:
            return weight
        if self._result.log_total is None:
            return None
        return self._result.log_probability(
            weight + self.log_likelihood(tree) if self.likelihood else weight
        )

    # --- the run -------------------------------------------------------------------------------

    @property
    def diagnostics(self) -> Diagnostics | None:
        """How far the draws of a sampler can be trusted: R-hat, effective draws, and what became of
        proposals; None for an exact engine."""
        return self._result.diagnostics

    def say_doubt(self) -> None:
        """Warn, once, if the numbers are not to be used (W530, W547). A run warns as it ends, so
        this is for posteriors that were read."""
        if self._doubt_is_said:
            return
        self._doubt_is_said = True
        if self.diagnostics is None or self.schedule is None:
            return
        doubt = doubt_of(self.diagnostics, self.schedule, self.record.draws)
        if doubt is not None:
            warn(doubt)

    @property
    def schedule(self) -> Schedule | None:
        """How long the chains of a sampler were to run; None for an exact engine."""
        return self._result.schedule

    @property
    def edits(self) -> EditSummary | None:
        """What the trees change in the tree given to `edittree`; None for other programs."""
        return self._result.edits

    @property
    def interrupted(self) -> bool:
        """Whether a sampler was stopped before it had made all draws."""
        return self._result.interrupted

    @property
    def out_of_time(self) -> bool:
        """Whether it was its time that stopped a sampler, and not the keyboard."""
        return self._result.out_of_time

    def known(self) -> Known:
        """What there is without more work, where a limit of time or memory was reached."""
        return self._result.known()

    def searched_instead(self, limit: BudgetError) -> Posterior | None:
        """The same distribution by a search, in what is left of the time, where the best trees were
        asked for, and `limit` says that the time of the exact sums which were chosen is over; else
        None. That posterior depends on the clock, and its `reason` says so.
        """
        found = self._result.instead(limit)
        return None if found is None else Posterior(found, self.predicates, self.record)

    def save(self, path: str | Path, *, table: bool = False) -> None:
        """Write it to a file (`.slpz`), whole or not at all; `slp.load_posterior` reads it.

        Of exact sums the file has the coded table, because the sums are made again from it. Of a
        run of draws it has the trees with the statistics of their leaves; it has the coded table
        only with `table`. docs/saving.md says what else is in it.

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
        """Write a report, one HTML page that loads nothing from elsewhere: see docs/report.md.

        `command` is the command that made it; None shows lines of Python. Pictures need matplotlib;
        without it the page says so (E570).

        Raises
        ------
        UsageError
            E701: the file cannot be written.
        BudgetError
            The limits end before the trees or the evidence are known.
        """
        optional_module("report").write_report(self, path, command)

    def to_arviz(self) -> Any:
        """The draws as an `xarray.DataTree`, as ArviZ takes it: see `slp.results.arviz`.

        Raises
        ------
        UsageError
            E530, E532.
        """
        return results.posterior_to_arviz(self)
