"""The boxes of a program, and what a table has at their ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slp.messages.numbers import number_text
from slp.source import SourceSpan, visible


@dataclass(frozen=True)
class Box:
    """A named box: `bounds[feature] = (min, max)` means min <= feature < max. `named[feature]` are
    the ends that the program gives as levels of an ordinal feature, by the number that stands for
    them."""

    name: str
    bounds: Mapping[str, tuple[float, float]]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    named: Mapping[str, Mapping[float, str]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def end_text(self, feature: str, end: float) -> str:
        """An end in a feature as the program says it: a number, or a level."""
        name = self.named.get(feature, {}).get(end)
        return number_text(end) if name is None else visible(name)

    def meets(self, other: Box) -> bool:
        """Whether the two have a point in common."""
        free = (-math.inf, math.inf)
        for feature in {*self.bounds, *other.bounds}:
            low, high = self.bounds.get(feature, free)
            other_low, other_high = other.bounds.get(feature, free)
            if low >= other_high or other_low >= high:
                return False
        return True

    def lies_inside(self, other: Box) -> bool:
        """Whether every point of it is one of the other's."""
        free = (-math.inf, math.inf)
        return all(
            low <= self.bounds.get(f, free)[0] and self.bounds.get(f, free)[1] <= high
            for f, (low, high) in other.bounds.items()
        )

    def to_plain(self) -> dict[str, Any]:
        """The box as plain data, with None for an infinite end."""
        bounds = {
            f: [None if math.isinf(end) else end for end in ends] for f, ends in self.bounds.items()
        }
        return {"name": self.name, "bounds": bounds}


@dataclass(frozen=True)
class BoxEnd:
    """An end of a box in one feature, and the split that separates the rows of a table there.

    Attributes
    ----------
    bounds : both ends, of which `end` is one.
    threshold, words : of the split, as number and as text.
    between : what it lies between, in words.
    empty : whether no row has a value between the two ends.
    """

    box: Box
    feature: str
    bounds: tuple[float, float]
    end: float
    threshold: float
    words: str
    between: str
    empty: bool

    @property
    def is_cut(self) -> bool:
        """Whether the threshold lies inside the box."""
        return self.bounds[0] < self.threshold < self.bounds[1]

    @property
    def is_missed_inside(self) -> bool:
        """Whether the nodes on the box's side of the threshold reach beyond the box."""
        if self.end == self.bounds[0]:
            return self.threshold < self.end and not self.empty
        return self.threshold > self.end

    @property
    def values(self) -> dict[str, Any]:
        """What messages say of it."""
        return {
            "box": self.box.name,
            "feature": self.feature,
            "end": self.box.end_text(self.feature, self.end),
            "between": self.between,
            "threshold": self.words,
        }
