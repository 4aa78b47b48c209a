"""Engine `exact`: sums over all trees in the C++ core or, if that is missing, by the chart."""

from __future__ import annotations

from slp.engines.contract import Progress
from slp.engines.exact import CompiledChart
from slp.engines.registry import plain_engine
from slp.engines.shared.sums import SumLimits, SumsOverTrees
from slp.problem.core import check_counts
from slp.problem.problem import Problem
from slp.results.averages.over_trees import TreeDistribution


def _exact(
    problem: Problem, likelihood: bool, limits: SumLimits, progress: Progress | None
) -> TreeDistribution:
    check_counts(problem.grammar, problem.table, limits.memory, "exact sums")
    if problem.core is None:
        found: TreeDistribution = plain_engine("exact").sums_by_chart(
            problem, likelihood, limits, progress
        )
        return found
    return CompiledChart.of(
        problem.grammar,
        problem.table,
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
