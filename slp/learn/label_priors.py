"""Dirichlet priors of labels that sum to 1, with one concentration a for all labels of a set.

The density of K labels is Gamma(K a) / Gamma(a)^K times the product of label^(a - 1). With a from 1
up it has one mode, and so has the likelihood of counts n times the prior:

    label(c) = (n(c) + a - 1) / sum of (n + a - 1)

Concentration 1 is the uniform prior, under which this is the maximum of the likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: The largest concentration. A log density is a difference of terms of this size times its
#: logarithm: it has an error of 1e-8, and the iterations compare log densities.
MOST_CONCENTRATION = 1e6


@dataclass(frozen=True)
class LabelPrior:
    """A prior with this concentration."""

    concentration: float

    def log_density(self, labels: Sequence[float]) -> float:
        """The log density of labels; that of concentration 1 is a constant, and left out."""
        a, k = self.concentration, len(labels)
        if a == 1:
            return 0.0
        if not all(labels):
            return -math.inf
        constant = math.lgamma(k * a) - k * math.lgamma(a)
        return constant + (a - 1) * math.fsum(map(math.log, labels))

    def mode(self, counts: Sequence[float]) -> list[float] | None:
        """The labels that maximise the likelihood of counts times the prior; None where neither
        says anything."""
        added = [n + self.concentration - 1 for n in counts]
        total = math.fsum(added)
        return [x / total for x in added] if total > 0 else None
