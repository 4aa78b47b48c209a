"""What the trees of a result change in a given one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.trees import Tree, TreeEdit


@dataclass(frozen=True)
class EditShare:
    """A difference from the given tree, the probability that a tree has it, and its Monte Carlo
    standard error."""

    edit: TreeEdit
    probability: float
    probability_error: float


@dataclass(frozen=True, eq=False)
class EditSummary:
    """What trees change in the given one (`Tree.edits_from`).

    Attributes
    ----------
    given : the given tree as it fits the table.
    expected, expected_error : number of differences, which is that of the fewest edits that lead
        from it to a tree; and its Monte Carlo standard error.
    distribution : float64. Probability of k differences at index k = 0, 1, ...
    shares : every difference that was drawn, the most probable first.
    """

    given: Tree
    expected: float
    expected_error: float
    distribution: NDArray[np.float64]
    shares: tuple[EditShare, ...]
