"""Which features a row is asked on its path: those that the path splits on, each once however often
it does.

With prices c, a path costs the sum of c_f over the distinct features f on it (Turney 1995,
Cost-sensitive classification), so its expectation is that of P(f is asked) c_f.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.problem.tree_arrays import TreeArrays
from slp.results.estimate import Kind


class ValuesOfLeaves(Protocol):
    """Draws of trees, as `slp.results.averages.drawn_trees.DrawnTrees`."""

    table: Table

    @property
    def arrays(self) -> TreeArrays:
        """The distinct trees."""
        ...

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Over draws, of values of the distinct trees."""
        ...

    def error(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Monte Carlo standard error of the mean."""
        ...

    def mean_of_leaves(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `DrawnTrees`."""
        ...

    def leaf_values_by_tree(
        self, rows: NDArray[np.object_], values: NDArray[np.float64]
    ) -> Iterator[NDArray[np.float64]]:
        """See `DrawnTrees`."""
        ...


@dataclass(frozen=True, eq=False)
class FeaturesAsked:
    """What m rows are asked on their way, averaged over trees; of the table m is 1, the mean over
    its rows by their weights. The errors are Monte Carlo standard errors, 0 where the numbers are
    exact, NaN where they are not known.

    Attributes
    ----------
    kind : what the numbers are: of all trees, of draws, or of the trees found.
    asked, asked_error : float64, shape (m, d). The probability that the path splits on a feature.
    tests : float64, shape (m, d). The expected number of these splits.
    all_tests, all_tests_error : float64, shape (m,). Of splits on any feature.
    cost, cost_error : float64, shape (m,). The expected cost.
    """

    kind: Kind
    asked: NDArray[np.float64]
    asked_error: NDArray[np.float64]
    tests: NDArray[np.float64]
    all_tests: NDArray[np.float64]
    all_tests_error: NDArray[np.float64]
    cost: NDArray[np.float64]
    cost_error: NDArray[np.float64]

    @classmethod
    def exact(
        cls, asked: NDArray[np.float64], tests: NDArray[np.float64], prices: NDArray[np.float64]
    ) -> FeaturesAsked:
        """Sums over all trees, of features whose prices are (d,)."""
        none = np.zeros(len(asked))
        return cls(
            "exact",
            asked,
            np.zeros_like(asked),
            tests,
            tests.sum(axis=1),
            none,
            asked @ prices,
            none,
        )

    @classmethod
    def joined(cls, pieces: list[FeaturesAsked]) -> FeaturesAsked:
        """Those of all rows, from those of some."""
        names = [f.name for f in fields(cls) if f.name != "kind"]
        both: dict[str, Any] = {
            n: np.concatenate([getattr(own, n) for own in pieces]) for n in names
        }
        return replace(pieces[0], **both)

    def of_trees_found(self) -> FeaturesAsked:
        """The same of trees that were grown or searched, whose errors are not known."""
        names = [f.name for f in fields(self) if f.name.endswith("_error")]
        unknown: dict[str, Any] = {n: np.full_like(getattr(self, n), np.nan) for n in names}
        return replace(self, kind="found", **unknown)


def asked_of_draws(
    drawn: ValuesOfLeaves, rows: NDArray[np.object_] | None, prices: NDArray[np.float64]
) -> FeaturesAsked:
    """What new rows (`Table.new_rows`) are asked, or those of the table, by draws of trees."""
    counts = drawn.arrays.splits_above_leaves()
    values = np.concatenate(
        [counts > 0, counts, counts.sum(axis=1)[:, None], ((counts > 0) @ prices)[:, None]], axis=1
    ).astype(np.float64)
    if rows is None:
        return _averaged(drawn, drawn.mean_of_leaves(values)[:, None, :])
    each = drawn.leaf_values_by_tree(rows, values)
    return FeaturesAsked.joined([_averaged(drawn, own) for own in each])


def _averaged(drawn: ValuesOfLeaves, values: NDArray[np.float64]) -> FeaturesAsked:
    """From the values (U, m, 2 d + 2) of each tree."""
    d = len(drawn.table.features)
    mean, error = drawn.mean(values), drawn.error(values)
    return FeaturesAsked(
        "estimate",
        mean[:, :d],
        error[:, :d],
        mean[:, d : 2 * d],
        mean[:, 2 * d],
        error[:, 2 * d],
        mean[:, 2 * d + 1],
        error[:, 2 * d + 1],
    )
