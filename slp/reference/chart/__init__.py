"""Exact inference by a chart over (set of rows, state), in Python and NumPy.

In the order of the work: `reach` (which boxes, in which states), `build` and `forest` (all
derivations as flat arrays), `semirings` (one recursion, many algebras), `chart.Chart` (every
quantity; `lengths`, and of new rows `rows` and `pairs`), `adjoints` (derivatives by the weights of
edges). `engine` is the engine `chart`.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.reference.chart.adjoints import Adjoints
    from slp.reference.chart.build import build_forest, forest_of_reach, weights_of_rules
    from slp.reference.chart.chart import Chart
    from slp.reference.chart.engine import sums_by_chart
    from slp.reference.chart.forest import Forest
    from slp.reference.chart.reach import reach_of

__all__ = [
    "Adjoints",
    "Chart",
    "Forest",
    "build_forest",
    "forest_of_reach",
    "reach_of",
    "sums_by_chart",
    "weights_of_rules",
]

# The options of all engines are read without it.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.reference.chart.adjoints": "Adjoints",
        "slp.reference.chart.build": "build_forest forest_of_reach weights_of_rules",
        "slp.reference.chart.chart": "Chart",
        "slp.reference.chart.engine": "sums_by_chart",
        "slp.reference.chart.forest": "Forest",
        "slp.reference.chart.reach": "reach_of",
    },
)
