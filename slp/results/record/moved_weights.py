"""`result_of_moved_weights`: the result of chains that also move feature weights, which have a
prior. Draws are of trees and weights, so the posterior of a weight is that of its draws."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from slp.ir.weights_prior import WeightsPrior, share_quantiles
from slp.messages.names import atom
from slp.results.averages.weighted_draws import WeightedDraws
from slp.results.record.drawn import Drawn
from slp.results.record.later import Later
from slp.results.record.parameters import ENDS, ParameterBelief, ParameterBeliefs
from slp.results.record.result import Result
from slp.results.record.sampler import HowDrawn
from slp.runner import RunResult


class SamplerOfWeights(Protocol):
    """What chains over feature weights tell of them."""

    @property
    def prior(self) -> WeightsPrior:
        """Their prior."""
        ...

    @property
    def groups(self) -> NDArray[np.int64]:
        """The number of each feature's group, shape (d,)."""
        ...


def result_of_moved_weights(sampler: Any, run: RunResult, how: HowDrawn) -> Result:
    """The result of `result_of_draws`, with what is known of the weights of features."""
    drawn = Drawn(sampler, run, how)
    chains: SamplerOfWeights = sampler if sampler.scan is None else sampler.base
    told = _MovedWeights(drawn, chains.prior, chains.groups)
    return replace(drawn.result(), parameters=Later(told))


class _MovedWeights:
    def __init__(self, drawn: Drawn, prior: WeightsPrior, groups: NDArray[np.int64]) -> None:
        self.drawn, self.prior, self.groups = drawn, prior, groups

    def __call__(self) -> ParameterBeliefs | None:
        """See `Result`; None where nothing was drawn."""
        if self.drawn.averaged is None:
            return None
        return ParameterBeliefs(tuple(self._beliefs()), "draws of trees and feature weights")

    def _beliefs(self) -> Iterator[ParameterBelief]:
        """Of each feature that shares its group with others."""
        every = np.array([json.loads(record)["weights"] for record in self.drawn.records])
        of = (self.drawn.averages.log_weights, self.drawn.averages.out_of_time)
        draws = WeightedDraws(len(every), self.drawn.of_chains, *of)
        mean, error = draws.mean(every).tolist(), draws.error(every).tolist()
        low, high = np.quantile(every[np.concatenate(self.drawn.of_chains)], ENDS, axis=0).tolist()
        a = self.prior.concentration(len(self.groups))
        sizes = np.bincount(self.groups)[self.groups].tolist()
        for f, (name, size) in enumerate(zip(self.drawn.table.feature_names, sizes, strict=True)):
            if size < 2:
                continue
            ends = share_quantiles(a, a * (size - 1), ENDS).tolist()
            yield ParameterBelief(
                f"feature_weight({atom(name)})",
                str(self.prior),
                1 / size,
                ends[0],
                ends[1],
                mean[f],
                error[f],
                low[f],
                high[f],
            )
