"""Engine `exact`: sums over all trees in the C++ core, or, where that is missing, by the chart."""

from __future__ import annotations

from slp.engines.chart.engine import chart
from slp.engines.contract import Progress
from slp.engines.exact import CompiledChart, compiled_is_there
from slp.engines.sums import Limits, SumsOverTrees
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.boxes import Geometry
from slp.results.averages import TreeDistribution

__all__ = ["ENGINE"]


def _exact(
    grammar: TreeGrammar,
    boxes: Geometry,
    likelihood: bool,
    limits: Limits,
    progress: Progress | None,
) -> TreeDistribution:
    if not compiled_is_there():
        return chart(grammar, boxes, likelihood, limits, progress)
    return CompiledChart.of(
        grammar,
        boxes,
        likelihood,
        limits.memory,
        progress,
        limits.threads,
        deadline=limits.deadline,
        what_fits=limits.what_fits,
        items_wanted=limits.items_wanted,
    )


ENGINE = SumsOverTrees("exact", "sums over all trees, in the compiled core", _exact)
