"""The estimated size of exact sums, and changes of a program that would make them fit. The exact
engine estimates them; the choice of an engine keeps them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from slp.budgets.memory import format_bytes
from slp.budgets.seconds import format_seconds

__all__ = ["BYTES_PER_ITEM", "MOST_SPLITS", "Fit", "Size", "bytes_of_items"]

#: The most splits of a pass under `auto`: half an hour of one core if the pass goes item by item,
#: one or two minutes if it goes by interval blocks
#: (`native/core/exact/interval_blocks/search.hpp`).
MOST_SPLITS = 1e10

#: Bytes at the peak, measured (docs/design/exact-passes.md). A table with one word a value takes
#: three words for an item, with its free slots and the copy of a sixteenth of it while it grows.
BYTES_PER_ITEM = 52
# The time of a summary is its estimate, within this factor.
_SPREAD = 3.0


@dataclass(frozen=True)
class Size:
    """Estimated number of boxes, and of items: boxes in states.

    `splits` is the approximate number of splits of all items, `memory` the approximate peak bytes
    of one pass over totals that keeps every item. `error` is the relative standard error of
    `boxes`, and of all that depends on it. With `at_least` the count was stopped, and there are
    more. `seconds` is what a whole summary takes on one core, within a factor of
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
        return replace(self, items=self.boxes, splits=splits, memory=bytes_of_items(self.boxes))

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


@dataclass(frozen=True)
class Fit:
    """A directive as text, the size of the problem with it, and the declaration that it replaces
    (None: the program has none)."""

    directive: str
    size: Size
    instead: str | None = None

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON."""
        return {"directive": self.directive, **self.size.to_dict()}

    def __str__(self) -> str:
        return f"`{self.directive}` ({self.size}, {self.size.in_seconds})"


def bytes_of_items(items: float) -> int:
    """Bytes of a pass that goes item by item."""
    return round(items * BYTES_PER_ITEM)


def _one_digit(seconds: float, toward: Callable[[float], int]) -> float:
    """Seconds rounded to one digit, to whole minutes, to tens of minutes or to hours."""
    if seconds <= 0:
        return 0.0
    unit = 10.0 ** math.floor(math.log10(seconds)) if seconds < 60 else 60.0
    if seconds >= 600:
        unit = 600.0 if seconds < 3600 else 3600.0
    return float(toward(seconds / unit) * unit)


def _rounded(number: float) -> str:
    """Two significant digits: `88,000`, `3.1e+12`."""
    return f"{float(f'{number:.2g}'):,.0f}" if number < 1e9 else f"{number:.1e}"
