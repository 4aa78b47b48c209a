"""Numbers with a normal distribution whose variance all leaves of a soft tree share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.ir.leaves import LeafDeclaration
from slp.late import late_import
from slp.leaves.base import LEVEL
from slp.leaves.declared import Observed
from slp.leaves.normal_defaults import SHARE, is_of_response, known_numbers, moments
from slp.leaves.numbers import NormalLeaf, leaf_mean
from slp.leaves.signature import Signature


class NormalShared(NormalLeaf):
    """`normal_shared(mean, sd, shape, scale)`.

    mu_l ~ Normal(mean, sd^2) for each leaf l, s2 ~ InverseGamma(shape, scale) for the whole tree,
    y ~ Normal(sum of phi_l mu_l, s2), where phi_l is the probability that the row reaches leaf l.

    Leaves depend on each other, so a leaf has no marginal likelihood, and only soft trees have this
    model. Statistics (k = 3): n, sum of (y - ref), sum of (y - ref)^2. Those that a soft tree
    predicts a row by are the moments of its normal distribution: (1, m - ref, (m - ref)^2 + s2).
    """

    name = "normal_shared"
    taken = "its mean and scale"
    signature = Signature(
        "normal_shared(mean, sd, shape, scale)", ("mean", "sd", "shape", "scale"), ("mean",)
    )
    n_statistics = 3
    squares = True
    soft_trees = True

    def __init__(
        self,
        mean: float,
        sd: float,
        shape: float,
        scale: float,
        *,
        ref: float = 0.0,
        of_response: bool = False,
    ) -> None:
        self.hyperparameters = (mean, sd, shape, scale)
        self.ref, self.of_response = ref, of_response

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> NormalShared:
        """With the declared numbers."""
        return cls(*declaration.args, ref=observed.mean)

    @classmethod
    def taken_from(cls, observed: Observed) -> NormalShared:
        """With numbers taken from the response: mean and standard deviation of the leaves' means
        are its own, and the prior mean of s2 is a twentieth of its variance."""
        _, mean, variance = moments(observed)
        return cls(mean, variance**0.5, 3.0, SHARE * variance, ref=observed.mean, of_response=True)

    def to_plain(self) -> dict[str, Any]:
        """With `ref`, and whether the numbers are taken from the response."""
        return super().to_plain() | {"ref": float(self.ref), "of_response": self.of_response}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> NormalShared:
        """See `DeclaredModel`."""
        return cls(*known_numbers(data), ref=data["ref"], of_response=is_of_response(data))

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """(1, y - ref, (y - ref)^2), shape (n, 3), of float64 (n,)."""
        d = np.asarray(y, dtype=np.float64) - self.ref
        return np.stack([np.ones_like(d), d, d * d], axis=-1)

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """A leaf alone has none: TypeError."""
        raise TypeError(f"a leaf under {self.name} has no marginal likelihood of its own")

    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of the normal distribution with these moments, shape (...)."""
        return np.asarray(S[..., 1] / S[..., 0] + self.ref)

    def _sd(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.sqrt(np.maximum(S[..., 2] / S[..., 0] - (S[..., 1] / S[..., 0]) ** 2, 0.0))

    def cdf(self, S: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """That of the normal distribution with these moments, broadcast over (...)."""
        ndtr = late_import("scipy.special").ndtr

        return np.asarray(ndtr((np.asarray(y) - self.mean(S)) / self._sd(S)))

    def log_density(self, S: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.float64]:
        """That of the normal distribution with these moments, broadcast over (...)."""
        sd = self._sd(S)
        apart = (np.asarray(y, np.float64) - self.mean(S)) / sd
        return np.asarray(-(apart**2) / 2 - np.log(sd) - np.log(2 * np.pi) / 2)

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Mean and variance of the normal distribution with these moments, shape (..., 2): a drawn
        tree has them, so nothing is left to draw."""
        return np.stack([self.mean(S), self._sd(S) ** 2], axis=-1)

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """0: a drawn tree has its means."""
        return np.zeros((*np.shape(S)[:-1], 1))

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"n": .., "mean": ..}` of rows."""
        n, s1, _ = np.asarray(S).tolist()
        return leaf_mean(n, s1 + n * self.ref)

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"mean": .., "mean_interval": [.., ..]}` of the normal distribution with these
        moments."""
        ndtri = late_import("scipy.special").ndtri

        mean, reach = float(self.mean(S)), float(self._sd(S) * ndtri((1 + LEVEL) / 2))
        return {"mean": mean, "mean_interval": [mean - reach, mean + reach]}
