"""The kernels in NumPy: what the compiled ones are held to, and what runs where those are missing.

Same names, arguments and results as `slp._core`; the facade `slp.kernels` says what they mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["code_by_cuts", "code_values", "merge_rows"]


def code_values(column: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Code a column (n,) by its sorted distinct values."""
    # Adding 0.0 turns minus zero into zero, so that the value shown does not depend on the order.
    values, codes = np.unique(column + 0.0, return_inverse=True)
    return values, codes.astype(np.int32)


def code_by_cuts(column: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int32]:
    """Code a column (n,) by the number of cuts (c,) that are not above the value."""
    return np.searchsorted(cuts, column, side="right").astype(np.int32)


def merge_rows(
    codes: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Merge the equal rows of a table of codes (n, d)."""
    place_of: dict[bytes, int] = {}
    row_of = np.array(
        [place_of.setdefault(row.tobytes(), len(place_of)) for row in codes], dtype=np.int64
    )
    _, first_rows = np.unique(row_of, return_index=True)
    return codes[first_rows], row_of, np.bincount(row_of, minlength=len(place_of))
