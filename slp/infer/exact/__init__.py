"""Exact inference by a chart over (set of rows, state), in Python and NumPy.

In the order of the work: `reach` (which boxes, in which states; `states`), `build` and `forest`
(all derivations as flat arrays), `semirings` (one recursion, many algebras), `chart.Chart` (every
quantity; `kbest`, `scoring`, `lengths`), `ambiguity` (whether derivations are trees).
"""

from slp.infer.exact.build import build_forest
from slp.infer.exact.chart import Chart
from slp.infer.exact.forest import Forest

__all__ = ["Chart", "Forest", "build_forest"]
