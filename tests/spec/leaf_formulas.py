"""Leaf models again: the marginal likelihood as a product of predictives, response by response.

The package uses closed forms; here each response is predicted from those before it (chain rule), so
that a slip in a closed form shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from slp.ir.leaves import ClassShares, LeafPrior
from tests.spec.gammas import PI, log_gamma, log_rising

#: Responses of more weight are not repeated one by one.
_MOST_REPEATS = 500


class LeafFormula(Protocol):
    """What the specification asks of a leaf. All but those of durations, whose medians do not
    average, also have `predict`: class probabilities, or `[mean]`, of a further response."""

    def log_marginal(self, y: Sequence[Any]) -> float:
        """Log marginal likelihood of ordered responses."""
        ...


@dataclass(frozen=True)
class DirichletFormula:
    """Polya's urn: class c is next with probability (a_c + n_c) / (A + n)."""

    classes: tuple[str, ...]
    a: tuple[float, ...]

    def log_marginal(self, y: Sequence[Any]) -> float:
        total, seen = 0.0, dict(zip(self.classes, self.a, strict=True))
        for response in map(str, y):
            total += math.log(seen[response] / sum(seen.values()))
            seen[response] += 1
        return total

    def predict(self, y: Sequence[Any]) -> list[float]:
        weights = [a + [*map(str, y)].count(c) for c, a in zip(self.classes, self.a, strict=True)]
        return [w / sum(weights) for w in weights]


@dataclass(frozen=True)
class KnownFormula:
    """Classes whose probabilities are known."""

    classes: tuple[str, ...]
    p: tuple[float, ...]

    def log_marginal(self, y: Sequence[Any]) -> float:
        return math.fsum(math.log(self.p[self.classes.index(str(x))]) for x in y)

    def predict(self, y: Sequence[Any]) -> list[float]:
        return list(self.p)


@dataclass(frozen=True)
class NormalFormula:
    """Normal-inverse-gamma: the next response is Student t about mu, 2 alpha degrees of freedom,
    squared scale beta (kappa + 1) / (alpha kappa); then the four numbers are updated with it."""

    mu: float
    kappa: float
    alpha: float
    beta: float

    def _updated(self, x: float) -> NormalFormula:
        kappa = self.kappa + 1
        return NormalFormula(
            (self.kappa * self.mu + x) / kappa,
            kappa,
            self.alpha + 0.5,
            self.beta + self.kappa * (x - self.mu) ** 2 / (2 * kappa),
        )

    def log_marginal(self, y: Sequence[Any]) -> float:
        total, now = 0.0, self
        for x in y:
            nu, scale2 = 2 * now.alpha, now.beta * (now.kappa + 1) / (now.alpha * now.kappa)
            total += (
                math.lgamma((nu + 1) / 2)
                - math.lgamma(nu / 2)
                - 0.5 * math.log(nu * math.pi * scale2)
                - (nu + 1) / 2 * math.log1p((x - now.mu) ** 2 / (nu * scale2))
            )
            now = now._updated(x)
        return total

    def predict(self, y: Sequence[Any]) -> list[float]:
        now = self
        for x in y:
            now = now._updated(x)
        return [now.mu]


@dataclass(frozen=True)
class PoissonFormula:
    """Gamma-Poisson: the next count is negative binomial with size a and success b / (b + 1)."""

    a: float
    b: float

    def log_marginal(self, y: Sequence[Any]) -> float:
        total, a, b = 0.0, self.a, self.b
        for k in y:
            total += math.lgamma(a + k) - math.lgamma(a) - math.lgamma(k + 1)
            total += a * math.log(b / (b + 1)) - k * math.log(b + 1)
            a, b = a + k, b + 1
        return total

    def predict(self, y: Sequence[Any]) -> list[float]:
        return [(self.a + sum(y)) / (self.b + len(y))]


@dataclass(frozen=True)
class ExposedFormula:
    """Gamma-Poisson with exposures: responses are pairs (count, e), and the next count is negative
    binomial with size a and success b / (b + e). A prediction is that at exposure 1."""

    a: float
    b: float

    def log_marginal(self, y: Sequence[Any]) -> float:
        total, a, b = 0.0, self.a, self.b
        for k, e in y:
            total += math.lgamma(a + k) - math.lgamma(a) - math.lgamma(k + 1)
            total += a * math.log(b / (b + e)) + (k * math.log(e / (b + e)) if k else 0.0)
            a, b = a + k, b + e
        return total

    def predict(self, y: Sequence[Any]) -> list[float]:
        return [(self.a + sum(k for k, _ in y)) / (self.b + sum(e for _, e in y))]


@dataclass(frozen=True)
class TableFormula:
    """Random numbers by how many responses there are and by their sum, and a number for each
    response beside them. So it is no probability, but leaves need none."""

    seed: int

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        out = np.random.default_rng(self.seed).normal(-3.0, 2.0, (128, 512))
        out[0, 0] = 0.0
        return out

    def beside(self, y: float) -> float:
        return -0.3 * (y + self.seed % 3)

    def log_marginal(self, y: Sequence[Any]) -> float:
        return float(self.numbers[len(y), int(sum(y))]) + math.fsum(map(self.beside, y))

    def predict(self, y: Sequence[Any]) -> list[float]:
        return [(1.0 + sum(y)) / (2.0 + len(y))]


class ByTable:
    """`TableFormula` as a leaf model of the user's own, for `leaf(by_table(seed))`."""

    def __init__(self, seed: float) -> None:
        self.formula = TableFormula(int(seed))

    def statistics(self, y: Any) -> Any:
        return np.column_stack([np.ones(len(y)), y, [self.formula.beside(x) for x in y]])

    def log_marginal(self, S: Any) -> Any:
        n, total = S[:, :2].astype(int).T
        return self.formula.numbers[n, total] + S[:, 2]

    def log_table(self, n: int, total: int) -> Any:
        return self.formula.numbers[: n + 1, : total + 1]

    def mean(self, S: Any) -> Any:
        return (1.0 + S[:, 1]) / (2.0 + S[:, 0])


@dataclass(frozen=True)
class ExponentialFormula:
    """Gamma-exponential: the next duration t is Lomax, of density a b^a / (b + t)^(a + 1); one
    censored at t has outlived it with probability (b / (b + t))^a. Responses are pairs (t, seen).
    """

    a: float
    b: float

    def log_marginal(self, y: Sequence[Any]) -> float:
        total, a, b = 0.0, self.a, self.b
        for t, seen in y:
            total += a * math.log(b / (b + t))
            if seen:
                total += math.log(a / (b + t))
            a, b = a + seen, b + t
        return total

    def reached(self, y: Sequence[tuple[Any, float]], t: float) -> float:
        """P(the next duration is at most t), given responses with weights."""
        a = self.a + math.fsum(w * seen for (_, seen), w in y)
        b = self.b + math.fsum(w * known for (known, _), w in y)
        return -math.expm1(-a * math.log1p(t / b))


@dataclass(frozen=True)
class LineFormula:
    """A line in each leaf: responses are tuples (y, x_1, ..., x_q). With V the covariance of the
    coefficients over s2 and v = (1, z), the next response is Student t about v m, 2 alpha degrees
    of freedom, squared scale beta / alpha (1 + v V v'); then m, V, alpha and beta are updated with
    it (Sherman and Morrison). `row` are the values x of a row to predict."""

    args: tuple[float, float, float, float, float]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    row: tuple[float, ...] = ()

    def _design(self, x: Sequence[float]) -> Any:
        z = [(a - c) / s for a, c, s in zip(x, self.centre, self.scale, strict=True)]
        return np.array([1.0, *z])

    def _run(self, y: Sequence[Any]) -> tuple[float, Any]:
        """The log marginal likelihood, and the mean of the coefficients after all responses."""
        mu, kappa, slopes, alpha, beta = self.args
        m = np.array([mu, *[0.0] * len(self.centre)])
        V = np.diag([1 / kappa, *[1 / slopes] * len(self.centre)])
        total = 0.0
        for response, *x in y:
            v = self._design(x)
            spread, error = 1 + v @ V @ v, response - v @ m
            total += float(stats.t.logpdf(error, 2 * alpha, scale=math.sqrt(beta / alpha * spread)))
            gain = V @ v / spread
            m, V = m + gain * error, V - np.outer(gain, gain) * spread
            alpha, beta = alpha + 0.5, beta + error**2 / (2 * spread)
        return total, m

    def log_marginal(self, y: Sequence[Any]) -> float:
        return self._run(y)[0]

    def predict(self, y: Sequence[Any]) -> list[float]:
        return [float(self._design(self.row) @ self._run(y)[1])]


@dataclass(frozen=True)
class WeightedFormula:
    """A leaf whose responses come with weights: `(response, weight)`. Whole weights repeat a
    response in the formula of `leaf`; with others the likelihood of each is taken to the power of
    its weight, and integrated in closed form (`tests/leaves/test_weights.py` has quadratures)."""

    leaf: Any

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(getattr(self.leaf, "classes", ()))

    def log_marginal(self, y: Sequence[Any]) -> float:
        return _weighted_log_marginal(self.leaf, tuple(y))

    def predict(self, y: Sequence[Any]) -> list[float]:
        match self.leaf:
            case DirichletFormula(classes, a):
                own = [
                    a_c + math.fsum(w for x, w in y if str(x) == c)
                    for c, a_c in zip(classes, a, strict=True)
                ]
                return [x / math.fsum(own) for x in own]
            case NormalFormula(mu, kappa):
                n = math.fsum(w for _, w in y)
                return [(kappa * mu + math.fsum(w * x for x, w in y)) / (kappa + n)]
            case PoissonFormula(a, b):
                n, s = math.fsum(w for _, w in y), math.fsum(w * k for k, w in y)
                return [(a + s) / (b + n)]
            case ExposedFormula(a, b):
                s = math.fsum(w * k for (k, _), w in y)
                return [(a + s) / (b + math.fsum(w * e for (_, e), w in y))]
            case ExponentialFormula() | LineFormula() | TableFormula() | KnownFormula():
                return self.leaf.predict(_repeated(y))
        raise TypeError(self.leaf)


def formula_of_prior(leaf: Any, prior: LeafPrior) -> Any:
    """The formula of leaves in a box, beside that of most leaves."""
    if isinstance(leaf, WeightedFormula):
        return WeightedFormula(formula_of_prior(leaf.leaf, prior))
    if isinstance(prior, ClassShares):
        shares = dict(prior.shares)
        return KnownFormula(leaf.classes, tuple(shares[c] for c in leaf.classes))
    if isinstance(leaf, DirichletFormula):
        return replace(leaf, a=prior.listed or prior.args * len(leaf.classes))
    return type(leaf)(*prior.args)


def with_row(leaf: Any, row: tuple[float, ...]) -> Any:
    """A formula of lines that predicts a row with these values."""
    if isinstance(leaf, WeightedFormula):
        return replace(leaf, leaf=with_row(leaf.leaf, row))
    return replace(leaf, row=row)


def _repeated(y: Sequence[Any]) -> list[Any]:
    return [x for x, w in y for _ in range(int(w))]


@cache
def _weighted_log_marginal(leaf: Any, y: tuple[Any, ...]) -> float:
    whole = all(w == int(w) for _, w in y)
    if whole and (sum(w for _, w in y) <= _MOST_REPEATS or isinstance(leaf, TableFormula)):
        return float(leaf.log_marginal(_repeated(y)))
    with localcontext() as context:
        context.prec = 60
        return float(_closed_form(leaf, [(x, Decimal(w)) for x, w in y]))


def _closed_form(leaf: Any, y: Sequence[tuple[Any, Decimal]]) -> Decimal:
    """Without rounding to doubles, which large weights do not stand."""
    n = sum((w for _, w in y), Decimal(0))
    match leaf:
        case KnownFormula(classes, p):
            logs = [w * Decimal(p[classes.index(str(x))]).ln() for x, w in y]
            return sum(logs, Decimal(0))
        case DirichletFormula(classes, a):
            own = [Decimal(a_c) for a_c in a]
            sums = [sum((w for x, w in y if str(x) == c), Decimal(0)) for c in classes]
            terms = [log_rising(a_c, n_c) for a_c, n_c in zip(own, sums, strict=True)]
            return sum(terms, Decimal(0)) - log_rising(sum(own, Decimal(0)), n)
        case NormalFormula():
            mu, kappa, alpha, beta = map(Decimal, (leaf.mu, leaf.kappa, leaf.alpha, leaf.beta))
            mean = sum(w * Decimal(x) for x, w in y) / n
            squares = sum(w * (Decimal(x) - mean) ** 2 for x, w in y)
            after = beta + squares / 2 + kappa * n * (mean - mu) ** 2 / (2 * (kappa + n))
            return (
                log_rising(alpha, n / 2)
                + alpha * beta.ln()
                - (alpha + n / 2) * after.ln()
                + (kappa / (kappa + n)).ln() / 2
                - n / 2 * (2 * PI).ln()
            )
        case PoissonFormula():
            a, b, s = Decimal(leaf.a), Decimal(leaf.b), sum((w * k for k, w in y), Decimal(0))
            factorials = sum((w * log_gamma(Decimal(k + 1)) for k, w in y), Decimal(0))
            return log_rising(a, s) + a * b.ln() - (a + s) * (b + n).ln() - factorials
        case ExposedFormula():
            a, b = Decimal(leaf.a), Decimal(leaf.b)
            exposure = sum((w * Decimal(e) for (_, e), w in y), Decimal(0))
            s = sum((w * k for (k, _), w in y), Decimal(0))
            logs = sum(
                (w * (k * Decimal(e).ln() - log_gamma(Decimal(k + 1))) for (k, e), w in y),
                Decimal(0),
            )
            return log_rising(a, s) + a * b.ln() - (a + s) * (b + exposure).ln() + logs
        case ExponentialFormula():
            a, b = Decimal(leaf.a), Decimal(leaf.b)
            events = sum((w * seen for (_, seen), w in y), Decimal(0))
            time = sum((w * Decimal(t) for (t, _), w in y), Decimal(0))
            return log_rising(a, events) + a * b.ln() - (a + events) * (b + time).ln()
    raise TypeError(leaf)
