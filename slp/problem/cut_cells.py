"""The cells of cuts, by which a grammar says where a split leads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Feature
from slp.ir.tree_grammar import cell_of


def cell_of_cut(
    feature: Feature, low: int, high: int, breakpoints: NDArray[np.float64], n_cells: int
) -> int:
    """The cell of a cut among the `n_cells` cells of its feature (`slp.ir.tree_grammar`): the last
    one for the test for missing values."""
    low, high, _ = feature.without_side(low, high)
    if low == feature.missing_code:
        return n_cells - 1
    if feature.categorical:
        return feature.cell(low)
    return cell_of(breakpoints, feature.threshold(low, high))
