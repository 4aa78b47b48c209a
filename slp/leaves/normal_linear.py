"""Numbers with a linear regression in each leaf, normal errors of unknown variance."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.ir.leaves import LeafDeclaration
from slp.ir.whole import is_whole
from slp.late import late_import
from slp.leaves.base import LEVEL
from slp.leaves.declared import Observed
from slp.leaves.normal_defaults import (
    SHARE,
    change_by_rounding,
    default_numbers,
    is_of_response,
    known_numbers,
)
from slp.leaves.numbers import NormalLeaf, check_numbers, finite, leaf_mean
from slp.leaves.rising import LogRising, log_rising
from slp.leaves.signature import Signature
from slp.messages.names import atom
from slp.messages.numbers import number_text

#: The most regressors: the core keeps a leaf's matrix on the stack.
MOST_COLUMNS = 30


class NormalLinear(NormalLeaf):
    """`normal_linear([x1, ..., xq], mu, kappa, lambda, alpha, beta)`.

    With z_j = (x_j - centre_j) / scale_j, a row has y | b, s2 ~ Normal(b_0 + sum of b_j z_j, s2);
    s2 ~ InverseGamma(alpha, beta), b_0 | s2 ~ Normal(mu, s2 / kappa), b_j | s2 ~ Normal(0, s2 /
    lambda), independently. `centre` and `scale` are fixed with the model: mean and standard
    deviation of the column in the table. So b_j is the slope for one standard deviation.

    Statistics (k = (q + 2) (q + 3) / 2): the upper triangle, row by row, of the sum over rows of
    v v' with v = (1, z_1, ..., z_q, y - ref); the first is n. With L = diag(kappa, lambda, ...),
    m = (mu - ref, 0, ...) and Z the rows (1, z) of a leaf (Gelman et al. 2013, Bayesian Data
    Analysis, section 14.8; Murphy 2012, Machine Learning, section 7.6.3):

        L' = L + Z'Z    m' = L'^-1 (L m + Z'y)    alpha' = alpha + n/2
        beta' = beta + (y'y + m'Lm - m''L'm') / 2     (m'' the transpose of m')
        p(y) = Gamma(alpha') / Gamma(alpha) * beta^alpha / beta'^alpha'
               * sqrt(|L| / |L'|) * (2 pi)^(-n/2)

    The last square of the Cholesky factor of ((L', L m + Z'y), (., y'y + m'Lm)) is 2 (beta' -
    beta). The predictive of a row is Student's t with 2 alpha' degrees of freedom about (1, z) m',
    with squared scale beta' / alpha' (1 + (1, z) L'^-1 (1, z)').
    """

    name = "normal_linear"
    taken = "its mean and scale"
    signature = Signature(
        "normal_linear([x1, ...]) or normal_linear([x1, ...], mu, kappa, lambda, alpha, beta)",
        ("mu", "kappa", "lambda", "alpha", "beta"),
        ("mu",),
        most_columns=MOST_COLUMNS,
    )

    def __init__(
        self,
        regressors: Sequence[str],
        hyperparameters: Sequence[float],
        centre: NDArray[np.float64],
        scale: NDArray[np.float64],
        *,
        ref: float = 0.0,
        of_response: bool = False,
    ) -> None:
        mu, kappa, slopes, alpha, beta = hyperparameters
        self.regressors = tuple(regressors)
        self.hyperparameters = (mu, kappa, slopes, alpha, beta)
        self.mean_needs = 1 - 2 * alpha  # as Student's t has a mean above 1 degree of freedom
        self.centre, self.scale, self.ref = centre, scale, ref
        self.of_response = of_response
        q = len(self.regressors)
        self.n_statistics = (q + 2) * (q + 3) // 2
        self._upper = np.triu_indices(q + 2)
        precision = np.array([kappa, *[slopes] * q])
        self._log_precision = float(np.log(precision).sum())
        self._prior = np.diag([*precision, kappa * (mu - ref) ** 2])
        self._prior[0, -1] = self._prior[-1, 0] = kappa * (mu - ref)
        self._whole = LogRising(alpha)
        self._half = LogRising(alpha + 0.5)
        self._half_step = float(log_rising(alpha, 0.5))
        self._row: NDArray[np.float64] | None = None

    # --- the declaration -----------------------------------------------------------------------

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> NormalLinear:
        """With the declared numbers; without any those of `normal_inverse_gamma`'s default, and 0.1
        as `lambda`. `centre` and `scale` are those of the table's columns."""
        x, weights = observed.regressors, observed.weights
        assert x is not None, "the table has its columns"
        centre = np.average(x, axis=0, weights=weights)
        scale = np.sqrt(np.average((x - centre) ** 2, axis=0, weights=weights))
        scale = np.where(scale > 0, scale, 1.0)
        args = declaration.args
        if not args:
            mu, kappa, alpha, beta = default_numbers(observed, SHARE)
            args = (mu, kappa, kappa, alpha, beta)
        taken = not declaration.args
        return cls(declaration.columns, args, centre, scale, ref=observed.mean, of_response=taken)

    def to_plain(self) -> dict[str, Any]:
        """With `ref`, the names of the regressors, `centre` and `scale`, and whether the numbers
        are taken from the response."""
        return super().to_plain() | {
            "ref": float(self.ref),
            "of_response": self.of_response,
            "regressors": list(self.regressors),
            "centre": self.centre.tolist(),
            "scale": self.scale.tolist(),
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> NormalLinear:
        """See `DeclaredModel`."""
        names = data["regressors"]
        q = len(names)
        sound = all(isinstance(n, str) for n in names) and len(set(names)) == q
        if (
            not sound
            or not q == len(data["centre"]) == len(data["scale"])
            or not 1 <= q <= MOST_COLUMNS
        ):
            raise ValueError("its regressors are none that it can have")
        check_numbers(data["scale"], positive=True)
        check_numbers(data["centre"], positive=False)
        centres, scales = (np.array(data[key], np.float64) for key in ("centre", "scale"))
        taken = is_of_response(data)
        return cls(names, known_numbers(data), centres, scales, ref=data["ref"], of_response=taken)

    def rounding(
        self, distances: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """See `LeafModel`."""
        return change_by_rounding(distances, weights, *self.hyperparameters[-2:])

    # --- rows ----------------------------------------------------------------------------------

    def design(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """(1, z), shape (..., q + 1), of values of the regressors (..., q)."""
        z = (np.asarray(x, np.float64) - self.centre) / self.scale
        return np.concatenate([np.ones((*z.shape[:-1], 1)), z], axis=-1)

    def design_of_sums(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """(1, z), shape (..., q + 1), at the mean of rows with statistics (..., k); without rows
        that of the table."""
        S = np.asarray(S, np.float64)
        n = S[..., :1]
        sums = S[..., 1 : len(self.regressors) + 1]
        mean = np.divide(sums, n, out=np.zeros_like(sums), where=n > 0)
        return np.concatenate([np.ones_like(n), mean], axis=-1)

    def at(self, row: NDArray[np.float64]) -> NormalLinear:
        """The model as it predicts a row with this (1, z), shape (q + 1,)."""
        found = copy.copy(self)
        found._row = row
        return found

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """The upper triangle of v v', shape (n, k), of responses and regressors float64 (n, 1 +
        q)."""
        y = np.asarray(y, np.float64)
        v = np.concatenate([self.design(y[:, 1:]), y[:, :1] - self.ref], axis=1)
        rows, columns = self._upper
        found: NDArray[np.float64] = v[:, rows] * v[:, columns]
        return found

    def scores(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `LeafModel`: the mean response."""
        return np.asarray(S[..., len(self.regressors) + 1] / S[..., 0])

    # --- leaves --------------------------------------------------------------------------------

    def _factor(self, S: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """n (...), and the Cholesky factor (..., q + 1, q + 1) of L' with a last row (..., q + 1)
        and beta' - beta (...) below it, as one array (..., q + 2, q + 2)."""
        S = np.asarray(S, np.float64)
        rows, columns = self._upper
        M = np.zeros((*S.shape[:-1], *self._prior.shape))
        M[..., rows, columns] = M[..., columns, rows] = S
        M += self._prior
        own = np.linalg.cholesky(M[..., :-1, :-1])
        last = np.linalg.solve(own, M[..., :-1, -1:])[..., 0]
        out = np.zeros_like(M)
        out[..., :-1, :-1], out[..., -1, :-1] = own, last
        rest = M[..., -1, -1] - (last**2).sum(axis=-1)
        out[..., -1, -1] = np.maximum(rest, 0.0) / 2  # rounding can leave it a little below 0
        return S[..., 0], out

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """log p(y), shape (...), of statistics (..., k); see the class's formula."""
        *_, alpha, beta = self.hyperparameters
        n, F = self._factor(S)
        growth = F[..., -1, -1]
        roots = np.log(np.diagonal(F, axis1=-2, axis2=-1)[..., :-1]).sum(axis=-1)
        return np.asarray(
            self._log_gamma_ratio(n)
            - alpha * np.log1p(growth / beta)
            - n / 2 * np.log(beta + growth)
            + self._log_precision / 2
            - roots
            - n / 2 * math.log(2 * math.pi)
        )

    def _log_gamma_ratio(self, n: NDArray[np.float64]) -> NDArray[np.float64]:
        """log Gamma(alpha + n/2) - log Gamma(alpha)."""
        if not is_whole(n).all():
            return self._whole.at(n / 2)
        pairs, odd = np.divmod(n.astype(np.intp), 2)
        return np.where(odd == 1, self._half_step + self._half(pairs), self._whole(pairs))

    def values(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """m' with `ref` in its first number, shape (..., q + 1): the mean of a row is (1, z) m'."""
        _, F = self._factor(S)
        upper = np.swapaxes(F[..., :-1, :-1], -1, -2)
        found = np.linalg.solve(upper, F[..., -1, :-1, None])[..., 0]
        found[..., 0] += self.ref
        return np.asarray(found)

    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """(1, z) m', shape (...): of the row of `at`, or at the mean of the leaf's rows."""
        row = self.design_of_sums(S) if self._row is None else self._row
        return np.asarray((self.values(S) * row).sum(axis=-1))

    def _spread(self, S: NDArray[np.float64], more: float) -> tuple[NDArray[np.float64], ...]:
        """2 alpha' and the scale sqrt(beta' / alpha' (more + (1, z) L'^-1 (1, z)'))."""
        *_, alpha, beta = self.hyperparameters
        n, F = self._factor(S)
        row = self.design_of_sums(S) if self._row is None else self._row
        row = np.broadcast_to(row, F[..., -1, :-1].shape)
        half = np.linalg.solve(F[..., :-1, :-1], row[..., None])[..., 0]
        alpha_n = alpha + n / 2
        square = (beta + F[..., -1, -1]) / alpha_n * (more + (half**2).sum(axis=-1))
        return 2 * alpha_n, np.sqrt(square)

    def cdf(self, S: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Student's t distribution function, broadcast over (...), of the row of `at`."""
        stdtr = late_import("scipy.special").stdtr

        freedom, scale = self._spread(S, 1.0)
        return np.asarray(stdtr(freedom, (np.asarray(y) - self.mean(S)) / scale))

    def outcomes_of(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The product of 1 and the response."""
        return np.asarray(S[:, len(self.regressors) + 1] + self.ref)

    def further(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """The statistics of a response (...) of the row of `at`, shape (..., k)."""
        assert self._row is not None, "a density is that of a row"
        rows, columns = self._upper
        v = np.concatenate(
            [np.broadcast_to(self._row, (*y.shape, len(self._row))), (y - self.ref)[..., None]],
            axis=-1,
        )
        return np.asarray(v[..., rows] * v[..., columns])

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """The coefficients b, with `ref` in the first, and s2, shape (..., q + 2)."""
        *_, alpha, beta = self.hyperparameters
        n, F = self._factor(S)
        s2 = (beta + F[..., -1, -1]) / rng.standard_gamma(alpha + n / 2)
        noise = rng.standard_normal((*n.shape, len(self.regressors) + 1))
        upper = np.swapaxes(F[..., :-1, :-1], -1, -2)
        b = np.linalg.solve(upper, (F[..., -1, :-1] + noise * np.sqrt(s2)[..., None])[..., None])
        b[..., 0, 0] += self.ref
        return np.concatenate([b[..., 0], s2[..., None]], axis=-1)

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """beta' / (alpha' - 1) L'^-1, the covariance of b; inf unless alpha' > 1."""
        *_, alpha, beta = self.hyperparameters
        n, F = self._factor(S)
        half = np.linalg.inv(F[..., :-1, :-1])
        over = (alpha + n / 2 - 1)[..., None, None]
        own = np.swapaxes(half, -1, -2) @ half * (beta + F[..., -1:, -1:])
        return np.where(over > 0, own / np.where(over > 0, over, 1.0), np.inf)

    def line(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """The mean of m' in the units of the data: `intercept`, and `slopes` by regressor."""
        b = self.values(S)
        slopes = b[1:] / self.scale
        by_name = dict(zip(self.regressors, slopes.tolist(), strict=True))
        return {"intercept": float(b[0] - slopes @ self.centre), "slopes": by_name}

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"n": .., "mean": .., "line": {"intercept": .., "slopes": {x1: ..}}}` with the leaf's
        sample mean and the posterior means of the coefficients."""
        S = np.asarray(S, np.float64)
        n, s1 = float(S[0]), float(S[len(self.regressors) + 1])
        return leaf_mean(n, s1 + n * self.ref) | {"line": self.line(S)}

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"mean": .., "mean_interval": [.., ..], "line": {..}}`: the line, and its height at the
        mean of the leaf's rows, which is Student's t with 2 alpha' degrees of freedom."""
        stdtrit = late_import("scipy.special").stdtrit

        freedom, scale = (float(x) for x in self._spread(S, 0.0))
        mean, reach = float(self.mean(S)), scale * float(stdtrit(freedom, (1 + LEVEL) / 2))
        ends = [finite(mean - reach), finite(mean + reach)]
        return {"mean": mean, "mean_interval": ends, "line": self.line(S)}

    def describe(self) -> str:
        """`normal_linear([x1, x2], 0, 0.1, 0.1, 3, 1)`."""
        names = ", ".join(map(atom, self.regressors))
        numbers = ", ".join(map(number_text, self.hyperparameters))
        return f"{self.name}([{names}], {numbers})"
