"""What the C++ core (`native/core/rjhmc`) is given of a problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.reference.rjhmc import SoftData
from slp.ir.program import GATE_SPREAD, GATE_WIDTH
from slp.ir.schema import MOST_SOFT_LEAVES
from slp.kernels.compiled import compiled_core
from slp.problem.core import core_without_leaves
from slp.problem.new_rows import table_as_numbers
from slp.problem.problem import Problem


def ranges_of(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least value of each feature in the table, and the length of its range (1 of a constant
    feature), shape (d,)."""
    values = table_as_numbers(table)
    low, high = values.min(axis=0), values.max(axis=0)
    return low, np.where(high > low, high - low, 1.0)


def soft_data(problem: Problem, options: SoftTreeOptions) -> SoftData:
    """Rows, responses and hyperparameters of soft trees on a problem."""
    table, parameters = problem.table, problem.program.parameters
    h, spread = parameters[GATE_WIDTH], parameters.get(GATE_SPREAD, 0.0)
    low, length = ranges_of(table)
    values = (table_as_numbers(table) - low) / length
    weights = problem.grammar.feature_weights
    delta = options.concentration * weights if options.index == "soft" else None
    numbers = table.leaf.numbers_for_core(table.statistics)
    assert not isinstance(numbers, str), "the core takes the model"
    if table.leaf.classes:
        return SoftData(values, h, table.statistics, numbers, delta=delta, spread=spread)
    rows, sums, squares = table.statistics.T
    mean = sums / rows
    within = float(np.maximum(squares - sums * mean, 0.0).sum())
    of_numbers: dict[str, Any] = {"rows": rows, "mean": mean, "within": within}
    own = tuple(numbers.tolist())
    return SoftData(values, h, **of_numbers, numbers=own, delta=delta, spread=spread)


def core_sampler(
    problem: Problem, data: SoftData, options: SoftTreeOptions, likelihood: bool
) -> Any:
    """The core's `SoftSampler`."""
    core = compiled_core()
    assert core is not None
    most = problem.grammar.max_leaves
    numbers = data.counts is None
    if numbers:
        assert data.rows is not None and data.mean is not None
        responses = np.concatenate([data.rows, data.mean])
    else:
        assert data.counts is not None
        responses = data.counts.T.ravel()

    def array(x: Any) -> NDArray[np.float64]:
        return np.ascontiguousarray([] if x is None else x, np.float64)

    return core.SoftSampler(
        core_without_leaves(core, problem.grammar, problem.table),
        array(data.values.T.ravel()),
        array(responses),
        array(data.concentration),
        array((*data.numbers, data.within) if numbers else None),
        array(data.delta),
        likelihood,
        [data.h, max(options.first_h or 0.0, data.h), data.spread],
        [
            int(options.steps(len(problem.table.counts))[0]),  # the core takes no NumPy integers
            int(options.trajectories),
            int(options.leapfrogs),
            MOST_SOFT_LEAVES if most is None else min(most, MOST_SOFT_LEAVES),
        ],
        options.informed,
        options.published,
    )
