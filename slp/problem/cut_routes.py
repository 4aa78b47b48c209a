"""The side that new rows take at every cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from slp.columns import Below, In, Is, IsMissing, Test
from slp.data.table import Feature, misses

#: What a row does at a cut: the ends, and where the cut says no side, as the row misses the value
#: or has a level of neither group.
RIGHT, LEFT, NEITHER = 0, 1, 2


class AskingCut(Protocol):
    """What is asked of a row: the number of the feature, and the test."""

    @property
    def feature(self) -> int: ...
    @property
    def test(self) -> Test: ...


class RowCut(NamedTuple):
    """An `AskingCut` alone."""

    feature: int
    test: Test


class Router:
    """Tests new rows (`Table.new_rows`: object array, shape (m, d)) on given cuts, all at once."""

    def __init__(self, features: Sequence[Feature], cuts: Sequence[AskingCut]) -> None:
        self._features = tuple(features)
        self._sided = np.array([f.kind.missing == "side" for f in features], np.bool_)
        ways = {"left": LEFT, "right": RIGHT, None: NEITHER}
        self._missing = np.array([ways[c.test.missing] for c in cuts], np.uint8)
        self._feature = np.array([c.feature for c in cuts], np.int64)
        self._categorical = np.array([not isinstance(c.test, Below) for c in cuts], np.bool_)
        self._kinds = [f.kind for f in features]
        self._codes = [f.kind.numbers_by_name for f in features]
        self._operand = np.array([self._operand_of(c) for c in cuts], np.float64)
        self._other = np.array([self._other_of(c) for c in cuts], np.float64)
        self._subsets = np.array([isinstance(c.test, In) for c in cuts], np.bool_)
        self._groups = self._ways_of_codes([c for c in cuts if isinstance(c.test, In)])

    def _operand_of(self, cut: AskingCut) -> float:
        codes, test = self._codes[cut.feature], cut.test
        if isinstance(test, Below):
            return float(test.number)
        sided = isinstance(test, IsMissing) and self._sided[cut.feature]
        if isinstance(test, In) or sided:
            return np.nan  # `_ways_of_groups` tells; no value passes the test for missing ones
        assert codes is not None
        return codes[test.level]

    def _ways_of_codes(self, cuts: Sequence[AskingCut]) -> NDArray[np.uint8]:
        """What each code does at cuts by subsets, shape (C, most codes + 1); the last, -1, is that
        of a level that is not in the table."""
        kinds = [self._kinds[c.feature] for c in cuts]
        out = np.full(
            (len(cuts), max((k.n_codes for k in kinds), default=0) + 1), NEITHER, np.uint8
        )
        for own, kind, cut in zip(out, kinds, cuts, strict=True):
            left, untold = kind.sides(cut.test)
            own[: kind.n_codes] = np.where(untold, NEITHER, left)
        return out

    def _other_of(self, cut: AskingCut) -> float:
        """The code of the second of two levels, NaN where a test has none."""
        codes, test = self._codes[cut.feature], cut.test
        if codes is None or not isinstance(test, Is) or test.other is None:
            return np.nan
        return codes[test.other]

    def numbers(self, row: NDArray[np.object_]) -> NDArray[np.float64]:
        """One row, shape (d,), as `slp.problem.new_rows.rows_as_numbers`."""
        missing = self._sided & np.array([misses(value) for value in row], np.bool_)
        return np.array(
            [
                np.nan if blank else float(value) if codes is None else codes.get(value, -1.0)
                for value, codes, blank in zip(row, self._codes, missing, strict=True)
            ],
            np.float64,
        )

    def ways(self, row: NDArray[np.object_]) -> NDArray[np.uint8]:
        """What one row, shape (d,), does at each cut, shape (number of cuts,): LEFT, RIGHT or
        NEITHER.

        A level that is not in the table passes no test `= level`.
        """
        values = self.numbers(row)[self._feature]
        left = np.where(self._categorical, values == self._operand, values < self._operand)
        neither = ~left & ~np.isnan(self._other) & (values != self._other)
        told = np.where(neither, NEITHER, left).astype(np.uint8)
        ways = np.where(np.isnan(values), self._missing, told)
        at = np.flatnonzero(self._subsets)
        codes = values[at].astype(np.int64)
        ways[at] = self._groups[np.arange(len(at)), codes]
        return ways
