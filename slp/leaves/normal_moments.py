"""Normal distributions given by their moments: what a drawn function says of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.late import late_import
from slp.leaves.base import LEVEL
from slp.leaves.numbers import NormalLeaf, leaf_mean


class NormalByMoments(NormalLeaf):
    """Base of the models whose draws have means and a variance of their own: of soft trees, and of
    sums of trees. Statistics (k = 3): n, sum of (y - ref), sum of (y - ref)^2; of a row that is
    predicted (1, m - ref, (m - ref)^2 + s2)."""

    n_statistics = 3
    squares = True

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
