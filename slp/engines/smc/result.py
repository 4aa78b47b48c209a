"""`FilterResult`: what islands of particles show, the evidence too."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

from slp.results.averages.weighted_draws import evidence_of_islands
from slp.results.estimate import Estimate
from slp.results.record.drawn import DrawnResult, HowDrawn, TreeSampler
from slp.results.trust.diagnostics import Diagnostics
from slp.runner import RunResult

#: Fewer islands do not tell the error of the evidence.
_FEWEST_ISLANDS = 4

_UNBIASED = "an estimate without bias on the scale of the evidence itself"
_RATIO = (
    "the ratio of two estimates, with and without the likelihood, as the weights of the program "
    "need not sum to 1: consistent, but not without bias"
)
_EARLY = "an island that takes long is less likely to be one of them"


class FilterResult(DrawnResult):
    """The distribution over trees as islands of particles show it. If the run ended early, it is of
    the islands that were done by then.

    Attributes
    ----------
    without_likelihood : the islands that estimate the sum of the weights of all trees; None where
        it is known to be 1, or was not estimated.
    ended_by : what ended their run early; None if nothing did.
    """

    without_likelihood: FilterResult | None = None
    ended_by: Literal["time", "user"] | None = None

    def __init__(self, sampler: TreeSampler[Any], run: RunResult, how: HowDrawn) -> None:
        done = [i for i, over in enumerate(run.over) if over]
        draws, log_weights = [run.draws[i] for i in done], [run.log_weights[i] for i in done]
        super().__init__(sampler, replace(run, draws=draws, log_weights=log_weights), how)

    @property
    def log_evidence(self) -> Estimate | None:
        """See `Result`. None below four islands, as they do not tell the error."""
        if not self.likelihood:
            return None
        total = self.log_sum_of_weights
        if self.normalised or total is None:
            return total
        prior = self.without_likelihood
        below = None if prior is None else prior.log_sum_of_weights
        if below is None:
            return None
        error = math.hypot(total.error, below.error)
        return Estimate.drawn(total.value - below.value, error)

    @property
    def no_evidence(self) -> str:
        """See `Result`."""
        it_takes = f"it takes {_FEWEST_ISLANDS} islands or more that are done"
        return it_takes if self.normalised else f"{it_takes}, and as many without likelihood"

    @property
    def log_sum_of_weights(self) -> Estimate | None:
        """Log of the sum over all trees of weight, times likelihood in a posterior: the log of the
        mean of the islands' estimates, which have no bias, with its error by the delta method. An
        island without draws counts 0. None as for `log_evidence`."""
        if len(self._run.draws) < _FEWEST_ISLANDS or not self._n_drawn:
            return None
        return Estimate.drawn(*evidence_of_islands(self._run.log_weights))

    @property
    def evidence_note(self) -> str | None:
        """See `Result`: what kind of estimate it is, too."""
        notes = [_UNBIASED if self.normalised else _RATIO]
        for of, found in (("", self), (" without likelihood", self.without_likelihood)):
            if found is not None and found.n_left_out:
                n = found.schedule.chains
                done = f"{n - found.n_left_out} of {n} islands{of}"
                notes.append(f"the run ended early, when {done} were done: {_EARLY}")
        if (note := super().evidence_note) is not None:
            notes.append(note)
        return "; ".join(notes)

    @property
    def interrupted(self) -> bool:
        """See `Result`: or the run without likelihood was."""
        return super().interrupted or self.ended_by is not None

    @property
    def out_of_time(self) -> bool:
        """See `Result`: or the run without likelihood was."""
        return super().out_of_time or self.ended_by == "time"

    @property
    def n_left_out(self) -> int:
        """How many islands were not done when the run ended."""
        return self.schedule.chains - len(self._run.draws)

    @property
    def no_bayes_factor(self) -> str | None:
        """See `Result`."""
        return super().evidence_note

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """See `Result`: decisions count as moves, whatever they failed by."""
        found = super().diagnostics
        failed = self.failures().total()
        grew = sum(counts["accepted"] for counts in found.moves.values())
        moves = {"grow": {"accepted": grew, "rejected": 0, "failed": failed, "stayed": 0}}
        return replace(found, moves=moves, acceptance={"grow": grew / (grew + failed)})

    def prior(self) -> DrawnResult:
        """See `Result`: the islands that were run for the evidence, else another run."""
        found = self.without_likelihood
        return super().prior() if found is None else found

    def failures(self) -> Counter[str]:
        """How many particles failed, by the cause."""
        tally = sum(self._run.tallies, Counter())
        return Counter({move.name: n for move, n in tally.items() if move.outcome == "failed"})
