"""Pictures of trees and posteriors, by matplotlib, which is the extra `plot`.

Every function draws on an Axes (`ax`; None makes a new figure) and returns it: `tree`,
`best_trees` (of trees); `leaves`, `depth`, `features` (prior beside posterior). `picture_bytes`
gives the file of a picture.

Importing this room without matplotlib raises `slp.UnsupportedError` (E570).
"""

# First, because it says what is missing if matplotlib is.
from slp.plot.canvas import Format, picture_bytes

# isort: split
from slp.plot.shapes import depth, features, leaves
from slp.plot.trees import best_trees, tree

__all__ = [
    "Format",
    "best_trees",
    "depth",
    "features",
    "leaves",
    "picture_bytes",
    "tree",
]
