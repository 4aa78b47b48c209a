"""Draws of feature weights given a derivation, and the probability of a derivation without them.

A split v on feature f(v) is drawn where the features S(v) can split its box (those of its group,
where features are in groups), with a probability whose part that depends on the weights is

    g_f(v) / sum over f in S(v) of g_f

with independent g_f ~ Gamma(a, 1), whose shares are the weights, s ~ Dirichlet(a). Splits where
S(v) is one feature say nothing of the weights and are left out. Those where S(v) is all features
divide by T, the sum of all g. The shares do not depend on T, so with m such splits the distribution
of the shares is that under g's density times the other factors, without T^-m, and

    E[product over all v]  =  Gamma(A) / Gamma(A + m)  E[product without T^-m],   A = d a

(of each group, where there are some). For each of the other splits, 1 / sum = the integral of
exp(-u sum) over u > 0, so with c_f splits on f

    u_v | g  ~  Exponential(sum over S(v) of g),     g_f | u  ~  Gamma(a + c_f, 1 + sum of the u_v
                                                                       of the v with f in S(v))

are a Gibbs sampler that rejects nothing. Where all S(v) are all features, it draws from
Dirichlet(a + c). The probability of a derivation follows from the identity of Chib (1995), at a
point g* of high density: prior density x product / posterior density, the last one as an average
of the gamma densities over draws of u.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.ir.weights_prior import LOG_LEAST, draw_log_gamma
from slp.late import late_import

_Floats = NDArray[np.float64]

#: Of the sampler that weighs a derivation: how many run side by side, and for how many sweeps, of
#: which the first ones are not used.
_SIDE_BY_SIDE, _SWEEPS, _NOT_USED = 100, 30, 10


@dataclass(frozen=True, eq=False)
class Splits:
    """The splits of a derivation, as far as they say something of the weights.

    Attributes
    ----------
    a : the concentration of each feature.
    counts : float64, shape (d,). The splits on each feature.
    part : bool, shape (V, d). S(v) of those where it is neither one feature nor all.
    feature : int64, shape (V,). Their features.
    log_alike : log of the product over all splits of 1 / |S(v)|: their part of the probability
        where all weights are the same.
    log_full : log of the product over groups of Gamma(A) / Gamma(A + m).
    """

    a: float
    counts: _Floats
    part: NDArray[np.bool_]
    feature: NDArray[np.int64]
    log_alike: float
    log_full: float

    @classmethod
    def of(
        cls,
        feature: NDArray[np.int64],
        taken_over: NDArray[np.bool_],
        groups: NDArray[np.int64],
        a: float,
    ) -> Splits:
        """From the feature of each split, (N,), the features that can split its box, (N, d), and
        the number of each feature's group, (d,)."""
        within = groups == groups[feature][:, None]
        can = taken_over & within
        sizes = can.sum(axis=1)
        told = sizes > 1
        full = told & (sizes == within.sum(axis=1))
        counts = np.bincount(feature[told], minlength=len(groups)).astype(np.float64)
        gammaln = late_import("scipy.special").gammaln
        of_group = np.bincount(groups[feature[full]], minlength=len(groups))
        whole = a * np.bincount(groups, minlength=len(groups))
        met = of_group > 0
        log_full = gammaln(whole[met]) - gammaln(whole[met] + of_group[met])
        part = told & ~full
        log_alike = -float(np.log(sizes[told]).sum())
        return cls(a, counts, can[part], feature[part], log_alike, float(log_full.sum()))

    def drawn(self, rng: np.random.Generator, log_g: _Floats) -> _Floats:
        """The logs of g after a sweep of the sampler, shape (d,). What would be below the least
        weight stays as it was."""
        found = self._swept(rng, self._rates(rng, np.exp(log_g)[None]))[0]
        return np.where(found < LOG_LEAST, log_g, found)

    def log_ratio(self) -> float:
        """Log of the probability of the splits over that where all weights are the same: an
        estimate, exact where S(v) is always one feature or all. Always the same of the same
        splits."""
        rng = np.random.default_rng(0)
        shape = self.a + self.counts
        rates = np.ones((1, len(shape)))
        if len(self.part):
            rates = np.concatenate(list(self._rates_met(rng)))
        gammaln = late_import("scipy.special").gammaln
        g = np.mean(shape / rates, axis=0)
        log_g = np.log(g)
        log_prior = np.sum((self.a - 1) * log_g - g - gammaln(self.a))
        log_product = np.sum(log_g * self.counts) - np.sum(np.log(self.part @ g))
        each = shape * np.log(rates) + (shape - 1) * log_g - rates * g - gammaln(shape)
        log_posterior = np.logaddexp.reduce(each.sum(axis=1)) - np.log(len(rates))
        found = log_prior + log_product - log_posterior + self.log_full - self.log_alike
        return float(found)

    def _rates_met(self, rng: np.random.Generator) -> Iterator[_Floats]:
        start = np.ones((_SIDE_BY_SIDE, len(self.counts)))
        log_g = self._swept(rng, start)
        for sweep in range(_SWEEPS):
            rates = self._rates(rng, np.exp(log_g))
            if sweep >= _NOT_USED:
                yield rates
            log_g = np.maximum(self._swept(rng, rates), LOG_LEAST)

    def _rates(self, rng: np.random.Generator, g: _Floats) -> _Floats:
        """The rates of g given a draw of u given g, both of shape (R, d)."""
        u = rng.standard_exponential((len(g), len(self.part))) / (g @ self.part.T)
        return np.asarray(1.0 + u @ self.part)

    def _swept(self, rng: np.random.Generator, rates: _Floats) -> _Floats:
        shape = np.broadcast_to(self.a + self.counts, rates.shape)
        return draw_log_gamma(rng, shape, rates)


def shares(log_g: _Floats, groups: NDArray[np.int64]) -> _Floats:
    """The weights as shares, which sum to 1 over the features of each group; log_g of shape (...,
    d)."""
    g = np.exp(log_g - log_g.max(axis=-1, keepdims=True))
    alike = (groups[:, None] == groups).astype(np.float64)
    return np.asarray(g / (g @ alike))
