"""Results under `:- failure(backtrack).`: trees have no known weight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.results.averages.drawn_trees import DrawnTrees, IndependentTrees
from slp.results.averages.over_trees import ScoredTrees
from slp.results.averages.weighted_draws import evidence_of_islands
from slp.results.estimate import Estimate
from slp.results.record.drawn import Drawn
from slp.results.record.result import Result
from slp.results.record.sampler import HowDrawn, TreeSampler
from slp.runner import RunResult

#: Fewer batches of draws do not tell the error of the evidence.
_FEWEST_BATCHES = 4
_PRIOR_DRAWS = (
    "the mean likelihood of independent draws of the prior, which has no bias; where few draws "
    "carry most of the weight, its error is underestimated"
)


def result_of_backtracking(sampler: TreeSampler[Any], run: RunResult, how: HowDrawn) -> Result:
    """Trees drawn by chains from a prior whose probabilities are not known, or from its posterior.
    Chains do not tell the evidence."""
    drawn = Drawn(sampler, run, how, weights_known=False)
    why = "the engine forward estimates it, by draws of the prior"
    return drawn.result(evidence=drawn.evidence(None, why))


def result_of_prior_draws(sampler: TreeSampler[Any], run: RunResult, how: HowDrawn) -> Result:
    """The same by draws of the prior that do not depend on each other. In a posterior each counts
    by its likelihood, and the mean likelihood is the evidence. Chains are batches of draws, whose
    spread tells errors, as islands of particles do."""
    of_posterior = how.likelihood
    drawn = Drawn(
        sampler,
        run,
        how,
        DrawnTrees if of_posterior else IndependentTrees,  # of the prior all count alike
        _weigh_by_likelihood if of_posterior else _weigh_alike,
        weights_known=False,
    )
    estimate = _mean_likelihood(drawn.averaged) if of_posterior else None
    why_none = f"it takes {_FEWEST_BATCHES} draws or more"
    return drawn.result(
        evidence=drawn.evidence(estimate, why_none, _PRIOR_DRAWS),
        diagnostics=None if of_posterior else drawn.diagnosed_as_independent,
    )


def _weigh_by_likelihood(
    chains: Sequence[NDArray[np.int64]], trees: ScoredTrees
) -> list[NDArray[np.float64]]:
    """The log likelihood of each draw, minus the log of the number of draws in its batch."""
    fit = trees.log_likelihood
    return [fit[own] - math.log(max(1, len(own))) for own in chains]


def _weigh_alike(chains: Sequence[NDArray[np.int64]], trees: ScoredTrees) -> None:
    """Draws of the prior count alike."""


def _mean_likelihood(drawn: DrawnTrees | None) -> Estimate | None:
    """The log of the mean likelihood, its error by the delta method. None below four batches, as
    they do not tell the error."""
    weights = None if drawn is None else drawn.log_weights
    if weights is None or sum(map(bool, map(len, weights))) < _FEWEST_BATCHES:
        return None
    return Estimate.drawn(*evidence_of_islands(weights))
