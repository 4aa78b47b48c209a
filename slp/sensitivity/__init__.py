"""Sensitivity: what the evidence, the features used and predictions owe to each number of a
program.

Entry point: `sensitivities`. Inside: `edges` (the chart of all trees under other numbers), `varied`
(the numbers that vary, and what the weights of edges owe to them), `slopes` (derivatives, by the
adjoints of `slp.reference.chart.adjoints`), `best_tree` (how far a number may move until another
tree is the best), `influence` (what single rows do).
"""

from slp.sensitivity.slopes import Asked, Found, sensitivities

__all__ = ["Asked", "Found", "sensitivities"]
