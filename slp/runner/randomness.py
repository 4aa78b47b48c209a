"""All randomness of a transition passes through one small door.

The engine stands a random number generator behind it. Tests stand every outcome there, one after
the other with its probability, and so get the exact transition matrix of the very code that runs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol

import numpy as np

__all__ = ["Chance", "RandomChance"]


class Chance(Protocol):
    """What a transition may ask of chance."""

    def among(self, cumulative: Sequence[float]) -> int:
        """An index; index i has probability (cumulative[i] - cumulative[i - 1]) / cumulative[-1],
        with 0 before the first."""
        ...

    def index(self, n: int) -> int:
        """0 to n - 1, each with the same probability."""
        ...

    def happens(self, probability: float) -> bool:
        """True with a probability."""
        ...


class RandomChance:
    """Chance by a generator."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def among(self, cumulative: Sequence[float]) -> int:
        """See `Chance`."""
        if len(cumulative) == 1:
            return 0
        place = bisect_right(cumulative, self._rng.random() * cumulative[-1])
        return min(place, len(cumulative) - 1)

    def index(self, n: int) -> int:
        """See `Chance`."""
        return int(self._rng.integers(n)) if n > 1 else 0

    def happens(self, probability: float) -> bool:
        """See `Chance`."""
        return probability >= 1.0 or bool(self._rng.random() < probability)
