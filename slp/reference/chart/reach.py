"""Every box that a grammar can reach on a table, the states that it is reached in, and its splits.

Boxes are visited from the largest to the smallest, so that the states of a box are complete before
it is split. Weights are not looked at: grammars that differ in them alone reach the same.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.budgets.memory import format_bytes
from slp.data.table import Table
from slp.engines.contract import Progress
from slp.errors import BudgetError
from slp.ir.tree_grammar import CallRule, SplitRule, TreeGrammar
from slp.messages.inference import CHART_OUT_OF_MEMORY
from slp.problem.core import leaves_owed
from slp.problem.split_measures import flat_transitions, splits_taken_over
from slp.reference.boxes import Geometry
from slp.reference.split_measures import SplitArrays

# Bytes that the chart keeps at its peak, measured on iris (objects of the interpreter included). In
# addition a box needs one bit a row, in two places.
_BYTES_PER_BOX = 400
_BYTES_PER_SPLIT = 72
_BYTES_PER_EDGE = 90

_BOXES_PER_CHECK = 64

_WHAT_WOULD_FIT = (
    "fewer cuts (`:- feature(_, [bins(quantile, 5)]).`), "
    "shallower trees (`:- support(max_depth(4)).`), "
    "larger leaves (`:- support(min_leaf(10)).`), or more memory"
)


@dataclass(frozen=True, eq=False)
class Reach:
    """The boxes and their splits. B boxes, E splits.

    Attributes
    ----------
    geometry : of the table.
    boxes : the boxes, by number; 0 is the box of all rows.
    sizes : int32, shape (B,). Distinct rows of each box.
    reached : for each state the numbers of the boxes that are reached in it, ascending.
    splits : the splits that some measure counts in its box.
    left, right : int32, shape (E,). The boxes on both sides.
    """

    geometry: Geometry
    boxes: list[int]
    sizes: NDArray[np.int32]
    reached: dict[int, NDArray[np.int64]]
    splits: SplitArrays
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
    return _ReachSearch(grammar, geometry, memory, progress).run()


def reach_of(
    grammar: TreeGrammar, table: Table, memory: int, progress: Progress | None = None
) -> Reach:
    """`find_boxes` of a table. Raises as there."""
    return find_boxes(grammar, Geometry(grammar, table), memory, progress)


class _ReachSearch:
    """Boxes are numbered as they are found. Sets of states are the bits of a number."""

    def __init__(
        self, grammar: TreeGrammar, geometry: Geometry, memory: int, progress: Progress | None
    ) -> None:
        self.grammar, self.geometry = grammar, geometry
        self.memory, self.progress = memory, progress
        self.n = geometry.root.bit_count()
        self.boxes: list[int] = []
        self.number: dict[int, int] = {}
        self.states: list[int] = []  # of each box, complete once it is visited
        self.by_size: list[list[int]] = [[] for _ in range(self.n + 1)]
        self.reached: dict[int, list[int]] = {}
        self.parent, self.cut = array("q"), array("q")
        self.left, self.right = array("i"), array("i")
        self.n_visited = self.n_edges = 0
        self._profiles: dict[int, _Profile] = {}

    def run(self) -> Reach:
        self.states[self._find(self.geometry.root)] = 1 << self.grammar.start
        most = max(1, leaves_owed(self.grammar, self.geometry.table))
        for size in range(self.n, 0, -1):
            room = min(size, most)
            ways = 1 if self.grammar.max_leaves is None else room * (room - 1) // 2
            for box in self.by_size[size]:
                if self.n_visited % _BOXES_PER_CHECK == 0:
                    self._check(size)
                self.n_visited += 1
                profile = self._profiles.get(self.states[box])
                if profile is None:
                    profile = _Profile(self.grammar, self.states[box])
                    self._profiles[self.states[box]] = profile
                for state in profile.states:
                    self.reached.setdefault(state, []).append(box)
                self.n_edges += room * len(profile.states)
                if profile.may_split:
                    self._split(box, profile, ways)
        return self._found()

    def _split(self, box: int, profile: _Profile, ways: int) -> None:
        cells, states, number = self.geometry.cells, self.states, self.number
        for cut, left, right in self.geometry.splits(self.boxes[box]):
            cell = cells[cut]
            step = profile.steps.get(cell) or profile.new_step(cell)
            if not step.counted:
                continue
            a, b = number.get(left), number.get(right)
            if a is None:
                a = self._find(left)
            if b is None:
                b = self._find(right)
            states[a] |= step.left
            states[b] |= step.right
            self.parent.append(box)
            self.cut.append(cut)
            self.left.append(a)
            self.right.append(b)
            self.n_edges += ways * step.edges

    def _find(self, box: int) -> int:
        """The number of a new box."""
        found = self.number[box] = len(self.boxes)
        self.boxes.append(box)
        self.states.append(0)
        self.by_size[box.bit_count()].append(found)
        return found

    def _found(self) -> Reach:
        parent = np.array(self.parent, np.int64)
        order = np.argsort(parent, kind="stable")
        left, right = (np.array(x, np.int32)[order] for x in (self.left, self.right))
        splits = SplitArrays.of_boxes(
            self.geometry,
            np.bincount(parent, minlength=len(self.boxes)),
            np.array(self.cut, np.int64)[order],
            np.minimum(left, right).astype(np.int64),
            self.grammar.feature_weights,
            self.grammar.groups,
        )
        sizes = np.array([box.bit_count() for box in self.boxes], np.int32)
        reached = {s: np.sort(np.array(boxes, np.int64)) for s, boxes in self.reached.items()}
        return Reach(self.geometry, self.boxes, sizes, reached, splits, left, right)

    def _check(self, size: int) -> None:
        """Report progress; stop if the boxes found so far already need too much memory."""
        if self.progress is not None:
            self.progress(self.n_visited, "finding boxes")
        used = (
            (_BYTES_PER_BOX + self.n // 4) * len(self.boxes)
            + _BYTES_PER_SPLIT * len(self.cut)
            + _BYTES_PER_EDGE * self.n_edges
        )
        if used > self.memory:
            raise BudgetError(
                CHART_OUT_OF_MEMORY(
                    memory=format_bytes(self.memory),
                    done=self.n_visited,
                    size=size,
                    rows=self.n,
                    waiting=len(self.boxes) - self.n_visited,
                    help=_WHAT_WOULD_FIT,
                )
            )


class _SplitEffect(NamedTuple):
    """The effect of a split on a profile: sets of states left and right, how many pairs of them,
    and whether a measure counts it."""

    left: int
    right: int
    edges: int
    counted: bool


class _Profile:
    """A set of states that boxes are reached in, with all that they call, and its steps by cell.
    Boxes share it, so that a step is computed once."""

    def __init__(self, grammar: TreeGrammar, states: int) -> None:
        self.states = [s for s in range(states.bit_length()) if states >> s & 1]
        self.steps: dict[int, _SplitEffect] = {}
        self._tables, met = [], set(self.states)
        for state in self.states:  # which grows
            for rule in grammar.states[state].rules:
                if isinstance(rule, CallRule) and rule.state not in met:
                    met.add(rule.state)
                    self.states.append(rule.state)
                elif isinstance(rule, SplitRule):
                    steps = flat_transitions(rule)
                    self._tables.append((steps, splits_taken_over(steps[:, 0], grammar.failure)))

    @property
    def may_split(self) -> bool:
        """Whether some measure counts any split."""
        return any(counted.any() for _, counted in self._tables)

    def new_step(self, cell: int) -> _SplitEffect:
        """Compute the step in a cell."""
        sides = [steps[cell].tolist() for steps, _ in self._tables if steps[cell, 0] >= 0]
        left = right = 0
        for a, b in sides:
            left, right = left | 1 << a, right | 1 << b
        counted = any(counted[cell] for _, counted in self._tables)
        self.steps[cell] = step = _SplitEffect(left, right, len(sides), counted)
        return step
