"""Classes that are counted in leaves: what the models of classes share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.leaves.base import Responses, are_counts
from slp.leaves.declared import DeclaredModel
from slp.leaves.labels import Label
from slp.leaves.losses import least_losses
from slp.leaves.numbers import count_of

#: Directions of shares whose spreads differ by less are equally good, and places along one are told
#: apart to so many digits, so that rounding decides nothing.
_SAME, _DIGITS = 1e-9, 9

#: A class of each type from its text.
_LABELS: Mapping[str, Callable[[str], Label]] = {
    "bool": {"True": True, "False": False}.__getitem__,
    "int": int,
    "float": float,
    "str": str,
}


class CountedClasses(DeclaredModel):
    """Base of the models of classes. Statistics (k = C): the class counts n_c. With the numbers a_c
    of `concentration` the next label is c with probability (a_c + n_c) / (A + N)."""

    responses: Responses = "classes"

    def classes_to_plain(self) -> dict[str, Any]:
        """Name, classes and losses as plain data."""
        return {
            "model": self.name,
            "classes": [str(label) for label in self.classes],
            "type": type(self.classes[0]).__name__,
            **({} if self.loss is None else {"loss": self.loss.tolist()}),
        }

    def are_sound(self, S: NDArray[np.float64]) -> bool:
        """Whether all are weights of rows."""
        return are_counts(S)

    @property
    def n_statistics(self) -> int:
        """C."""
        return len(self.classes)

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """One-hot rows, shape (n, C), of class indices (n,)."""
        out = np.zeros((len(y), len(self.classes)))
        out[np.arange(len(y)), np.asarray(y, dtype=np.intp)] = 1.0
        return out

    def scores(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `LeafModel`. Of three classes or more, the rank along the direction in which the
        shares vary most, groups weighted by their rows. Among several such directions it is that
        nearest to the axis of one class, the first of equally near ones. Equal shares have one
        rank; different ones at the same place are ordered by the shares of the first class in
        which they differ."""
        n = np.add.accumulate(S, axis=-1)[:, -1]  # in order, as the core adds
        shares = S / n[:, None]
        if len(self.classes) <= 2:
            return np.asarray(shares[:, -1])
        far = shares - S.sum(axis=0) / n.sum()
        spread, axes = np.linalg.eigh((far * n[:, None]).T @ far)
        most = axes[:, spread >= spread[-1] * (1 - _SAME)]
        onto = most @ most.T
        direction = onto[np.argmax(np.round(np.diag(onto), _DIGITS))]
        distinct, which = np.unique(shares, axis=0, return_inverse=True)
        order = np.argsort(np.round(distinct @ direction, _DIGITS), kind="stable")
        ranks = np.empty(len(order))
        ranks[order] = np.arange(len(order))
        return ranks[which.reshape(-1)]

    def predict_proba(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """(a_c + n_c) / (A + N), shape (..., C)."""
        weights = np.asarray(S) + self.concentration
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))

    def values(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The class probabilities."""
        return self.predict_proba(S)

    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Classes have no mean: TypeError."""
        raise TypeError(f"{self.name} models classes, which have no mean")

    def cdf(self, S: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Classes have no order: TypeError."""
        raise TypeError(f"{self.name} models classes, which have no distribution function")

    def outcomes_of(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The statistics say the classes: TypeError."""
        raise TypeError("the statistics of classes are counts of them")

    def log_density(self, S: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.float64]:
        """The log probability of classes by their indices y, broadcast over (...)."""
        shares = self.predict_proba(S)
        y = np.broadcast_to(np.asarray(y, np.intp), np.broadcast_shapes(shares.shape[:-1], y.shape))
        shares = np.broadcast_to(shares, (*y.shape, len(self.classes)))
        return np.asarray(np.log(np.take_along_axis(shares, y[..., None], axis=-1)[..., 0]))

    def values_of(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The class probabilities."""
        return parameters

    def draw_outcomes(
        self,
        parameters: NDArray[np.float64],
        rng: np.random.Generator,
        design: NDArray[np.float64] | None = None,
    ) -> NDArray[np.int64]:
        """The index of a class, shape (...)."""
        reached = np.cumsum(parameters, axis=-1)[..., :-1]
        return np.asarray((rng.random(parameters.shape[:-1])[..., None] >= reached).sum(axis=-1))

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"counts": {class: n}}`, without classes that do not occur in the leaf."""
        counts = zip(self.classes, np.asarray(S).tolist(), strict=True)
        return {"counts": {label: count_of(n) for label, n in counts if n}}

    def _decision(self, shares: NDArray[np.float64]) -> dict[str, Any]:
        if self.loss is None:
            return {}
        expected = shares @ self.loss
        said = int(least_losses(expected, self.loss)[0])
        return {"decision": self.classes[said], "expected_loss": float(expected[said])}


def classes_of_plain(
    data: Mapping[str, Any],
) -> tuple[tuple[Label, ...], NDArray[np.float64] | None]:
    """Classes and losses of plain data. ValueError or another error: they are none."""
    labels = tuple(map(_LABELS[data["type"]], data["classes"]))
    if not labels or len(set(labels)) < len(labels):
        raise ValueError("classes are missing, or two are equal")
    if "loss" not in data:
        return labels, None
    loss = np.array(data["loss"], np.float64)
    if loss.shape != (len(labels),) * 2 or not (np.isfinite(loss) & (loss >= 0)).all():
        raise ValueError("the losses are no losses of the classes")
    return labels, loss
