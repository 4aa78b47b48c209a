"""`Posterior`: what users hold after inference, whichever engine is behind it.

It computes what is asked for when it is asked for, from the engine's `Result`, and
keeps it. Predictions and summaries are parts of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slp import results
from slp.data.table import Table
from slp.errors import BudgetError, warn
from slp.late import late_import, optional_module
from slp.results.asking import Asking
from slp.results.estimate import Estimate, Kind
from slp.results.leave_one_out import LeavesOut
from slp.results.predictions import Predictions
from slp.results.predictive import Predictive
from slp.results.querying import Querying
from slp.results.record.choice import EngineChoice
from slp.results.record.evidence import weighted_note
from slp.results.record.known import Known
from slp.results.record.result import Result
from slp.results.record.run import RunRecord
from slp.results.summaries import Summaries
from slp.results.tree_answers import Trees
from slp.results.trust.doubts import doubt_of
from slp.results.trust.judgement import Trust
from slp.trees.predicates import AskedPredicate

if TYPE_CHECKING:
    from slp.results.record.edit_summary import EditSummary
    from slp.results.record.parameters import ParameterBeliefs
    from slp.results.record.stacked import Stacked
    from slp.results.trust.diagnostics import Diagnostics
    from slp.runner import Schedule


class Posterior(Trees, Predictions, Predictive, Summaries, Asking, Querying, LeavesOut):
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
        state = {**vars(self), "_doubt_is_said": False}
        state.pop("_asking", None)  # trees that are listed, or drawn, again
        return state

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
        if self.stacked is not None:
            return f"<{self.stacked.words()}, of {self.table.response}>"
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

    # --- the run -------------------------------------------------------------------------------

    @property
    def diagnostics(self) -> Diagnostics | None:
        """The convergence diagnostics of a sampler: R-hat, effective draws, and what became of
        proposals. None for an exact engine."""
        return self._result.diagnostics()

    @property
    def trust(self) -> Trust:
        """How far its numbers can be trusted: the `kind` (`exact`, `estimate`, `found`, of trees
        that were grown or searched, or `stacked`, which is no posterior), the `standing` of its
        draws (`converged`, `not converged` or `not known`), the `faults` found, and whether a limit
        of time shaped them (`by_clock`).

        Raises
        ------
        UsageError
            E530: nothing was drawn.
        """
        by_clock = self.choice.by_clock or self.out_of_time
        stacked = self.stacked is not None
        of = (self.diagnostics, self.trees_found, by_clock)
        at_values = self.parameters is not None
        return Trust.of(*of, stacked=stacked, at_values=at_values)

    @property
    def parameters(self) -> ParameterBeliefs | None:
        """What is known of the parameters that have a prior in place of a value: `beliefs`, one for
        each, with `name`, `prior`, the `mean` with its `mean_error`, and the 95 % interval `low` to
        `high`, beside `prior_mean`, `prior_low` and `prior_high`; and `how` these were computed.
        None where all parameters have values."""
        return self._result.parameters()

    @property
    def stacked(self) -> Stacked | None:
        """How members were stacked by prediction, where this is their average and no posterior:
        `weights`, `rows_of_members`, `rows_of_weights`, `log_predictive` and more. None of other
        engines. It predicts; questions about trees are refused (E559)."""
        return self._result.stacked

    def say_doubt(self) -> None:
        """Warn, once, if the numbers are not to be used (W530, W547). A run warns as it ends, so
        this is for posteriors that were read from files."""
        if self._doubt_is_said:
            return
        self._doubt_is_said = True
        of = (self.diagnostics, self.schedule, self.record.draws, self.record.options)
        doubt = doubt_of(*of, self.table.n_rows)
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
