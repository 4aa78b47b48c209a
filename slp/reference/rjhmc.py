"""The log density of soft trees, plainly: the specification of `native/core/rjhmc/model.hpp`.

It takes complex parameters, so a complex step gives its derivatives to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.rjhmc.soft_data import SoftData
from slp.late import late_import


def log_density(data: SoftData, features: NDArray[np.int32], q: NDArray[Any]) -> Any:
    """Log density of unconstrained parameters given a topology, with the likelihood (equations 10
    and 12 of Cochrane, Wills & Johnson), the priors and the Jacobians.

    `features` : of the nodes in preorder, -1 for a leaf; any number from 0 up in HMC-DFI. `q` : as
    in `native/core/rjhmc/model.hpp`, real or complex.
    """
    m = int((features >= 0).sum())
    n_rows, d = data.values.shape
    sticks = 0 if data.delta is None else d - 1
    out, h = 0.0, data.h
    if data.spread > 0:
        q, log_h = q[:-1], q[-1]
        out, h = _log_normal(log_h, np.log(data.h), data.spread), np.exp(log_h)
    tau = _logistic(q[:m])
    out += (_log_logistic(q[:m]) + _log_logistic(-q[:m])).sum()
    delta = None
    if data.delta is not None:
        delta, log_prior = _simplex(q[m : m + m * sticks].reshape(m, sticks), data.delta)
        out += log_prior
    phi = _leaves(data, features, tau, delta, h)
    if data.counts is not None and data.concentration is not None:
        return out + _dirichlet_multinomial(phi.T @ data.counts, data.concentration)
    assert data.rows is not None and data.mean is not None
    gamma = late_import("scipy.special").loggamma
    mu, log_variance = q[m + m * sticks : -1], q[-1]
    centre, spread, shape, scale = data.numbers
    out += _log_normal(mu, centre, spread).sum()
    out += shape * np.log(scale) - gamma(shape) - shape * log_variance
    out -= scale * np.exp(-log_variance)
    squares = (data.rows * (data.mean - phi @ mu) ** 2).sum() + data.within
    out -= 0.5 * data.rows.sum() * (np.log(2 * np.pi) + log_variance)
    return out - 0.5 * squares * np.exp(-log_variance)


def _log_normal(x: Any, mean: Any, sd: float) -> Any:
    return -0.5 * ((x - mean) / sd) ** 2 - np.log(sd) - 0.5 * np.log(2 * np.pi)


def _leaves(data: SoftData, features: NDArray[np.int32], tau: Any, delta: Any, h: Any) -> Any:
    """phi: the probability that each row reaches each leaf, shape (n, K), with gates of width h."""
    nodes, gates = iter(features.tolist()), iter(range(len(tau)))

    def below(reached: Any) -> list[Any]:
        feature = next(nodes)
        if feature < 0:
            return [reached]
        j = next(gates)
        values = data.values[:, feature] if delta is None else data.values @ delta[j]
        t = (tau[j] - values) / h
        return below(reached * _logistic(t)) + below(reached * _logistic(-t))

    return np.stack(below(np.ones(len(data.values), np.result_type(tau, h))), axis=1)


def _dirichlet_multinomial(counts: Any, concentration: NDArray[np.float64]) -> Any:
    """The sum over leaves of equation 10, of soft counts of shape (K, C)."""
    gamma = late_import("scipy.special").loggamma
    total = concentration.sum()
    by_class = (gamma(concentration + counts) - gamma(concentration)).sum()
    return by_class + (gamma(total) - gamma(total + counts.sum(axis=1))).sum()


def _simplex(sticks: Any, concentration: NDArray[np.float64]) -> tuple[Any, Any]:
    """delta by stick-breaking (Stan Reference Manual, unit simplex), shape (m, d), and the log
    density of all sticks under Dirichlet(concentration), with the Jacobian."""
    gamma = late_import("scipy.special").loggamma
    m, n = sticks.shape
    left, delta = np.ones(m, sticks.dtype), []
    log_left: Any = np.zeros(m, sticks.dtype)
    out: Any = m * (gamma(concentration.sum()) - gamma(concentration).sum())
    for k in range(n):
        t = sticks[:, k] - np.log(n - k)
        delta.append(left * _logistic(t))
        out += (concentration[k] - 1) * (log_left + _log_logistic(t)).sum()
        out += (_log_logistic(t) + _log_logistic(-t) + log_left).sum()
        left, log_left = left * _logistic(-t), log_left + _log_logistic(-t)
    out += (concentration[n] - 1) * log_left.sum()
    return np.stack([*delta, left], axis=1), out


def _logistic(t: Any) -> Any:
    return np.exp(_log_logistic(t))


def _log_logistic(t: Any) -> Any:
    """log(1 / (1 + exp(-t))) without overflow."""
    falls = np.real(t) < 0
    return np.where(falls, t, 0) - np.log1p(np.exp(np.where(falls, t, -t)))
