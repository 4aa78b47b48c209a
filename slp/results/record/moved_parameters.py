"""`result_of_moved_parameters`: the result of chains that also move parameters which have a prior.

A tree says of a parameter that it is at node j with the probability

    P(j | tree) = v_j w_j(tree) / sum over i of v_i w_i(tree)

so the posterior of the parameter is the average of that over the draws of trees, with the Monte
Carlo error of an average (Gelfand & Smith 1990).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from slp.problem.parameter_nodes import ParameterNodes
from slp.problem.sum_arrays import SumArrays
from slp.problem.tree_arrays import TreeArrays
from slp.results.record.drawn import Drawn
from slp.results.record.later import Later
from slp.results.record.parameters import ParameterBeliefs, beliefs_of, in_words
from slp.results.record.result import Result
from slp.results.record.sampler import HowDrawn
from slp.results.trust.diagnostics import Diagnostics
from slp.runner import RunResult
from slp.trees import Tree


class SamplerOfParameters(Protocol):
    """What chains over parameters tell of trees."""

    @property
    def nodes(self) -> ParameterNodes:
        """The nodes."""
        ...

    def log_weights_at_nodes(self, trees: TreeArrays | Sequence[Tree]) -> NDArray[np.float64]:
        """log of v_j w_j(tree) of U trees at J nodes, shape (U, J)."""
        ...


def result_of_moved_parameters(sampler: Any, run: RunResult, how: HowDrawn) -> Result:
    """The result of `result_of_draws`, with what is known of parameters; they are looked at in the
    diagnostics too."""
    drawn = Drawn(sampler, run, how)
    told = _MovedParameters(drawn)
    return replace(drawn.result(diagnostics=told.diagnosed), parameters=Later(told.beliefs))


@dataclass(eq=False)
class _MovedParameters:
    drawn: Drawn

    @cached_property
    def _log_shares(self) -> NDArray[np.float64]:
        """log P(j | tree) of each distinct tree, shape (U, J)."""
        trees = self.drawn.averages.trees.trees
        assert not isinstance(trees, SumArrays)
        weights = self._chains.log_weights_at_nodes(trees)
        return np.asarray(weights - np.logaddexp.reduce(weights, axis=1, keepdims=True))

    def _means_by_tree(self) -> NDArray[np.float64]:
        """The mean of each of k parameters given each distinct tree, shape (U, k)."""
        return np.asarray(np.exp(self._log_shares) @ self._nodes.values)

    @property
    def _chains(self) -> SamplerOfParameters:
        """The chains, which a ladder has under it."""
        sampler: Any = self.drawn.sampler
        found: SamplerOfParameters = sampler if sampler.scan is None else sampler.base
        return found

    @property
    def _nodes(self) -> ParameterNodes:
        return self._chains.nodes

    def diagnosed(self) -> Diagnostics:
        """See `Drawn`: the parameters' means are looked at too."""
        means = self._means_by_tree().T
        scores = dict(zip(self._nodes.priors, means, strict=True))
        return self.drawn.diagnosed_by({"log_posterior": self.drawn.log_joint(), **scores})

    def beliefs(self) -> ParameterBeliefs | None:
        """See `Result`; None where nothing was drawn."""
        if self.drawn.averaged is None:
            return None
        nodes, averages = self._nodes, self.drawn.averaged
        with np.errstate(divide="ignore"):
            shares = np.log(averages.mean(np.exp(self._log_shares)))
        found = beliefs_of(nodes, shares - nodes.log_weights, None)
        errors = averages.error(self._means_by_tree()).tolist()
        told = (replace(own, mean_error=e) for own, e in zip(found, errors, strict=True))
        return ParameterBeliefs(tuple(told), f"draws of trees, and {in_words(nodes)}")
