"""Differences of what is predicted of pairs of rows, by the core (`exact/row_pairs.hpp` there).

The core finds the leaves that pairs of a batch may end in, the leaf model tells their moments, and
the core sums these up over all trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.engines.exact.passes import Passes
from slp.kernels.compiled import compiled_core
from slp.problem.new_rows import untold_error
from slp.results.averages.quantities import LeafMoments
from slp.results.averages.rows_in_leaves import design_of_rows

if TYPE_CHECKING:
    from slp._core import ExactPass

Numbers = NDArray[np.float64]

_WORDS = "following pairs of new rows"
#: Pairs that the core follows together.
_MOST_PAIRS = 64


def pair_differences(
    passes: Passes,
    table: Table,
    moments: LeafMoments,
    ones: Numbers,
    zeros: Numbers,
    *,
    likelihood: bool,
) -> tuple[Numbers, Numbers]:
    """For pairs of rows as numbers, each (m, d), the mean of the difference and that of its square,
    each (m, D).

    Raises
    ------
    BudgetError
        It would need more memory (E501) or time (E540) than the passes leave.
    DataError
        E442, E445: a split does not say the side of a row, and that is an error.
    """
    core = compiled_core()
    assert core is not None
    means, squares = [np.zeros((0, 1))], [np.zeros((0, 1))]
    designs = [design_of_rows(table, own) for own in (ones, zeros)]
    for a in range(0, len(ones), _MOST_PAIRS):
        at = slice(a, a + _MOST_PAIRS)
        own = [np.zeros((0, 0)) if d is None else np.ascontiguousarray(d[at]) for d in designs]
        batch = _Batch(core, passes, moments, ones[at], zeros[at], own)
        with untold_told(table):
            mean, square = passes.descend(_WORDS, likelihood, batch.differences, "items")
        means.append(mean.reshape(len(ones[at]), -1))
        squares.append(square.reshape(len(ones[at]), -1))
    if len(ones):
        del means[0], squares[0]
    return np.concatenate(means), np.concatenate(squares)


class _Batch:
    """Pairs that are followed together."""

    def __init__(
        self,
        core: Any,
        passes: Passes,
        moments: LeafMoments,
        ones: Numbers,
        zeros: Numbers,
        designs: list[Numbers],
    ) -> None:
        self._core, self._engine, self._moments = core, passes.engine, moments
        self._rows, self._designs = (ones, zeros), designs

    def differences(
        self,
        total: ExactPass,
        memory: int,
        threads: int,
        report: Callable[[int, int, int], bool] | None,
    ) -> tuple[int, Numbers, Numbers]:
        """See `Passes.descend`: the status, then means and means of squares."""
        none = np.zeros(0)
        pairs = self._core.RowPairs(self._engine, total, *self._rows, memory)
        status = pairs.down(report)
        if status != self._core.CONSTANTS["done"]:
            return status, none, none
        leaves = pairs.statistics().reshape(-1, self._moments.leaf.n_statistics)
        first, second = map(np.ascontiguousarray, self._moments.of(leaves))
        found: tuple[int, Numbers, Numbers] = pairs.up(
            first, second.ravel(), *self._designs, report
        )
        return found


@contextmanager
def untold_told(table: Table) -> Iterator[None]:
    """Raise the core's fault of a row without a side as DataError E442 or E445."""
    core = compiled_core()
    assert core is not None
    try:
        yield
    except core.UntoldError as fault:
        f, missing = fault.args
        raise untold_error(table.features[f], missing=missing) from None
