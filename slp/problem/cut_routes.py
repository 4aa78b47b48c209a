"""The side that new rows take at every cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Feature
from slp.problem.boxes import Cut
from slp.problem.new_rows import codes_of_levels


class Router:
    """Tests new rows (`Table.new_rows`: object array, shape (m, d)) on given cuts, all at once."""

    def __init__(self, features: Sequence[Feature], cuts: Sequence[Cut]) -> None:
        self._feature = np.array([c.feature for c in cuts], np.int64)
        self._categorical = np.array([c.level is not None for c in cuts], np.bool_)
        self._codes = [codes_of_levels(f) for f in features]
        self._operand = np.array([self._operand_of(c) for c in cuts], np.float64)

    def _operand_of(self, cut: Cut) -> float:
        codes = self._codes[cut.feature]
        if codes is None or cut.level is None:
            assert cut.threshold is not None
            return cut.threshold
        return codes[cut.level]

    def goes_left(self, row: NDArray[np.object_]) -> NDArray[np.bool_]:
        """Whether one row, shape (d,), passes each cut, shape (number of cuts,).

        A level that is not in the table passes no test.
        """
        values = np.array(
            [
                float(value) if codes is None else codes.get(value, -1.0)
                for value, codes in zip(row, self._codes, strict=True)
            ],
            np.float64,
        )[self._feature]
        return np.where(self._categorical, values == self._operand, values < self._operand)
