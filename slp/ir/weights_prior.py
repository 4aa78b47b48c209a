"""The prior of feature weights that are not known: `:- feature_weights(dirichlet(1)).`

The weights s of d features follow Dirichlet(a, ..., a). They are drawn as independent
g_f ~ Gamma(a, 1) with s = g / sum of g, and no g_f is below 1e-300, the least that weights may be.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from slp.late import late_import
from slp.messages.numbers import number_text
from slp.source import SourceSpan

#: The distribution, by the name that a program gives it.
DISTRIBUTION_OF_WEIGHTS = "dirichlet"

#: Log of the least g_f: weights of features are doubles above 0. Under a = 0.1 one in 10^30 draws
#: of Gamma(a, 1) is below it, under a = 0.01 one in 1,000.
LOG_LEAST = -300 * float(np.log(10))
#: The concentrations of a feature lie between these.
LEAST_CONCENTRATION, MOST_CONCENTRATION = 0.01, 1000.0


@dataclass(frozen=True)
class WeightsPrior:
    """`dirichlet(a)`, or `dirichlet(a/d)` of d features (`divided`)."""

    a: float
    divided: bool = False
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    def concentration(self, n_features: int) -> float:
        """The concentration of each of d features."""
        return self.a / n_features if self.divided else self.a

    def draw(self, rng: np.random.Generator, n_features: int) -> NDArray[np.float64]:
        """Logs of g, shape (d,)."""
        shape = np.full(n_features, self.concentration(n_features))
        out = np.full(n_features, -np.inf)
        while (low := out < LOG_LEAST).any():
            out[low] = draw_log_gamma(rng, shape[low], np.ones(low.sum()))
        return out

    def __str__(self) -> str:
        return f"{DISTRIBUTION_OF_WEIGHTS}({number_text(self.a)}{'/d' * self.divided})"


def draw_log_gamma(
    rng: np.random.Generator, shape: NDArray[np.float64], rate: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Logs of independent draws of Gamma(shape, rate); all arrays have one shape. With U uniform,
    Gamma(a + 1) U^(1 / a) is Gamma(a), and its log is no infinity where a is small (Marsaglia &
    Tsang 2000)."""
    tail = np.log1p(-rng.random(shape.shape)) / shape
    return np.asarray(np.log(rng.standard_gamma(shape + 1)) + tail - np.log(rate))


def share_quantiles(
    a: float, others: float, probability: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What the share of a feature of concentration a, among others of this sum, is below with
    these probabilities: of Beta(a, others)."""
    return np.asarray(late_import("scipy.special").betaincinv(a, others, probability))
