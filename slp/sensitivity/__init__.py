"""Sensitivity: what the evidence, the features used and predictions owe to each number of a
program.

Entry points: `sensitivities` (derivatives), `interval_of_best_tree` (how far a number may move
until another tree is the best), `influence_on_rows` (what single rows do). Inside: `edges` (the
chart of all trees under other numbers), `numbers` (a number that varies), `varied` and `labels`
(those of a program), `slopes` (by the adjoints of `slp.reference.chart.adjoints`).
"""

from slp.sensitivity.best_tree import interval_of_best_tree
from slp.sensitivity.influence import influence_on_rows
from slp.sensitivity.slopes import Found, VariedProgram, sensitivities

__all__ = ["VariedProgram", "Found", "influence_on_rows", "interval_of_best_tree", "sensitivities"]
