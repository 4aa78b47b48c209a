"""Every outcome of a random function, one after the other, with the probability of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class EveryOutcome:
    """Follows a script of outcomes; beyond its end takes the first, and notes what else there was.

    `alternatives[i]` are the outcomes of decision i that have not been tried, with probability.
    """

    def __init__(self, script: Sequence[tuple[int, float]]) -> None:
        self._script = script
        self.taken: list[tuple[int, float]] = []
        self.alternatives: list[list[tuple[int, float]]] = []

    def _decide(self, probabilities: Sequence[float]) -> int:
        place = len(self.taken)
        if place < len(self._script):
            self.alternatives.append([])
        else:
            possible = [(i, p) for i, p in enumerate(probabilities) if p > 0]
            self.alternatives.append(possible[1:])
            self._script = [*self._script, possible[0]]
        self.taken.append(self._script[place])
        return self._script[place][0]

    @property
    def probability(self) -> float:
        product = 1.0
        for _, p in self.taken:
            product *= p
        return product

    def among(self, cumulative: Sequence[float]) -> int:
        before = (0.0, *cumulative[:-1])
        return self._decide(
            [(c - b) / cumulative[-1] for b, c in zip(before, cumulative, strict=True)]
        )

    def index(self, n: int) -> int:
        return self._decide([1 / n] * n)

    def happens(self, probability: float) -> bool:
        return bool(self._decide([1 - probability, probability]))


def outcomes(function: Callable[[EveryOutcome], T]) -> list[tuple[float, T]]:
    """All outcomes of a random function, with probabilities."""
    out = []
    scripts: list[list[tuple[int, float]]] = [[]]
    while scripts:
        script = scripts.pop()
        randomness = EveryOutcome(script)
        result = function(randomness)
        out.append((randomness.probability, result))
        for place in range(len(script), len(randomness.taken)):
            scripts += [
                [*randomness.taken[:place], other] for other in randomness.alternatives[place]
            ]
    return out
