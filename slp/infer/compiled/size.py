"""How large a problem is for the compiled engine, estimated before it is run.

The method is in `native/core/exact/estimate.hpp`: a random search for boxes that is without bias
where nothing but the table limits them. It takes a few tenths of a second, on tables of tens of
thousands of rows a second or two, and, having a seed of its own, gives the same numbers each time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from slp.data.table import Table
from slp.errors import UnsupportedError
from slp.infer.compiled.problem import core_problem
from slp.infer.memory import format_bytes
from slp.ir.tree_grammar import OpenStates, TreeGrammar
from slp.kernels.exact import exact_kernels

__all__ = ["MOST_SPLITS", "Size", "estimate_size", "size_for", "size_of"]

#: What `auto` lets a pass go through: half an hour of one core where a pass goes item by item, one
#: or two minutes where it goes by family (`native/core/exact/families.hpp`).
MOST_SPLITS = 1e10

# Bytes at the peak, measured (docs/performance.md). Of a table of one word a value: three words for
# an item, with the room that it leaves free and the copy of a sixteenth of it while it grows.
_BYTES_PER_ITEM = 52
# Of the sums that are kept by family until the last is done; a vector has a word for each place.
_BYTES_PER_BOX, _WORD = 30, 8

_ROUGH, _FINE, _SEED = 2e5, 1e7, 1
# A rough estimate is enough if what it says is this far from what there is room for.
_FAR = 8.0


@dataclass(frozen=True)
class Size:
    """Estimated number of boxes, and of items: pairs of a box and a state that it is met in.

    `splits` are those of all items together, `memory` the bytes that one pass over totals takes at
    its peak, with every item kept; both about. `error` is the relative standard error of `boxes`,
    and of all that comes from it. If `at_least`, there are so many that no more were counted.
    `seconds` is what a summary takes (`seconds_of`), within a factor of three or so.
    """

    boxes: float
    items: float
    splits: float
    memory: int
    error: float
    at_least: bool = False
    seconds: float = 0.0

    def fits(self, memory: float, splits: float = MOST_SPLITS) -> bool:
        """Whether a pass stays within bytes and splits, two standard errors allowed for."""
        most = 1 + 2 * self.error
        return not self.at_least and self.memory * most <= memory and self.splits * most <= splits

    def exceeds(self, memory: float, splits: float) -> bool:
        """Whether the numbers themselves are above what there is, errors left aside."""
        return self.at_least or self.memory > memory or self.splits > splits

    def boxes_alone(self) -> Size:
        """The size if each box were met in one state."""
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
        }

    @property
    def vast(self) -> bool:
        """Whether no machine holds it."""
        return self.memory >= 2**50

    @property
    def in_boxes(self) -> str:
        """How many boxes, in words."""
        if self.vast:
            return f"10^{math.floor(math.log10(self.boxes))} boxes"
        about = "more than" if self.at_least else "about"
        pairs = f", {_rounded(self.items)} pairs of box and state" * (self.items != self.boxes)
        return f"{about} {_rounded(self.boxes)} boxes{pairs}"

    def __str__(self) -> str:
        if self.vast:
            return f"far too large ({self.in_boxes})"
        return f"{self.in_boxes}, {format_bytes(self.memory)}"


def estimate_size(grammar: TreeGrammar, table: Table) -> Size | None:
    """The size of a grammar on a table; None without the compiled engine."""
    core = exact_kernels()
    if core is None:
        return None
    return size_of(core.ExactEngine(core_problem(core, grammar, table)), grammar.min_leaf)


def size_for(grammar: TreeGrammar, table: Table, memory: float, splits: float) -> Size | None:
    """The size as far as it must be known to say whether a pass `fits`; None without the compiled
    engine. What is small or large by far is told in a few milliseconds."""
    core = exact_kernels()
    if core is None:
        return None
    engine = core.ExactEngine(core_problem(core, grammar, table))
    rough = size_of(engine, grammar.min_leaf, _ROUGH)
    if isinstance(grammar.states, OpenStates):
        # Many states are listed only where the boxes are so few that a pass may fit.
        if rough.at_least or rough.boxes_alone().exceeds(memory, splits):
            return rough
        try:
            grammar = grammar.listed()
        except UnsupportedError:
            return replace(rough, at_least=True)
        return size_for(grammar, table, memory, splits)
    small = rough.fits(memory / _FAR, splits / _FAR)
    return (
        rough
        if small or rough.exceeds(memory * _FAR, splits * _FAR)
        else size_of(engine, grammar.min_leaf)
    )


def size_of(engine: Any, min_leaf: int = 1, work: float = _FINE) -> Size:
    """The size of the problem of an `ExactEngine` under `min_leaf`."""
    boxes, unlimited, error, states, splits, at_least = engine.estimate_boxes(work, _SEED)
    items = boxes * states
    places = 0 if at_least else engine.family_places()
    if places:
        vector = _WORD * (places + 1) if places > 1 else 0
        # Families stop short of boxes that `min_leaf` keeps out, but meet some more than once:
        # 2 to 15 times the boxes on the tables that were tried, for a min_leaf of 2 to 29.
        visited = unlimited if min_leaf == 1 else min(3 * unlimited, 10 * boxes)
        memory = visited * (_BYTES_PER_ITEM + _BYTES_PER_BOX + vector)
        splits_in_all = visited * splits
    else:
        memory, splits_in_all = _of_items(items), items * splits
    seconds = seconds_of(boxes, items, splits_in_all, places)
    return Size(boxes, items, splits_in_all, round(memory), error, at_least, seconds)


def seconds_of(boxes: float, items: float, splits: float, places: int) -> float:
    """Seconds that the passes of a summary take together, about: evidence, best tree, number of
    trees, uses of features. The rates were measured on two cores, on ten programs and tables of up
    to a thousand rows, of which nine took a third to three times what this says."""
    if places:
        return boxes * 1e-6 + splits * 5e-8 * (1 + places / 8)
    return items * 5e-6 + splits * 8e-9


def _of_items(items: float) -> int:
    """Bytes of a pass that goes item by item."""
    return round(items * _BYTES_PER_ITEM)


def _rounded(number: float) -> str:
    """Two digits that mean something: `88,000`, `3.1e+12`."""
    return f"{float(f'{number:.2g}'):,.0f}" if number < 1e9 else f"{number:.1e}"
