"""Pictures of trees and posteriors, by matplotlib, which is the extra `plot`.

Every function draws on an Axes (`ax`; None makes a new figure) and returns it:

    trees        `tree`, `best_trees`
    shapes       `leaves`, `depth`, `features`: prior beside posterior
    consensus    `thresholds`: where trees split
    heat         `heat_map`: what is predicted over two features
    curves       `dependence`: partial dependence and individual curves
    checks       `calibration`
    predictive   `predictive_check`: outcomes beside drawn ones
    survival     `survival`: curves of rows, or of the average beside Kaplan-Meier
    chains       `traces`, `ranks`, `swaps`, `round_trips`: diagnostics of samplers
    programs     `evidence` of compared programs
    prices       `prices` of a program's statements
    sensitivity  `sensitivity` of answers to a program's numbers

`picture_bytes` (`canvas`) gives the file of a picture. Inside, `layout` places the nodes of trees
and `points` makes the rows that are predicted.

Importing this room without matplotlib raises `slp.UnsupportedError` (E570).
"""

# First, because it says what is missing if matplotlib is.
from slp.plot.canvas import Format, picture_bytes

# isort: split
from slp.plot.chains import QUANTITIES, ranks, round_trips, swaps, traces
from slp.plot.checks import calibration
from slp.plot.consensus import thresholds
from slp.plot.curves import dependence
from slp.plot.heat import heat_map
from slp.plot.predictive import predictive_check
from slp.plot.prices import prices
from slp.plot.programs import evidence
from slp.plot.sensitivity import sensitivity
from slp.plot.shapes import depth, features, leaves
from slp.plot.survival import survival
from slp.plot.trees import best_trees, tree

__all__ = [
    "QUANTITIES",
    "Format",
    "best_trees",
    "calibration",
    "dependence",
    "depth",
    "evidence",
    "features",
    "heat_map",
    "leaves",
    "picture_bytes",
    "predictive_check",
    "prices",
    "ranks",
    "round_trips",
    "sensitivity",
    "survival",
    "swaps",
    "thresholds",
    "traces",
    "tree",
]
