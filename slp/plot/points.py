"""Points that predictions are drawn at: rows of a table, and values of one feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.columns import level_numbers
from slp.data import Feature, Table, follow_formulas, misses
from slp.results import Posterior

#: Rows that curves are averaged over, of exact sums and of draws: a sum takes milliseconds a row.
_ROWS_OF_SUMS, _ROWS_OF_DRAWS = 25, 200


def rows_of(
    posterior: Posterior, X: Any, most: int | None, by_draws: bool = False
) -> NDArray[np.object_]:
    """`most` rows of `X`, or of the posterior's own table if it is None, spread evenly; fewer if
    there are no more. A bin is a value in it.

    Raises
    ------
    UnsupportedError
        E562: `X` is None, and the run was saved without its table.
    """
    if most is None:
        exact = posterior.trust.summed
        most = _ROWS_OF_SUMS if exact and not by_draws else _ROWS_OF_DRAWS
    if X is not None:
        given = posterior.table.new_rows(X)
        return given[_spread(len(given), most)]
    table = posterior.table
    return distinct_rows(table)[table.row_of[_spread(table.n_rows, most)]]


def distinct_rows(table: Table) -> NDArray[np.object_]:
    """The distinct rows of a table, shape (n, d); a bin is a value in it.

    Raises
    ------
    UnsupportedError
        E562: the run was saved without its table.
    """
    out = np.empty(table.codes.shape, object)
    for f, feature in enumerate(table.features):
        out[:, f] = values_of(feature)[table.codes[:, f]]
    return out


def _spread(n: int, most: int) -> NDArray[np.int64]:
    return np.linspace(0, n - 1, min(n, most)).round().astype(np.int64)


def values_of(feature: Feature) -> NDArray[np.object_]:
    """A value for each code of a feature, shape (n_codes,); None where missing."""
    values = feature.kind.shown
    if feature.kind.missing_code is None:
        return values
    out = np.empty(len(values) + 1, object)
    out[:-1] = values
    return out


@dataclass(frozen=True)
class Grid:
    """Values of a feature (g,), ascending or its levels, and where each ends and the next begins,
    float64, shape (g + 1,): for levels 0.5 around 0, 1, ..."""

    values: NDArray[np.object_]
    edges: NDArray[np.float64]

    @property
    def of_levels(self) -> bool:
        """Whether the values are levels."""
        return isinstance(self.values[0], str)


def grid_of(table: Table, f: int, rows: NDArray[np.object_], most: int) -> Grid:
    """At most `most` values of a feature: those of the table or of the rows if they are few enough,
    else evenly spread between the least and the largest; every level of text. Missing values are
    none of them. Between two values of the table the prediction changes half way, between two bins
    at their cut."""
    kind = table.features[f].kind
    if kind.names:
        return Grid(kind.shown, np.arange(len(kind.names) + 1.0) - 0.5)
    edges = kind.edges
    if edges is not None and len(edges) <= most + 1:
        return Grid(kind.shown, edges)
    if kind.numbers is None:  # a run that was saved without its table
        own = np.unique(_there(rows[:, f]).astype(np.float64))
    else:
        own = kind.shown.astype(np.float64)
    if len(own) > most:
        own = np.linspace(own[0], own[-1], most)
    return Grid(own.astype(np.object_), _half_way(own))


def _half_way(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middle = (values[:-1] + values[1:]) / 2
    return np.concatenate([[values[0]], middle, [values[-1]]])


def axis_name(feature: Feature) -> str:
    """The name of a feature, with its unit."""
    return feature.name if feature.kind.unit is None else f"{feature.name} [{feature.kind.unit}]"


def on_axis(feature: Feature, number: float) -> float:
    """Where a number of a feature lies on the axis of its grid (`Grid.edges`)."""
    if feature.kind.categorical or not feature.kind.names:
        return number
    return float(np.searchsorted(level_numbers(feature.kind.names), number)) - 0.5


def with_value(
    table: Table, rows: NDArray[np.object_], f: int, values: NDArray[np.object_]
) -> NDArray[Any]:
    """The rows once for each value of a feature, shape (len(values) * m, d): value after value.
    What formulas make of the feature follows it.

    Raises
    ------
    UsageError
        E571: a formula takes the feature and a column that is ignored, which rows do not keep.
    DataError
        E492: a formula has no value there.
    """
    out = np.tile(rows, (len(values), 1))
    out[:, f] = np.repeat(values, len(rows))
    follow_formulas(table.features, out, f)
    return out


def typical(rows: NDArray[np.object_], table: Table) -> NDArray[np.object_]:
    """The median of each number and ordinal level, and the most frequent level of each text, of the
    values that are there, shape (1, d); None where none is."""
    out = np.empty((1, rows.shape[1]), object)
    for f, feature in enumerate(table.features):
        there = _there(rows[:, f])
        if len(there) == 0:
            continue
        kind = feature.kind
        if kind.names and not kind.categorical:
            out[0, f] = sorted(there, key=kind.names.index)[len(there) // 2]
        elif not kind.categorical:
            out[0, f] = float(np.median(there.astype(np.float64)))
        else:
            found, count = np.unique(there.astype(str), return_counts=True)
            out[0, f] = str(found[count.argmax()])
    return out


def _there(values: NDArray[np.object_]) -> NDArray[np.object_]:
    """Those that are not missing."""
    return values[[not misses(value) for value in values]]
