"""How large a problem is for the compiled engine, estimated before it is run.

The method is in `native/core/exact/estimate.hpp`: a random search for boxes that is without bias
where nothing but the table limits them. It takes a few tenths of a second at most and, having a
seed of its own, gives the same numbers each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slp.data.table import Table
from slp.infer.compiled.problem import core_problem
from slp.infer.memory import format_bytes
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.exact import exact_kernels

__all__ = ["BYTES_PER_ITEM", "Size", "estimate_size", "size_of"]

#: Of the table of one pass over plain totals, box by box: two words of key and one of value, with
#: the room that a table leaves free.
BYTES_PER_ITEM = 42

_WORK = 1e7
_SEED = 1


@dataclass(frozen=True)
class Size:
    """Estimated number of boxes, and of items: pairs of a box and a state that it is met in.

    `error` is the relative standard error of `boxes`. If `at_least`, there are so many that no more
    were counted. `box_bytes` is what a pass over totals takes for each box with all its states,
    where it goes family by family (`native/core/exact/families.hpp`), else 0.
    """

    boxes: float
    items: float
    error: float
    at_least: bool
    box_bytes: float = 0.0

    @property
    def memory(self) -> int:
        """Bytes that one pass over totals takes, about."""
        if self.box_bytes:
            return round(self.boxes * self.box_bytes)
        return round(self.items * BYTES_PER_ITEM)

    def __str__(self) -> str:
        about = "more than" if self.at_least else "about"
        in_states = self.items != self.boxes and not self.box_bytes
        pairs = f"{_rounded(self.items)} pairs of box and state, " * in_states
        return f"{about} {_rounded(self.boxes)} boxes, {pairs}{format_bytes(self.memory)}"


def estimate_size(grammar: TreeGrammar, table: Table) -> Size | None:
    """The size of a grammar on a table; None without the compiled engine."""
    core = exact_kernels()
    return None if core is None else size_of(core.ExactEngine(core_problem(core, grammar, table)))


def size_of(engine: Any) -> Size:
    """The size of the problem of an `ExactEngine`."""
    boxes, error, states, at_least = engine.estimate_boxes(_WORK, _SEED)
    return Size(boxes, boxes * states, error, at_least, engine.bytes_per_box())


def _rounded(number: float) -> str:
    """Two digits that mean something: `88,000`, `3.1e+12`."""
    return f"{float(f'{number:.2g}'):,.0f}" if number < 1e9 else f"{number:.1e}"
