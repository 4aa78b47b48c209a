"""Nodes of quadrature in the place of parameters whose values are not known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.ir.parameter_priors import ParameterPrior
from slp.ir.program import CheckedProgram
from slp.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class ParameterNodes:
    """A rule of quadrature for the k parameters that have a prior: the product of their rules.

    Attributes
    ----------
    priors : by the names of the parameters, in their order.
    values : float64, shape (J, k). The values at each node.
    log_weights : float64, shape (J,). Logs of the weights, which sum to 1: the prior probability
        that stands at a node.
    shape : how many nodes the rule of each parameter has; the last one runs fastest.
    """

    priors: dict[str, ParameterPrior]
    values: NDArray[np.float64]
    log_weights: NDArray[np.float64]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, program: CheckedProgram, n: int) -> ParameterNodes:
        """The rule with n nodes for each parameter."""
        rules = [prior.nodes(n) for prior in program.unknown.values()]
        values = np.meshgrid(*(at for at, _ in rules), indexing="ij")
        weights = np.meshgrid(*(log_weights for _, log_weights in rules), indexing="ij")
        return cls(
            dict(program.unknown),
            np.stack([own.ravel() for own in values], axis=1),
            np.sum([own.ravel() for own in weights], axis=0),
            tuple(len(at) for at, _ in rules),
        )

    def at(self, j: int) -> dict[str, float]:
        """The values of the parameters at a node."""
        return dict(zip(self.priors, self.values[j].tolist(), strict=True))

    def problems(self, problem: Problem) -> Iterator[Problem]:
        """The problem at each node, where its parameters have the node's values."""
        for j in range(len(self.values)):
            yield problem.varied(problem.program.at(self.at(j)))
