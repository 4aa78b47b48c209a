"""Counts with a Poisson distribution of unknown rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.ir.leaves import LeafDeclaration
from slp.ir.whole import is_whole
from slp.late import late_import
from slp.leaves.base import LARGEST_COUNT, Responses, are_counts
from slp.leaves.declared import FirstDeclaration, Observed
from slp.leaves.numbers import (
    NumericModel,
    check_numbers,
    count_of,
    gamma_interval,
    leaf_mean,
    log_best_runs,
    ratio_formula,
    three_digits,
)
from slp.leaves.rising import LogRising
from slp.leaves.signature import Signature
from slp.messages.leaf_models import NOT_A_NUMBER_OF_EVENTS

#: From here on neighbouring counts are hardly different floats.
_SMOOTH = 1e15


class GammaPoisson(NumericModel):
    """`gamma_poisson(a, b)`: rate r ~ Gamma(shape a, rate b), y | r ~ Poisson(r e).

    e is the exposure of a row: 1, or (`exposed`) a number from 0 up that comes with the count, so
    that r is the rate per unit of exposure. Without exposure the count is surely 0. Statistics
    (k = 3): E = sum of e, s = sum of y, sum of log y! - y log e; if exposed also (k = 4) n. Without
    a column of exposures E = n. The counts of a leaf have
    (Gelman et al. 2013, Bayesian Data Analysis, section 2.6)

        P(y) = Gamma(a + s) / Gamma(a) * b^a / (b + E)^(a + s) * product of e_i^y_i / y_i!

    and the predictive at exposure 1 is negative binomial: shape a + s, success probability
    (b + E) / (b + E + 1).
    """

    name = "gamma_poisson"
    signature = Signature("gamma_poisson(a, b)", ("a", "b"))
    responses: Responses = "counts"
    for_boxes = True
    second_column = "exposure"
    not_allowed = NOT_A_NUMBER_OF_EVENTS

    def __init__(self, a: float, b: float, *, exposed: bool = False) -> None:
        self.hyperparameters = (a, b)
        self.exposed = exposed
        self.n_statistics = 4 if exposed else 3
        self._rising = LogRising(a)

    # --- the declaration -----------------------------------------------------------------------

    @classmethod
    def allows(cls, y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whole numbers from 0 on."""
        return (y >= 0) & (y <= LARGEST_COUNT) & is_whole(y)

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> GammaPoisson:
        """With the declared numbers; exposed if outcomes have a second column."""
        return cls(*declaration.args, exposed=observed.y.ndim == 2)

    @classmethod
    def first_declaration(cls, y: NDArray[Any]) -> FirstDeclaration | None:
        """Of counts: the prior weight of one event, at the rate of all."""
        if not cls.allows(y).all():
            return None
        return FirstDeclaration((1, three_digits(1 / (float(np.mean(y)) or 1.0))))

    def to_plain(self) -> dict[str, Any]:
        """With `exposed` where it is."""
        return super().to_plain() | ({"exposed": True} if self.exposed else {})

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> GammaPoisson:
        """See `DeclaredModel`."""
        a, b = data["hyperparameters"]
        check_numbers([a, b], positive=True)
        exposed = data.get("exposed", False)
        if not isinstance(exposed, bool):
            raise ValueError("whether its counts have exposures is not said")
        return cls(a, b, exposed=exposed)

    @classmethod
    def mean_formula(cls, declaration: LeafDeclaration | None) -> Mapping[str, Any]:
        """(a + n mean) / (b + n), n the exposure where there is one."""
        assert declaration is not None, "it is no default"
        return ratio_formula(*declaration.args, times=("exposure", "n"), over=("exposure", "n"))

    def are_sound(self, S: NDArray[np.float64]) -> bool:
        """Whether rows and events are numbers of them, and no exposure is below 0."""
        counted = S[..., [1, 3] if self.exposed else [0, 1]]
        return are_counts(counted) and bool((S[..., 0] >= 0).all())

    # --- leaves --------------------------------------------------------------------------------

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """(1, y, log y!), shape (n, 3), of integers as float64 (n,); if exposed
        (e, y, log y! - y log e, 1), shape (n, 4), of pairs (y, e), shape (n, 2)."""
        y = np.asarray(y, dtype=np.float64)
        counts = y[:, 0] if self.exposed else y
        log_factorials = LogRising(1.0)(counts.astype(np.int64))
        if not self.exposed:
            return np.stack([np.ones_like(counts), counts, log_factorials], axis=-1)
        e = y[:, 1]
        logs = np.log(e, out=np.zeros_like(e), where=e > 0)  # 0^0 = 1
        return np.stack([e, counts, log_factorials - counts * logs, np.ones_like(e)], axis=-1)

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """log P(y), shape (...), of statistics (..., k); see the class's formula."""
        a, b = self.hyperparameters
        e, s, log_factorials = np.moveaxis(np.asarray(S, dtype=np.float64)[..., :3], -1, 0)
        return np.asarray(
            self._rising.at(s) - a * np.log1p(e / b) - s * np.log(b + e) - log_factorials
        )

    def scores(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `LeafModel`: events over exposure; inf without exposure."""
        return np.divide(
            S[..., 1], S[..., 0], out=np.full_like(S[..., 0], np.inf), where=S[..., 0] > 0
        )

    def log_parted(self, S: NDArray[np.float64]) -> float:
        """The log marginal likelihood of the best parting into runs of rows, ordered by
        events / exposure."""
        return log_best_runs(self.log_marginal, S, S[:, 1], S[:, 0])

    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """(a + s) / (b + E), shape (...): of one row, or of one unit of exposure."""
        a, b = self.hyperparameters
        S = np.asarray(S)
        return np.asarray((a + S[..., 1]) / (b + S[..., 0]))

    def cdf(self, S: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Negative binomial distribution function at exposure 1, broadcast over (...)."""
        betainc = late_import("scipy.special").betainc

        a, b = self.hyperparameters
        S = np.asarray(S)
        rate = b + S[..., 0]
        whole = np.floor(np.asarray(y, dtype=np.float64))
        below = betainc(a + S[..., 1], np.maximum(whole, 0.0) + 1, rate / (rate + 1))
        return np.where(whole < 0, 0.0, below)

    def further(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """The statistics of a count (...) in one unit of exposure, shape (..., k)."""
        pairs = np.stack([y, np.ones_like(y)], axis=-1).reshape(-1, 2)
        return self.statistics(pairs if self.exposed else y.ravel()).reshape(*y.shape, -1)

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """The rate, shape (..., 1)."""
        a, b = self.hyperparameters
        S = np.asarray(S, np.float64)
        return np.asarray(rng.standard_gamma(a + S[..., 1:2]) / (b + S[..., :1]))

    def values_of(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The rate."""
        return parameters

    def draw_outcomes(
        self,
        parameters: NDArray[np.float64],
        rng: np.random.Generator,
        design: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """A count in one unit of exposure; above `_SMOOTH` by the normal distribution."""
        rate = parameters[..., 0]
        large = rate > _SMOOTH
        out = rng.poisson(np.where(large, 1.0, rate)).astype(np.float64)
        if large.any():
            out = np.where(large, np.rint(rng.normal(rate, np.sqrt(rate))), out)
        return out

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """(a + s) / (b + E)^2, the variance of the rate."""
        b = self.hyperparameters[1]
        return np.asarray(self.mean(S) / (b + np.asarray(S)[..., 0]))[..., None]

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"n": .., "mean": ..}` with the leaf's sample mean; if exposed
        `{"n": .., "exposure": .., "mean": ..}` with its mean per unit of exposure."""
        exposure, s, _, *n = np.asarray(S).tolist()
        mean = leaf_mean(exposure, s)
        return {"n": count_of(n[0]), "exposure": exposure, "mean": mean["mean"]} if n else mean

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"rate": .., "rate_interval": [.., ..], "count": ..}`: the predictive mean, which equals
        the mean of the rate r, the interval of r, and the sum of the counts."""
        a, b = self.hyperparameters
        exposure, s = np.asarray(S).tolist()[:2]
        ends = gamma_interval(a + s, b + exposure)
        return {"rate": float(self.mean(S)), "rate_interval": list(ends), "count": count_of(s)}
