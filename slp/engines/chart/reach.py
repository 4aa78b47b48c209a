"""First stage of the chart: every box that the grammar can reach on a table, with the states it is
reached in.

Boxes are found from the largest to the smallest, so that a box's states are complete before it is
split.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.budgets.memory import format_bytes
from slp.engines.chart.states import States
from slp.errors import BudgetError
from slp.ir.tree_grammar import TreeGrammar
from slp.messages.inference import CHART_OUT_OF_MEMORY
from slp.problem.boxes import Geometry

__all__ = ["Progress", "Reach", "find_boxes"]

Progress: TypeAlias = Callable[[int, str], None]

# Bytes that the chart keeps at its peak, measured on iris (objects of the interpreter included). In
# addition a box needs one bit a row, in two places.
_BYTES_PER_BOX = 400
_BYTES_PER_SPLIT = 48
_BYTES_PER_EDGE = 90
_BYTES_PER_STATE_OF_PROFILE = 4
_BOXES_PER_CHECK = 64

_WHAT_WOULD_FIT = (
    "fewer cuts (`:- feature(_, [bins(quantile, 5)]).`), "
    "shallower trees (`:- support(max_depth(4)).`), "
    "larger leaves (`:- support(min_leaf(10)).`), or more memory"
)


@dataclass(frozen=True, eq=False)
class Reach:
    """The boxes, the largest first, and their splits. B boxes, E splits.

    Attributes
    ----------
    states : product states and profiles.
    boxes : the boxes, by number; 0 is the box of all rows.
    profile : int32, shape (B,). The set of states that a box is reached in (empty if only forbidden
        splits lead there).
    parent, cut, left, right : int32, shape (E,). The splits that some measure counts: the box that
        is split, the number of the cut, the two boxes it leaves. By parent ascending, in canonical
        order within one.
    """

    states: States
    boxes: list[int]
    profile: NDArray[np.int32]
    parent: NDArray[np.int32]
    cut: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]


def find_boxes(
    grammar: TreeGrammar, geometry: Geometry, memory: int, progress: Progress | None = None
) -> Reach:
    """All boxes that derivations can reach, whether or not they can be finished from there.

    Raises
    ------
    BudgetError
        The chart would need more than `memory` bytes (E501).
    """
    return _Search(grammar, geometry, memory, progress).run()


class _Search:
    """Boxes are numbered as they are found, and visited by size; `_renumbered` renumbers them by
    size."""

    def __init__(
        self, grammar: TreeGrammar, geometry: Geometry, memory: int, progress: Progress | None
    ) -> None:
        self.geometry, self.memory, self.progress = geometry, memory, progress
        self.n = geometry.root.bit_count()
        self.states = States(grammar, self.n)
        self.boxes: list[int] = []
        self.number: dict[int, int] = {}
        self.reached: list[int] = []  # bit sets of product states, complete once a box is visited
        self.by_size: list[list[int]] = [[] for _ in range(self.n + 1)]
        self.visited = array("i")
        self.profile = array("i")
        self.parent, self.cut = array("i"), array("i")
        self.left, self.right = array("i"), array("i")
        self.n_edges = 0

    def run(self) -> Reach:
        root = self._find(self.geometry.root)
        self.reached[root] = sum(1 << s for s in self.states.start)
        can_split: list[bool] = []
        for size in range(self.n, 0, -1):
            for box in self.by_size[size]:
                profile = self.states.profile(self.reached[box] & self.states.room(size))
                if profile == len(can_split):
                    can_split.append(self.states.can_split(profile))
                if len(self.visited) % _BOXES_PER_CHECK == 0:
                    self._check(size)
                self.visited.append(box)
                self.profile.append(profile)
                self.n_edges += len(self.states.profiles[profile])
                if can_split[profile]:
                    self._split(box, profile)
        return self._renumbered()

    def _split(self, box: int, profile: int) -> None:
        cells, reached, states = self.geometry.cells, self.reached, self.states
        steps, number = states.steps(profile), self.number
        for cut, left, right in self.geometry.splits(self.boxes[box]):
            cell = cells[cut]
            step = steps[cell] if cell in steps else states.new_step(profile, cell)
            if step is None:
                continue
            a, b = number.get(left), number.get(right)
            if a is None:
                a = self._find(left)
            if b is None:
                b = self._find(right)
            reached[a] |= step.left
            reached[b] |= step.right
            self.parent.append(box)
            self.cut.append(cut)
            self.left.append(a)
            self.right.append(b)
            self.n_edges += step.edges

    def _find(self, box: int) -> int:
        """The number of a new box."""
        found = self.number[box] = len(self.boxes)
        self.boxes.append(box)
        self.reached.append(0)
        self.by_size[box.bit_count()].append(found)
        return found

    def _renumbered(self) -> Reach:
        visited = np.array(self.visited, np.int32)
        place = np.empty(len(visited), np.int32)
        place[visited] = np.arange(len(visited), dtype=np.int32)
        return Reach(
            self.states,
            [self.boxes[b] for b in self.visited],
            np.array(self.profile, np.int32),
            place[np.array(self.parent, np.int32)],
            np.array(self.cut, np.int32),
            place[np.array(self.left, np.int32)],
            place[np.array(self.right, np.int32)],
        )

    def _check(self, size: int) -> None:
        """Report progress; stop if the boxes found so far already need too much memory."""
        if self.progress is not None:
            self.progress(len(self.visited), "finding boxes")
        used = (
            (_BYTES_PER_BOX + self.n // 4) * len(self.boxes)
            + _BYTES_PER_STATE_OF_PROFILE * len(self.states.profiles) * self.states.n_states
            + _BYTES_PER_SPLIT * len(self.cut)
            + _BYTES_PER_EDGE * self.n_edges
        )
        if used <= self.memory:
            return
        waiting = len(self.boxes) - len(self.visited)
        raise BudgetError(
            CHART_OUT_OF_MEMORY(
                memory=format_bytes(self.memory),
                done=len(self.visited),
                size=size,
                rows=self.n,
                waiting=waiting,
                help=_WHAT_WOULD_FIT,
            )
        )
