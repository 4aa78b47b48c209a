"""A coded table: distinct rows as small integer codes, their counts, and their leaf statistics.

Coding (defined here, once)
---------------------------
Numeric feature without cuts: `code = i` says that the value is `values[i]`; `values` is float64,
strictly increasing. Numeric feature with declared cuts or bins: `values` is None, `cuts` is
float64, strictly increasing, and `code = number of cuts <= value`, so that code i says `cuts[i-1]
<= value < cuts[i]`. Ordinal feature: `code = i` says that the value is `order[i]`. Numbers stand
for its levels (`slp.ir.quantity`), and `cuts` are those of all levels but the first, so that it is
a numeric feature with a cut between any two levels. Categorical feature: `code = i` says that the
value is `levels[i]`.

The *canonical threshold* between two codes that are neighbours in a box is
`Feature.threshold(low, high)`. Rows with `value < threshold` go left; of a categorical test, rows
with `value = level` go left.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.data.frames import rows_to_predict
from slp.data.row_weights import RowWeights
from slp.errors import Diagnostic
from slp.ir.quantity import Quantity, level_numbers
from slp.ir.schema import Schema
from slp.leaves.base import LeafModel


@dataclass(frozen=True, eq=False)
class Feature:
    """One feature column. Exactly one of `values`, `cuts`, `levels` is not None; none is of a
    numeric feature in a saved run without its table. `order` are the levels of an ordinal feature;
    `unit` and `range` are the declared ones; with `missing`, `levels` are of a
    class of their own, and the last may stand for missing values (`slp.ir.quantity`)."""

    name: str
    values: NDArray[np.float64] | None = None
    cuts: NDArray[np.float64] | None = None
    levels: tuple[str, ...] | None = None
    order: tuple[str, ...] = ()
    unit: str | None = None
    range: tuple[float, float] | None = None
    missing: Literal["level"] | None = None

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
        """Number of codes that may occur (c + 1 for c cuts)."""
        if self.values is not None:
            return len(self.values)
        if self.cuts is not None:
            return len(self.cuts) + 1
        assert self.levels is not None
        return len(self.levels)

    def threshold(self, low: int, high: int) -> float:
        """Canonical threshold between codes `low < high`, neighbours in some box (DESIGN 3).

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
        if not self.order and self.unit is None:
            return number
        return Quantity(number, self.order, self.unit)

    def test(self, low: int, high: int) -> tuple[float | None, str | None]:
        """Threshold and level of the canonical test between neighbours in some box, codes that are
        equal for a level; the one that the feature does not have is None."""
        if self.levels is not None:
            return None, self.levels[low]
        return self.threshold(low, high), None

    def sides(
        self, threshold: float | None, level: str | None
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For each code, whether its rows pass a test of the feature's kind, and whether the code
        does not determine this (a threshold inside a bin); both of shape (n_codes,)."""
        codes = np.arange(self.n_codes)
        if self.levels is not None:
            return np.array([own == level for own in self.levels], np.bool_), codes < 0
        assert threshold is not None
        if self.values is not None:
            return np.less(self.values, threshold), codes < 0
        assert self.cuts is not None
        # Codes up to `below` lie left of the threshold, those above `upto` right of it.
        below = np.searchsorted(self.cuts, threshold, side="right") - 1
        upto = np.searchsorted(self.cuts, threshold)
        return codes <= below, (codes > below) & (codes <= upto)

    def gap(self, low: int, high: int) -> float:
        """Weight of a cut under the measure `gap`: distance of the two values; number of declared
        cuts between two bins; 1 for a categorical test."""
        if self.values is not None:
            return float(self.values[high] - self.values[low])
        return float(high - low) if self.cuts is not None else 1.0

    def length(self, low: int, high: int) -> float:
        """Weight of a cut under the measure `range`: distance of the two values, as a share of the
        distance of the largest value and the smallest. NaN for cuts and levels."""
        if self.values is None:
            return float("nan")
        least, a, b, most = (float(self.values[i]) for i in (0, low, high, -1))
        whole, part = most - least, b - a
        if whole == np.inf:
            whole, part = most / 2 - least / 2, b / 2 - a / 2
        return float(max(part / whole, np.finfo(np.float64).tiny))


@dataclass(frozen=True, eq=False)
class Table:
    """A table ready for inference.

    Attributes
    ----------
    features : d features, in the table's order, ignored columns left out.
    codes : int32, shape (n, d). The n *distinct* rows, coded.
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
    codes: NDArray[np.int32]
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

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what inference knows of the table: features, distinct rows, responses."""
        digest = hashlib.sha256()
        about = [self.response, *map(str, self.leaf.classes), self.leaf.describe()]
        arrays: list[NDArray[Any]] = [self.codes, self.counts, self.statistics]
        for feature in self.features:
            about += [feature.name, *(feature.levels or feature.order)]
            arrays += [a for a in (feature.values, feature.cuts) if a is not None]
        digest.update(json.dumps(about).encode())
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
        """The number of cuts of all features: between neighbouring codes."""
        return sum(f.n_codes - 1 for f in self.features)

    def schema(self, min_leaf: int = 1) -> Schema:
        """The part of this table that lowering knows."""
        most = max(1, min(len(self.counts), self.n_rows // min_leaf))
        levels = tuple(f.levels for f in self.features)
        return Schema(self.feature_names, levels, most, most_cuts=self.n_cuts)
