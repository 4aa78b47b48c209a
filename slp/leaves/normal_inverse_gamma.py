"""Numbers with a normal distribution of unknown mean and variance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.ir.leaves import LeafDeclaration
from slp.ir.whole import is_whole
from slp.late import late_import
from slp.leaves.base import LEVEL
from slp.leaves.declared import FirstDeclaration, Observed
from slp.leaves.normal_defaults import (
    change_by_rounding,
    default_numbers,
    is_of_response,
    known_numbers,
    moments,
    share_of_variance,
)
from slp.leaves.numbers import NormalLeaf, finite, leaf_mean, ratio_formula, three_digits
from slp.leaves.rising import LogRising, log_rising
from slp.leaves.signature import Signature
from slp.messages.numbers import number_text


class NormalInverseGamma(NormalLeaf):
    """`normal_inverse_gamma(mu, kappa, alpha, beta)`.

    s2 ~ InverseGamma(alpha, beta) (density proportional to s2^(-alpha-1) exp(-beta/s2)),
    m | s2 ~ Normal(mu, s2 / kappa), y | m, s2 ~ Normal(m, s2).

    Statistics (k = 3): n, sum of (y - ref), sum of (y - ref)^2, where `ref` is fixed with the
    model, near the responses (their mean), so that a large offset does not cancel. With ybar the
    mean of a leaf and SS its sum of squares about ybar (Murphy 2007, Conjugate Bayesian analysis of
    the Gaussian distribution, section 3):

        kappa' = kappa + n        alpha' = alpha + n/2        mu' = (kappa mu + n ybar) / kappa'
        beta'  = beta + SS/2 + kappa n (ybar - mu)^2 / (2 kappa')
        p(y) = Gamma(alpha') / Gamma(alpha) * beta^alpha / beta'^alpha'
               * sqrt(kappa / kappa') * (2 pi)^(-n/2)

    The predictive is Student's t with 2 alpha' degrees of freedom about mu', with squared scale
    beta' (kappa' + 1) / (alpha' kappa').
    """

    name = "normal_inverse_gamma"
    taken = "its mean and scale"
    signature = Signature(
        "normal_inverse_gamma(mu, kappa, alpha, beta)", ("mu", "kappa", "alpha", "beta"), ("mu",)
    )
    n_statistics = 3
    for_boxes = True
    squares = True

    def __init__(
        self,
        mu: float,
        kappa: float,
        alpha: float,
        beta: float,
        *,
        ref: float = 0.0,
        of_response: bool = False,
    ) -> None:
        self.hyperparameters = (mu, kappa, alpha, beta)
        self.of_response = of_response
        self.mean_needs = 1 - 2 * alpha  # as Student's t has a mean above 1 degree of freedom
        self.ref = ref
        self._mu = mu - ref
        self._whole = LogRising(alpha)
        self._half = LogRising(alpha + 0.5)
        self._half_step = float(log_rising(alpha, 0.5))

    # --- the declaration -----------------------------------------------------------------------

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> NormalInverseGamma:
        """With the declared numbers."""
        return cls(*declaration.args, ref=observed.mean)

    @classmethod
    def taken_from(cls, observed: Observed) -> NormalInverseGamma:
        """With numbers taken from the response."""
        share = share_of_variance(moments(observed)[0])
        return cls(*default_numbers(observed, share), ref=observed.mean, of_response=True)

    @classmethod
    def first_declaration(cls, y: NDArray[Any]) -> FirstDeclaration:
        """The default for a response, with rounded numbers."""
        mean, variance = float(np.mean(y)), float(np.var(y)) or 1.0
        known = (three_digits(mean), 0.1, 3, three_digits(share_of_variance(len(y)) * variance))
        at, near = number_text(known[0]), number_text(three_digits(known[-1] / 2))
        above = (
            "The prior of a leaf, taken from this column:",
            f"its mean is near {at}, a guess that counts as a tenth of a row; its variance",
            f"is near {near}, a guess that counts as 6 rows.",
        )
        return FirstDeclaration(known, above)

    def to_plain(self) -> dict[str, Any]:
        """With `ref`, and whether the numbers are taken from the response."""
        return super().to_plain() | {"ref": float(self.ref), "of_response": self.of_response}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> NormalInverseGamma:
        """See `DeclaredModel`."""
        return cls(*known_numbers(data), ref=data["ref"], of_response=is_of_response(data))

    @classmethod
    def mean_formula(cls, declaration: LeafDeclaration | None) -> Mapping[str, Any]:
        """(kappa mu + n mean) / (kappa + n); mu is the mean of all leaves and kappa 0.1 if none is
        declared."""
        if declaration is None:
            return ratio_formula(None, 0.1)
        mu, kappa = declaration.args[:2]
        return ratio_formula(kappa * mu, kappa)

    def rounding(
        self, distances: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """See `LeafModel`."""
        return change_by_rounding(distances, weights, *self.hyperparameters[-2:])

    # --- leaves --------------------------------------------------------------------------------

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """(1, y - ref, (y - ref)^2), shape (n, 3), of float64 (n,)."""
        d = np.asarray(y, dtype=np.float64) - self.ref
        return np.stack([np.ones_like(d), d, d * d], axis=-1)

    def _update(self, S: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """n, mu' - ref, kappa', beta' - beta of leaves with statistics (..., 3)."""
        _, kappa, _, _ = self.hyperparameters
        n, s1, s2 = np.moveaxis(np.asarray(S, dtype=np.float64), -1, 0)
        ybar = np.divide(s1, n, out=np.zeros_like(s1), where=n > 0)
        ss = np.maximum(s2 - s1 * ybar, 0.0)  # rounding can leave it a little below 0
        kappa_n = kappa + n
        mu_n = (kappa * self._mu + s1) / kappa_n
        growth = ss / 2 + kappa * n * (ybar - self._mu) ** 2 / (2 * kappa_n)
        return n, mu_n, kappa_n, growth

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """log p(y), shape (...), of statistics (..., 3); see the class's formula."""
        _, kappa, alpha, beta = self.hyperparameters
        n, _, kappa_n, growth = self._update(S)
        return np.asarray(
            self._log_gamma_ratio(n)
            - alpha * np.log1p(growth / beta)
            - n / 2 * np.log(beta + growth)
            - np.log1p(n / kappa) / 2
            - n / 2 * math.log(2 * math.pi)
        )

    def _log_gamma_ratio(self, n: NDArray[np.float64]) -> NDArray[np.float64]:
        """log Gamma(alpha + n/2) - log Gamma(alpha)."""
        n = np.asarray(n)
        if not is_whole(n).all():
            return self._whole.at(n / 2)
        pairs, odd = np.divmod(n.astype(np.intp), 2)
        return np.where(odd == 1, self._half_step + self._half(pairs), self._whole(pairs))

    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """mu', shape (...)."""
        return np.asarray(self._update(S)[1] + self.ref)

    def cdf(self, S: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Student's t distribution function, broadcast over (...)."""
        stdtr = late_import("scipy.special").stdtr

        _, _, alpha, beta = self.hyperparameters
        n, mu_n, kappa_n, growth = self._update(S)
        alpha_n = alpha + n / 2
        scale = np.sqrt((beta + growth) * (kappa_n + 1) / (alpha_n * kappa_n))
        return np.asarray(stdtr(2 * alpha_n, (np.asarray(y) - self.ref - mu_n) / scale))

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Mean m and variance s2, shape (..., 2)."""
        _, _, alpha, beta = self.hyperparameters
        n, mu_n, kappa_n, growth = self._update(S)
        s2 = (beta + growth) / rng.standard_gamma(alpha + n / 2)
        m = self.ref + mu_n + rng.standard_normal(s2.shape) * np.sqrt(s2 / kappa_n)
        return np.stack([m, s2], axis=-1)

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """beta' / ((alpha' - 1) kappa'), the variance of m; inf unless alpha' > 1."""
        _, _, alpha, beta = self.hyperparameters
        n, _, kappa_n, growth = self._update(S)
        over = alpha + n / 2 - 1
        own = (beta + growth) / (np.where(over > 0, over, 1.0) * kappa_n)
        return np.where(over > 0, own, np.inf)[..., None]

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"n": .., "mean": ..}` with the leaf's sample mean."""
        n, s1, _ = np.asarray(S).tolist()
        return leaf_mean(n, s1 + n * self.ref)

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"mean": .., "mean_interval": [.., ..]}`: mu', and the interval of the mean m, which is
        Student's t with 2 alpha' degrees of freedom about mu', with squared scale beta' / (alpha'
        kappa'). One row alone, under numbers that are taken from the response, has no interval:
        its width would come from the other rows."""
        stdtrit = late_import("scipy.special").stdtrit

        _, _, alpha, beta = self.hyperparameters
        n, _, kappa_n, growth = (float(x) for x in self._update(S))
        if self.of_response and n <= 1:
            return {"mean": float(self.mean(S))}
        alpha_n = alpha + n / 2
        scale = math.sqrt((beta + growth) / (alpha_n * kappa_n))
        mean, reach = float(self.mean(S)), scale * float(stdtrit(2 * alpha_n, (1 + LEVEL) / 2))
        return {"mean": mean, "mean_interval": [finite(mean - reach), finite(mean + reach)]}
