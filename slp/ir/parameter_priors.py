"""The prior distribution of a parameter whose value is not known: `:- param(alpha, beta(2, 1)).`

A rule of quadrature stands for it where trees are summed over or drawn: `nodes` are those of Gauss
for the prior's own density (Jacobi for `beta`, generalised Laguerre for `gamma`; Golub & Welsch
1969). With n nodes it is exact for polynomials in the parameter up to the degree 2 n - 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slp.late import late_import
from slp.messages.numbers import number_text
from slp.source import SourceSpan
from slp.terms import Number, Struct, Term

#: The distributions by the names that a program gives them.
DISTRIBUTIONS: tuple[Literal["beta", "gamma"], ...] = ("beta", "gamma")

#: The most nodes of a rule for one parameter.
MOST_NODES = 24


@dataclass(frozen=True)
class ParameterPrior:
    """`beta(a, b)` on (0, 1), or `gamma(shape, rate)` on (0, inf); both numbers are above 0."""

    distribution: Literal["beta", "gamma"]
    a: float
    b: float
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def mean(self) -> float:
        """Its mean: a / (a + b), or shape / rate."""
        return self.a / (self.a + self.b if self.distribution == "beta" else self.b)

    def nodes(self, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The nodes of the Gauss rule of n nodes, ascending, and the logs of their weights, which
        sum to 1; each shape (n,)."""
        if self.distribution == "beta":
            special = late_import("scipy.special")
            at, weights = special.roots_jacobi(n, self.b - 1, self.a - 1)
            at = (at + 1) / 2
        else:  # SciPy's weights overflow where the shape is large
            i = np.arange(1, n)
            beside = np.diag(np.sqrt(i * (i + self.a - 1)), 1)
            recurrence = np.diag(2 * np.arange(n) + self.a) + beside + beside.T
            at, vectors = np.linalg.eigh(recurrence)
            at, weights = at / self.b, vectors[0] ** 2
        kept = weights > 0  # far out in a tail a weight may be too small for a double
        return np.asarray(at[kept]), np.log(weights[kept] / weights[kept].sum())

    def quantiles(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values that the parameter is below with these probabilities."""
        special = late_import("scipy.special")
        if self.distribution == "beta":
            return np.asarray(special.betaincinv(self.a, self.b, probability))
        return np.asarray(special.gammaincinv(self.a, probability) / self.b)

    @property
    def term(self) -> Term:
        """As a program writes it."""
        return Struct(self.distribution, (Number(self.a), Number(self.b)))

    def __str__(self) -> str:
        return f"{self.distribution}({number_text(self.a)}, {number_text(self.b)})"
