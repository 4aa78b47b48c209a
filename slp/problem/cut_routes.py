"""The side that new rows take at every cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Feature
from slp.ir.quantity import MISSING, LevelOrMissing, side_of_missing
from slp.problem.boxes import Cut
from slp.problem.new_rows import codes_of_levels, misses

#: What a row does at a cut: the ends, and where it misses the value and the cut says no side.
RIGHT, LEFT, NEITHER = 0, 1, 2


class Router:
    """Tests new rows (`Table.new_rows`: object array, shape (m, d)) on given cuts, all at once."""

    def __init__(self, features: Sequence[Feature], cuts: Sequence[Cut]) -> None:
        self._features = tuple(features)
        self._sided = np.array([f.missing == "side" for f in features], np.bool_)
        ways = {"left": LEFT, "right": RIGHT, None: NEITHER}
        self._missing = np.array(
            [ways[side_of_missing(c.threshold, c.level)] for c in cuts], np.uint8
        )
        self._feature = np.array([c.feature for c in cuts], np.int64)
        self._categorical = np.array([c.level is not None for c in cuts], np.bool_)
        self._codes = [codes_of_levels(f) for f in features]
        self._operand = np.array([self._operand_of(c) for c in cuts], np.float64)

    def _operand_of(self, cut: Cut) -> float:
        codes = self._codes[cut.feature]
        if isinstance(cut.level, LevelOrMissing) and self._sided[cut.feature]:
            assert cut.level == MISSING
            return np.nan  # no value passes
        if codes is None or cut.level is None:
            assert cut.threshold is not None
            return float(cut.threshold)
        return codes[str(cut.level)]

    def ways(self, row: NDArray[np.object_]) -> NDArray[np.uint8]:
        """What one row, shape (d,), does at each cut, shape (number of cuts,): LEFT, RIGHT or
        NEITHER.

        A level that is not in the table passes no test.
        """
        missing = self._sided & np.array([misses(value) for value in row], np.bool_)
        values = np.array(
            [
                np.nan if blank else float(value) if codes is None else codes.get(value, -1.0)
                for value, codes, blank in zip(row, self._codes, missing, strict=True)
            ],
            np.float64,
        )[self._feature]
        left = np.where(self._categorical, values == self._operand, values < self._operand)
        return np.where(missing[self._feature], self._missing, left.astype(np.uint8))
