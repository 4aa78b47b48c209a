"""Exact inference by a chart over (set of rows, state), in Python and NumPy.

In the order of the work: `reach` (which boxes, in which states), `build` and `forest` (all
derivations as flat arrays), `semirings` (one recursion, many algebras), `chart.Chart` (every
quantity; `lengths`).
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.reference.chart.build import build_forest
    from slp.reference.chart.chart import Chart
    from slp.reference.chart.forest import Forest

__all__ = ["Chart", "Forest", "build_forest"]

# The compiled engine replaces it where it is installed.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.reference.chart.chart": "Chart",
        "slp.reference.chart.forest": "Forest",
        "slp.reference.chart.build": "build_forest",
    },
)
