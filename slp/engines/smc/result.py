"""`FilterResult`: what islands of particles show, the evidence too."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cached_property

from slp.results.diagnostics import Diagnostics
from slp.results.drawn import DrawnResult
from slp.results.result import Estimate

__all__ = ["FilterResult"]

#: Fewer islands do not tell the error of the evidence.
_FEWEST_ISLANDS = 4

_UNBIASED = "an estimate without bias on the scale of the evidence itself"
_RATIO = (
    "the ratio of two estimates, with and without the likelihood, as the weights of the program "
    "need not sum to 1: consistent, but not without bias"
)


class FilterResult(DrawnResult):
    """The distribution over trees as islands of particles show it.

    Attributes
    ----------
    without_likelihood : the islands that estimate the sum of the weights of all trees; None where
        it is known to be 1, or was not estimated.
    """

    without_likelihood: FilterResult | None = None

    @property
    def log_evidence(self) -> Estimate | None:
        """See `Result`. None below four islands, as they do not tell the error; and of a run that
        was interrupted, as the islands that were done by then are not just any."""
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
        if self.interrupted or self.normalised:
            early = "the run ended early, and islands that end early are not just any"
            return early if self.interrupted else f"it takes {_FEWEST_ISLANDS} islands or more"
        return f"it takes {_FEWEST_ISLANDS} islands or more, and time for those without likelihood"

    @property
    def log_sum_of_weights(self) -> Estimate | None:
        """Log of the sum over all trees of weight, times likelihood in a posterior: the log of the
        mean of the islands' estimates, which have no bias, with its error by the delta method. An
        island without draws counts 0. None as for `log_evidence`."""
        if self.interrupted or not self._n_drawn:
            return None
        found = self.averages.log_evidence()
        assert found is not None and self.averages.log_weights is not None
        few = len(self.averages.log_weights) < _FEWEST_ISLANDS
        return None if few else Estimate.drawn(*found)

    @property
    def evidence_note(self) -> str | None:
        """See `Result`: what kind of estimate it is, too."""
        kind = _UNBIASED if self.normalised else _RATIO
        note = super().evidence_note
        return kind if note is None else f"{kind}; {note}"

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
