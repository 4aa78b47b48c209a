"""What the C++ core (`native/core/rjhmc`) is given of a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.rjhmc.options import SoftTreeOptions
from slp.engines.rjhmc.soft_data import SoftData
from slp.ir.schema import MOST_SOFT_LEAVES
from slp.kernels.compiled import compiled_core
from slp.problem.core import core_without_leaves
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp._core import SoftSampler


def core_sampler(
    problem: Problem, data: SoftData, options: SoftTreeOptions, likelihood: bool
) -> SoftSampler:
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

    sampler: SoftSampler = core.SoftSampler(
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
    return sampler
