"""The two engines that sum over boxes, with one interface for tests."""

from __future__ import annotations

from slp.data.table import Table
from slp.engines.exact import CompiledChart
from slp.ir.tree_grammar import TreeGrammar
from slp.reference.boxes import Geometry
from slp.reference.chart import Chart, build_forest

GIB = 2**30


def plain(grammar: TreeGrammar, table: Table, likelihood: bool = True) -> Chart:
    """The plain chart: the specification."""
    return Chart(build_forest(grammar, Geometry(grammar, table), GIB), likelihood)


def compiled(
    grammar: TreeGrammar, table: Table, likelihood: bool = True, threads: int = 1
) -> CompiledChart:
    """The compiled engine."""
    return CompiledChart.of(grammar, table, likelihood, GIB, threads=threads)
