"""How large a problem is for the compiled engine, estimated before it is run.

The method is in `native/core/exact/estimate.hpp`: a random search for boxes, which is unbiased if
only the table limits them. It takes a few tenths of a second, or a second or two for tens of
thousands of rows. Its seed is fixed, so it gives the same numbers each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from slp.budgets.memory import format_bytes
from slp.budgets.seconds import format_seconds
from slp.data.table import Table
from slp.errors import UnsupportedError
from slp.ir.tree_grammar import OpenStates, SplitRule, TreeGrammar
from slp.problem.problem import Problem

#: The most splits of a pass under `auto`: half an hour of one core if the pass goes item by item,
#: one or two minutes if it goes by interval blocks
#: (`native/core/exact/interval_blocks/search.hpp`).
MOST_SPLITS = 1e10

# Bytes at the peak, measured (docs/notes/exact-passes.md). A table with one word a value takes
# three words for an item, with its free slots and the copy of a sixteenth of it while it grows.
_BYTES_PER_ITEM = 52
# Bytes of the sums that interval blocks keep until the end; a vector has a word for each depth.
_BYTES_PER_BOX, _WORD = 30, 8

_FINE, _SEED = 1e7, 1
#: The work of a rough estimate: a few milliseconds.
ROUGH = 2e5
# The time of a summary is its estimate, within this factor.
_SPREAD = 3.0
# A feature with more values is not inner (`native/core/exact/interval_blocks/inner_feature.cpp`).
_MOST_INNER = 256
# A rough estimate is enough if it differs from the limit by this factor.
_FAR = 8.0


@dataclass(frozen=True)
class Size:
    """Estimated number of boxes, and of items: boxes in states.

    `splits` is the approximate number of splits of all items, `memory` the approximate peak bytes
    of one pass over totals that keeps every item. `error` is the relative standard error of
    `boxes`, and of all that depends on it. With `at_least` the count was stopped, and there are
    more. `seconds` is what a whole summary takes on one core (`seconds_of`), within a factor of
    three or so; `summary_memory` the bytes of its largest pass.
    """

    boxes: float
    items: float
    splits: float
    memory: int
    error: float
    at_least: bool = False
    seconds: float = 0.0
    summary_memory: float = 0.0

    @property
    def most_seconds(self) -> float:
        """The longest time of a whole summary, if the estimate is too low by its largest factor."""
        return self.seconds * _SPREAD

    @property
    def least_seconds(self) -> float:
        """The shortest time of a whole summary: on two cores, if the estimate is too high by its
        largest factor."""
        return self.seconds / (2 * _SPREAD)

    @property
    def in_seconds(self) -> str:
        """The time of a whole summary as text: from a high estimate on two cores to a low one on
        one core."""
        low, high = (
            _one_digit(self.seconds / 2, math.floor),
            _one_digit(self.most_seconds, math.ceil),
        )
        if high <= 1:
            return "about 1 s"
        return (
            f"{format_seconds(low)} to {format_seconds(high)}"
            if low >= 1
            else f"up to {format_seconds(high)}"
        )

    def fits(self, memory: float, splits: float = MOST_SPLITS) -> bool:
        """Whether a pass stays within bytes and splits, with two standard errors added."""
        most = 1 + 2 * self.error
        return not self.at_least and self.memory * most <= memory and self.splits * most <= splits

    def exceeds(self, memory: float, splits: float) -> bool:
        """Whether the estimates are above the limits, without their errors."""
        return self.at_least or self.memory > memory or self.splits > splits

    def boxes_alone(self) -> Size:
        """The size if each box occurred in one state."""
        splits = self.splits * self.boxes / self.items
        return replace(self, items=self.boxes, splits=splits, memory=_of_items(self.boxes))

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON."""
        return {
            "boxes": self.boxes,
            "items": self.items,
            "splits": self.splits,
            "bytes": self.memory,
            "error": self.error,
            "at_least": self.at_least,
            "seconds": self.seconds,
            "most_seconds": self.most_seconds,
        }

    @property
    def vast(self) -> bool:
        """Whether no machine holds it."""
        return self.memory >= 2**50

    @property
    def in_boxes(self) -> str:
        """The number of boxes, as text."""
        if self.vast:
            return f"10^{math.floor(math.log10(self.boxes))} boxes"
        about = "more than" if self.at_least else "about"
        pairs = f", {_rounded(self.items)} pairs of box and state" * (self.items != self.boxes)
        return f"{about} {_rounded(self.boxes)} boxes{pairs}"

    def __str__(self) -> str:
        if self.vast:
            return f"far too large ({self.in_boxes})"
        return f"{self.in_boxes}, {format_bytes(self.memory)}"


def estimate_size(problem: Problem) -> Size | None:
    """The size of exact sums over a problem; None without the compiled core."""
    if problem.core is None:
        return None
    return size_of(problem.core, problem.grammar, problem.table)


def size_for(problem: Problem, memory: float, splits: float) -> Size | None:
    """The size, as exactly as needed to decide whether a pass `fits`; None without the compiled
    core. A few milliseconds suffice for problems that are far too large or small enough."""
    engine, grammar, table = problem.core, problem.grammar, problem.table
    if engine is None:
        return None
    rough = size_of(engine, grammar, table, ROUGH)
    if isinstance(grammar.states, OpenStates):
        # Many states are listed only if there are few enough boxes for a pass to fit.
        if rough.at_least or rough.boxes_alone().exceeds(memory, splits):
            return rough
        try:
            listed = problem.on(grammar.listed())
        except UnsupportedError:
            return replace(rough, at_least=True)
        return size_for(listed, memory, splits)
    small = rough.fits(memory / _FAR, splits / _FAR)
    return (
        rough
        if small or rough.exceeds(memory * _FAR, splits * _FAR)
        else size_of(engine, grammar, table)
    )


def size_of(engine: Any, grammar: TreeGrammar, table: Table, work: float = _FINE) -> Size:
    """The size of the problem of an `ExactEngine` of a grammar on a table."""
    boxes, unlimited, error, states, splits, at_least = engine.estimate_boxes(work, _SEED)
    items = boxes * states
    per_box = 0 if at_least else engine.values_per_box()
    excludes = grammar.min_leaf > 1 or grammar.min_weight is not None
    if per_box:
        vector = _WORD * (per_box + 1) if per_box > 1 else 0
        # Interval blocks omit boxes that `min_leaf` excludes, but visit some more than once: 2 to
        # 15 times the boxes on the tables tried, for a min_leaf of 2 to 29.
        visited = min(3 * unlimited, 10 * boxes) if excludes else unlimited
        memory = visited * (_BYTES_PER_ITEM + _BYTES_PER_BOX + vector)
        splits_in_all = visited * splits
    else:
        memory, splits_in_all = _of_items(items), items * splits
    summary_memory = 2.0 * memory  # uses of features: a derivative beside each value
    seconds = seconds_of(boxes, unlimited, items, splits, per_box, grammar, table)
    return Size(
        boxes, items, splits_in_all, round(memory), error, at_least, seconds, summary_memory
    )


def seconds_of(
    boxes: float,
    unlimited: float,
    items: float,
    splits: float,
    per_box: int,
    grammar: TreeGrammar,
    table: Table,
) -> float:
    """Approximate seconds of one core for a whole summary: the passes for evidence (two if the
    grammar does not normalise), best tree and number of trees, and the uses of features, which take
    as long as several passes.

    Measurements are in docs/notes/exact-passes.md.
    """
    d = len(table.features)
    rows = 1 + len(table.counts) / 2000
    passes = 3 + (not grammar.normalised or grammar.max_leaves is not None)
    if not per_box:
        # Splits that depth and `min_leaf` exclude are not followed, although `splits` counts them.
        gone_through = splits * min(1.0, boxes / max(1.0, unlimited))
        return items * rows * (1.5e-6 + gone_through * 5e-8) * (passes + 2)
    # Interval blocks follow what depth excludes. One look-up serves as many boxes as the inner
    # feature has values.
    values = [f.n_codes for f in table.features if f.levels is None and f.n_codes <= _MOST_INNER]
    a_pass = unlimited * rows * (8e-6 / max([4, *values]) + splits * per_box * 1e-9)
    rules = (rule for _, rule in grammar.rules() if isinstance(rule, SplitRule))
    if any(rule.measure == "partition" for rule in rules):
        a_pass *= 3  # each split is looked up among those that part the rows alike
    return a_pass * (passes + 2 + 0.45 * d)


def _one_digit(seconds: float, toward: Callable[[float], int]) -> float:
    """Seconds rounded to one digit, to whole minutes, to tens of minutes or to hours."""
    if seconds <= 0:
        return 0.0
    unit = 10.0 ** math.floor(math.log10(seconds)) if seconds < 60 else 60.0
    if seconds >= 600:
        unit = 600.0 if seconds < 3600 else 3600.0
    return float(toward(seconds / unit) * unit)


def _of_items(items: float) -> int:
    """Bytes of a pass that goes item by item."""
    return round(items * _BYTES_PER_ITEM)


def _rounded(number: float) -> str:
    """Two significant digits: `88,000`, `3.1e+12`."""
    return f"{float(f'{number:.2g}'):,.0f}" if number < 1e9 else f"{number:.1e}"
