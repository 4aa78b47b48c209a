"""Two classes by the sign of a sum of trees with normal noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import DataError
from slp.ir.leaves import LeafDeclaration
from slp.late import late_import
from slp.leaves.class_counts import CountedClasses, classes_of_plain
from slp.leaves.declared import Observed
from slp.leaves.labels import Label
from slp.leaves.signature import Signature
from slp.leaves.sum_numbers import SumNumbers, in_words, scale_of_value
from slp.messages.sums import SUM_OF_CLASSES

_DEFAULTS = {"k": 2.0}
#: What the middle 95 % of the sum reach over, in probits: the probabilities from 0.001 to 0.999.
_HALF_WIDTH = 3.0


class SumProbit(CountedClasses):
    """`sum_probit(offset = o, tau = t)`.

    The second of two classes has the probability Phi(o + the sum over the trees of the value of
    their leaf); values ~ Normal(0, t^2) (Chipman, George & McCulloch 2010, section 4). By
    `sum_probit(k = 2)`, the default, the response is looked at: Phi(o) is the share of the second
    class with half a row more of each, and k sqrt(trees) t is 3.

    Statistics (k = 2): the class counts. Those that a sum predicts a row by are the probabilities
    of the classes, which a drawn sum has.
    """

    name = "sum_probit"
    of_sums = True
    taken = "its offset"
    signature = Signature(
        "sum_probit(k = 2) or sum_probit(offset = 0, tau = 0.5)",
        (),
        real=("offset",),
        named=(_DEFAULTS, {"offset": None, "tau": None}),
    )

    def __init__(self, classes: Sequence[Label], numbers: SumNumbers) -> None:
        self.classes, self.numbers = tuple(classes), numbers
        self.concentration = np.zeros(len(self.classes))
        self.of_response, self.loss = numbers.of_response, None

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> SumProbit:
        """With the declared numbers, or those that they and the response give.

        Raises
        ------
        DataError
            E577: there are not two classes.
        """
        if len(observed.classes) != 2:
            raise DataError(SUM_OF_CLASSES(declaration.span, classes=len(observed.classes)))
        given = dict(zip(declaration.names, declaration.args, strict=True)) or dict(_DEFAULTS)
        used = given if "tau" in given else _taken(given, observed, declaration.trees)
        return cls(observed.classes, SumNumbers(given, used))

    def numbers_for_core(self, S: NDArray[np.float64]) -> NDArray[np.float64] | str:
        """The variance of values."""
        return np.array([self.numbers.used["tau"] ** 2])

    def log_parted(self, S: NDArray[np.float64]) -> float:
        """inf: no bound is known."""
        return math.inf

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"probabilities": {class: p}}`, with what is decided under a declared loss."""
        shares = self.predict_proba(S)
        told = dict(zip(self.classes, shares.tolist(), strict=True))
        return {"probabilities": told, **self._decision(shares)}

    def describe(self) -> str:
        """The model as in a declaration with numbers."""
        return f"{self.name}({in_words(self.numbers.used)})"

    def to_plain(self) -> dict[str, Any]:
        """See `LeafModel`."""
        return {**self.classes_to_plain(), **self.numbers.to_plain()}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> SumProbit:
        """See `DeclaredModel`."""
        labels, loss = classes_of_plain(data)
        if len(labels) != 2:
            raise ValueError("there are not two classes")
        out = cls(labels, SumNumbers.from_plain(data, "offset", ()))
        out.loss = loss
        return out

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """A leaf alone has none: TypeError."""
        raise TypeError(f"a leaf under {self.name} has no marginal likelihood of its own")

    def class_cdf(self, S: NDArray[np.float64], outcome: int, p: float) -> NDArray[np.float64]:
        """1 where the class has at most this probability, which a drawn sum has, else 0."""
        return np.asarray(self.predict_proba(S)[..., outcome] <= p, np.float64)

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """The class probabilities, shape (..., 2): a drawn sum has them."""
        return self.predict_proba(S)

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """0: a drawn sum has its probabilities."""
        return np.zeros(np.shape(S))


def _taken(given: Mapping[str, float], observed: Observed, trees: int) -> dict[str, float]:
    ndtri = late_import("scipy.special").ndtri

    weights = np.ones(len(observed.y)) if observed.weights is None else observed.weights
    of_second, total = float(weights[observed.y == 1].sum()), float(weights.sum())
    return {
        "offset": float(ndtri((of_second + 0.5) / (total + 1))),
        "tau": scale_of_value(_HALF_WIDTH, given["k"], trees),
    }
