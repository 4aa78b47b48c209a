"""Results of chains over sums of trees."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from slp.results.averages.additive import SummedTrees
from slp.results.record.additive import NO_EVIDENCE, only_sums
from slp.results.record.drawn import Drawn
from slp.results.record.result import Result
from slp.results.record.sampler import HowDrawn, TreeSampler
from slp.results.trust.diagnostics import Diagnostics
from slp.runner import RunResult


class SumSampler(TreeSampler[Any], Protocol):
    """A `TreeSampler` whose draws are sums."""

    @property
    def n_summed(self) -> int:
        """How many trees a draw sums up."""
        ...


class _DrawnSums(Drawn):
    """See `Drawn`."""

    def diagnosed(self) -> Diagnostics:
        """By the log likelihood, and, of numbers, the noise. Raises as `averages`."""
        scores = {"log_likelihood": self.fit()}
        averages = self.averages
        assert isinstance(averages, SummedTrees)
        if not self.table.leaf.classes:
            scores["noise"] = np.sqrt(averages.sums.variance)
        return self.diagnosed_by(scores)


def result_of_sums(sampler: SumSampler, run: RunResult, how: HowDrawn) -> Result:
    """The distribution over sums of trees as draws show it."""
    drawn = _DrawnSums(sampler, run, how, SummedTrees, weights_known=False)
    evidence = drawn.evidence(None, NO_EVIDENCE)
    trees = sampler.n_summed
    return only_sums(drawn.result(kind="additive", evidence=evidence), trees)
