"""The local process of a program, with leaves of known variance on what other trees leave."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from slp.ir.tree_grammar import TreeGrammar
from slp.problem.remembered import Remembered
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess


class Residuals(LocalProcess):
    """With w the weight of a row over the variance of the noise, and z the sum of weight times what
    the other trees leave over it, a leaf's value mu ~ Normal(0, tau^2) has, with W and Z their sums
    over its rows, the marginal likelihood

        exp(Z^2 tau^2 / (2 (1 + tau^2 W))) / sqrt(1 + tau^2 W),

    without the factor of the rows alone, and given them mu ~ Normal(Z / (W + 1 / tau^2), 1 / (W + 1
    / tau^2)). What the program's rules look at is the table's own response.
    """

    def __init__(self, grammar: TreeGrammar, geometry: Geometry, tau: float) -> None:
        super().__init__(grammar, geometry)
        self.tau = tau
        n = len(geometry.table.counts)
        self._w, self._z = np.zeros(n), np.zeros(n)
        self._rows: Remembered[int, NDArray[np.intp]] = Remembered()

    def leave(self, w: NDArray[np.float64], z: NDArray[np.float64]) -> None:
        """Set w and z of the distinct rows, shape (n,)."""
        self._w, self._z = w, z
        self._log_marginals = Remembered()

    def rows(self, box: int) -> NDArray[np.intp]:
        """The distinct rows of a box."""
        found = self._rows.get(box)
        if found is None:
            found = np.flatnonzero(self.geometry.members([box])[0])
            self._rows[box] = found
        return found

    def conditional(self, box: int) -> tuple[float, float]:
        """Mean and variance of the value of a leaf."""
        rows = self.rows(box)
        variance = 1 / (self._w[rows].sum() + 1 / self.tau**2)
        return float(variance * self._z[rows].sum()), float(variance)

    def _new_log_marginal(self, box: int, prior: int) -> float:
        rows = self.rows(box)
        grown = 1 + self.tau**2 * self._w[rows].sum()
        return float(self.tau**2 * self._z[rows].sum() ** 2 / grown - math.log(grown)) / 2
