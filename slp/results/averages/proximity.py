"""How probable it is that two rows end in one leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from slp.results.estimate import Kind


class SharesOfLeaves(Protocol):
    """Draws of trees, as `slp.results.averages.drawn_trees.DrawnTrees`."""

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Over draws, of values of the distinct trees."""
        ...

    def error(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Monte Carlo standard error of the mean."""
        ...

    def leaf_shares(self, rows: NDArray[np.object_]) -> Iterator[NDArray[np.float64]]:
        """See `DrawnTrees`."""
        ...


@dataclass(frozen=True, eq=False)
class Proximity:
    """The probability that two rows end in one leaf, of every pair of m rows.

    Attributes
    ----------
    value : float64, shape (m, m); of a row with itself 1. Where a split sends a row to both sides,
        it ends in each leaf with a share, and two rows by the product of their shares.
    error : float64, shape (m, m). Monte Carlo standard error; 0 where it is exact, NaN where it is
        not known.
    kind : `"exact"`, `"estimate"` of draws, or `"found"`, of the trees found alone.
    """

    value: NDArray[np.float64]
    error: NDArray[np.float64]
    kind: Kind

    @classmethod
    def exact(cls, value: NDArray[np.float64]) -> Proximity:
        """Sums over all trees."""
        value = np.clip(value, 0.0, 1.0)
        np.fill_diagonal(value, 1.0)
        return cls(value, np.zeros_like(value), "exact")

    def of_trees_found(self) -> Proximity:
        """The same of trees that were grown or searched, whose errors are not known."""
        return replace(self, error=np.full_like(self.error, np.nan), kind="found")


def proximity_of_draws(drawn: SharesOfLeaves, rows: NDArray[np.object_]) -> Proximity:
    """That of new rows (`Table.new_rows`), by draws of trees."""
    m = len(rows)
    value, error = np.empty((2, m, m))
    shares = list(drawn.leaf_shares(rows))
    for i in range(m):
        same = np.array([own @ own[i] for own in shares], np.float64)
        same[:, i] = 1.0
        value[i], error[i] = drawn.mean(same), drawn.error(same)
    return Proximity(value, error, "estimate")
