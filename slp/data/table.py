"""A coded table: distinct rows as small integer codes, their counts, and their leaf statistics.

The kind of each feature (`slp.columns`) defines its codes, its cuts, and which side of a split a
code goes to.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.data.feature_kind import Feature
from slp.data.new_rows import rows_to_predict
from slp.data.row_responses import RowResponses
from slp.data.row_weights import RowWeights
from slp.errors import Diagnostic, UnsupportedError
from slp.ir.schema import Schema
from slp.leaves import TAKEN, LeafModel
from slp.messages.saved import ROW_NUMBERS_NOT_SAVED, SINGLE_ROWS_NOT_SAVED

#: Rows whose codes are brought into another type together.
_ROWS_AT_ONCE = 1 << 14


def code_type(n_codes: int) -> type[np.uint8] | type[np.uint16] | type[np.int32]:
    """The smallest type of the codes of a feature that has `n_codes` of them."""
    return np.uint8 if n_codes <= 1 << 8 else np.uint16 if n_codes <= 1 << 16 else np.int32


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
    without_weight : int64. The numbers, from 0, of the rows that were given with weight 0: they are
        not rows of the data. None of a saved run that does not tell which row was which.
    notes : sentences for people (merged rows, chosen leaf model, coded features).
    warnings : findings that are not errors.
    weighted : of rows with weights, whether these are `whole` numbers or `real` ones; None where
        each row has the weight 1. `counts` and `n_rows` count rows, `statistics` weights.
    weights : of rows with weights, the weights of distinct rows; None where each row has weight 1.
    row_responses : the responses of the rows of the data, one by one; None of a saved run.
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
    without_weight: NDArray[np.int64] | None
    notes: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = field(default=(), repr=False)
    bytes_read: int = 0
    weighted: Literal["whole", "real"] | None = None
    weights: RowWeights | None = None
    row_responses: RowResponses | None = field(default=None, repr=False)

    def sizes(self, min_leaf: int, min_weight: float | None) -> tuple[NDArray[np.int64], int]:
        """What the distinct rows add to the size of a side, shape (n,), and the least size of a
        side: rows and `min_leaf`, or weights and `min_weight`, both in a common unit."""
        if min_weight is None:
            return self.counts, min_leaf
        weights = RowWeights(self.counts, 1.0, exact=True) if self.weights is None else self.weights
        return weights.units, weights.in_units(min_weight)

    @property
    def n_given(self) -> int:
        """How many rows the table had as it was given, those of weight 0 included.

        Raises
        ------
        UnsupportedError
            E562: the run was saved, and does not tell which row was which.
        """
        return self.n_rows + len(self._without_weight)

    def distinct_of_given(self, row: int) -> int | None:
        """The distinct row of a row of the table as it was given, from 0; None if its weight is 0.
        Raises as `n_given`."""
        place = int(np.searchsorted(self._without_weight, row))
        if row in self._without_weight[place : place + 1]:
            return None
        return int(self.row_of[row - place])

    @property
    def _without_weight(self) -> NDArray[np.int64]:
        if self.without_weight is None:
            raise UnsupportedError(ROW_NUMBERS_NOT_SAVED())
        return self.without_weight

    def statistics_of_rows(self) -> NDArray[np.float64]:
        """The statistics of each row of the data, times its weight, shape (n_rows, k).

        Raises
        ------
        UnsupportedError
            E562: the run was saved, and equal rows are one in the file.
        """
        if self.row_responses is not None:
            return self.row_responses.statistics(self.leaf)
        if len(self.counts) < self.n_rows:
            raise UnsupportedError(SINGLE_ROWS_NOT_SAVED())
        return self.statistics[self.row_of]

    def outcomes(self) -> NDArray[Any]:
        """The outcome of each row of the data (see `RowResponses`).

        Raises
        ------
        UnsupportedError
            E562: the run was saved.
        """
        if self.row_responses is None:
            raise UnsupportedError(SINGLE_ROWS_NOT_SAVED())
        return self.row_responses.outcomes

    @property
    def leaf_was_taken(self) -> bool:
        """Whether numbers of the leaf model were taken from the response, as none are declared."""
        return any(TAKEN in note for note in self.notes)

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
            kind = feature.kind
            about += [feature.name, *kind.names, *kind.marks()]
            arrays += [] if kind.numbers is None else [kind.numbers]
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
        return rows_to_predict(self.features, X)

    @property
    def n_cuts(self) -> int:
        """The most splits on a path: one for each pair of neighbouring codes."""
        return sum(f.kind.n_codes - 1 for f in self.features)

    def schema(self, min_leaf: int = 1) -> Schema:
        """The part of this table that lowering knows."""
        most = max(1, min(len(self.counts), self.n_rows // min_leaf))
        levels = tuple(f.kind.left_sides() for f in self.features)
        holes = frozenset(f.name for f in self.features if f.kind.missing_code is not None)
        loses = any(f.kind.leaves_weight_out for f in self.features)
        return Schema(
            self.feature_names, levels, most, most_cuts=self.n_cuts, holes=holes, loses=loses
        )


def misses(value: Any) -> bool:
    """Whether a value of `Table.new_rows` is missing: None or NaN."""
    return value is None or value != value
