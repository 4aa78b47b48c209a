"""Weights of rows in whole units, so that sums of them compare exactly with `min_weight`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: The weights of all rows together have fewer units than this: the core adds them in 32 bits.
_MOST_UNITS = 2.0**31
_MOST_DECIMALS = 6


@dataclass(frozen=True, eq=False)
class RowWeights:
    """Weights of distinct rows: `units`, int64, shape (n,), of which 1 weighs 1 / `scale`.

    Weights with at most six decimals are exact, if there is room for them. Others are rounded to a
    unit of about a part in 10^9 of the weight of all rows, and sums of them are compared to a part
    in a million.
    """

    units: NDArray[np.int64]
    scale: float
    exact: bool

    @classmethod
    def of_rows(cls, weights: NDArray[np.float64], row_of: NDArray[np.int64], n: int) -> RowWeights:
        """From the weights of the rows of the data, above 0, and the distinct row of each."""
        total = math.fsum(weights)
        # Each row has one unit at least.
        room = _MOST_UNITS - len(weights)
        for decimals in range(_MOST_DECIMALS + 1):
            scaled = weights * 10.0**decimals
            units = np.rint(scaled)
            exact = np.abs(units - scaled) <= 4 * np.spacing(scaled)
            if exact.all() and total * 10.0**decimals < room:
                return cls(_summed(units, row_of, n), 10.0**decimals, exact=True)
        scale = 2.0 ** math.floor(math.log2(room / total))
        return cls(
            _summed(np.maximum(1.0, np.rint(weights * scale)), row_of, n), scale, exact=False
        )

    def in_units(self, weight: float) -> int:
        """The fewest units that weigh this together; more than all rows have, at most."""
        least = min(weight * self.scale, 2 * _MOST_UNITS - 1)
        return max(1, math.ceil(least * (1 - (1e-12 if self.exact else 1e-6))))


def _summed(units: NDArray[np.float64], row_of: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    return np.rint(np.bincount(row_of, weights=units, minlength=n)).astype(np.int64)
