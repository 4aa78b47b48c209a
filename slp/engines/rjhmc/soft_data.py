"""What soft trees are fitted to: rows, responses and hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.ir.program import GATE_SPREAD, GATE_WIDTH
from slp.problem.new_rows import table_as_numbers
from slp.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class SoftData:
    """Rows, responses and hyperparameters of soft trees.

    Attributes
    ----------
    values : float64, shape (n, d). Features scaled to [0, 1].
    h : the width of gates, in these units.
    counts : float64, shape (n, C). Of classes: how many rows of each class a row stands for.
    concentration : float64, shape (C,). Of classes, else None.
    rows, mean : float64, shape (n,). Of numbers: how many rows a row stands for, and the mean of
        their responses.
    within : the sum of squares of the responses about these means.
    numbers : mean and standard deviation of mu, shape and scale of sigma^2.
    delta : float64, shape (d,). Of HMC-DFI the concentrations of delta, else None.
    spread : the standard deviation of log h, whose mean is log of `h`; 0 where h is fixed.
    """

    values: NDArray[np.float64]
    h: float
    counts: NDArray[np.float64] | None = None
    concentration: NDArray[np.float64] | None = None
    rows: NDArray[np.float64] | None = None
    mean: NDArray[np.float64] | None = None
    within: float = 0.0
    numbers: tuple[float, float, float, float] = (0.0, 1.0, 1.0, 1.0)
    delta: NDArray[np.float64] | None = None
    spread: float = 0.0


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
