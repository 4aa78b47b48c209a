"""Functions that the normal models share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.leaves.declared import Observed
from slp.leaves.numbers import check_numbers


def default_numbers(observed: Observed) -> tuple[float, float, float, float]:
    """mu, kappa, alpha, beta of a normal model for a response: mean(y), 0.1, 3, var(y) / 10, where
    var is the mean squared deviation, or 1 if all responses are equal.

    Then the prior mean of the variance within a leaf is var(y) / 20, with the weight of 2 alpha = 6
    rows. It is smaller than var(y), because a leaf varies less than the whole response. With the
    total variance, intervals were too wide (docs/design/leaves.md).
    """
    mean, variance = observed.mean, 0.0
    if len(observed.y):
        variance = float(np.average((observed.y - mean) ** 2, weights=observed.weights))
    return mean, 0.1, 3.0, 0.1 * (variance or 1.0)


def change_by_rounding(
    distances: NDArray[np.float64], weights: NDArray[np.float64], alpha: float, beta: float
) -> NDArray[np.float64]:
    """`LeafModel.rounding` of a variance ~ InverseGamma(alpha, beta).

    The sum of squares about its mean, of a leaf whose rows have one response, is a difference of
    two sums of w (y - ref)^2, so it is off by an ulp of these. The log marginal has -(alpha + w/2)
    log(beta + half of it).
    """
    bound = (alpha + weights / 2) * weights * distances**2 * np.finfo(float).eps / beta
    return np.asarray(bound)


def known_numbers(data: Mapping[str, Any]) -> list[float]:
    """The hyperparameters in plain data, of which the first is a mean, once they are sound."""
    centre, *others = data["hyperparameters"]
    check_numbers(others, positive=True)
    check_numbers([centre, data["ref"]], positive=False)
    return [centre, *others]
