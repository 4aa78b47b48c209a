"""The random choices of a transition, behind a protocol.

A run answers them by a random number generator. Tests answer with every outcome, one after the
other and with its probability: this gives the exact transition matrix of the code that runs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Randomness(Protocol):
    """The random choices that a transition may make."""

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


class RandomNumbers:
    """Randomness by a generator."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def among(self, cumulative: Sequence[float]) -> int:
        """See `Randomness`."""
        if len(cumulative) == 1:
            return 0
        place = bisect_right(cumulative, self._rng.random() * cumulative[-1])
        return min(place, len(cumulative) - 1)

    def index(self, n: int) -> int:
        """See `Randomness`."""
        return int(self._rng.integers(n)) if n > 1 else 0

    def happens(self, probability: float) -> bool:
        """See `Randomness`."""
        return probability >= 1.0 or bool(self._rng.random() < probability)
