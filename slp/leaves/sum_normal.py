"""Numbers as a sum of trees with normal noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.ir.leaves import LeafDeclaration
from slp.late import late_import
from slp.leaves.declared import Observed
from slp.leaves.normal_defaults import moments
from slp.leaves.normal_moments import NormalByMoments
from slp.leaves.signature import Signature
from slp.leaves.sum_numbers import SumNumbers, in_words, scale_of_value

_DEFAULTS = {"k": 2.0, "nu": 3.0, "q": 0.9}

#: Least squares take so many rows at most, spread evenly over the table.
_MOST_ROWS = 20_000
#: The variance that they leave is taken as this share of the response's or more.
_LEAST_SHARE = 1e-4


class SumNormal(NormalByMoments):
    """`sum_normal(mean = m, tau = t, nu = n, lambda = l)`, or with `sigma = s` in place of `nu` and
    `lambda`.

    y ~ Normal(m + the sum over the trees of the value of their leaf, s2); values ~ Normal(0, t^2);
    s2 ~ n l / chi^2(n) (Chipman, George & McCulloch 2010). By `sum_normal(k = 2, nu = 3, q = 0.9)`,
    the default, the response is looked at: m is the middle of its range, 2 k sqrt(trees) t its
    width, and l has s2 below the variance that least squares on the features leaves with
    probability q; below that of the response where the rows are too few for it.

    A leaf of one tree has no marginal likelihood. Statistics (k = 3): n, sum of (y - ref), sum of
    (y - ref)^2. Those that a sum predicts a row by are the moments of its normal distribution.
    """

    name = "sum_normal"
    of_sums = True
    taken = "its center, and the scale of values and noise"
    signature = Signature(
        "sum_normal(k = 2, nu = 3, q = 0.9), sum_normal(mean = 0, tau = 0.5, nu = 3, lambda = 0.1) "
        "or sum_normal(mean = 0, tau = 0.5, sigma = 1)",
        (),
        real=("mean",),
        named=(
            _DEFAULTS,
            {"mean": None, "tau": None, "nu": None, "lambda": None},
            {"mean": None, "tau": None, "sigma": None},
        ),
        shares=("q",),
    )

    def __init__(self, numbers: SumNumbers, *, ref: float = 0.0) -> None:
        self.numbers, self.ref = numbers, ref
        self.of_response = numbers.of_response
        self.hyperparameters = (numbers.used["tau"] ** 2,)

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> SumNormal:
        """With the declared numbers, or those that they and the response give."""
        given = dict(zip(declaration.names, declaration.args, strict=True)) or dict(_DEFAULTS)
        used = given if "tau" in given else _taken(given, observed, declaration.trees)
        return cls(SumNumbers(given, used), ref=observed.mean)

    def numbers_for_core(self, S: NDArray[np.float64]) -> NDArray[np.float64] | str:
        """The variance of values."""
        return np.array(self.hyperparameters)

    def describe(self) -> str:
        """The model as in a declaration with numbers."""
        return f"{self.name}({in_words(self.numbers.used)})"

    def to_plain(self) -> dict[str, Any]:
        """See `LeafModel`."""
        return {"model": self.name, "ref": float(self.ref), **self.numbers.to_plain()}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> SumNormal:
        """See `DeclaredModel`."""
        numbers = SumNumbers.from_plain(data, "mean", ("nu", "lambda", "sigma"))
        if ("sigma" in numbers.used) == ({"nu", "lambda"} <= set(numbers.used)):
            raise ValueError("the variance has no prior, or two")
        return cls(numbers, ref=float(data["ref"]))


def _taken(given: Mapping[str, float], observed: Observed, trees: int) -> dict[str, float]:
    """What the response gives, of its rows of weight above 0."""
    chdtri = late_import("scipy.special").chdtri

    y = observed.y if observed.weights is None else observed.y[observed.weights > 0]
    low, high = (float(y.min()), float(y.max())) if len(y) else (0.0, 0.0)
    half = (high - low) / 2 or 1.0
    nu = given["nu"]
    return {
        "mean": low + (high - low) / 2,
        "tau": scale_of_value(half, given["k"], trees),
        "nu": nu,
        "lambda": _noise(observed) * float(chdtri(nu, given["q"])) / nu,
    }


def _noise(observed: Observed) -> float:
    """The variance that least squares on the features leaves: the sum of squares over the weight of
    the rows less the rank; that of the response if no row is left."""
    _, mean, variance = moments(observed)
    n = len(observed.y)
    weights = np.ones(n) if observed.weights is None else observed.weights
    chosen = np.flatnonzero(weights > 0)
    chosen = chosen[:: -(-len(chosen) // _MOST_ROWS) or 1]
    if observed.regressors is None or len(chosen) <= observed.regressors.shape[1] + 1:
        return variance
    x, w = observed.regressors[chosen], weights[chosen]
    centre = x - np.average(x, axis=0, weights=w)
    scale = np.abs(centre).max(axis=0, initial=0.0)
    design = np.column_stack([np.ones(len(x)), centre / np.where(scale > 0, scale, 1.0)])
    root = np.sqrt(w)
    found, _, rank, _ = np.linalg.lstsq(
        design * root[:, None], (observed.y[chosen] - mean) * root, rcond=None
    )
    left = float((w * (observed.y[chosen] - mean - design @ found) ** 2).sum())
    rows = float(w.sum()) - int(rank)
    return max(left / rows, _LEAST_SHARE * variance) if rows > 0 else variance
