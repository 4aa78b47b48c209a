"""The powers of a ladder: how they are spaced, and how many there are.

With r_j the mean probability that the swap of rungs j and j + 1 is rejected, the barrier up to
power b_j is B(b_j) = r_0 + ... + r_j-1. It hardly depends on the spacing. Powers at which B grows
by equal steps have equal rejections, which gives the most round trips (Syed et al. 2022, section
5.2, algorithms 2 and 3).

Two chains have power 1. They swap after every second scan, so the draws are of both in turn, and
are less alike (docs/design/tempering.md).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

#: Rungs before the barrier is known, and the fewest after that.
FIRST_RUNGS, FEWEST_RUNGS = 12, 6
#: Powers start as (j / N)^5 (Friel & Pettitt 2008, Marginal likelihood estimation via power
#: posteriors, JRSS B 70).
_EXPONENT = 5
#: Added to each rejection in shares of the barrier, so that B grows everywhere.
_LEAST = 1e-3


def first_powers(n: int) -> NDArray[np.float64]:
    """Powers of n rungs, from 0 to 1, of which nothing is known; shape (n + 1,): the last stands
    twice."""
    return np.append(np.linspace(0.0, 1.0, n) ** _EXPONENT, 1.0)


def respaced(
    powers: NDArray[np.float64], rejections: NDArray[np.float64], n: int
) -> NDArray[np.float64]:
    """Powers of n rungs, from 0 to 1, with equal steps of the barrier, shape (n + 1,).

    `powers`, shape (N + 1,), and `rejections`, mean probabilities, shape (N,): of the round before.
    The last power stands twice. Between the powers the barrier is interpolated linearly, so it is
    monotone.
    """
    powers, rejections = powers[:-1], rejections[:-1]
    floor = _LEAST * max(float(rejections.sum()), _LEAST) / len(rejections)
    barrier = np.concatenate([[0.0], np.cumsum(rejections + floor)])
    out = np.interp(np.linspace(0.0, barrier[-1], n), barrier, powers)
    out[0], out[-1] = 0.0, 1.0
    return np.append(out, 1.0)


def rungs_for(barrier: float, most: int) -> int:
    """How many rungs: about twice the barrier (Syed et al. 2022, section 5.3)."""
    return min(max(FEWEST_RUNGS, math.ceil(2 * barrier) + 1), max(2, most))


def nearest(old: NDArray[np.float64], new: NDArray[np.float64]) -> list[int]:
    """For each new power the number of the old rung whose power is nearest."""
    return [int(np.argmin(np.abs(old - power))) for power in new]
