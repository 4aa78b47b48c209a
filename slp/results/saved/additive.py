"""Draws of sums of trees of a saved run as arrays: the trees of all sums, those of one after those
of the other (`slp.results.saved.trees`, without statistics), and

leaves      float64 (K, 2): the value of each leaf, and the weight of the table's rows in it
variance    float64 (T,): of the noise of each sum
sum         float64 (1,): what is added to the values
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slp.data.table import Table
from slp.problem.sum_arrays import SumArrays
from slp.results.saved.archive import Archive, DamagedError
from slp.results.saved.trees import shapes_of_members, shapes_to_members


def sums_to_members(folder: str, table: Table, sums: SumArrays) -> dict[str, Any]:
    """Sums as the arrays above."""
    return {
        **shapes_to_members(folder, table, sums.arrays),
        f"{folder}/leaves.npy": sums.arrays.statistics,
        f"{folder}/variance.npy": sums.variance,
        f"{folder}/sum.npy": np.array([sums.offset]),
    }


def sums_of_members(archive: Archive, folder: str, table: Table) -> SumArrays:
    """The sums of a file."""
    feature = archive.array(f"{folder}/feature.npy", np.int32, None)
    leaves = archive.array(f"{folder}/leaves.npy", np.float64, int((feature < 0).sum()), 2)
    variance = archive.array(f"{folder}/variance.npy", np.float64, None)
    (offset,) = archive.array(f"{folder}/sum.npy", np.float64, 1).tolist()
    arrays = shapes_of_members(archive, folder, table, leaves)
    sound = np.isfinite(leaves).all() and (np.isfinite(variance) & (variance > 0)).all()
    if not sound or not np.isfinite(offset) or not len(variance) or len(arrays) % len(variance):
        raise DamagedError("its sums of trees are not sound")
    return SumArrays(table, arrays, variance, offset)
