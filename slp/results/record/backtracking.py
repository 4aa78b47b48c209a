"""Results under `:- failure(backtrack).`: trees have no known weight."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slp.results.averages.over_trees import ScoredTree
from slp.results.averages.weighted_draws import DrawnTrees, IndependentTrees, evidence_of_islands
from slp.results.estimate import Estimate
from slp.results.record.drawn import DrawnResult
from slp.results.record.result import Candidate, Draw
from slp.results.trust.diagnostics import Diagnostics, diagnose

#: Fewer batches of draws do not tell the error of the evidence.
_FEWEST_BATCHES = 4
_PRIOR_DRAWS = (
    "the mean likelihood of independent draws of the prior, which has no bias; where few draws "
    "carry most of the weight, its error is underestimated"
)


class BacktrackResult(DrawnResult):
    """Trees drawn from a prior whose probabilities are not known, or from its posterior. The best
    trees are those that were drawn most often."""

    def best(self) -> Iterator[Candidate]:
        """See `Result`: the trees of the largest share of the draws; of equal ones, the likeliest
        first."""
        drawn = self.averages
        for u in np.lexsort((-self._fit, -drawn.frequency)):
            yield Candidate(self.shown(drawn.trees[u].tree), None, None)

    def draw(self, scored: ScoredTree, chain: int, weight: float) -> Draw:
        return Draw(self.shown(scored.tree), None, None, scored.log_likelihood, chain, weight)

    @property
    def log_evidence(self) -> Estimate | None:
        """See `Result`: None, as chains do not tell it."""
        return None

    @property
    def no_evidence(self) -> str:
        """See `Result`."""
        return "the engine forward estimates it, by draws of the prior"

    @cached_property
    def _fit(self) -> NDArray[np.float64]:
        """The log likelihood of each distinct tree, shape (U,)."""
        return np.array([t.log_likelihood for t in self.averages.trees])

    @cached_property
    def diagnostics(self) -> Diagnostics:
        return diagnose(self.averages, {"log_likelihood": self._fit}, self._run.tallies)


class PriorDrawsResult(BacktrackResult):
    """The same by draws of the prior that do not depend on each other. In a posterior each counts
    by its likelihood, and the mean likelihood is the evidence. Chains are batches of draws, whose
    spread tells errors, as islands of particles do."""

    @property
    def averages_type(self) -> type[DrawnTrees]:  # type: ignore[override]
        """Draws from the prior all count alike."""
        return DrawnTrees if self.likelihood else IndependentTrees

    def _log_weights(
        self, chains: Sequence[NDArray[np.int64]], trees: Sequence[ScoredTree]
    ) -> list[NDArray[np.float64]] | None:
        """For a posterior: the log likelihood of each draw, minus the log of the number of draws in
        its batch."""
        if not self.likelihood:
            return None
        fit = np.array([t.log_likelihood for t in trees])
        return [fit[own] - math.log(max(1, len(own))) for own in chains]

    @property
    def log_evidence(self) -> Estimate | None:
        """See `Result`: the log of the mean likelihood, its error by the delta method. None below
        four batches, as they do not tell the error."""
        if not self.likelihood or not any(self._run.draws):
            return None
        weights = self.averages.log_weights
        if weights is None or sum(map(bool, map(len, weights))) < _FEWEST_BATCHES:
            return None
        return Estimate.drawn(*evidence_of_islands(weights))

    @property
    def no_evidence(self) -> str:
        """See `Result`."""
        return f"it takes {_FEWEST_BATCHES} draws or more"

    @property
    def evidence_note(self) -> str | None:
        """See `Result`: what kind of estimate it is, too."""
        return "; ".join(filter(None, (_PRIOR_DRAWS, super().evidence_note)))

    @property
    def no_bayes_factor(self) -> str | None:
        """See `Result`."""
        return super().evidence_note

    @cached_property
    def diagnostics(self) -> Diagnostics:
        found = super().diagnostics
        if self.likelihood:
            return found
        return replace(found, source="independent", out_of_time=False)
