"""Quantiles of a mixture of leaf predictives."""

from __future__ import annotations

import numpy as np

from slp.infer.distribution import LeafMixture
from slp.leaves.base import LeafModel

__all__ = ["mixture_quantile"]


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
