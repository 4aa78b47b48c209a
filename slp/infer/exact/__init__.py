"""Exact inference by a chart over (set of rows, state), in Python and NumPy.

In the order of the work: `reach` (which boxes, in which states; `states`), `build` and `forest`
(all derivations as flat arrays), `semirings` (one recursion, many algebras), `chart.Chart` (every
quantity; `kbest`, `scoring`, `lengths`), `ambiguity` (whether derivations are trees).
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.infer.exact.build import build_forest
    from slp.infer.exact.chart import Chart
    from slp.infer.exact.forest import Forest

__all__ = ["Chart", "Forest", "build_forest"]

# The compiled engine takes its place but where it cannot be had.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "Chart": "slp.infer.exact.chart",
        "Forest": "slp.infer.exact.forest",
        "build_forest": "slp.infer.exact.build",
    },
)
