"""The random choices of a move, drawn or given.

A move is one function that makes choices through a `Chooser`. With `DrawnChoices` the choices are
random, and their log probability is summed. With `Given` they are the choices of the reverse move;
the same function then computes their probability and the resulting tree.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

from slp.reference.local_process import cumulated
from slp.runner.randomness import Randomness

T = TypeVar("T", bound=Hashable)


class Chooser(Protocol):
    """Makes the choices of a move.

    Attributes
    ----------
    log_probability : log of the probability of the choices made so far.
    """

    log_probability: float

    def among(self, items: Sequence[T], log_weights: Sequence[float] | None = None) -> T:
        """Choose one of different items (at least one): in proportion to weights that are not all
        zero, or uniformly."""
        ...


class UnavailableError(Exception):
    """A given choice is not among the items."""


class DrawnChoices:
    """Choices drawn at random."""

    def __init__(self, randomness: Randomness) -> None:
        self._randomness = randomness
        self.log_probability = 0.0

    def among(self, items: Sequence[T], log_weights: Sequence[float] | None = None) -> T:
        """See `Chooser`."""
        sums, log_total = _weighed(items, log_weights)
        if log_weights is None:
            i = self._randomness.index(len(items))
        else:
            i = self._randomness.among(sums)
        self.log_probability += (log_weights[i] if log_weights else 0.0) - log_total
        return items[i]


class Given:
    """Choices given one after the other. Raises `UnavailableError` if one is not among the
    items."""

    def __init__(self, choices: Sequence[Hashable]) -> None:
        self._left = list(reversed(choices))
        self.log_probability = 0.0

    def among(self, items: Sequence[T], log_weights: Sequence[float] | None = None) -> T:
        """See `Chooser`."""
        wanted = self._left.pop()
        if wanted not in items:
            raise UnavailableError
        i = items.index(wanted)
        _, log_total = _weighed(items, log_weights)
        self.log_probability += (log_weights[i] if log_weights else 0.0) - log_total
        return items[i]


def _weighed(
    items: Sequence[T], log_weights: Sequence[float] | None
) -> tuple[tuple[float, ...], float]:
    return cumulated([0.0] * len(items) if log_weights is None else log_weights)
