"""Sums over the proofs of goals under labels that change: what learning asks of tables and of the
search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.resolution.proofs.choices import Outcome
from slp.resolution.proofs.masses import Mass

Numbers: TypeAlias = NDArray[np.float64]


class ProofSums(Protocol):
    """Sums over the proofs of R goals. D outcomes, X exits."""

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """The clauses that derivations take, with their labels. More may come with `weigh`."""
        ...

    @property
    def exits(self) -> Sequence[tuple[int, ...]]:
        """The outcomes at stochastic goals."""
        ...

    def weigh(self, value: Callable[[Outcome], float]) -> Weighed:
        """The sums where outcomes have these probabilities.

        Raises
        ------
        SlpError
            Proofs cannot be summed.
        """
        ...


class Weighed(Protocol):
    """Sums under given labels, until the next ones are made of the same `ProofSums`."""

    @property
    def success(self) -> Sequence[Mass]:
        """The mass of the proofs of each goal."""
        ...

    def succeeding(self, weights: Numbers) -> Numbers:
        """How often proofs take each outcome, in expectation: summed over the goals with their
        weights, shape (R,) to shape (D,)."""
        ...

    def failing(self) -> tuple[Numbers, Numbers]:
        """Of one goal: how often failed derivations take each outcome, shape (D,), and are lost at
        each exit, shape (X,), summed with their masses, divided by the mass of success."""
        ...
