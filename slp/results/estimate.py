"""A number, and how far it can be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

#: What a number is: known, between certain bounds, estimated from draws, or of the trees found
#: alone.
Kind: TypeAlias = Literal["exact", "bounds", "estimate", "found"]


@dataclass(frozen=True)
class Estimate:
    """A number, and how far it can be trusted.

    Attributes
    ----------
    value : the number; of bounds, their middle.
    error : its Monte Carlo standard error; 0 where it is exact or bounded, NaN where the draws do
        not tell.
    low, high : bounds on it, or the ends of its 95 % interval.
    kind : what it is.
    """

    value: float
    error: float
    low: float
    high: float
    kind: Kind

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """A number that is known."""
        return cls(value, 0.0, value, value, "exact")

    @classmethod
    def drawn(cls, value: float, error: float) -> Estimate:
        """A number that draws show, with the standard error of that."""
        return cls(value, error, value - 1.96 * error, value + 1.96 * error, "estimate")

    @classmethod
    def of_trees_found(cls, value: float) -> Estimate:
        """A number of the trees that were grown or searched, which tells none of the posterior."""
        return cls(value, math.nan, -math.inf, math.inf, "found")


def with_error(value: float, error: float | None, *, drawn: bool = True) -> str:
    """A number as text, with its Monte Carlo error where it is of draws."""
    if not drawn:
        return f"{value:.4f}"
    known = error is not None and math.isfinite(error)
    return f"{value:.4f} +- {error:.4f}" if known else f"{value:.4f} +- ?"
