"""A coded table: distinct rows as small integer codes, their counts, and their leaf statistics.

Coding (defined here, once)
---------------------------
Numeric feature without cuts: `code = i` says that the value is `values[i]`; `values` is float64,
strictly increasing. Numeric feature with declared cuts or bins: `values` is None, `cuts` is
float64, strictly increasing, and `code = number of cuts <= value`, so that code i says `cuts[i-1]
<= value < cuts[i]`. Ordinal feature: `code = i` says that the value is `order[i]`. Numbers stand
for its levels (`slp.ir.quantity`), and `cuts` are those of all levels but the first, so that it is
a numeric feature with a cut between any two levels. Categorical feature: `code = i` says that the
value is `levels[i]`. A feature of any kind with `holes` has one code more, the last: the row misses
the value.

A *cut* is a pair of codes `low, high`: neighbours in a box, or twice the code of the level tested.
Of a feature with `subsets` it is a pair of groups of levels, those on the left side, which have the
first level of the box, and those on the right: each number has the codes as its binary digits.
Of a feature with holes `low + N, high + N`, N its number of codes, is the same cut with missing
values on the right side, `low + 2 N, high + 2 N` with these on the left one, and twice the last
code is the test for missing values. A cut without a side is one of a box without missing values.

The *canonical threshold* between two codes that are neighbours in a box is
`Feature.threshold(low, high)`. Rows with `value < threshold` go left; of a categorical test, rows
with `value = level` go left.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.columns import Below, In, Is, IsMissing, Test
from slp.data.conversion import CellType
from slp.data.frames import rows_to_predict
from slp.data.row_weights import RowWeights
from slp.errors import Diagnostic
from slp.ir.quantity import MISSING, Absent, Quantity, Side, level_numbers
from slp.ir.schema import Schema
from slp.leaves.base import LeafModel

#: Rows whose codes are brought into another type together.
_ROWS_AT_ONCE = 1 << 14


def code_type(n_codes: int) -> type[np.uint8] | type[np.uint16] | type[np.int32]:
    """The smallest type of the codes of a feature that has `n_codes` of them."""
    return np.uint8 if n_codes <= 1 << 8 else np.uint16 if n_codes <= 1 << 16 else np.int32


@dataclass(frozen=True, eq=False)
class Feature:
    """One feature column. Exactly one of `values`, `cuts`, `levels` is not None; none is of a
    numeric feature in a saved run without its table. `order` are the levels of an ordinal feature;
    `unit` and `range` are the declared ones; with `missing` "level" the last of `levels` may be
    `MISSING`, which stands for missing values. With `missing` "side" it has `holes` if some row of
    the table misses the value. With `subsets` a split parts the levels of its box in two groups.
    `new` is what the program declares of new rows whose side a split does not say, None where it
    declares nothing (`way_of_untold`). `cells` is the type of the column's
    cells, None if it is not known."""

    name: str
    values: NDArray[np.float64] | None = None
    cuts: NDArray[np.float64] | None = None
    levels: tuple[str, ...] | None = None
    order: tuple[str, ...] = ()
    unit: str | None = None
    range: tuple[float, float] | None = None
    missing: Literal["level", "side"] | None = None
    holes: bool = False
    new: Absent | None = None
    subsets: bool = False
    cells: CellType | None = None

    @classmethod
    def ordinal(cls, name: str, order: Sequence[str]) -> Feature:
        """An ordinal feature with these levels."""
        return cls(name, cuts=np.array(level_numbers(order)[1:]), order=tuple(order))

    @property
    def categorical(self) -> bool:
        """Whether tests are `= level` and not `< threshold`."""
        return self.levels is not None

    @property
    def n_codes(self) -> int:
        """Number of codes that may occur (c + 1 for c cuts), that of missing values included."""
        return self.n_values + self.holes

    @property
    def n_values(self) -> int:
        """Number of codes of values."""
        if self.values is not None:
            return len(self.values)
        if self.cuts is not None:
            return len(self.cuts) + 1
        assert self.levels is not None
        return len(self.levels)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """With `subsets`, the groups that levels of some box may form on the left side, by their
        cell: group i has the levels of the binary digits of i + 1."""
        return tuple(self._of(cell + 1) for cell in range(self.n_cells))

    @property
    def n_cells(self) -> int:
        """Number of cells of a categorical feature: its levels, or groups of them."""
        return max(1, (1 << self.n_codes) - 2) if self.subsets else self.n_codes

    def cell(self, low: int) -> int:
        """The cell of a cut of a categorical feature."""
        return low - 1 if self.subsets else low

    def _of(self, group: int) -> tuple[str, ...]:
        """The levels of a group, the set of whose codes is in the binary digits of a number."""
        assert self.levels is not None
        return tuple(level for code, level in enumerate(self.levels) if group >> code & 1)

    @property
    def missing_code(self) -> int | None:
        """The code of missing values, None without holes."""
        return self.n_values if self.holes else None

    def cut(self, low: int, high: int, side: Side | None) -> tuple[int, int]:
        """A cut with a side for missing values, from the one without."""
        shift = 0 if side is None else self.n_codes * (2 if side == "left" else 1)
        return low + shift, high + shift

    def without_side(self, low: int, high: int) -> tuple[int, int, Side | None]:
        """A cut without its side, and the side."""
        if not self.holes or low < self.n_codes:
            return low, high, None
        side: Side = "right" if low < 2 * self.n_codes else "left"
        return low % self.n_codes, high % self.n_codes, side

    def threshold(self, low: int, high: int) -> float:
        """Canonical threshold between codes `low < high`, neighbours in some box (docs/data.md).

        It is the midpoint of the two values, or the larger value if the midpoint is not above the
        smaller one. With declared cuts it is the middle one of the cuts between the two bins (the
        lower of two).
        """
        if self.cuts is not None:
            return self.quantity(float(self.cuts[low + (high - low - 1) // 2]))
        assert self.values is not None
        a, b = float(self.values[low]), float(self.values[high])
        middle = a + (b - a) / 2 if (b - a) < np.inf else a / 2 + b / 2
        return self.quantity(middle if middle > a else b)

    def quantity(self, number: float) -> float:
        """A number of the feature, which is printed as its level, or with its unit."""
        return Quantity(number, self.order, self.unit) if self.order or self.unit else number

    def way_of_untold(self, *, missing: bool) -> Absent:
        """What becomes of a new row whose side a split does not say: it misses the value where no
        row of the box does (`missing`), or has a level that the box does not have."""
        return self.new or ("error" if missing else "average")

    def test(self, low: int, high: int, codes: NDArray[Any] | None = None) -> Test:
        """The canonical test of a cut, in a box whose rows have these codes; without them, a test
        on one of three levels or more does not tell whether the box has two."""
        low, high, side = self.without_side(low, high)
        if low == self.missing_code:
            return IsMissing()
        if self.subsets:
            return In(self._of(low), self._of(high), self.way_of_untold(missing=False))
        if self.levels is not None:
            return self.is_level(low, side, self.other_level(low, codes))
        return Below(self.threshold(low, high), side)

    @property
    def may_have_more_levels(self) -> bool:
        """Whether a test on one level of a box leaves open which levels go right."""
        return self.levels is not None and not self.subsets and self.n_values > 2

    def other_level(self, code: int, codes: NDArray[Any] | None) -> int | None:
        """The second level of a box of two, whose rows have these codes and a test is on the level
        `code`; None of a box of more, or where that is not known."""
        if not self.may_have_more_levels:
            return 1 - code if self.n_values == 2 else None
        if codes is None:
            return None
        others = codes[(codes != code) & (codes < self.n_values)]
        return int(others[0]) if len(others) and (others == others[0]).all() else None

    def is_level(
        self, code: int, side: Side | None = None, other: int | None = None
    ) -> Is | IsMissing:
        """The test of a categorical feature on one of its levels, in a box that has the `other` one
        alone besides, None where there are more."""
        assert self.levels is not None
        level = self.levels[code]
        second = None if other is None else self.levels[other]
        absent = self.way_of_untold(missing=False)
        if self.missing != "level":
            return Is(level, side, other=second, absent=absent)
        if level == MISSING:
            return IsMissing()
        return Is(level, "right", missing_level=True, other=second, absent=absent)

    def left_of_cut(self, low: int, high: int) -> NDArray[np.bool_]:
        """For each code, whether its rows are on the left side of a cut, shape (n_codes,)."""
        return self.sides(self.test(low, high))[0]

    def asks(self, test: Test) -> bool:
        """Whether a test is of the feature's kind."""
        match test:
            case Below():
                return not self.categorical
            case Is():
                return self.categorical
            case In():
                return self.subsets
            case IsMissing():
                return self.missing is not None or self.categorical

    def sides(self, test: Test) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For each code, whether its rows pass a test of the feature's kind, and whether the code
        does not determine this (a threshold inside a bin; a missing value where the test says no
        side; a level that is neither of the two that a test has); both of shape (n_codes,)."""
        left, untold = self._sides_of_values(test)
        if self.holes:
            left = np.append(left, test.missing == "left")
            untold = np.append(untold, test.missing is None)
        return left, untold

    def _sides_of_values(self, test: Test) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        codes, levels = np.arange(self.n_values), self.levels or ()
        match test:
            case IsMissing():
                of_level = self.missing == "level"
                passes = [of_level and own == MISSING for own in levels] or codes < 0
                return np.array(passes, np.bool_), codes < 0
            case In():
                left, right = (
                    np.array([own in group for own in levels], np.bool_)
                    for group in (test.levels, test.others)
                )
                return left, ~(left | right)
            case Is(other=None):
                return np.array([own == test.level for own in levels], np.bool_), codes < 0
            case Is():
                left = np.array([own == test.level for own in levels], np.bool_)
                return left, np.array([own not in (test.level, test.other) for own in levels])
            case Below(number=threshold):
                if self.values is not None:
                    return np.less(self.values, threshold), codes < 0
                assert self.cuts is not None
                # Codes up to `below` lie left of the threshold, those above `upto` right of it.
                below = np.searchsorted(self.cuts, threshold, side="right") - 1
                upto = np.searchsorted(self.cuts, threshold)
                return codes <= below, (codes > below) & (codes <= upto)

    def gap(self, low: int, high: int) -> float:
        """Weight of a cut under the measure `gap`: distance of the two values in the feature's
        unit; number of declared cuts between two bins; 1 for a categorical test. Of the test for
        missing values the mean distance of neighbouring values in the table; 1 where there is none.

        The unit is a power of two: 1 where all distances of neighbours and the range lie well
        inside the doubles. Else it brings the range to about 2^1021, so that neither half of a
        distance nor a sum of them leaves the doubles.
        """
        low, high, _ = self.without_side(low, high)
        if low == self.missing_code:
            if self.values is None or len(self.values) < 2:
                return 1.0
            low, high = 0, len(self.values) - 1
            return self.gap(low, high) / high
        if self.values is not None:
            return _distance(float(self.values[low]), float(self.values[high]), self._unit)
        return float(high - low) if self.cuts is not None else 1.0

    def log_length(self, low: int, high: int) -> float:
        """Log of the weight of a cut under the measure `range`: distance of the two values, as a
        share of the distance of the largest value and the smallest. NaN for cuts and levels, and of
        the test for missing values."""
        low, high, _ = self.without_side(low, high)
        if self.values is None or low == self.missing_code:
            return math.nan
        return math.log(self.gap(low, high)) - math.log(self.gap(0, len(self.values) - 1))

    @cached_property
    def _unit(self) -> float:
        """The factor of distances of values; see `gap`."""
        assert self.values is not None
        if len(self.values) < 2:
            return 1.0
        with np.errstate(over="ignore"):
            least = float(np.diff(self.values).min())
        span = float(self.values[-1]) - float(self.values[0])
        if least >= 2.0**-960 and span <= 2.0**1000:
            return 1.0
        exponent = math.frexp(span)[1] - 1 if math.isfinite(span) else 1024
        return 2.0 ** min(max(1021 - exponent, -1022), 1022)


def _distance(a: float, b: float, unit: float) -> float:
    """(b - a) unit, where b - a may be beyond the doubles."""
    return (b - a) * unit if math.isfinite(b - a) else b * unit - a * unit


@dataclass(frozen=True, eq=False)
class Table:
    """A table ready for inference.

    Attributes
    ----------
    features : d features, in the table's order, ignored columns left out.
    codes : uint8, uint16 or int32, shape (n, d). The n *distinct* rows, coded, in the type that the
        feature of most codes needs.
    counts : int64, shape (n,). How many rows of the data each stands for.
    statistics : float64, shape (n, k). Sufficient statistics of the leaf model, summed over the
        rows that a distinct row stands for; additive, so a box's are the sum over its rows.
    leaf : the leaf model, bound to the response (classes, hyperparameters).
    response : name of the response column.
    n_rows : rows of the data (the sum of `counts`).
    row_of : int64, shape (n_rows,). The distinct row of each row of the data.
    notes : sentences for people (merged rows, chosen leaf model, coded features).
    warnings : findings that are not errors.
    weighted : of rows with weights, whether these are `whole` numbers or `real` ones; None where
        each row has the weight 1. `counts` and `n_rows` count rows, `statistics` weights.
    weights : of rows with weights, the weights of distinct rows; None where each row has weight 1.
    bytes_read : bytes of the columns that it was coded from, which the caller still holds.
    """

    features: tuple[Feature, ...]
    codes: NDArray[Any]
    counts: NDArray[np.int64]
    statistics: NDArray[np.float64]
    leaf: LeafModel
    response: str
    n_rows: int
    row_of: NDArray[np.int64]
    notes: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = field(default=(), repr=False)
    bytes_read: int = 0
    weighted: Literal["whole", "real"] | None = None
    weights: RowWeights | None = None

    def sizes(self, min_leaf: int, min_weight: float | None) -> tuple[NDArray[np.int64], int]:
        """What the distinct rows add to the size of a side, shape (n,), and the least size of a
        side: rows and `min_leaf`, or weights and `min_weight`, both in a common unit."""
        if min_weight is None:
            return self.counts, min_leaf
        weights = RowWeights(self.counts, 1.0, exact=True) if self.weights is None else self.weights
        return weights.units, weights.in_units(min_weight)

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """The weight of each distinct row, shape (n,): rows of the data, if they have none, in some
        unit."""
        units = self.counts if self.weights is None else self.weights.units
        return units.astype(np.float64)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what inference knows of the table: features, distinct rows, responses."""
        digest = hashlib.sha256()
        about = [self.response, *map(str, self.leaf.classes), self.leaf.describe()]
        arrays: list[NDArray[Any]] = [self.counts, self.statistics]
        for feature in self.features:
            about += [feature.name, *(feature.levels or feature.order)]
            about += ["missing"] * feature.holes + ["subsets"] * feature.subsets
            arrays += [a for a in (feature.values, feature.cuts) if a is not None]
        digest.update(json.dumps(about).encode())
        digest.update(f"{self.codes.shape}i".encode())  # in any type of codes the same
        for a in range(0, len(self.codes), _ROWS_AT_ONCE):
            digest.update(np.ascontiguousarray(self.codes[a : a + _ROWS_AT_ONCE], "<i4").data)
        for array in arrays:
            digest.update(f"{array.shape}{array.dtype.kind}".encode())
            digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
        return digest.hexdigest()

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names in the table's order."""
        return tuple(f.name for f in self.features)

    def new_rows(self, X: Any) -> NDArray[np.object_]:
        """Rows to predict, as an object array (m, d) in this table's feature order.

        Numbers are floats; categorical and ordinal values are strings. `X` is a pandas or polars
        frame (columns by name, extra ones ignored) or an array (columns by position).

        Raises
        ------
        DataError
            A column is missing, a value is missing, text stands where numbers are needed, or an
            ordinal feature has a level that is not declared.
        """
        return rows_to_predict(self, X)

    @property
    def n_cuts(self) -> int:
        """The most splits on a path: one for each pair of neighbouring codes."""
        return sum(f.n_codes - 1 for f in self.features)

    def schema(self, min_leaf: int = 1) -> Schema:
        """The part of this table that lowering knows."""
        most = max(1, min(len(self.counts), self.n_rows // min_leaf))
        levels = tuple(
            f.groups
            if f.subsets
            else (*f.levels, MISSING)
            if f.levels is not None and f.holes
            else f.levels
            for f in self.features
        )
        holes = frozenset(f.name for f in self.features if f.holes)
        return Schema(self.feature_names, levels, most, most_cuts=self.n_cuts, holes=holes)


def misses(value: Any) -> bool:
    """Whether a value of `Table.new_rows` is missing: None or NaN."""
    return value is None or value != value
