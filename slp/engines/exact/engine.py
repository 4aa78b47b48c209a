"""Engine `exact`: sums over all trees in the C++ core or, if that is missing, by the chart."""

from __future__ import annotations

from slp.engines.chart.engine import chart
from slp.engines.contract import Progress
from slp.engines.exact import CompiledChart
from slp.engines.sums import SumLimits, SumsOverTrees
from slp.problem.problem import Problem
from slp.results.averages.over_trees import TreeDistribution


def _exact(
    problem: Problem, likelihood: bool, limits: SumLimits, progress: Progress | None
) -> TreeDistribution:
    if problem.core is None:
        return chart(problem, likelihood, limits, progress)
    return CompiledChart.of(
        problem.grammar,
        problem.boxes,
        likelihood,
        limits.memory,
        progress,
        limits.threads,
        deadline=limits.deadline,
        what_fits=limits.what_fits,
        items_wanted=limits.items_wanted,
        engine=problem.core,
    )


ENGINE = SumsOverTrees("exact", "sums over all trees, in the compiled core", _exact)
