"""The responses of the rows of the data, one by one: of a table engines know sums alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.leaves.base import LeafModel


@dataclass(frozen=True, eq=False)
class RowResponses:
    """The outcome of each row as `LeafModel.statistics` takes it (class indices, numbers, or
    numbers with events or exposures), the weights of rows, shape (n,), None if all count alike, and
    the values of the leaf model's regressors, shape (n, q)."""

    outcomes: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    regressors: NDArray[np.float64] | None = None

    @property
    def nbytes(self) -> int:
        """Bytes that they take."""
        found = (self.outcomes, self.weights, self.regressors)
        return sum(0 if own is None else own.nbytes for own in found)

    def statistics(self, leaf: LeafModel) -> NDArray[np.float64]:
        """The statistics of each row, times its weight, shape (n, k)."""
        known = self.outcomes
        if self.regressors is not None:
            known = np.column_stack([known, self.regressors])
        own = leaf.statistics(known)
        return own if self.weights is None else own * self.weights[:, None]
