"""How a modal tree is grown, and the tree that comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Scores that differ by less are ties; the first option in canonical order is taken.
TIE = 1e-9

#: The most choices that dead ends may undo.
MOST_UNDONE = 100_000

#: A goal that reaches more states through calls reaches many: the core enters those of little
#: weight only where they can matter.
MANY_STATES = 256

#: In place of a feature: a node that stops, and one that was not decided in time.
LEAF, UNDECIDED = -1, -2


class Ending(IntEnum):
    """How a growth ended; the core's numbers."""

    DONE = 0
    STOPPED = 1
    OUT_OF_BUDGET = 2
    NO_TREE = 3
    TOO_MANY_DEAD_ENDS = 4


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a tree is grown. The core has the same (`native/core/modal/plan.hpp`).

    Attributes
    ----------
    likelihood : whether the leaves' marginal likelihoods count; False for a prior.
    stop_labels : whether the sides of a split count the label of stopping.
    smoothing : of a node's class counts, the share that its Dirichlet prior gets.
    look_ahead : levels of splits below a side that its worth sums over.
    further : levels in a row that are split although stopping is best.
    drawn_levels : at depths below this, options are drawn with probability in proportion to
        exp(score / temperature).
    seed : of these draws, below 2**64.
    root_feature : the feature that the root must split on; -1 where it is free.
    """

    likelihood: bool = True
    stop_labels: bool = True
    smoothing: float = 0.0
    look_ahead: int = 0
    further: int = 0
    drawn_levels: int = 0
    temperature: float = 1.0
    seed: int = 0
    root_feature: int = -1


@dataclass(frozen=True, eq=False)
class Grown:
    """A grown tree: N nodes in preorder.

    Attributes
    ----------
    ending : how the growth ended. There are nodes if it is DONE or STOPPED.
    feature : int32, shape (N,). Of the split; `LEAF` or `UNDECIDED` where there is none.
    low, high : uint32, from the plain engine integers of any length, shape (N,). The codes that are
        neighbours; of a test on a level, its code; of one on groups of levels, the groups.
    log_stop : float64, shape (N,). Log weight of stopping under the program (the best leaf rule);
        -inf where it cannot stop.
    log_likelihood : float64, shape (N,). Log marginal likelihood of the node as a leaf; 0 for a
        prior.
    log_split : float64, shape (N,). Log weight of the split under the program: labels and
        probability.
    gain : float64, shape (N,). Score of the split less that of stopping; 0 without a split,
        and where stopping is impossible.
    statistics : float64, shape (N, k). Sums over the node's rows.
    added : float64, shape (N, k). What smoothing has added to the leaf model's prior.
    root_scores : float64, shape (d,). Of each feature the best score of a split of the root, -inf
        where there is none.
    interrupted : whether Ctrl-C stopped it.
    """

    ending: Ending
    feature: NDArray[np.int32]
    low: NDArray[Any]
    high: NDArray[Any]
    log_stop: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]
    log_split: NDArray[np.float64]
    gain: NDArray[np.float64]
    statistics: NDArray[np.float64]
    added: NDArray[np.float64]
    root_scores: NDArray[np.float64]
    interrupted: bool = False

    def children(self) -> list[tuple[int, int]]:
        """For each node the numbers of its children; (-1, -1) where there are none."""
        out = [(-1, -1)] * len(self.feature)
        waiting: list[int] = []  # subtrees that begin after the node, the nearest last
        for i in range(len(self.feature) - 1, -1, -1):
            if self.feature[i] >= 0:
                out[i] = (waiting.pop(), waiting.pop())
            waiting.append(i)
        return out
