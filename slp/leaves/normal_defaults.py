"""Functions that the normal models share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.leaves.declared import Observed
from slp.leaves.numbers import check_numbers


def moments(observed: Observed) -> tuple[float, float, float]:
    """The number of rows (the sum of their weights), their mean, and their mean squared deviation,
    or 1 if all responses are equal."""
    n = len(observed.y) if observed.weights is None else float(np.sum(observed.weights))
    mean, variance = observed.mean, 0.0
    if len(observed.y):
        variance = float(np.average((observed.y - mean) ** 2, weights=observed.weights))
    return n, mean, variance or 1.0


#: The default beta of large tables, and of leaves that are lines, as a share of the variance.
SHARE = 0.1


def share_of_variance(n: float) -> float:
    """The default beta of n rows, as a share of their variance: near 3 up to 20 rows, 0.1 from some
    hundreds on.

    The prior mean of the variance within a leaf is beta / 2. On large tables it is a twentieth of
    the variance, as leaves vary less than the whole response: with all of it, intervals are too
    wide. On small ones it is all of the variance and a half: with less, trees follow the noise, and
    intervals are far too narrow (docs/design/leaves.md).
    """
    return SHARE + 2.9 / (1 + (n / 50) ** 3)


def default_numbers(observed: Observed, share: float) -> tuple[float, float, float, float]:
    """mu, kappa, alpha, beta of a normal model for a response: its mean, 0.1, 3 (so the variance
    within a leaf has the weight of 6 rows), and a share of its variance."""
    _, mean, variance = moments(observed)
    return mean, 0.1, 3.0, share * variance


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


def is_of_response(data: Mapping[str, Any]) -> bool:
    """Whether the numbers in plain data were taken from the response; older files do not say."""
    found = data.get("of_response", False)
    if not isinstance(found, bool):
        raise ValueError("`of_response` is true or false")
    return found
