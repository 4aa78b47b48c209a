"""New rows as numbers for the core, and distinct new rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Feature, Table, misses
from slp.errors import DataError
from slp.ir.quantity import level_numbers
from slp.kernels import code_by_cuts
from slp.messages.names import atom
from slp.messages.tables import NEW_LEVEL_ABSENT, NEW_VALUE_MISSING

# With more values than this, only equal values count as one: there would be too many thresholds to
# compare with.
_MOST_VALUES = 512

# Numbers of a piece of the table.
_PIECE = 1 << 18


def rows_as_numbers(table: Table, rows: NDArray[np.object_]) -> NDArray[np.float64]:
    """Values, numbers of ordinal levels, or codes of levels (-1: not in the table), shape (m, d),
    of `Table.new_rows`; NaN for missing values that take a side."""
    out = np.empty(rows.shape, np.float64)
    for f, feature in enumerate(table.features):
        codes = codes_of_levels(feature)
        if codes is not None and feature.missing == "side":
            out[:, f] = [np.nan if misses(x) else codes.get(x, -1.0) for x in rows[:, f]]
        elif codes is None:
            out[:, f] = rows[:, f].astype(np.float64)
        else:
            out[:, f] = [codes.get(value, -1.0) for value in rows[:, f]]
    return out


def share_of_untold(feature: Feature, ours: float, others: float, *, missing: bool) -> float:
    """The share that goes left of a new row whose side a split does not say: the row misses the
    value (`missing`), or has a level that no row of the table in the box has. `ours` and `others`
    are the weights of the table's rows on the left and on the right side.

    Raises
    ------
    DataError
        E442, E445: such a row is an error.
    """
    way = feature.way_of_untold(missing=missing)
    if way == "error":
        raise untold_error(feature, missing=missing)
    if way == "larger":
        return float(ours >= others)
    return ours / (ours + others)


def untold_error(feature: Feature, *, missing: bool) -> DataError:
    """E442, E445: a split does not say the side of a new row, which misses the value or has another
    level."""
    wording = NEW_VALUE_MISSING if missing else NEW_LEVEL_ABSENT
    return DataError(wording(name=feature.name, atom=atom(feature.name)))


def codes_of_levels(feature: Feature) -> dict[str, float] | None:
    """The code of each level of a categorical feature, the number of each level of an ordinal one;
    None of a numeric feature."""
    if feature.order:
        return dict(zip(feature.order, level_numbers(feature.order), strict=True))
    if feature.levels is None:
        return None
    return {level: float(i) for i, level in enumerate(feature.levels)}


def table_as_numbers(table: Table, rows: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """The distinct rows of a table, or those at m positions, shape (m, d), as `rows_as_numbers`; a
    bin, whose values take one side of every threshold, is its least value."""
    chosen = table.codes if rows is None else table.codes[rows]
    out = np.empty(chosen.shape, np.float64)
    for f, feature in enumerate(table.features):
        codes = chosen[:, f]
        if feature.holes:
            codes = np.minimum(codes, feature.n_values - 1)
        if feature.values is not None:
            out[:, f] = feature.values[codes]
        elif feature.cuts is not None:
            out[:, f] = np.concatenate([[-np.inf], feature.cuts])[codes]
        else:
            out[:, f] = codes
        if feature.holes:
            out[chosen[:, f] == feature.missing_code, f] = np.nan
    return out


def table_in_pieces(
    table: Table, rows: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Positions of distinct rows and these rows as numbers (`table_as_numbers`), some at a time, so
    that no second table is in memory. At least once, even without rows."""
    step = max(1, _PIECE // max(1, len(table.features)))
    for a in range(0, max(1, len(rows)), step):
        yield rows[a : a + step], table_as_numbers(table, rows[a : a + step])


def distinct_rows(
    table: Table, rows: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows that represent all others. `first` are their positions. `which`, shape (m,), is for each
    row the one that takes the same side at every cut of any box."""
    sides = np.empty(rows.shape, np.float64)
    for f, feature in enumerate(table.features):
        sides[:, f] = _sides(feature, rows[:, f])
    _, first, which = np.unique(sides, axis=0, return_index=True, return_inverse=True)
    return first, which.ravel()


def _sides(feature: Feature, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers that are equal for values on the same side of every canonical threshold."""
    if feature.missing == "side" and np.isnan(values).any():
        there = ~np.isnan(values)
        out = np.full(values.shape, -np.finfo(np.float64).max)  # NaNs would all differ
        out[there] = _sides(feature, values[there])
        return out
    if feature.cuts is not None:
        return code_by_cuts(values, feature.cuts).astype(np.float64)
    if feature.values is None or len(feature.values) > _MOST_VALUES:
        return values
    return np.searchsorted(_thresholds(feature.values), values, side="right").astype(np.float64)


def _thresholds(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """All canonical thresholds between two values (`Feature.threshold`), ascending."""
    below, above = np.triu_indices(len(values), 1)
    a, b = values[below], values[above]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.where(b - a < np.inf, a + (b - a) / 2, a / 2 + b / 2)
    return np.unique(np.where(middle > a, middle, b))
