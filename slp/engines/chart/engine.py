"""Engine `chart`: the plain version of `exact`, in Python and NumPy."""

from __future__ import annotations

from slp.budgets import Deadline, check_room_for_bit_sets, format_seconds
from slp.engines import chart as package
from slp.engines.contract import Progress
from slp.engines.sums import SumLimits, SumsOverTrees
from slp.errors import TimeOverError
from slp.messages.inference import CHART_OUT_OF_TIME
from slp.problem.problem import Problem
from slp.results.averages.over_trees import TreeDistribution


def chart(
    problem: Problem, likelihood: bool, limits: SumLimits, progress: Progress | None
) -> TreeDistribution:
    """Sums by the chart; raises BudgetError E501, E540."""
    check_room_for_bit_sets(problem.table, limits.memory)
    watch = _stopping(progress, limits.deadline)
    forest = package.build_forest(problem.grammar, problem.boxes, limits.memory, watch)
    return package.Chart(forest, likelihood)


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


ENGINE = SumsOverTrees("chart", "what `exact` computes, plainly, in Python and NumPy", chart)
