"""Stacking: weights by which members predict best together.

Yao, Vehtari, Simpson & Gelman (2018), Using stacking to average Bayesian predictive distributions,
Bayesian Analysis 13(3), section 3; of chains that do not mix Yao, Vehtari & Gelman (2022), Stacking
for non-mixing Bayesian computations, JMLR 23. With p_ik the predictive density of row i under
member k, the weights w of the simplex maximise

    f(w) = sum_i a_i log(sum_k w_k p_ik) / sum_i a_i

which is concave. EM for the shares of a mixture of known parts, w_k <- w_k g_k with the gradient
g_k = sum_i a_i p_ik / p_i / sum_i a_i, never lowers it. As sum_k w_k g_k = 1, the best value is at
most max_k g_k - 1 above f(w): EM stops where that is below `TOLERANCE`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: How far the mean log predictive density may be below the best one, and the most steps.
TOLERANCE, _MOST_STEPS = 1e-5, 20_000


def stacking_weights(
    log_densities: NDArray[np.float64], row_weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The weights of K members, shape (K,), from the log predictive densities of rows under each,
    shape (K, n), and the weights of rows, shape (n,), None if all count alike. Rows that no member
    thinks possible do not count; without any others all members have the same weight."""
    n_members, n = log_densities.shape
    weights = np.full(n_members, 1.0 / n_members)
    top = log_densities.max(axis=0, initial=-np.inf)
    possible = np.isfinite(top)
    shares = np.ones(n) if row_weights is None else row_weights
    shares = shares[possible] / max(shares[possible].sum(), np.finfo(np.float64).tiny)
    if not possible.any():
        return weights
    densities = np.exp(log_densities[:, possible] - top[possible])
    for _ in range(_MOST_STEPS):
        gradient = densities @ (shares / (weights @ densities))
        if gradient.max() <= 1.0 + TOLERANCE:
            break
        weights *= gradient
        weights /= weights.sum()
    return weights


def mean_log_density(
    log_densities: NDArray[np.float64],
    weights: NDArray[np.float64],
    row_weights: NDArray[np.float64] | None = None,
) -> float:
    """The mean over rows of the log density of the mixture of members; arguments as of
    `stacking_weights`."""
    with np.errstate(divide="ignore"):
        mixed = np.logaddexp.reduce(log_densities + np.log(weights)[:, None], axis=0)
    return float(np.average(mixed, weights=row_weights))
