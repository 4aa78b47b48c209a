"""Engine `chart`: the plain version of `exact`, in Python and NumPy."""

from __future__ import annotations

from slp import reference
from slp.budgets import Deadline, format_seconds
from slp.data.memory import check_room_for_bit_sets
from slp.engines.contract import Progress
from slp.engines.shared.sums import SumLimits, SumsOverTrees
from slp.errors import TimeOverError
from slp.messages.inference import CHART_OUT_OF_TIME
from slp.problem.problem import Problem
from slp.reference import chart
from slp.results.averages.over_trees import TreeDistribution


def sums_by_chart(
    problem: Problem, likelihood: bool, limits: SumLimits, progress: Progress | None
) -> TreeDistribution:
    """Sums by the chart; raises BudgetError E501, E540."""
    check_room_for_bit_sets(problem.table, limits.memory)
    watch = _stopping(progress, limits.deadline)
    geometry = reference.Geometry(problem.grammar, problem.table)
    forest = chart.build_forest(problem.grammar, geometry, limits.memory, watch)
    return chart.Chart(forest, likelihood)


def _stopping(progress: Progress | None, deadline: Deadline) -> Progress | None:
    """A progress function that ends the run when its time is over."""
    if deadline.seconds is None:
        return progress
    time = format_seconds(deadline.seconds)

    def tell(done: int, phase: str) -> None:
        if deadline.over():
            raise TimeOverError(CHART_OUT_OF_TIME(time=time, phase=phase, done=done))
        if progress is not None:
            progress(done, phase)

    return tell


ENGINE = SumsOverTrees(
    "chart", "what `exact` computes, plainly, in Python and NumPy", sums_by_chart
)
