"""New rows as numbers for the core, and distinct new rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from slp.columns import Test
from slp.data.feature_kind import Feature
from slp.data.table import Table, misses
from slp.errors import DataError
from slp.messages.names import atom
from slp.messages.new_rows import NEW_LEVEL_ABSENT, NEW_VALUE_MISSING


class AskingCut(Protocol):
    """What is asked of a row: the number of the feature, and the test."""

    @property
    def feature(self) -> int: ...
    @property
    def test(self) -> Test: ...


# Numbers of a piece of the table.
_PIECE = 1 << 18


def rows_as_numbers(table: Table, rows: NDArray[np.object_]) -> NDArray[np.float64]:
    """Values, numbers of ordinal levels, or codes of levels (-1: not in the table), shape (m, d),
    of `Table.new_rows`; NaN for missing values that take a side."""
    out = np.empty(rows.shape, np.float64)
    for f, feature in enumerate(table.features):
        codes = feature.kind.numbers_by_name
        if codes is not None and feature.kind.missing == "side":
            out[:, f] = [np.nan if misses(x) else codes.get(x, -1.0) for x in rows[:, f]]
        elif codes is None:
            out[:, f] = rows[:, f].astype(np.float64)
        else:
            out[:, f] = [codes.get(value, -1.0) for value in rows[:, f]]
    return out


def ways_at_cuts(
    features: Sequence[Feature], cuts: Sequence[AskingCut], numbers: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """What rows, as numbers (m, d), do at each of c cuts, shape (m, c): see `slp.columns.ways`."""
    out = np.empty((len(numbers), len(cuts)), np.uint8)
    for i, cut in enumerate(cuts):
        out[:, i] = features[cut.feature].kind.ways(cut.test, numbers[:, cut.feature])
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
    way = feature.kind.way_of_untold(missing=missing)
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


def table_as_numbers(table: Table, rows: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """The distinct rows of a table, or those at m positions, shape (m, d), as `rows_as_numbers`; a
    bin, whose values take one side of every threshold, is its least value."""
    chosen = table.codes if rows is None else table.codes[rows]
    out = np.empty(chosen.shape, np.float64)
    for f, feature in enumerate(table.features):
        numbers = feature.kind.numbers_of_codes()
        if feature.kind.missing_code is not None:
            numbers = np.append(numbers, np.nan)
        out[:, f] = numbers[chosen[:, f]]
    return out


def table_as_new_rows(table: Table, rows: NDArray[np.int64] | None = None) -> NDArray[np.object_]:
    """The distinct rows of a table, or those at m positions, as `Table.new_rows` has them, shape
    (m, d)."""
    codes = table.codes if rows is None else table.codes[rows]
    out = table_as_numbers(table, rows).astype(np.object_)
    for f, feature in enumerate(table.features):
        if feature.kind.numbers_by_name is not None:
            names = feature.kind.names  # by code: the number of the least level is not its own
            out[:, f] = [names[c] if c < len(names) else None for c in codes[:, f].tolist()]
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
        sides[:, f] = feature.kind.alike(rows[:, f])
    _, first, which = np.unique(sides, axis=0, return_index=True, return_inverse=True)
    return first, which.ravel()
