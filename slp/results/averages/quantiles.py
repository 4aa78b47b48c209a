"""Quantiles of mixtures of leaves: of the response, and of the probability of a class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.late import late_import
from slp.leaves.base import LeafModel


@dataclass(frozen=True, eq=False)
class LeafMixture:
    """The leaves that a new row may end in: their probability, float64, shape (J,), and their
    statistics, shape (J, k). A leaf is a box; a box occurs once or more often."""

    probability: NDArray[np.float64]
    statistics: NDArray[np.float64]


def medians(leaf: LeafModel, mixtures: Iterable[LeafMixture]) -> NDArray[np.float64]:
    """The median of each of m mixtures, shape (m, 1), as `TreeAverages.predictions` has it."""
    found = [mixture_quantile(leaf, mixture, 0.5) for mixture in mixtures]
    return np.array(found, np.float64).reshape(-1, 1)


def mixture_quantile(leaf: LeafModel, mixture: LeafMixture, probability: float) -> float:
    """The least y whose mixture distribution function reaches `probability`, to the last digit.

    By bisection, so that steps (counts) are met exactly. inf if no float reaches it.
    """

    def reached(y: float) -> bool:
        at_most_y = leaf.cdf(mixture.statistics, np.array(y))
        return float(np.dot(mixture.probability, at_most_y)) >= probability

    low, high = -1.0, 1.0
    while reached(low) and low > -np.inf:
        low, high = 2 * low, low
    while not reached(high):
        low, high = high, 2 * high
        if high == np.inf:
            return high
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def class_quantile(
    leaf: LeafModel, mixture: LeafMixture, outcome: int, probability: float
) -> float:
    """The p that the probability of a class (its index) is at most with `probability`, where the
    leaf is drawn from the mixture and the class probabilities from their posterior there: the root
    of a mixture of beta distribution functions, which are continuous, within 1e-14. The probability
    of a class that is the only one is 1."""
    if len(leaf.classes) == 1:
        return 1.0
    brentq = late_import("scipy.optimize").brentq

    def excess(p: float) -> float:
        at_most_p = leaf.class_cdf(mixture.statistics, outcome, p)
        return float(np.dot(mixture.probability, at_most_p)) - probability

    if excess(0.0) >= 0:
        return 0.0
    if excess(1.0) <= 0:
        return 1.0
    return float(brentq(excess, 0.0, 1.0, xtol=1e-14))
