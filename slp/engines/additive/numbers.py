"""The numbers of a sum of trees on a table, and the responses of its distinct rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from slp.engines.shared.core_chains import core_tests
from slp.leaves.sum_numbers import SumLeaf
from slp.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class SumOnTable:
    """What both samplers are given.

    Attributes
    ----------
    trees : M, how many are summed up.
    offset : what is added to their values: of numbers less `ref` of the leaf model.
    tau : the standard deviation of values in the prior.
    variance : of the noise, where it is known; else None, and its prior is nu lambda / chi^2(nu).
    nu, scale : of that prior (`scale` is lambda).
    first, second : float64, shape (n,). Of numbers the weight of each distinct row, and the sum of
        weight times response less offset; of classes the numbers of rows of each.
    within : of numbers, the sum of weighted squares about the means of distinct rows.
    classes : whether there are two classes.
    max_leaves : of each tree; 0 for no limit.
    most_features : of all trees together; 0 for no limit.
    rising : the features that values may not fall with, or rise with (False).
    """

    trees: int
    offset: float
    tau: float
    variance: float | None
    nu: float
    scale: float
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    within: float
    classes: bool
    max_leaves: int
    most_features: int
    rising: list[tuple[int, bool]]


def numbers_of(problem: Problem) -> SumOnTable:
    """Those of a problem."""
    program, table, leaf = problem.program, problem.table, problem.table.leaf
    assert program.sum_of is not None
    numbers = cast(SumLeaf, leaf).numbers
    S = np.asarray(table.statistics, np.float64)
    limits = core_tests(problem.grammar, program.constraints, table)
    offset, sigma, within = numbers.center - leaf.ref, numbers.used.get("sigma"), 0.0
    variance = None if sigma is None else sigma**2
    first, second = S[:, 0], S[:, 1]
    if leaf.classes:
        variance = 1.0
    else:
        own = np.divide(second, first, out=np.zeros_like(second), where=first > 0)
        within = float(np.maximum(S[:, 2] - second * own, 0.0).sum())
        second = second - first * offset
    return SumOnTable(
        program.sum_of.count,
        offset,
        numbers.used["tau"],
        variance,
        numbers.used.get("nu", 1.0),
        numbers.used.get("lambda", 1.0),
        np.ascontiguousarray(first),
        np.ascontiguousarray(second),
        within,
        bool(leaf.classes),
        *limits,
    )
