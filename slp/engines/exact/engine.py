"""Engine `exact`: sums over all trees in the C++ core or, if that is missing, by the chart."""

from __future__ import annotations

from slp.engines.chart.engine import chart
from slp.engines.contract import Progress
from slp.engines.exact import CompiledChart
from slp.engines.sums import Limits, SumsOverTrees
from slp.problem.problem import Problem
from slp.results.averages import TreeDistribution


def _exact(
    problem: Problem, likelihood: bool, limits: Limits, progress: Progress | None
) -> TreeDistribution:
    # By blocks, which go over tables without holes, a new row may not miss a value.
    features = problem.table.features
    by_blocks = not any(f.holes or f.subsets for f in features)
    if problem.core is None or (by_blocks and any(f.missing == "side" for f in features)):
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
