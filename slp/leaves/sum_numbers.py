"""What the leaf models of sums of trees share: numbers by name, and what they take from data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from slp.leaves.numbers import check_numbers
from slp.messages.numbers import number_text


@dataclass(frozen=True)
class SumNumbers:
    """The numbers of a leaf model of sums, by name.

    Attributes
    ----------
    given : those that the program declares, or the defaults, by name.
    used : those that the prior has, by name: the variance of the noise has `sigma`, or `nu` and
        `lambda`; classes have neither.
    """

    given: Mapping[str, float]
    used: Mapping[str, float]

    @property
    def center(self) -> float:
        """What is added to the values of leaves: the mean of numbers, or the offset."""
        return self.used["mean"] if "mean" in self.used else self.used["offset"]

    @property
    def of_response(self) -> bool:
        """Whether the response was looked at."""
        return "k" in self.given

    def to_plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"given": dict(self.given), "used": dict(self.used)}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any], real: str, others: tuple[str, ...]) -> SumNumbers:
        """The numbers that `to_plain` made the data from. ValueError: they are none. `real` is a
        number of any sign, `others` are above 0 where they are there."""
        used = data["used"]
        if not {real, "tau"} <= set(used) <= {real, "tau", *others}:
            raise ValueError("numbers of the leaf model are missing")
        check_numbers([used[real]], positive=False)
        check_numbers([value for name, value in used.items() if name != real], positive=True)
        check_numbers(list(data["given"].values()), positive=False)
        return cls(dict(data["given"]), dict(used))


class SumLeaf(Protocol):
    """A leaf model of sums."""

    numbers: SumNumbers


def in_words(numbers: Mapping[str, float]) -> str:
    """`mean = 0, tau = 0.5`."""
    return ", ".join(f"{name} = {number_text(value)}" for name, value in numbers.items())


def scale_of_value(half_width: float, k: float, trees: int) -> float:
    """tau: k standard deviations of the sum of so many values reach over half of a width (Chipman,
    George & McCulloch 2010, section 2.2)."""
    return half_width / (k * math.sqrt(trees))
