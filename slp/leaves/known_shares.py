"""Classes whose probabilities are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.leaves.class_counts import classes_of_plain
from slp.leaves.dirichlet import Dirichlet
from slp.leaves.labels import Label
from slp.leaves.numbers import check_numbers
from slp.messages.numbers import number_text


class KnownShares(Dirichlet):
    """`constant(Box, [c1 = p1, ...])`: the leaf has these class probabilities, whatever its rows.

    Statistics are those of `Dirichlet`, whose limit it is as a number that multiplies all a_c = p_c
    grows: the ordered labels of a leaf have P(y) = product over c of p_c^n_c.
    """

    name = "known_shares"

    def __init__(self, classes: Sequence[Label], shares: Sequence[float]) -> None:
        super().__init__(classes, shares)
        self.shares = np.asarray(shares, np.float64)
        self._logs = np.log(self.shares)

    def to_plain(self) -> dict[str, Any]:
        """Its `shares` in place of concentrations."""
        plain = super().to_plain()
        return {**plain, "shares": plain.pop("concentration")}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> KnownShares:
        """See `DeclaredModel`."""
        shares = data["shares"]
        check_numbers(shares, positive=True)
        labels, _ = classes_of_plain(data)
        if len(shares) != len(labels):
            raise ValueError("the shares are not those of the classes")
        return cls(labels, shares)

    def with_added(self, rows: NDArray[np.float64]) -> KnownShares:
        """Itself: its shares are known."""
        return self

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of n_c log p_c, shape (...)."""
        return np.asarray(np.asarray(S, np.float64) @ self._logs)

    def log_least(self, S: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Its log probability, which no other row changes."""
        return self.log_marginal(S)

    def numbers_for_core(self, S: NDArray[np.float64]) -> NDArray[np.float64] | str:
        """The shares."""
        return self.shares

    def predict_proba(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """p, shape (..., C)."""
        return np.broadcast_to(self.shares, np.shape(S)).copy()

    def class_cdf(self, S: NDArray[np.float64], outcome: int, p: float) -> NDArray[np.float64]:
        """1 where the class has probability p at most, else 0, shape (...)."""
        return np.full(np.shape(S)[:-1], float(self.shares[outcome] <= p))

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """The class probabilities, which are known, shape (..., C)."""
        return self.predict_proba(S)

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """0, shape (..., C)."""
        return np.zeros(np.shape(S))

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """As that of `Dirichlet`, with intervals of width 0."""
        shares = dict(zip(self.classes, self.shares.tolist(), strict=True))
        return {
            "probabilities": shares,
            "intervals": {label: [p, p] for label, p in shares.items()},
            **self._decision(self.shares),
        }

    def describe(self) -> str:
        """`the shares [0.2, 0.8]`."""
        return f"the shares [{', '.join(map(number_text, self.shares.tolist()))}]"
